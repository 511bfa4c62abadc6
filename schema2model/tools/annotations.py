"""Annotations as JSON Schemas, and as validators of JSON text.

Pydantic makes both. It also counts numbers and digits in seconds since 1970, where a date or time
is annotated: `"2026"` is half an hour after midnight. The schema that a model is shown says a
string in a format, so neither the schema nor the validator accepts them here.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from pydantic import ByteSize, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import (
    PydanticCustomError,
    PydanticKnownError,
    PydanticSerializationError,
    SchemaValidator,
    ValidationError,
    core_schema as cs,
    to_json,
    to_jsonable_python,
)

from schema2model.errors import SchemaError, quoted_or_type
from schema2model.json.canonical import canonical_json
from schema2model.json.quoting import quoted
from schema2model.json.values import NotJSONError
from schema2model.schema.vocabularies.python_types import (
    BYTE_SIZE,
    DECIMAL_OR_FLOAT,
    NAMES_LIKE,
    TYPE_NAMES,
    TypeMarks,
    has_only_digits,
)

__all__ = [
    "TypedJsonSchema",
    "alias_paths",
    "core_schema_type",
    "json_validator",
    "map_core_schema",
    "require_named_fields",
    "schema_with_types",
    "types_in_schema",
    "with_different_keys",
]

_MARK = "\0python type"
"""The member by which a subschema names its type, until the whole schema is there."""

_OF_STRINGS = frozenset(
    ("date", "datetime", "time", "timedelta", "uuid", "url", "multi-host-url", "lax-or-strict")
)
"""The types of core schemas whose JSON is a string in a format. Others pass on the notes of those
that they contain, or have a format that somebody has written."""


class TypedJsonSchema(GenerateJsonSchema):
    """Notes the Python types of strings, for `schema_with_types`.

    Where a validator of the user's own gets the value first, it may accept any other string.
    """

    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012 - pydantic's
    _within_validators = 0
    _validated: Collection[str] = ()

    def encode_default(self, dft: Any) -> Any:
        """Return the JSON value of a default; pydantic leaves out those that have none.

        Raises:
            PydanticSerializationError: for infinity and NaN, also within containers.

        """
        encoded = super().encode_default(dft)
        try:
            canonical_json(to_jsonable_python(dft, inf_nan_mode="constants", fallback=repr))
        except NotJSONError as error:
            raise PydanticSerializationError(str(error)) from None
        return encoded

    def generate(self, schema: Any, mode: Any = "validation") -> JsonSchemaValue:
        """Return the JSON Schema, with notes."""
        self._validated = _validated_refs(schema)
        return super().generate(schema, mode)

    def generate_inner(self, schema: Any) -> JsonSchemaValue:
        """Return the JSON Schema of a core schema, with a note if its strings are of a type."""
        if schema.get("ref") in self._validated:
            return self._without_notes(super().generate_inner, schema)
        made = super().generate_inner(schema)
        if self._within_validators:
            return made
        if "ref" not in schema:
            return _noted(made, schema)
        name = self.get_cache_defs_ref_schema(schema["ref"])[0]
        if name in self.definitions:  # of a type alias: `type When = date`
            self.definitions[name] = _noted(self.definitions[name], schema)
        return made

    def dict_schema(self, schema: cs.DictSchema) -> JsonSchemaValue:
        """Return the schema of a dictionary, with its names as strings."""
        return self._with_names(super().dict_schema(schema), schema)

    def ordered_dict_schema(self, schema: Any) -> JsonSchemaValue:
        """Return the schema of an `OrderedDict`, with its names as strings."""
        return self._with_names(super().ordered_dict_schema(schema), schema)

    def counter_schema(self, schema: Any) -> JsonSchemaValue:
        """Return the schema of a `Counter`, with its names as strings."""
        return self._with_names(super().counter_schema(schema), schema)

    def union_schema(self, schema: cs.UnionSchema) -> JsonSchemaValue:
        """Return the schema of a union, in which pydantic gives equal branches once."""
        made = super().union_schema(schema)
        choices = [each[0] if isinstance(each, tuple) else each for each in schema["choices"]]
        if any(each.get(_MARK) == "decimal" for each in made.get("anyOf", ())) and any(
            self.generate_inner(each).get("type") == "number" for each in choices
        ):
            made["anyOf"] = [
                {**each, _MARK: DECIMAL_OR_FLOAT} if each.get(_MARK) == "decimal" else each
                for each in made["anyOf"]
            ]
        return made

    def _with_names(self, made: JsonSchemaValue, schema: Any) -> JsonSchemaValue:
        """Return the schema of a mapping with a note of one key, if they are of a type."""
        example = None if self._within_validators else _name_example(schema.get("keys_schema"))
        made = self._with_possible_names(made)
        return made if example is None else {**made, _MARK: NAMES_LIKE + example}

    def _with_possible_names(self, made: JsonSchemaValue) -> JsonSchemaValue:
        """Return the schema of a mapping without names that no string can be.

        Where the type of keys is a definition, pydantic refers to it, even if it is of numbers.
        """
        names = made.get("propertyNames", {})
        if "$ref" not in names:
            return made
        while "$ref" in names:
            names = self.get_schema_from_definitions(names["$ref"]) or {}
        if names.get("type") == "string":
            return made
        kept = {key: value for key, value in made.items() if key != "propertyNames"}
        values = names.get("enum", ())
        texts = [each for each in values if isinstance(each, str)] or [*map(canonical_json, values)]
        return {**kept, "propertyNames": {"enum": texts}} if texts else kept

    def function_before_schema(self, schema: cs.BeforeValidatorFunctionSchema) -> JsonSchemaValue:
        """Return the schema of what a validator gets first, without notes."""
        return self._without_notes(super().function_before_schema, schema)

    def function_plain_schema(self, schema: cs.PlainValidatorFunctionSchema) -> JsonSchemaValue:
        """Return the schema of what only a validator gets, without notes."""
        return self._without_notes(super().function_plain_schema, schema)

    def function_wrap_schema(self, schema: cs.WrapValidatorFunctionSchema) -> JsonSchemaValue:
        """Return the schema of what a validator gets first, unless it is pydantic's or ours."""
        if not _is_users_validator(schema):
            return super().function_wrap_schema(schema)
        return self._without_notes(super().function_wrap_schema, schema)

    def _without_notes(self, generate: Any, schema: Any) -> JsonSchemaValue:
        self._within_validators += 1
        try:
            made: JsonSchemaValue = generate(schema)
        finally:
            self._within_validators -= 1
        return made


_KEYS = (
    *("10", "1", "100", "1.5", "true", "2025-01-31", "2025-01-31T09:30:00Z", "PT10M", "09:30:00"),
    *("123e4567-e89b-12d3-a456-426614174000", "https://example.com/", "192.0.2.1"),
)
"""Sample texts: most types of keys accept at least one."""


def _name_example(keys: Any) -> str | None:
    """Return a key that a core schema accepts; None if it accepts any text, or none of those."""
    if keys is None or keys["type"] in {"any", "str"}:
        return None
    choices = (*keys.get("members", ()), *keys.get("expected", ()))
    texts = (*(str(getattr(each, "value", each)) for each in choices), *_KEYS)
    try:
        accepts = SchemaValidator(keys).isinstance_python
        return None if accepts("text") else next(filter(accepts, texts), None)
    except Exception:  # noqa: BLE001 - it refers to definitions, or a validator of the user's raises
        return None


def _noted(made: JsonSchemaValue, schema: Any) -> JsonSchemaValue:
    """Return the JSON Schema of a core schema with a note if its strings are of a type."""
    kind = schema["type"]
    if kind == "function-after" and schema["function"]["function"] == ByteSize._validate:
        kind = BYTE_SIZE
    if kind in {"decimal", BYTE_SIZE} and "anyOf" in made:
        branches = made["anyOf"]
        noted = [{**e, _MARK: kind} if e.get("type") == "string" else e for e in branches]
        return {**made, "anyOf": noted}
    if kind in {"set", "frozenset"} and made.get("uniqueItems"):
        return {**made, _MARK: "set"}
    is_own = kind in _OF_STRINGS or (kind.startswith("function-") and _is_of_pydantic(schema))
    if is_own and made.get("type") == "string" and made.get("format") in TYPE_NAMES:
        return {**made, _MARK: made["format"]}
    return made


def _validated_refs(schema: Any) -> set[str]:
    """Return the definitions whose values a validator of the user's own gets first somewhere."""
    found: set[str] = set()
    definitions: dict[str, Any] = {}

    def visit(part: Any, *, is_validated: bool) -> None:
        kind = core_schema_type(part)
        if kind == "definitions":
            definitions.update((each["ref"], each) for each in part["definitions"])
        ref = part.get("schema_ref" if kind == "definition-ref" else "ref") if kind else None
        if ref is not None and is_validated and ref not in found:
            found.add(ref)
            visit(definitions.get(ref), is_validated=True)
        is_validated = is_validated or _is_users_validator(part)
        for _, value in _parts_within(part):
            visit(value, is_validated=is_validated)

    visit(schema, is_validated=False)
    return found


def _is_users_validator(part: Any) -> bool:
    """Return whether a function that is neither pydantic's nor ours gets the values first."""
    kind = core_schema_type(part)
    if kind == "function-wrap":
        is_ours = _function_module(part).startswith("schema2model.")
        return not is_ours and not _is_of_pydantic(part)
    return kind == "function-before"


def _function_module(schema: Any) -> str:
    """Return the module of the function of a core schema."""
    return getattr(schema["function"]["function"], "__module__", None) or ""


def _is_of_pydantic(schema: Any) -> bool:
    """Return whether the function of a core schema is that of one of pydantic's own types."""
    return _function_module(schema).startswith("pydantic.")


def schema_with_types(
    adapter: TypeAdapter[Any], generator: type[TypedJsonSchema]
) -> tuple[dict[str, Any], TypeMarks]:
    """Return the JSON Schema of an adapter's type, and the Python types of its strings.

    >>> import datetime
    >>> schema_with_types(TypeAdapter(list[datetime.date]), TypedJsonSchema)
    ({'items': {'format': 'date', 'type': 'string'}, 'type': 'array'}, ((('items',), 'date'),))
    """
    schema = adapter.json_schema(schema_generator=generator)
    return schema, tuple(_collect(schema, ()))


def types_in_schema(schema: Any, core_schema: Any) -> TypeMarks:
    """Return the Python types of strings in a JSON Schema that somebody else made of annotations.

    Args:
        schema: the JSON Schema.
        core_schema: what pydantic has made of the same annotations.

    >>> import datetime
    >>> adapter = TypeAdapter(list[datetime.date])
    >>> types_in_schema(adapter.json_schema(), adapter.core_schema)
    ((('items',), 'date'),)

    """
    try:
        made = TypedJsonSchema().generate(core_schema)
    except Exception:  # noqa: BLE001 - types without a JSON Schema; theirs may say it in another way
        return ()
    marks = tuple(_collect(made, ()))
    return tuple((path, name) for path, name in marks if _says_the_same(schema, made, path))


def _says_the_same(schema: Any, made: Any, path: tuple[str | int, ...]) -> bool:
    """Return whether two JSON Schemas have the same kind of strings or sets at a path."""
    try:
        theirs, ours = (functools.reduce(operator.getitem, path, each) for each in (schema, made))
        return all(theirs.get(key) == ours.get(key) for key in ("type", "format", "uniqueItems"))
    except (KeyError, IndexError, TypeError, AttributeError):
        return False


def _collect(part: Any, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Remove the notes of a part of a schema, and yield each with the path to it."""
    if type(part) is dict:
        if type(name := part.get(_MARK)) is str:
            del part[_MARK]
            yield path, name
        for key, value in part.items():
            if key == "propertyNames":  # names that are a type's are read when they are converted
                value.pop(_MARK, None)
            yield from _collect(value, (*path, key))
    elif type(part) is list:
        for index, value in enumerate(part):
            yield from _collect(value, (*path, index))


# --------------------------------------------------------------------------- core schemas
_OPAQUE = frozenset(("metadata", "serialization", "config", "default", "expected", "members"))
"""The members of a core schema that hold no core schemas, or none that validate."""


def core_schema_type(part: Any) -> str | None:
    """Return the type of a core schema; None for another part, as a mapping from fields to them.

    A field that is called `type` has a core schema there, not a name.
    """
    kind = part.get("type") if type(part) is dict else None
    return kind if type(kind) is str else None


def _parts_within(part: Any) -> Iterable[tuple[Any, Any]]:
    """Return the direct parts of a part of a core schema that may have core schemas, by key."""
    if type(part) is dict:
        hidden = _OPAQUE if core_schema_type(part) is not None else ()
        return [(key, value) for key, value in part.items() if key not in hidden]
    return enumerate(part) if type(part) in {list, tuple} else ()


def map_core_schema(part: Any, rewrite: Callable[[Any], Any]) -> Any:
    """Return a part of a core schema with its direct parts rewritten.

    >>> map_core_schema({"type": "list", "items_schema": {"type": "int"}, "metadata": {}}, str)
    {'type': 'list', 'items_schema': "{'type': 'int'}", 'metadata': {}}
    """
    made = {key: rewrite(value) for key, value in _parts_within(part)}
    if type(part) is dict:
        return {**part, **made}
    return type(part)(made.values()) if type(part) in {list, tuple} else part


_FIELDS = frozenset(("model-field", "typed-dict-field", "dataclass-field"))
"""The core schemas of fields."""


def alias_paths(alias: Any) -> list[list[Any]]:
    """Return the paths of a validation alias: one, or several for an `AliasChoices`."""
    if isinstance(alias, str):
        return [[alias]]
    return alias if isinstance(alias[0], list) else [alias]


def require_named_fields(part: Any, label: str, *, by_name: bool = False) -> None:
    """Refuse required fields that are read from a path alone, which a JSON Schema cannot say.

    Args:
        part: a part of a core schema.
        label: the name of the tool.
        by_name: whether the configuration around it accepts the names of fields.

    Raises:
        SchemaError: for the first such field.

    """
    if _is_users_validator(part):  # it may make the path of something else
        return
    if core_schema_type(part) is not None and "config" in part:
        config = part["config"] or {}
        by_name = bool(config.get("validate_by_name") or config.get("populate_by_name"))
    for key, value in _parts_within(part):
        is_required = core_schema_type(value) in _FIELDS and value.get("required") is not False
        if is_required and core_schema_type(value["schema"]) != "default" and not by_name:
            paths = alias_paths(value.get("validation_alias", ""))
            if all(len(path) > 1 for path in paths):
                name = quoted(value.get("name", key))
                message = (
                    f"`{label}`: the field {name} is read from a path alone, which its schema "
                    f"cannot say: give it a name, too, as AliasChoices({name}, AliasPath(...))"
                )
                raise SchemaError(message)
        require_named_fields(value, label, by_name=by_name)


# ------------------------------------------------------------------------------ validators
_TIMES = {
    "date": ("date_type", "[0-9]-"),
    "datetime": ("datetime_type", "[0-9]-"),
    "time": ("time_type", ":"),
    "timedelta": ("time_delta_type", "[:dDpP]"),
}
"""The core schemas that also accept numbers and digits, each with pydantic's error for them, and
with a pattern for what every other text has."""


_MAPPINGS = frozenset(("dict", "ordered-dict", "counter"))
"""The core schemas of mappings."""


class _StrictText(str):
    """A text that pydantic reads strictly as a date or time."""

    __slots__ = ()


def json_validator(adapter: TypeAdapter[Any]) -> Callable[[Any], Any]:
    """Return a function that makes of a JSON value what pydantic makes of its text.

    For it, numbers and digits are not dates or times, and two keys of a mapping that become equal
    are refused.

    >>> import datetime
    >>> validate = json_validator(TypeAdapter(datetime.date | str))
    >>> validate("2026-12-24"), validate("2026")
    (datetime.date(2026, 12, 24), '2026')
    """
    schema, validator = adapter.core_schema, adapter.validator
    if _is_rewritten(schema):
        dates = _rewritten(schema, within_union=False, strict=None)
        validator = _built(with_different_keys(dates))
    if _is_alike_in_python(schema):  # spares the text: half of the time
        return validator.validate_python  # type: ignore[no-any-return, unused-ignore]
    read = validator.validate_json
    return lambda value: read(to_json(value, inf_nan_mode="constants"))


_ALIKE = frozenset(
    (
        *_TIMES,
        *(
            "any",
            "none",
            "bool",
            "int",
            "float",
            "str",
            "literal",
            "enum",
            "uuid",
            "list",
            "nullable",
        ),
        *("default", "arguments", "call", "definitions", "definition-ref"),
        *("model", "model-fields", "model-field", "typed-dict", "typed-dict-field"),
        *("dataclass", "dataclass-args", "dataclass-field"),
    )
)
"""The types of core schemas that make the same of a JSON value and of its text.

Others do not: unions compare how much each branch converts, keys of mappings are strings in JSON,
and validators learn which it is.
"""


def _is_alike_in_python(part: Any) -> bool:
    kind = core_schema_type(part)
    if kind == "dict":
        if _converts_keys(part):
            return False
    elif kind is not None and kind not in _ALIKE:
        return False
    if kind is not None and (part.get("strict") or (part.get("config") or {}).get("strict")):
        return False
    return all(_is_alike_in_python(value) for _, value in _parts_within(part))


def _built(schema: Any) -> Any:
    build: Any = SchemaValidator
    try:
        return build(schema, _use_prebuilt=False)
    except TypeError:  # pydantic 2.12 lets complete classes keep their own validators
        return build(schema)


def _is_rewritten(part: Any) -> bool:
    """Return whether a part of a core schema has dates or times, or keys that are not just text."""
    kind = core_schema_type(part)
    is_own = kind in _TIMES or (kind in _MAPPINGS and _converts_keys(part))
    return is_own or any(_is_rewritten(value) for _, value in _parts_within(part))


def _converts_keys(schema: Any) -> bool:
    keys = schema.get("keys_schema", {"type": "any"})
    is_ours = keys["type"] == "function-after" and keys["function"]["function"] is _Key
    return not is_ours and bool(keys["type"] != "any" and keys != {"type": "str"})


def _rewritten(
    part: Any, *, within_union: bool, strict: bool | None, within_validator: bool = False
) -> Any:
    """Return a part of a core schema whose dates and times refuse digits.

    Args:
        part: a core schema, or what it contains.
        within_union: whether a union has to choose among what is accepted.
        strict: whether the configuration of a model around it says that types are strict.
        within_validator: whether a validator makes Python's values of the JSON before.

    """
    kind = core_schema_type(part)
    if kind in _TIMES:
        if strict is not None:
            part = {"strict": strict, **part}
        return _refusing_digits(part, within_union=within_union, is_json=not within_validator)
    if kind is not None and "config" in part:
        strict = (part["config"] or {}).get("strict", strict)
    rewrite = functools.partial(
        _rewritten,
        within_union=within_union or kind in {"union", "tagged-union"},
        strict=strict,
        within_validator=within_validator or _is_users_validator(part),
    )
    return map_core_schema(part, rewrite)


class _Key:
    """A key of a mapping, which is equal to no other."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def _equal_keys(key: Any) -> PydanticCustomError:
    wanted, found = "an object whose keys differ", f"{quoted_or_type(key)} twice"
    words = {"expected": wanted, "found": found, "advice": "", "keyword": "propertyNames"}
    return PydanticCustomError("keys", wanted, words)


def with_different_keys(part: Any) -> Any:
    """Return a part of a core schema whose mappings refuse keys that become equal.

    >>> schema = with_different_keys(TypeAdapter(dict[int, str]).core_schema)
    >>> SchemaValidator(schema).isinstance_python({"1": "a", "1.0": "b"})
    False
    """
    made = map_core_schema(part, with_different_keys)
    is_mapping = core_schema_type(part) in _MAPPINGS and _converts_keys(part)
    return _keeping_keys_apart(made) if is_mapping else made


def _keeping_keys_apart(schema: Any) -> Any:
    """Return the core schema of a mapping that refuses keys that become equal."""

    def unwrap(made: dict[_Key, Any]) -> Any:
        values: dict[Any, Any] = {}
        for key, value in made.items():
            if key.value in values:
                raise _equal_keys(key.value)
            values[key.value] = value
        return values if type(made) is dict else type(made)(values)

    own = {key: value for key, value in schema.items() if key != "ref"}
    keys = cs.no_info_after_validator_function(_Key, own["keys_schema"])
    inner: Any = {**own, "keys_schema": keys}
    return cs.no_info_after_validator_function(unwrap, inner, ref=schema.get("ref"))


def _refusing_digits(schema: Any, *, within_union: bool, is_json: bool) -> Any:
    """Return a core schema that accepts the texts of a date or time, but no digits.

    A union takes the branch that converted least, the first of equal ones, and a function counts
    as one that converts nothing. So a string schema precedes it that counts as pydantic's own
    schema: a subclass of `str` is as strict as JSON text for a date, and bytes are converted, as
    the text of a date is where a time is expected, too.
    """
    own = {key: value for key, value in schema.items() if key not in {"ref", "serialization"}}
    error, sign = _TIMES[schema["type"]]
    if is_json and not within_union and not own.get("strict"):
        text = cs.custom_error_schema(cs.str_schema(strict=True, pattern=sign), error)
        return cs.chain_schema([text, own], ref=schema.get("ref"))
    given, strict = SchemaValidator(own), SchemaValidator({**own, "strict": True})

    def read_text(value: Any) -> Any:
        if type(value) is str:
            if has_only_digits(value):
                raise PydanticKnownError(error)  # type: ignore[arg-type]
            return given.validate_json(to_json(value))
        if value is None or type(value) in {int, float, bool}:
            raise PydanticKnownError(error)  # type: ignore[arg-type]
        return given.validate_python(value)

    read = cs.no_info_plain_validator_function(read_text)
    if not within_union:
        return {**read, "ref": schema["ref"]} if "ref" in schema else read

    def text_by_strictness(value: Any) -> Any:
        if type(value) is not str:
            raise PydanticKnownError(error)  # type: ignore[arg-type]
        try:
            (strict.validate_json if is_json else strict.validate_python)(
                to_json(value) if is_json else value
            )
        except ValidationError:
            return value.encode()
        return _StrictText(value)

    by_strictness = cs.no_info_plain_validator_function(text_by_strictness)
    steps: list[cs.CoreSchema] = [by_strictness, cs.str_schema(strict=False), read]
    texts = cs.chain_schema(steps)
    # a validator around it may have made an object
    return cs.union_schema([texts, read], mode="left_to_right", ref=schema.get("ref"))
