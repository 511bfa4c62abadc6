"""`CompiledSchema`: everything that a schema can be asked."""

from __future__ import annotations

import marshal
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn

from pydantic_core import from_json

from schema2model.coerce.engine import Engine
from schema2model.coercions import Coercion
from schema2model.errors import Issue, ToolError

if TYPE_CHECKING:
    from schema2model.coerce.partial import PartialArguments
    from schema2model.coerce.search.readings import Change
    from schema2model.model.arguments_model import ArgumentsModel
    from schema2model.schema.nodes import Node
    from schema2model.strict.strict_schema import StrictSchema

__all__ = ["CompiledSchema", "Explanation", "engine_of"]


@dataclass(frozen=True, slots=True)
class Explanation:
    """The outcome of a value: `result` or `error`, and the changes that led there.

    With an `error`, the changes are those of the parts that could be read.
    """

    result: Any
    error: ToolError | None
    changes: tuple[Change, ...]
    _root: Node | None = field(default=None, repr=False, compare=False)

    @property
    def doubts(self) -> tuple[Issue, ...]:
        """The members of the result that may be misspelt, computed on access.

        The schema allows but does not declare them, and they spell a declared, absent name
        differently: `dry_run` for `dryRun`.
        """
        if self._root is None:
            return ()
        from schema2model.schema.undeclared import DeclaredNames  # noqa: PLC0415 - few ask

        return DeclaredNames(self._root).issues(self.result, similar_only=True)


class CompiledSchema:
    """A compiled schema. Immutable, safe to share between threads, picklable.

    Made by `compile_schema`, not by hand.
    """

    __slots__ = ("__weakref__", "_engine")

    _engine: Engine

    def __init__(self, engine: Engine) -> None:
        object.__setattr__(self, "_engine", engine)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        message = f"a CompiledSchema is immutable; {name!r} cannot be set"
        raise AttributeError(message)

    def __delattr__(self, name: str) -> NoReturn:
        message = f"a CompiledSchema is immutable; {name!r} cannot be deleted"
        raise AttributeError(message)

    def __repr__(self) -> str:
        return f"<CompiledSchema {self.name!r}, {self.dialect}>"

    # ------------------------------------------------------------------------- what it is
    @property
    def name(self) -> str:
        """The tool's name, or the schema's title, or `"tool"`."""
        return self._engine.name

    @property
    def schema(self) -> dict[str, Any] | bool:
        """A copy of the schema as it was given."""
        return marshal.loads(self._engine.source.content)  # type: ignore[no-any-return]  # noqa: S302

    @property
    def dialect(self) -> str:
        """The URI of the schema's dialect."""
        return self._engine.verdicts.dialect.uri

    @property
    def coercion(self) -> Coercion:
        """The rules by which arguments are read."""
        return self._engine.coercion

    @property
    def model(self) -> type[ArgumentsModel]:
        """The pydantic model: `model.model_validate(x).model_dump() == validate(x)`.

        Made when first asked for.
        """
        from schema2model.model.blueprints import model_for  # noqa: PLC0415 - many never ask

        return model_for(self._engine)

    def strict(
        self, provider: str, *, max_items: int | None = None, max_length: int | None = None
    ) -> StrictSchema:
        """Return the schema in the subset that a provider enforces, with an exact inverse.

        Args:
            provider: `"openai"`, `"azure"`, `"anthropic"`, `"gemini"`, `"gemini-openapi"`,
                `"groq"`, `"xai"`, `"llguidance"` or `"xgrammar"`.
            max_items: maximum items of arrays for which the schema has no maximum. Some models
                repeat items without end where a provider enforces the schema.
            max_length: the same for the characters of strings.

        Raises:
            SchemaError: if the schema cannot be projected.
            ValueError: for an unknown provider.

        >>> from schema2model import compile_schema
        >>> schema = {"type": "object", "properties": {"city": {"type": "string"}}}
        >>> strict = compile_schema(schema).strict("openai")
        >>> strict.schema["properties"]
        {'city': {'anyOf': [{'type': 'string'}, {'type': 'null'}]}}
        >>> strict.decode({"city": None})
        {}

        """
        from schema2model.strict.strict_schema import strict_schema  # noqa: PLC0415 - few ask

        return strict_schema(self._engine, provider, max_items=max_items, max_length=max_length)

    # ----------------------------------------------------------------------- what it does
    # `defaults` is not by keyword only: Python calls functions without such parameters faster,
    # by 2 % of a correct call.
    def validate(self, value: Any, defaults: bool = False) -> Any:  # noqa: FBT001, FBT002
        """Return valid arguments, from Python values.

        Args:
            value: any Python value; it is never changed.
            defaults: fill in the schema's defaults for properties that were not sent, at all
                depths, each only where the result stays valid.

        Returns:
            JSON-compatible values that satisfy the schema: those given, if they do.

        Raises:
            ToolError: if no reading of the value satisfies the schema.

        >>> from schema2model import compile_schema
        >>> compile_schema({"type": "integer"}).validate("10")
        10

        """
        if defaults:
            return self._filled(self.validate(value))
        engine = self._engine
        try:  # as Engine.validate does, whose call would cost 3 %
            return engine.accept(value)
        except Exception:  # noqa: BLE001, S110 - a hostile value may raise anything
            pass
        return engine.recover(value)

    def validate_json(
        self,
        text: str | bytes | bytearray,
        defaults: bool = False,  # noqa: FBT001, FBT002
    ) -> Any:
        """Return valid arguments, from the text that a provider sent.

        Text that is not JSON is parsed by ever looser grammars; the schema judges each result.
        `defaults` is as in `validate`.

        Raises:
            ToolError: if no reading of the text satisfies the schema.

        >>> from schema2model import compile_schema
        >>> compile_schema({"type": "object"}).validate_json("{'a': True,}")
        {'a': True}

        """
        if defaults:
            return self._filled(self.validate_json(text))
        engine = self._engine
        try:  # as Engine.validate_json does, whose call would cost 10 %
            return engine.accept_json(text)
        except Exception:  # noqa: BLE001, S110 - a hostile value may raise anything
            pass
        return engine.recover_json(text)

    def _filled(self, result: Any) -> Any:
        from schema2model.model.defaults import with_defaults  # noqa: PLC0415 - few calls want it

        return with_defaults(self._engine, result)

    def partial(self, *, strings: bool = False) -> PartialArguments:
        """The arguments of one call while their text arrives, as much as no later text can change.

        Args:
            strings: also show strings while they grow, where the schema accepts every string.

        >>> from schema2model import compile_schema
        >>> schema = {"properties": {"ids": {"type": "array", "items": {"type": "integer"}}}}
        >>> arguments = compile_schema(schema).partial()
        >>> [str(arguments.feed(chunk)) for chunk in ('{"ids"', ': ["1', '", 2, 3', "]}")]
        ['{}', "{'ids': []}", "{'ids': [1, 2]}", "{'ids': [1, 2, 3]}"]
        >>> arguments.finish()
        {'ids': [1, 2, 3]}

        """
        from schema2model.coerce.partial import PartialArguments  # noqa: PLC0415 - few calls stream

        return PartialArguments(self._engine, strings=strings)

    def is_valid(self, value: Any) -> bool:
        """Return whether plain JSON values satisfy the schema without coercion. Never raises.

        >>> from schema2model import compile_schema
        >>> compile_schema({"type": "integer"}).is_valid("10")
        False
        """
        try:
            return self._engine.verdicts.is_valid(value)
        except Exception:  # noqa: BLE001 - no JSON, or a hostile value, which may raise anything
            return False

    def is_valid_json(self, text: str | bytes | bytearray) -> bool:
        """Return whether a text is JSON that satisfies the schema without coercion. Never raises.

        >>> from schema2model import compile_schema
        >>> compiled = compile_schema({"type": "integer"})
        >>> [compiled.is_valid_json(text) for text in ("10", '"10"', "1 0")]
        [True, False, False]
        """
        try:
            return self.is_valid(from_json(text, allow_inf_nan=False))
        except (TypeError, ValueError):
            return False

    def coerce(self, value: Any) -> Any:
        """Coerce a value as far as possible, property by property. Never raises.

        Parts that cannot be made valid are returned unchanged.

        >>> from schema2model import compile_schema
        >>> schema = {"properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}
        >>> compile_schema(schema).coerce({"a": "1", "b": "x"})
        {'a': 1, 'b': 'x'}
        """
        try:
            return self._engine.read(value).value
        except (ToolError, RecursionError):
            return value

    def coerce_json(self, text: str | bytes | bytearray) -> Any:
        """Coerce the value that a text spells as far as possible; see `coerce`. Never raises.

        A text that cannot be read, or in more than one way, is returned unchanged.

        >>> from schema2model import compile_schema
        >>> schema = {"properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}
        >>> compile_schema(schema).coerce_json('{"a": "1", "b": "x",}')
        {'a': 1, 'b': 'x'}
        """
        try:
            return self._engine.read_text(text).value
        except (ToolError, RecursionError):
            return text

    def with_defaults(self, value: Any) -> Any:
        """Return `validate(value, defaults=True)`.

        Raises:
            ToolError: if no reading of the value satisfies the schema.

        >>> from schema2model import compile_schema
        >>> limit = {"type": "integer", "default": 10}
        >>> compiled = compile_schema({"properties": {"limit": limit, "tags": {"default": []}}})
        >>> compiled.with_defaults({"limit": "5"})
        {'limit': 5, 'tags': []}

        """
        return self.validate(value, defaults=True)

    def explain(self, value: Any) -> Explanation:
        """Return the outcome of `validate`, and each change on the way. Never raises.

        >>> from schema2model import compile_schema
        >>> explanation = compile_schema({"type": "integer"}).explain("10")
        >>> explanation.changes
        (Change(path='', rule='json_text', before='10', after=10),)
        """
        return _explained(self._engine, value, is_text=False)

    def explain_json(self, text: str | bytes | bytearray) -> Explanation:
        """Return the outcome of `validate_json`, and each change on the way.

        Raises:
            TypeError: for anything but text.

        >>> from schema2model import compile_schema
        >>> explanation = compile_schema({"type": "object"}).explain_json('{"a": 1,}')
        >>> [change.after for change in explanation.changes]
        [{'a': 1}, 'dropped "," at character 7']

        """
        return _explained(self._engine, text, is_text=True)


engine_of: Callable[[CompiledSchema], Engine] = attrgetter("_engine")
"""The validators and the search that a schema was compiled to."""


def _explained(engine: Engine, given: Any, *, is_text: bool) -> Explanation:
    try:
        result, changes = engine.explain_json(given) if is_text else engine.explain(given)
    except ToolError as error:
        return Explanation(None, error, engine.attempted_changes(given, is_text=is_text))
    return Explanation(result, None, changes, engine.root)
