"""Annotations as JSON Schemas, and as validators of JSON text.

Pydantic makes both. It also counts numbers and digits in seconds since 1970, where a date or time
is annotated: `"2026"` is half an hour after midnight. The schema that a model is shown says a
string in a format, so neither the schema nor the validator accepts them here.
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any, TypeAlias, cast

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import (
    PydanticCustomError,
    PydanticKnownError,
    SchemaValidator,
    ValidationError,
    core_schema as cs,
    to_json,
)

from schema2model.schema.vocabularies.python_types import TYPE_NAMES, TypeMarks, has_only_digits

__all__ = [
    "TypedJsonSchema",
    "decimal_validator",
    "json_validator",
    "long_numbers",
    "schema_with_types",
    "types_in_schema",
]

_MARK = "\0python type"
"""The member by which a subschema names its type, until the whole schema is there."""

_PLAIN = frozenset(("str", "literal", "enum", "any", "definition-ref"))
"""The types of core schemas whose strings are any, or their own choices."""


class TypedJsonSchema(GenerateJsonSchema):
    """Notes the Python types of strings, for `schema_with_types`.

    Where a validator of the user's own gets the value first, it may accept any other string.
    """

    _within_validators = 0

    def generate_inner(self, schema: Any) -> JsonSchemaValue:
        """Return the JSON Schema of a core schema, with a note if its strings are of a type."""
        made = super().generate_inner(schema)
        kind = schema["type"]
        if self._within_validators or kind in _PLAIN or _comes_before_types(schema):
            return made
        if kind == "decimal" and "anyOf" in made:
            branches = made["anyOf"]
            noted = [{**e, _MARK: kind} if e.get("type") == "string" else e for e in branches]
            return {**made, "anyOf": noted}
        if kind in {"set", "frozenset"} and made.get("uniqueItems"):
            return {**made, _MARK: "set"}
        if made.get("type") == "string" and made.get("format") in TYPE_NAMES:
            return {**made, _MARK: made["format"]}
        return made

    def function_before_schema(self, schema: cs.BeforeValidatorFunctionSchema) -> JsonSchemaValue:
        """Return the schema of what a validator gets first, without notes."""
        return self._without_notes(super().function_before_schema, schema)

    def function_plain_schema(self, schema: cs.PlainValidatorFunctionSchema) -> JsonSchemaValue:
        """Return the schema of what only a validator gets, without notes."""
        return self._without_notes(super().function_plain_schema, schema)

    def function_wrap_schema(self, schema: cs.WrapValidatorFunctionSchema) -> JsonSchemaValue:
        """Return the schema of what a validator gets first, unless it is pydantic's or ours."""
        if _comes_before_types(schema):
            return self._without_notes(super().function_wrap_schema, schema)
        return super().function_wrap_schema(schema)

    def _without_notes(self, generate: Any, schema: Any) -> JsonSchemaValue:
        self._within_validators += 1
        try:
            made: JsonSchemaValue = generate(schema)
        finally:
            self._within_validators -= 1
        return made


def _comes_before_types(schema: Any) -> bool:
    """Return whether a validator gets the value first, other than pydantic's own and ours."""
    kind = schema["type"]
    if kind == "function-wrap":
        module: str = getattr(schema["function"]["function"], "__module__", "")
        return not module.startswith(("pydantic.", "schema2model."))
    return kind in {"function-before", "function-plain"}


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
    return tuple((path, name) for path, name in _collect(made, ()) if _is_string(schema, path))


def _is_string(schema: Any, path: tuple[str | int, ...]) -> bool:
    """Return whether a JSON Schema has a subschema of strings at a path."""
    try:
        found = functools.reduce(operator.getitem, path, schema)
    except (KeyError, IndexError, TypeError):
        return False
    return isinstance(found, dict) and found.get("type") == "string"


def _collect(part: Any, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Remove the notes of a part of a schema, and yield each with the path to it."""
    if type(part) is dict:
        if type(name := part.get(_MARK)) is str:
            del part[_MARK]
            yield path, name
        for key, value in part.items():
            yield from _collect(value, (*path, key))
    elif type(part) is list:
        for index, value in enumerate(part):
            yield from _collect(value, (*path, index))


# ------------------------------------------------------------------------------ validators
_TIMES = {
    "date": "date_type",
    "datetime": "datetime_type",
    "time": "time_type",
    "timedelta": "time_delta_type",
}
"""The core schemas that also accept numbers and digits, each with pydantic's error for them."""

_OPAQUE = frozenset(("metadata", "serialization", "config", "default", "expected", "members"))
"""The members of a core schema that hold no core schemas, or none that validate."""


class _StrictText(str):
    """A text that pydantic reads strictly as a date or time."""

    __slots__ = ()


def json_validator(
    adapter: TypeAdapter[Any], *, schema_checks: bool = False
) -> Callable[[Any], Any]:
    """Return a function that makes of a JSON value what pydantic makes of its text.

    For it, digits are no dates or times. With `schema_checks`, values come from a schema with types
    (`schema_with_types`), which has refused them where it says that a string is a date.

    >>> import datetime
    >>> validate = json_validator(TypeAdapter(datetime.date | str))
    >>> validate("2026-12-24"), validate("2026")
    (datetime.date(2026, 12, 24), '2026')
    """
    replace = _refusing_hidden_digits if schema_checks else _refusing_digits
    schema = _replaced(adapter.core_schema, replace, hidden=False)
    validator = adapter.validator if schema is adapter.core_schema else _built(schema)
    if _is_alike_in_python(schema):  # spares the text: half of the time
        return validator.validate_python
    validate_json = validator.validate_json

    def validate(value: Any) -> Any:
        return validate_json(to_json(value, inf_nan_mode="constants"))

    return validate


_ALIKE = frozenset(
    (
        "any",
        "none",
        "bool",
        "int",
        "float",
        "str",
        "list",
        "nullable",
        "default",
        "literal",
        "uuid",
        "date",
        "datetime",
        "time",
        "timedelta",
        "model",
        "model-fields",
        "model-field",
        "typed-dict",
        "typed-dict-field",
        "dataclass",
        "dataclass-args",
        "dataclass-field",
        "arguments",
        "call",
        "definitions",
        "definition-ref",
    )
)
"""The types of core schemas that make the same of a JSON value and of its text.

Others do not: unions and enumerations compare how much each branch converts, keys of mappings are
strings in JSON, and validators are told which it is.
"""


def _is_alike_in_python(part: Any) -> bool:
    if type(part) is dict:
        kind = part.get("type")
        is_schema = type(kind) is str
        if is_schema and kind == "dict":
            if part.get("keys_schema", {"type": "str"})["type"] not in {"str", "any"}:
                return False
        elif (
            is_schema
            and kind not in _ALIKE
            and not (
                kind == "function-plain" and part["function"]["function"].__module__ == __name__
            )
        ):
            return False
        strict = part.get("strict") or (part.get("config") or {}).get("strict")
        return not (is_schema and strict) and all(
            _is_alike_in_python(value)
            for key, value in part.items()
            if not (is_schema and key in _OPAQUE)
        )
    return all(map(_is_alike_in_python, part)) if type(part) in {list, tuple} else True


def decimal_validator(adapter: TypeAdapter[Any]) -> Any:
    """Return that validator for texts with long numbers; None if the type has no Decimals.

    Pydantic makes a float of a number before a Decimal. This one takes the digits that a float does
    not hold from the validation's context: `long_numbers` of the text.

    >>> validator, text = decimal_validator(TypeAdapter(Decimal)), "12345678901234567890.25"
    >>> validator.validate_json(text, context=long_numbers(text))
    Decimal('12345678901234567890.25')
    """
    schema = _replaced(adapter.core_schema, _keeping_digits, hidden=False)
    if schema is adapter.core_schema:
        return None
    return _built(_replaced(schema, _refusing_digits, hidden=False))


def _built(schema: Any) -> Any:
    build: Any = SchemaValidator
    try:
        return build(schema, _use_prebuilt=False)
    except TypeError:  # pydantic 2.12 lets complete classes keep their own validators
        return build(schema)


_Replace: TypeAlias = "Callable[[Any, bool], Any]"
"""Returns what replaces a core schema, or None to look into it; the second argument says whether it
is hidden from the JSON Schema: as a key, in a union, or after a validator."""

_HIDING = frozenset(("union", "tagged-union", "function-before", "function-wrap"))
"""Where a schema does not say of which type a string is."""


def _replaced(part: Any, replace: _Replace, *, hidden: bool) -> Any:
    """Return a part of a core schema with replaced schemas in it; itself if there are none."""
    if type(part) is dict:
        is_schema = type(part.get("type")) is str  # rather than a mapping from fields to schemas
        if is_schema and (other := replace(part, hidden)) is not None:
            return other
        hidden = hidden or (is_schema and part["type"] in _HIDING)
        made = {
            key: value
            if is_schema and key in _OPAQUE
            else _replaced(value, replace, hidden=hidden or key == "keys_schema")
            for key, value in part.items()
        }
        return made if any(made[key] is not part[key] for key in part) else part
    if type(part) is list or type(part) is tuple:
        items = [_replaced(each, replace, hidden=hidden) for each in part]
        return type(part)(items) if any(map(operator.is_not, items, part)) else part
    return part


def _refusing_hidden_digits(schema: Any, hidden: bool) -> Any:  # noqa: FBT001 - see `_Replace`
    return _refusing_digits(schema, hidden) if hidden else None


def _refusing_digits(schema: Any, hidden: bool) -> Any:  # noqa: FBT001 - see `_Replace`
    """Return a core schema that accepts the texts of a date or time, but no digits.

    A union takes the branch that converted least, the first of equal ones, and a function counts
    as one that converts nothing. So a string schema stands before it that counts as pydantic's own
    schema: a subclass of `str` is as strict as JSON text for a date, and bytes are converted, as
    the text of a date is where a time is expected, too.
    """
    if schema["type"] not in _TIMES:
        return None
    own = {key: value for key, value in schema.items() if key not in {"ref", "serialization"}}
    lax, strict = SchemaValidator(own), SchemaValidator({**own, "strict": True})
    error = _TIMES[schema["type"]]

    def read_text(value: Any) -> Any:
        if type(value) is str:
            if has_only_digits(value):
                raise PydanticKnownError(error)  # type: ignore[arg-type]
        elif value is None or type(value) in {int, float, bool}:
            raise PydanticKnownError(error)  # type: ignore[arg-type]
        return lax.validate_python(value)

    read = cs.no_info_plain_validator_function(read_text)
    if not hidden:
        return {**read, "ref": schema["ref"]} if "ref" in schema else read

    def text_by_strictness(value: Any) -> Any:
        if type(value) is not str:
            raise PydanticKnownError(error)  # type: ignore[arg-type]
        try:
            strict.validate_json(to_json(value))
        except ValidationError:
            return value.encode()
        return _StrictText(value)

    by_strictness = cs.no_info_plain_validator_function(text_by_strictness)
    steps: list[cs.CoreSchema] = [by_strictness, cs.str_schema(), read]
    texts = cs.chain_schema(steps)
    # a validator around it may have made an object
    return cs.union_schema([texts, read], mode="left_to_right", ref=schema.get("ref"))


# -------------------------------------------------------------------------------- decimals
_LONG_NUMBER = re.compile(r"-?[0-9][0-9.eE+-]{15,}")
"""A number in a text that may have more digits than a float holds."""


def long_numbers(text: str) -> dict[float, str | None]:
    """Return the numbers of a text that a float does not hold, by the nearest float.

    None for one that two different numbers of the text are nearest to.

    >>> long_numbers('{"price": 12345678901234567890.25, "count": 1.5}')
    {1.2345678901234567e+19: '12345678901234567890.25'}
    """
    found: dict[float, str | None] = {}
    for digits in _LONG_NUMBER.findall(text):
        try:
            nearest, exact = float(digits), Decimal(digits)
        except (ValueError, ArithmeticError):
            continue
        if Decimal(repr(nearest)) != exact:
            known = found.setdefault(nearest, digits)
            if known is None or Decimal(known) != exact:
                found[nearest] = None
    return found


def _keeping_digits(schema: Any, hidden: bool) -> Any:  # noqa: FBT001, ARG001 - see `_Replace`
    """Return the core schema of a Decimal that takes long numbers from the context."""
    if schema["type"] != "decimal":
        return None

    def read_number(value: Any, read: Any, info: Any) -> Any:
        if type(value) is float and info.context and value in info.context:
            value = info.context[value]
            if value is None:
                kind = "decimal_digits"
                words = "Input should be a string, as two numbers of the call are equal as floats"
                raise PydanticCustomError(kind, words)
        return read(value)

    inner = {key: value for key, value in schema.items() if key != "ref"}
    return cs.with_info_wrap_validator_function(
        read_number, cast("cs.CoreSchema", inner), ref=schema.get("ref")
    )
