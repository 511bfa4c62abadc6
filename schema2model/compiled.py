"""`CompiledSchema`: everything that a schema can be asked."""

from __future__ import annotations

import copyreg
import marshal
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn, cast, get_args

from pydantic_core import from_json

from schema2model.cache import CACHE, set_cache_size
from schema2model.coerce.engine import Defaults, Engine, FallbackReader, Formats, Messages, Recipe
from schema2model.coercions import Coercion, Preset, coercion_named
from schema2model.errors import Issue, SchemaError, ToolError, without_frames
from schema2model.json.equality import type_exact_bytes
from schema2model.json.pointers import pointer
from schema2model.json.quoting import abridged_repr
from schema2model.json.values import NotJSONError, plain_copy
from schema2model.limits import MAX_CACHED_SCHEMAS, MAX_SCHEMA_SIZE
from schema2model.schema.dialects import DEFAULT, dialect_named
from schema2model.schema.not_a_schema import instead_of_schema
from schema2model.schema.vocabularies.python_types import TypeMarks

if TYPE_CHECKING:
    from schema2model.coerce.partial import PartialArguments
    from schema2model.coerce.search.readings import Change
    from schema2model.model.arguments_model import ArgumentsModel
    from schema2model.model.defaults import FillingEngine
    from schema2model.strict.strict_schema import StrictSchema

__all__ = [
    "CompiledSchema",
    "Explanation",
    "compile_schema",
    "compile_typed",
    "recompiled",
    "set_cache_size",
]


@dataclass(frozen=True, slots=True)
class Explanation:
    """The outcome of a value: `result` or `error`, and the changes that led there.

    With an `error`, the changes are those of the parts that could be read.
    """

    result: Any
    error: ToolError | None
    changes: tuple[Change, ...]
    _engine: Engine | None = field(default=None, repr=False, compare=False)

    @property
    def doubts(self) -> tuple[Issue, ...]:
        """The members of the result that may be misspelt, computed on access.

        The schema allows but does not declare them, and they spell a declared, absent name
        differently: `dry_run` for `dryRun`.
        """
        if self._engine is None:
            return ()
        from schema2model.schema.undeclared import DeclaredNames  # noqa: PLC0415 - few ask

        return DeclaredNames(self._engine.root).issues(self.result)


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
            return self._filling.validate(value)
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
            return self._filling.validate_json(text)
        engine = self._engine
        try:  # as Engine.validate_json does, whose call would cost 10 %
            return engine.accept_json(text)
        except Exception:  # noqa: BLE001, S110 - a hostile value may raise anything
            pass
        return engine.recover_json(text)

    @property
    def _filling(self) -> FillingEngine:
        from schema2model.model.defaults import FillingEngine  # noqa: PLC0415 - few calls want it

        filling = self._engine.variant(FillingEngine, defaults="fill")
        return cast("FillingEngine", filling)

    def partial(self, *, strings: bool = False) -> PartialArguments:
        """Return a reader of one call's arguments while their text arrives.

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
        return self._engine.is_valid(value)

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
            return self._engine.search.read(value).value
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
            return self._engine.search.read_text(text).value
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


def _explained(engine: Engine, given: Any, *, is_text: bool) -> Explanation:
    search = engine.search
    try:
        result, changes = search.explain(given, is_text=is_text)
    except ToolError as error:
        attempted = search.attempted_changes(given, is_text=is_text)
        return Explanation(None, without_frames(error), attempted)
    return Explanation(result, None, changes, engine)


def compile_schema(  # noqa: PLR0913 - one option, one argument
    schema: Mapping[str, Any] | bool,  # noqa: FBT001 - true and false are schemas
    *,
    coercion: Preset | Coercion = "default",
    dialect: str | None = None,
    name: str | None = None,
    formats: Formats | None = "annotate",
    resources: Mapping[str, Any] | None = None,
    fallback_reader: FallbackReader | None = None,
    defaults: Defaults | None = None,
    messages: Messages = "plain",
) -> CompiledSchema:
    """Compile a JSON Schema; an equal one with equal options is compiled once only.

    Args:
        schema: a JSON Schema as Python values. It is copied: later changes to it have no effect.
        coercion: `"default"`, `"off"`, `"untyped"`, `"forgiving"`, `"lenient"`, or a `Coercion`.
        dialect: a `$schema` URI or short name (`"draft-07"`, `"openapi-3.0"`, `"gemini"`) for a
            schema that carries none; 2020-12 if not given.
        name: the tool's name, for messages; the schema's title if not given.
        formats: `"assert"` checks `format`; `"annotate"` does not, in any dialect. `"convert"` also
            makes dates, times, UUIDs and IP addresses Python objects in the model's attributes.
        resources: other documents that the schema may refer to, by URI. Nothing is fetched.
        fallback_reader: a function, such as `json_repair.loads`, for texts that no grammar reads.
            The schema judges its value, and a change names it. It never gets a truncated text, one
            with two calls, or one that may be read in two ways. Pickling needs its import path.
        defaults: `"fill"` adds the schema's defaults to all results and to the model's dumps, each
            where the arguments stay valid.
        messages: `"corrected"` adds the corrected call to the message of a refusal, where every
            correction is known and loses nothing. Weak models send it; others do not need it.

    Raises:
        SchemaError: if the schema is invalid, too large, or has an unresolvable reference.
        ValueError: for an unknown coercion, an unknown value of `formats`, `defaults` or
            `messages`, and a name that is not a string.
        TypeError: for a `fallback_reader` that is not callable.

    >>> schema = {"type": "object", "properties": {"tags": {"type": "array"}}}
    >>> compile_schema(schema).validate({"tags": '["a"]'})
    {'tags': ['a']}

    """
    return compile_typed(
        schema, (), coercion, dialect, name, formats, resources, fallback_reader, defaults, messages
    )


def compile_typed(  # noqa: PLR0913, PLR0917 - the options of `compile_schema`
    schema: Mapping[str, Any] | bool,  # noqa: FBT001 - true and false are schemas
    types: TypeMarks,
    coercion: Preset | Coercion = "default",
    dialect: str | None = None,
    name: str | None = None,
    formats: Formats | None = "annotate",
    resources: Mapping[str, Any] | None = None,
    fallback_reader: FallbackReader | None = None,
    defaults: Defaults | None = None,
    messages: Messages = "plain",
) -> CompiledSchema:
    """Compile a schema that was made of annotations, with the Python types of its strings.

    The other options are those of `compile_schema`.
    """
    try:
        spelled = marshal.dumps(schema)  # type: ignore[arg-type]
    except ValueError:  # it holds other classes than JSON's own, or is too deep
        _require_schema(schema)
        plain = _plain_schema(dict(schema) if isinstance(schema, Mapping) else schema)
        spelled = type_exact_bytes(plain)
    if resources is not None and not isinstance(resources, Mapping):
        words = abridged_repr(resources)
        message = f"resources is a mapping of URIs to schemas, not {words}"
        raise TypeError(message)
    documents = type_exact_bytes(_plain_schema(dict(resources))) if resources else b""
    if type(coercion) is not str:
        coercion = coercion_named(coercion)
    try:
        return _by_spelling(
            spelled,
            coercion,
            dialect,
            name,
            formats,
            documents,
            fallback_reader,
            defaults,
            types,
            messages,
        )
    except TypeError:
        texts = {
            "dialect": dialect,
            "name": name,
            "formats": formats,
            "defaults": defaults,
            "messages": messages,
        }
        for option, given in texts.items():
            if not isinstance(given, (str, type(None))):  # and so it may have no hash
                message = f"{option} is text, not {abridged_repr(given)}"
                raise ValueError(message) from None  # noqa: TRY004 - as for other words
        raise


def recompiled(compiled: CompiledSchema, coercion: Coercion) -> CompiledSchema:
    """Return the schema compiled with the same options and another coercion.

    >>> plain = compile_schema({"type": ["integer", "string"]})
    >>> recompiled(plain, Coercion.untyped).validate("1")
    1

    """
    return _by_content(compiled._engine.source._replace(coercion=coercion))


def _require_schema(given: Any) -> None:
    """Refuse what is given in the place of a schema.

    Raises:
        SchemaError: that says what takes it.

    """
    misused = None if type(given) is bool else instead_of_schema(given)
    if misused is not None:
        raise SchemaError(misused)


def _plain_schema(schema: Any) -> Any:
    """Return a plain copy of a schema.

    Raises:
        SchemaError: if it is not JSON.

    """
    try:
        return plain_copy(schema)
    except NotJSONError as error:
        place = pointer(error.path)
        message = f"{place or 'the schema'} is not JSON: {error}"
        raise SchemaError(message, pointer=place) from None
    except RecursionError:
        message = "the schema is nested too deeply"
        raise SchemaError(message) from None


_FORMATS = (None, *get_args(Formats))


@lru_cache(MAX_CACHED_SCHEMAS)
def _by_spelling(  # noqa: PLR0913, PLR0917 - the arguments as given make the cheapest key
    spelled: bytes,
    coercion: str | Coercion,
    dialect: str | None,
    name: str | None,
    formats: Formats | None,
    resources: bytes,
    fallback_reader: FallbackReader | None,
    defaults: Defaults | None,
    types: TypeMarks,
    messages: Messages,
) -> CompiledSchema:
    """Look up a schema by the bytes that marshal writes fastest.

    Those have back references to parts that are shared, and so may differ for equal schemas.
    `_by_content` looks up by bytes without them.
    """
    if formats not in _FORMATS:
        message = (
            f'formats is "annotate", "assert", "convert" or None, not {abridged_repr(formats)}'
        )
        raise ValueError(message)
    if defaults not in (None, "fill"):
        message = f'defaults is "fill" or None, not {abridged_repr(defaults)}'
        raise ValueError(message)
    if messages not in ("plain", "corrected"):
        message = f'messages is "plain" or "corrected", not {abridged_repr(messages)}'
        raise ValueError(message)
    if name is not None and not isinstance(name, str):
        message = f"a tool's name is a string, not {abridged_repr(name)}"
        raise ValueError(message)
    if fallback_reader is not None and not callable(fallback_reader):
        message = f"fallback_reader is a function of a text, not {abridged_repr(fallback_reader)}"
        raise TypeError(message)
    given = marshal.loads(spelled)  # noqa: S302 - our own bytes
    _require_schema(given)
    plain = _plain_schema(given)
    source = Recipe(
        type_exact_bytes(plain),
        coercion_named(coercion),
        DEFAULT if dialect is None else dialect_named(dialect),
        name,
        formats,
        resources,
        fallback_reader,
        defaults,
        types,
        messages,
    )
    return _by_content(source, plain)


CACHE.on_eviction = _by_spelling.cache_clear  # which keeps them, too


def _by_content(source: Recipe, plain: Any = None) -> CompiledSchema:
    compiled = CACHE.get(source) or CACHE.add(source, _compiled(source, plain))
    return cast("CompiledSchema", compiled)


def _compiled(source: Recipe, plain: Any) -> CompiledSchema:
    if len(source.content) > MAX_SCHEMA_SIZE:
        message = f"the schema takes more than {MAX_SCHEMA_SIZE >> 20} MiB"
        raise SchemaError(message)
    try:
        return CompiledSchema(_engine_type(source)(source, plain))
    except RecursionError:
        message = "the schema is nested too deeply"
        raise SchemaError(message) from None


def _engine_type(source: Recipe) -> type[Engine]:
    documents = source.content + source.resources
    if source.defaults is None or b"default" not in documents:  # there is nothing to fill
        return Engine
    from schema2model.model.defaults import FillingEngine  # noqa: PLC0415 - few fill

    copyreg.pickle(FillingEngine, _pickled_engine)
    return FillingEngine


# What is pickled is the schema and its options. It is compiled again where it is loaded.
def _restored(dialect: str, source: Recipe) -> CompiledSchema:
    """Return the compiled schema of what was pickled."""
    return _by_content(source._replace(dialect=dialect_named(dialect)))


def _restored_engine(dialect: str, source: Recipe) -> Engine:
    return _restored(dialect, source)._engine


def _pickled(compiled: CompiledSchema) -> tuple[Any, ...]:
    return _restored, _pickled_engine(compiled._engine)[1]


def _pickled_engine(engine: Engine) -> tuple[Any, ...]:
    source = engine.source
    return _restored_engine, (source.dialect.name, source._replace(dialect=None))  # type: ignore[arg-type]


copyreg.pickle(CompiledSchema, _pickled)
copyreg.pickle(Engine, _pickled_engine)
