"""Errors as pydantic's: its types where one fits, its places, and our words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pydantic_core import InitErrorDetails, PydanticCustomError, ValidationError

from schema2model.errors import Issue, ToolError, context_of
from schema2model.json.pointers import nearest_part, pointer_tokens
from schema2model.json.values import is_shallow

__all__ = ["validate_keywords", "validation_error"]

T = TypeVar("T")

OTHER = "tool_arguments"
"""The type of what pydantic has no word for."""

TAG = "union_tag_invalid"
"""The type of a tag that no branch of a union has."""

_CHOICES = frozenset(("const", "enum"))

_TYPES: Mapping[str, str] = {
    "required": "missing",
    "dependentRequired": "missing",
    "enum": "enum",
    "const": "literal_error",
    "minimum": "greater_than_equal",
    "exclusiveMinimum": "greater_than",
    "maximum": "less_than_equal",
    "exclusiveMaximum": "less_than",
    "multipleOf": "multiple_of",
    "minLength": "string_too_short",
    "maxLength": "string_too_long",
    "pattern": "string_pattern_mismatch",
    "minItems": "too_short",
    "maxItems": "too_long",
    "additionalProperties": "extra_forbidden",
    "unevaluatedProperties": "extra_forbidden",
    "falseSchema": "extra_forbidden",
}
"""pydantic's types by the keyword that refuses a value."""

_OF_VALUES: Mapping[str, str] = {
    "integer": "int_type",
    "number": "float_type",
    "string": "string_type",
    "boolean": "bool_type",
    "array": "list_type",
    "object": "dict_type",
    "null": "none_required",
}
_OF_TEXT: Mapping[str, str] = {
    "integer": "int_parsing",
    "number": "float_parsing",
    "boolean": "bool_parsing",
}
_BOUNDS: Mapping[str, str] = {
    "minimum": "ge",
    "exclusiveMinimum": "gt",
    "maximum": "le",
    "exclusiveMaximum": "lt",
    "multipleOf": "multiple_of",
    "minLength": "min_length",
    "maxLength": "max_length",
    "minItems": "min_length",
    "maxItems": "max_length",
    "pattern": "pattern",
}
"""Pydantic's names for keyword values in the context of an error."""


def validation_error(error: ToolError, title: str, value: Any, *, lax: bool) -> ValidationError:
    """Return a `ValidationError` of pydantic's, from a `ToolError`.

    `lax` says whether text was to be read as numbers.
    """
    lines: list[InitErrorDetails] = []
    try:
        # pydantic writes the whole of a value to show a part of it
        shown = value if is_shallow(value) else None
        for issue in error.issues:
            location, found = _location_and_input(issue.path, shown)
            kind = _custom_error(issue, found, lax=lax)
            lines.append(InitErrorDetails(type=kind, loc=location, input=found))
    except RecursionError:  # the caller's own stack was nearly full
        words = {"reason": str(error.args[0])}
        kind = PydanticCustomError(OTHER, "{reason}", words)
        lines = [InitErrorDetails(type=kind, loc=(), input=None)]
    return ValidationError.from_exception_data(title, lines)


def _custom_error(issue: Issue, found: Any, *, lax: bool) -> PydanticCustomError:
    words: dict[str, Any] = context_of(issue)
    schema = issue.expected
    if isinstance(schema, dict) and issue.keyword in _BOUNDS and issue.keyword in schema:
        words[_BOUNDS[issue.keyword]] = schema[issue.keyword]
    return PydanticCustomError(_error_type(issue, schema, found, lax=lax), "{message}", words)


def _error_type(issue: Issue, schema: Any, found: Any, *, lax: bool) -> str:
    """Return the type that pydantic has for a problem."""
    is_text = issubclass(type(found), (str, bytes, bytearray))
    if issue.keyword == "json" and is_text and not issue.path:
        return "json_invalid"
    if issue.keyword in {"anyOf", "oneOf"} and isinstance(schema, dict):
        branches = [each for each in schema.get("anyOf", ()) if each]
        is_tag = all(each is not True and _CHOICES.issuperset(each) for each in branches)
        return TAG if is_tag else OTHER
    if issue.keyword != "type":
        return _TYPES.get(issue.keyword, OTHER)
    wanted = schema.get("type") if isinstance(schema, dict) else None
    kinds = wanted if isinstance(wanted, list) else [wanted]
    kinds = [kind for kind in kinds if kind != "null"] or kinds
    if len(kinds) != 1 or not isinstance(kinds[0], str):
        return OTHER
    if lax and type(found) is str and kinds[0] in _OF_TEXT:
        return _OF_TEXT[kinds[0]]
    if lax and type(found) is float and kinds[0] == "integer":
        return "int_from_float"
    if kinds[0] == "object" and schema.get("properties"):
        return "model_type"
    return _OF_VALUES.get(kinds[0], OTHER)


def _location_and_input(path: str, value: Any) -> tuple[tuple[str | int, ...], Any]:
    """Return a JSON Pointer as pydantic has it, with indices as numbers, and the value there.

    If there is none (it is missing, or was read from text), the container around it is returned.
    """
    location, value = nearest_part(value, path)
    rest: list[str | int] = [*pointer_tokens(path)[len(location) :]]
    for index, token in enumerate(rest):
        if str(token).isdecimal() and (index or type(value) is not dict):
            rest[index] = int(token)
    return (*location, *rest), value


def validate_keywords(validate: Callable[[dict[str, Any]], T], data: dict[str, Any]) -> T:
    """Validate the keyword arguments of a program; None that is refused counts as not passed.

    The attribute of a property that was not sent is None, and a program may pass that on.

    Raises:
        ValidationError: if they are not valid without it, either.

    """
    try:
        return validate(data)
    except ValidationError as error:
        refused = {each["loc"][0] for each in error.errors(include_url=False) if each["loc"]}
        sent = {n: each for n, each in data.items() if each is not None or n not in refused}
        if len(sent) == len(data):
            raise
        try:
            return validate(sent)
        except ValidationError:
            raise error from None
