"""`compile_schema`, and what it returns: everything a schema can be asked."""

from __future__ import annotations

import dataclasses
import marshal
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn

from pydantic_core import SchemaError as CoreSchemaError, SchemaValidator, core_schema as cs

from schema2model.coercions import Coercion, coercion_named
from schema2model.compiler import compile_nodes
from schema2model.dialects import DEFAULT, Dialect, dialect_for, dialect_named
from schema2model.errors import Issue, SchemaError, ToolError
from schema2model.instances import NotJSONError, plain, pointer, quoted, unspeakable
from schema2model.lowering import lower
from schema2model.nodes import Node
from schema2model.references import Documents
from schema2model.verdicts import Verdicts

if TYPE_CHECKING:
    from schema2model.models import ArgumentsModel
    from schema2model.readings import Change, Reading

__all__ = ["CACHE_SIZE", "MAX_SCHEMA_SIZE", "CompiledSchema", "Explanation", "compile_schema"]

CACHE_SIZE = 4096
"""Compiled schemas that are kept; the least recently used makes room."""

MAX_SCHEMA_SIZE = 64 * 2**20
"""Bytes that a schema may take in memory, marshalled."""

_MARSHAL_TREE = 2
"""The marshal format without back references: equal schemas have equal bytes."""

Formats = Literal["annotate", "assert"]


@dataclass(frozen=True, slots=True)
class Explanation:
    """What became of a value: `result` or `error`, and the changes that led there."""

    result: Any
    error: ToolError | None
    changes: tuple[Change, ...]


class _Options(NamedTuple):
    """What a schema is compiled with, as part of the cache's key."""

    coercion: Coercion
    dialect: Dialect
    name: str | None
    formats: Formats | None
    resources: bytes


def compile_schema(
    schema: Mapping[str, Any] | bool,  # noqa: FBT001 - true and false are schemas
    *,
    coercion: str | Coercion = "default",
    dialect: str | None = None,
    name: str | None = None,
    formats: Formats | None = None,
    resources: Mapping[str, Any] | None = None,
) -> CompiledSchema:
    """Compile a JSON Schema; an equal one with equal options is compiled once only.

    Args:
        schema: a JSON Schema as Python values. It is copied: later changes to it have no effect.
        coercion: `"default"`, `"off"`, `"untyped"`, `"lenient"`, or a `Coercion`.
        dialect: a `$schema` URI or short name (`"draft-07"`, `"openapi-3.0"`, `"gemini"`) for a
            schema that carries none; 2020-12 if not given.
        name: the tool's name, for messages; the schema's title if not given.
        formats: `"assert"` checks `format`, `"annotate"` does not; if not given, it is checked
            in drafts 4 to 7, where it is an assertion, and not in those that made it an annotation.
        resources: other documents that the schema may refer to, by URI. Nothing is fetched.

    Raises:
        SchemaError: if the schema is invalid, too large, or refers to what is not there.
        ValueError: for an unknown coercion or value of `formats`.

    >>> schema = {"type": "object", "properties": {"tags": {"type": "array"}}}
    >>> compile_schema(schema).validate({"tags": '["a"]'})
    {'tags': ['a']}

    """
    try:
        spelled = marshal.dumps(schema)
    except ValueError:  # other classes than JSON's own, or too deep
        spelled = _marshalled(schema)
    documents = _marshalled(dict(resources)) if resources else b""
    return _by_spelling(spelled, coercion, dialect, name, formats, documents)


def _marshalled(schema: Any) -> bytes:
    """The bytes of a schema's plain copy, which are equal for equal schemas."""
    try:
        return marshal.dumps(plain(schema), _MARSHAL_TREE)
    except NotJSONError as error:
        place = pointer(error.path)
        message = f"{place or 'the schema'} is no JSON: {error}"
        raise SchemaError(message, pointer=place) from None
    except RecursionError:
        message = "the schema is nested too deeply"
        raise SchemaError(message) from None


@lru_cache(CACHE_SIZE)
def _by_spelling(  # noqa: PLR0913 - the arguments as given make the cheapest key
    spelled: bytes,
    coercion: str | Coercion,
    dialect: str | None,
    name: str | None,
    formats: Formats | None,
    resources: bytes,
) -> CompiledSchema:
    """Marshal writes a schema fastest with back references, but equal schemas in several ways."""
    if formats not in (None, "annotate", "assert"):
        message = f'formats is "annotate", "assert" or None, not {formats!r}'
        raise ValueError(message)
    options = _Options(
        coercion_named(coercion),
        DEFAULT if dialect is None else dialect_named(dialect),
        name,
        formats,
        resources,
    )
    return _by_content(_marshalled(marshal.loads(spelled)), options)  # noqa: S302 - our own bytes


@lru_cache(CACHE_SIZE)
def _by_content(content: bytes, options: _Options) -> CompiledSchema:
    if len(content) > MAX_SCHEMA_SIZE:
        message = f"the schema takes more than {MAX_SCHEMA_SIZE >> 20} MiB"
        raise SchemaError(message)
    return CompiledSchema(content, options)


def _restored(content: bytes, options: Any) -> CompiledSchema:
    """What was pickled, compiled again or found in the cache."""
    return _by_content(content, options._replace(dialect=dialect_named(options.dialect)))


def _validator(
    node: Node, verdicts: Verdicts, coercion: Coercion, *, coerces: bool
) -> SchemaValidator:
    lowered = lower(node, coercion, coerces=coerces)
    core = lowered.schema
    if not lowered.exact:
        core = cs.no_info_after_validator_function(verdicts.require, core)
    try:
        return SchemaValidator(core)
    except (CoreSchemaError, RecursionError) as error:
        message = f"pydantic-core cannot compile it: {quoted(str(error))}"
        raise SchemaError(message) from None


class CompiledSchema:
    """A compiled schema. Immutable, safe to share between threads, picklable.

    Made by `compile_schema`, not by hand.
    """

    __slots__ = (
        "__weakref__",
        "_coerces",
        "_content",
        "_is_valid",
        "_model",
        "_node",
        "_options",
        "_validate",
        "_validate_json",
        "_verdicts",
        "name",
    )

    name: str
    """The tool's name, or the schema's title, or `"tool"`."""

    _coerces: bool
    _content: bytes
    _is_valid: Callable[[Any], bool]
    _model: type[ArgumentsModel] | None
    _node: Node
    _options: _Options
    _validate: Callable[[Any], Any]
    _validate_json: Callable[[str | bytes | bytearray], Any]
    _verdicts: Verdicts

    def __init__(self, content: bytes, options: _Options) -> None:
        given = marshal.loads(content)  # noqa: S302 - our own bytes
        resources = marshal.loads(options.resources) if options.resources else {}  # noqa: S302
        dialect = dialect_for(given, options.dialect, resources)
        root = dialect.rewrite(given) if dialect.rewrite else given
        documents = Documents(root, dialect, resources)
        formats = options.formats
        assert_formats = dialect.asserts_formats if formats is None else formats == "assert"
        verdicts = Verdicts(documents, assert_formats=assert_formats)
        node = compile_nodes(documents, assert_formats=assert_formats)
        # where strings are read even if they are valid, the strict schema would accept too much
        strict = _validator(node, verdicts, options.coercion, coerces=options.coercion.reads_strings)
        title = given.get("title") if isinstance(given, dict) else None
        name = options.name or (title if isinstance(title, str) and title else "tool")
        for slot, value in (
            ("_content", content),
            ("_coerces", options.coercion.reads_strings or options.coercion == Coercion.off),
            ("_is_valid", verdicts.is_valid),
            ("_model", None),
            ("_node", node),
            ("_options", options),
            ("_validate", strict.validate_python),
            ("_validate_json", strict.validate_json),
            ("_verdicts", verdicts),
            ("name", name),
        ):
            object.__setattr__(self, slot, value)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        message = f"a CompiledSchema is immutable; {name!r} cannot be set"
        raise AttributeError(message)

    def __reduce__(self) -> tuple[Any, ...]:
        options = self._options
        return _restored, (self._content, options._replace(dialect=options.dialect.name))

    def __repr__(self) -> str:
        return f"<CompiledSchema {self.name!r}, {self.dialect}>"

    # ------------------------------------------------------------------------- what it is
    @property
    def schema(self) -> dict[str, Any] | bool:
        """A copy of the schema as it was given."""
        return marshal.loads(self._content)  # type: ignore[no-any-return]  # noqa: S302

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
        if self._model is None:
            from schema2model.models import model_for  # noqa: PLC0415 - many never ask

            object.__setattr__(self, "_model", model_for(self, self._node))
        return self._model

    # ----------------------------------------------------------------------- what it does
    def validate(self, value: Any) -> Any:
        """The arguments as the schema wants them, from Python values.

        Args:
            value: any Python value; it is never changed.

        Returns:
            JSON-compatible values that satisfy the schema: those given, if they do.

        Raises:
            ToolError: where no reading of the value satisfies the schema.

        >>> compile_schema({"type": "integer"}).validate("10")
        10

        """
        try:
            return self._validate(value)
        except Exception:  # noqa: BLE001 - a hostile value may raise anything
            return self._recover(value)

    def validate_json(self, text: str | bytes | bytearray) -> Any:
        """The arguments as the schema wants them, from the text that a provider sent.

        Text that is not JSON is read by ever looser grammars, each judged by the schema.

        Raises:
            ToolError: where no reading of the text satisfies the schema.

        >>> compile_schema({"type": "object"}).validate_json("{'a': True,}")
        {'a': True}

        """
        try:
            return self._validate_json(text)
        except Exception:  # noqa: BLE001 - a hostile value may raise anything
            return self._recover_json(text)

    def is_valid(self, value: Any) -> bool:
        """Whether plain JSON values satisfy the schema as they stand. Never raises.

        >>> compile_schema({"type": "integer"}).is_valid("10")
        False
        """
        try:
            return self._is_valid(value)
        except ValueError:  # no JSON
            return False

    def coerce(self, value: Any) -> Any:
        """The best that can be made of a value, property by property. Never raises.

        What cannot be made valid comes back as it was.

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

        >>> explanation = compile_schema({"type": "integer"}).explain("10")
        >>> explanation.changes
        (Change(path='', rule='json_text', before='10', after=10),)
        """
        return self._explained(self._read, value)

    def explain_json(self, text: str | bytes | bytearray) -> Explanation:
        """What `validate_json` makes of a text, and each change on the way. Never raises.

        >>> explanation = compile_schema({"type": "object"}).explain_json('{"a": 1,}')
        >>> explanation.changes
        (Change(path='', rule='repair_text', before='{"a": 1,}', after={'a': 1}),)
        """
        return self._explained(self._read_text, text)

    def _explained(self, read: Callable[[Any], Reading], given: Any) -> Explanation:
        from schema2model.readings import Change  # noqa: PLC0415

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
        object.__setattr__(self, "_validate", coercing.validate_python)
        object.__setattr__(self, "_validate_json", coercing.validate_json)
        object.__setattr__(self, "_coerces", True)
        return True

    def _read(self, value: Any) -> Reading:
        from schema2model.readings import Reader  # noqa: PLC0415 - correct calls do without

        try:
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
        from schema2model.problems import issues  # noqa: PLC0415

        try:
            found = issues(self._verdicts.errors(reading.attempt), self._verdicts.root)
        except ValueError:
            path, reason = unspeakable(reading.attempt)
            found = (Issue(pointer(path), "json", "a JSON value", reason),)
        raise ToolError.for_arguments(self.name, found)

    def _read_text(self, text: str | bytes | bytearray) -> Reading:
        """The first reading of a text that the schema accepts, or else the first of all."""
        from schema2model.argument_text import TextError, readings  # noqa: PLC0415

        refused: Reading | None = None
        reason = "text that cannot be read"
        try:
            for parsed in readings(text, accept_cut_off=self.coercion.cut_off_text):
                if not (parsed.exact or self.coercion.repair_text):
                    break
                reading = self._read(parsed.value)
                if not parsed.exact:
                    step = ((), "repair_text", text, parsed.value)
                    reading = dataclasses.replace(reading, steps=(step, *reading.steps))
                if reading.valid:
                    return reading
                refused = refused or reading
        except TextError as error:
            if error.reason == "empty" and self.coercion.empty_arguments:
                return self._read("")
            if error.reason in {"cut off", "two calls"}:
                refused = None
            reason = str(error)
        if refused is None:
            raise ToolError.for_text(self.name, reason)
        return refused
