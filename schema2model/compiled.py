"""`CompiledSchema`: everything that a schema can be asked."""

from __future__ import annotations

import dataclasses
import marshal
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn

from pydantic_core import SchemaError as CoreSchemaError, SchemaValidator, core_schema as cs

from schema2model.coercions import Coercion
from schema2model.engine.lowering import lower
from schema2model.errors import Issue, SchemaError, ToolError
from schema2model.schema.dialects import Dialect, dialect_for
from schema2model.schema.nodes import Node
from schema2model.schema.references import Documents
from schema2model.schema.verdicts import Verdicts
from schema2model.schema.walking import compile_nodes
from schema2model.values import (
    TOO_MUCH,
    NotJSONError,
    is_shallow,
    plain,
    pointer,
    quoted,
    shallow_only,
    unspeakable,
)

if TYPE_CHECKING:
    from schema2model.engine.partial import PartialArguments
    from schema2model.engine.search import Change, Reading
    from schema2model.model.arguments import ArgumentsModel

__all__ = ["CompiledSchema", "Explanation", "Formats", "Options"]

Formats = Literal["annotate", "assert"]


_REFERENCES = (b"$ref", b"$dynamicRef", b"$recursiveRef")
_INTRICATE = (b"attern", b"$id", b"$anchor", b"$dynamicAnchor", b"$vocabulary", b"\xed")
"""Keywords in a marshalled schema of which the meta-schema alone cannot say that they are right;
and the first byte of half a surrogate pair, which cannot be handed on."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What became of a value: `result` or `error`, and the changes that led there."""

    result: Any
    error: ToolError | None
    changes: tuple[Change, ...]


class Options(NamedTuple):
    """What a schema is compiled with, besides its own text."""

    coercion: Coercion
    dialect: Dialect
    name: str | None
    formats: Formats | None
    resources: bytes


def _validator(
    node: Node, verdicts: Verdicts, coercion: Coercion, *, coerces: bool
) -> SchemaValidator:
    lowered = lower(node, coercion, verdicts.part, coerces=coerces)
    core = lowered.schema
    if not lowered.exact:
        core = cs.no_info_after_validator_function(verdicts.require, core)
    try:
        return SchemaValidator(core)
    except (CoreSchemaError, RecursionError) as error:
        message = f"pydantic-core cannot compile it: {quoted(str(error))}"
        raise SchemaError(message) from None


def _own_text(text: str | bytes | bytearray) -> str | bytes | bytearray:
    """Text as it is, or what a subclass holds, whose methods have no say."""
    return str.__str__(text) if issubclass(type(text), str) else text


class CompiledSchema:
    """A compiled schema. Immutable, safe to share between threads, picklable.

    Made by `compile_schema`, not by hand.
    """

    __slots__ = (
        "__weakref__",
        "_coerces",
        "_content",
        "_model",
        "_node",
        "_options",
        "_recursive",
        "_validate",
        "_validate_json",
        "_verdicts",
        "name",
    )

    name: str
    """The tool's name, or the schema's title, or `"tool"`."""

    _coerces: bool
    _content: bytes
    _model: type[ArgumentsModel] | None
    _node: Node
    _options: Options
    _recursive: bool
    _validate: Callable[[Any], Any]
    _validate_json: Callable[[str | bytes | bytearray], Any]
    _verdicts: Verdicts

    def __init__(self, content: bytes, options: Options) -> None:
        given = marshal.loads(content)  # noqa: S302 - our own bytes
        resources = marshal.loads(options.resources) if options.resources else {}  # noqa: S302
        if type(given) is not dict and type(given) is not bool:
            message = f"a schema is an object or a boolean, not {quoted(given)}"
            raise SchemaError(message)
        refers = any(keyword in content for keyword in _REFERENCES)
        dialect = dialect_for(given, options.dialect, resources)
        documents = Documents(given, dialect, resources)
        formats = options.formats
        assert_formats = dialect.asserts_formats if formats is None else formats == "assert"
        intricate = refers or any(keyword in content for keyword in _INTRICATE)
        verdicts = Verdicts(
            documents, assert_formats=assert_formats, refers=refers, intricate=intricate
        )
        node = compile_nodes(documents, assert_formats=assert_formats)
        # where strings are read even if they are valid, the strict schema would accept too much
        strict = _validator(
            node, verdicts, options.coercion, coerces=options.coercion.reads_strings
        )
        recursive = refers and node.recursive()
        title = given.get("title") if isinstance(given, dict) else None
        name = options.name or (title if isinstance(title, str) and title else "tool")
        for slot, value in (
            ("_content", content),
            ("_coerces", options.coercion.reads_strings or options.coercion == Coercion.off),
            ("_model", None),
            ("_node", node),
            ("_options", options),
            ("_recursive", recursive),
            (
                "_validate",
                shallow_only(strict.validate_python) if recursive else strict.validate_python,
            ),
            ("_validate_json", strict.validate_json),
            ("_verdicts", verdicts),
            ("name", name),
        ):
            object.__setattr__(self, slot, value)

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
    def schema(self) -> dict[str, Any] | bool:
        """A copy of the schema as it was given."""
        return marshal.loads(self._content)  # type: ignore[no-any-return]  # noqa: S302

    @property
    def source(self) -> tuple[bytes, Options]:
        """What it was made of: the marshalled schema, and the options."""
        return self._content, self._options

    @property
    def dialect(self) -> str:
        """The URI of the schema's dialect."""
        return self._verdicts.dialect.uri

    @property
    def coercion(self) -> Coercion:
        """The rules by which arguments are read."""
        return self._options.coercion

    @property
    def model(self) -> type[ArgumentsModel]:
        """The pydantic model: `model.model_validate(x).model_dump() == validate(x)`.

        Made when first asked for.
        """
        model = self._model
        if model is None:
            from schema2model.model.arguments import model_for  # noqa: PLC0415 - many never ask

            model = model_for(self, self._node)
            object.__setattr__(self, "_model", model)
        return model

    # ----------------------------------------------------------------------- what it does
    def validate(self, value: Any) -> Any:
        """The arguments as the schema wants them, from Python values.

        Args:
            value: any Python value; it is never changed.

        Returns:
            JSON-compatible values that satisfy the schema: those given, if they do.

        Raises:
            ToolError: where no reading of the value satisfies the schema.

        >>> from schema2model import compile_schema
        >>> compile_schema({"type": "integer"}).validate("10")
        10

        """
        try:
            return self._validate(value)
        except Exception:  # noqa: BLE001, S110 - a hostile value may raise anything
            pass
        return self._recover(value)

    def validate_json(self, text: str | bytes | bytearray) -> Any:
        """The arguments as the schema wants them, from the text that a provider sent.

        Text that is not JSON is read by ever looser grammars, each judged by the schema.

        Raises:
            ToolError: where no reading of the text satisfies the schema.

        >>> from schema2model import compile_schema
        >>> compile_schema({"type": "object"}).validate_json("{'a': True,}")
        {'a': True}

        """
        try:
            return self._validate_json(text)
        except Exception:  # noqa: BLE001, S110 - a hostile value may raise anything
            pass
        return self._recover_json(text)

    def partial(self) -> PartialArguments:
        """The arguments of one call while their text arrives, as much as no later text can change.

        >>> from schema2model import compile_schema
        >>> schema = {"properties": {"ids": {"type": "array", "items": {"type": "integer"}}}}
        >>> arguments = compile_schema(schema).partial()
        >>> [str(arguments.feed(chunk)) for chunk in ('{"ids"', ': ["1', '", 2, 3', "]}")]
        ['{}', "{'ids': []}", "{'ids': [1, 2]}", "{'ids': [1, 2, 3]}"]
        >>> arguments.finish()
        {'ids': [1, 2, 3]}
        """
        from schema2model.engine.partial import PartialArguments  # noqa: PLC0415 - few calls stream

        return PartialArguments(self, self._node, self._verdicts)

    def is_valid(self, value: Any) -> bool:
        """Whether plain JSON values satisfy the schema as they stand. Never raises.

        >>> from schema2model import compile_schema
        >>> compile_schema({"type": "integer"}).is_valid("10")
        False
        """
        try:
            return self._verdicts.is_valid(value)
        except Exception:  # noqa: BLE001 - no JSON, or a hostile value, which may raise anything
            return False

    def coerce(self, value: Any) -> Any:
        """The best that can be made of a value, property by property. Never raises.

        What cannot be made valid comes back as it was.

        >>> from schema2model import compile_schema
        >>> schema = {"properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}
        >>> compile_schema(schema).coerce({"a": "1", "b": "x"})
        {'a': 1, 'b': 'x'}
        """
        try:
            return self._read(value).value
        except (ToolError, RecursionError):
            return value

    def explain(self, value: Any) -> Explanation:
        """What `validate` makes of a value, and each change on the way. Never raises.

        >>> from schema2model import compile_schema
        >>> explanation = compile_schema({"type": "integer"}).explain("10")
        >>> explanation.changes
        (Change(path='', rule='json_text', before='10', after=10),)
        """
        return self._explained(self._read, value)

    def explain_json(self, text: str | bytes | bytearray) -> Explanation:
        """What `validate_json` makes of a text, and each change on the way. Never raises.

        >>> from schema2model import compile_schema
        >>> explanation = compile_schema({"type": "object"}).explain_json('{"a": 1,}')
        >>> explanation.changes
        (Change(path='', rule='repair_text', before='{"a": 1,}', after={'a': 1}),)
        """
        return self._explained(self._read_text, text)

    def _explained(self, read: Callable[[Any], Reading], given: Any) -> Explanation:
        from schema2model.engine.search import Change  # noqa: PLC0415

        try:
            reading = read(given)
            result = self._result(reading)
        except ToolError as error:
            return Explanation(None, error, ())
        steps = ((pointer(path), *rest) for path, *rest in reading.steps)
        return Explanation(result, None, tuple(Change(*step) for step in steps))

    # -------------------------------------------------------------------- behind the hot path
    def _recover(self, value: Any) -> Any:
        """`validate`, for what the schema at hand refuses."""
        if self._begin_to_coerce():
            try:
                return self._validate(value)
            except Exception:  # noqa: BLE001, S110 - the search tells what is wrong
                pass
        return self._result(self._read(value))

    def _recover_json(self, text: str | bytes | bytearray) -> Any:
        """`validate_json`, for what the schema at hand refuses."""
        if self._begin_to_coerce():
            try:
                return self._validate_json(text)
            except Exception:  # noqa: BLE001, S110 - the search tells what is wrong
                pass
        return self._result(self._read_text(text))

    def _begin_to_coerce(self) -> bool:
        """Put the coercing schema in the place of the strict one; False if it was there."""
        if self._coerces:
            return False
        coercing = _validator(self._node, self._verdicts, self.coercion, coerces=True)
        validate = coercing.validate_python
        object.__setattr__(
            self, "_validate", shallow_only(validate) if self._recursive else validate
        )
        object.__setattr__(self, "_validate_json", coercing.validate_json)
        object.__setattr__(self, "_coerces", True)
        return True

    def _read(self, value: Any) -> Reading:
        from schema2model.engine.search import Reader  # noqa: PLC0415 - correct calls do without

        try:
            if not is_shallow(value):
                raise NotJSONError(TOO_MUCH)  # noqa: TRY301
            copy = plain(value, allow_inf_nan=self.coercion.allow_inf_nan)
            return Reader(self._node, self._verdicts, self.coercion).whole(copy)
        except NotJSONError as error:
            issue = Issue(pointer(error.path), "json", "a JSON value", str(error))
        except RecursionError:
            issue = Issue(
                "", "json", "arguments less deeply nested", "more levels than can be read"
            )
        raise ToolError.for_arguments(self.name, (issue,))

    def _result(self, reading: Reading) -> Any:
        if reading.valid:
            return reading.value
        from schema2model.engine.problems import issues  # noqa: PLC0415

        try:
            # an attempt that is valid after all was none of the readings that the rules allow
            found = issues(self._verdicts, self._node, reading.attempt)
            found = found or issues(self._verdicts, self._node, reading.value)
        except ValueError:
            path, reason = unspeakable(reading.attempt)
            found = (Issue(pointer(path), "json", "a JSON value", reason),)
        raise ToolError.for_arguments(self.name, found)

    def _read_text(self, text: str | bytes | bytearray) -> Reading:
        """The first reading of a text that the schema accepts, or else the first of all."""
        from schema2model.text.exact import CUT_OFF, EMPTY, TWO_CALLS  # noqa: PLC0415
        from schema2model.text.grammars import TextError, readings  # noqa: PLC0415

        text = _own_text(text)
        outer: Any = None  # the text, if it is a JSON string
        refused: Reading | None = None
        reason = "the arguments are not JSON; send one JSON object and nothing else"
        try:
            for parsed in readings(text, accept_cut_off=self.coercion.cut_off_text):
                if not parsed.exact and not self.coercion.repair_text:
                    break
                if refused is not None and not self.coercion.json_text:
                    break  # what a JSON string holds
                reading = self._read(parsed.value)
                rule, before = ("json_text", outer) if parsed.exact else ("repair_text", text)
                if before is not None:
                    step = ((), rule, before, parsed.value)
                    reading = dataclasses.replace(reading, steps=(step, *reading.steps))
                if reading.valid:
                    return reading
                outer = parsed.value
                refused = refused or reading
        except TextError as error:
            if error.reason == EMPTY and self.coercion.empty_arguments:
                return self._read("")
            if error.reason in {CUT_OFF, TWO_CALLS}:
                refused = None
            reason = str(error)
        if refused is None:
            raise ToolError.for_text(self.name, reason)
        return refused
