"""pydantic's errors in the words of ours: what is expected at a place, and an example.

The error types are those of `pydantic_core.core_schema.ErrorType`.
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

__all__ = ["IssueWords", "issue_words"]


class IssueWords(NamedTuple):
    """The words of one error."""

    keyword: str
    """The JSON Schema keyword that stands for pydantic's type."""
    wanted: str
    example: Any = None
    advice: str | None = None
    is_missing: bool = False
    """True if nothing was sent at the place."""


_CUT_OFF: Final = re.compile(r"EOF while parsing")
_KINDS: Final[tuple[tuple[str, str, Any], ...]] = (
    ("int_", "integer", 10),
    ("float_", "number", 1.5),
    ("finite_number", "number", 1.5),
    ("bool_", "boolean", True),
    ("string_type", "string", "text"),
    ("string_sub_type", "string", "text"),
    ("string_unicode", "string", "text"),
    ("list_type", "array", []),
    ("tuple_type", "array", []),
    ("set_type", "array of distinct items", []),
    ("frozen_set_type", "array of distinct items", []),
    ("dict_type", "object", {}),
    ("mapping_type", "object", {}),
    ("model_", "object", {}),
    ("dataclass_type", "object", {}),
    ("dataclass_exact_type", "object", {}),
    ("none_required", "null", None),
    ("datetime_", "date and time", "2025-01-31T09:30:00Z"),
    ("timezone_", "date and time", "2025-01-31T09:30:00Z"),
    ("date_from_datetime", "date", "2025-01-31"),
    ("date_", "date", "2025-01-31"),
    ("time_delta_", "duration", "PT1H30M"),
    ("time_", "time", "09:30:00"),
    ("uuid_", "UUID", "123e4567-e89b-12d3-a456-426614174000"),
    ("decimal_", "decimal number", "1.50"),
    ("url_", "URL", "https://example.com/"),
    ("bytes_", "string", "text"),
)
"""The expectation and an example, by the beginning of pydantic's type."""

_LIMITS: Final = {
    "greater_than": ("exclusiveMinimum", "a number greater than {gt}"),
    "greater_than_equal": ("minimum", "a number of at least {ge}"),
    "less_than": ("exclusiveMaximum", "a number less than {lt}"),
    "less_than_equal": ("maximum", "a number of at most {le}"),
    "multiple_of": ("multipleOf", "a multiple of {multiple_of}"),
    "string_too_short": ("minLength", "a string of at least {min_length} characters"),
    "string_too_long": ("maxLength", "a string of at most {max_length} characters"),
    "string_pattern_mismatch": ("pattern", "a string that matches {pattern}"),
    "too_short": ("minItems", "at least {min_length} items"),
    "too_long": ("maxItems", "at most {max_length} items"),
    "enum": ("enum", "one of {expected}"),
    "literal_error": ("enum", "one of {expected}"),
    "union_tag_invalid": ("oneOf", "one of {expected_tags} as the discriminator"),
}


def issue_words(kind: str, message: str, context: dict[str, Any]) -> IssueWords:
    """Return the words for an error of pydantic's.

    Args:
        kind: its `type`.
        message: its `msg`.
        context: its `ctx`.

    >>> issue_words("int_parsing", "Input should be a valid integer, unable to parse …", {}).wanted
    'integer'

    """
    if kind == "missing":
        return IssueWords("required", "a value (required)", is_missing=True)
    if kind == "extra_forbidden":
        words = "no property of this name"
        return IssueWords("additionalProperties", words, advice="leave it out")
    if kind == "json_invalid":
        if _CUT_OFF.search(message):
            advice = "the arguments were cut off; send the whole call again"
            return IssueWords("json", "the complete JSON of an object", advice=advice)
        return IssueWords("json", "JSON", advice="send one JSON object and nothing else")
    if kind in _LIMITS:
        keyword, template = _LIMITS[kind]
        try:
            return IssueWords(keyword, template.format(**context))
        except (KeyError, IndexError):  # of another version of pydantic
            pass
    for beginning, wanted, example in _KINDS:
        if kind.startswith(beginning):
            keyword = "format" if isinstance(example, str) and wanted != "string" else "type"
            return IssueWords(keyword, wanted, example)
    words = message.removeprefix("Input should be ").removeprefix("Value error, ")
    return IssueWords("schema", words[:1].lower() + words[1:])
