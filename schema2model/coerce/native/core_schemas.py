"""The core schemas that `lowering` builds with: JSON's types, and what pydantic-core lacks.

JSON Schema Core section 4.2.1 (the types); everything is strict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pydantic_core import CoreSchema, PydanticOmit, core_schema as cs

from schema2model.coerce.rules.scalars import null_word
from schema2model.json.values import any_scalar, is_integral_float, plain_copy, type_of

__all__ = [
    "BOOLEAN",
    "INTEGER",
    "NEVER",
    "NULL",
    "NULL_WORD",
    "NUMBERS",
    "OMIT",
    "OMIT_EITHER",
    "OMIT_WORD",
    "OPEN",
    "STRING",
    "first_of",
    "float_schema",
    "json_string_of",
    "judged",
    "literal_of",
    "no_text",
    "number_schema",
    "open_schema",
    "refusing_integral_floats",
]

SPELLED_OUT = 100
"""Literals that pydantic-core's error may name."""


def _refuse(value: Any) -> Any:  # noqa: ARG001
    """The schema `false`."""
    raise ValueError


def _omit(value: Any) -> Any:  # noqa: ARG001
    """Leave an optional property out."""
    raise PydanticOmit


def _null(word: Any) -> None:
    """Null for a word that means it."""
    if null_word(word) is not None:
        raise ValueError


def _omit_word(word: Any) -> Any:
    """Leave an optional property out for null, or a word that means it."""
    _null(word)
    raise PydanticOmit


def open_schema(*, allow_inf_nan: bool, strings: bool, kinds: frozenset[str] | None) -> CoreSchema:
    """Any JSON value; of certain types only, or without strings, if so asked."""

    def open_value(value: Any) -> Any:
        copy = plain_copy(value, allow_inf_nan=allow_inf_nan)
        if kinds is not None and type_of(copy) not in kinds:
            raise ValueError
        if not strings and any_scalar(copy, _is_text):
            raise ValueError
        return copy

    return cs.no_info_plain_validator_function(open_value)


def _is_text(value: Any) -> bool:
    return type(value) is str


NEVER = cs.no_info_plain_validator_function(_refuse)
"""Nothing."""

OPEN = {
    (inf_nan, strings): open_schema(allow_inf_nan=inf_nan, strings=strings, kinds=None)
    for inf_nan in (False, True)
    for strings in (False, True)
}
"""Any JSON value, by whether infinities and strings are some."""

NULL = cs.none_schema()
BOOLEAN = cs.bool_schema(strict=True)
STRING = cs.str_schema(strict=True)
INTEGER = cs.int_schema(strict=True)


def float_schema(*, allow_inf_nan: bool, **bounds: Any) -> CoreSchema:
    """A float. pydantic-core's own also takes what can be made one, and loses digits of it."""
    floats = cs.float_schema(strict=True, allow_inf_nan=allow_inf_nan, **bounds)
    only_floats = cs.chain_schema([cs.is_instance_schema(float), floats])
    return cs.json_or_python_schema(json_schema=floats, python_schema=only_floats)


def number_schema(floats: CoreSchema, integers: CoreSchema) -> CoreSchema:
    """Any number, an integer as one.

    Smart mode takes a float at once; an integer is no exact match for floats, and stays one.
    """
    return cs.union_schema([(floats, "float"), (integers, "int")], mode="smart")


NUMBERS = {
    inf_nan: number_schema(float_schema(allow_inf_nan=inf_nan), INTEGER)
    for inf_nan in (False, True)
}
"""Any number; by whether infinities are some."""

NULL_WORD = cs.no_info_after_validator_function(_null, STRING)
"""A word for null."""

OMIT = cs.no_info_after_validator_function(_omit, NULL)
"""Null, for a property to be left out."""

OMIT_WORD = cs.no_info_after_validator_function(_omit_word, STRING)
"""A word for null, for a property to be left out."""

OMIT_EITHER = cs.no_info_after_validator_function(_omit_word, cs.nullable_schema(STRING))
"""Null or a word for it. As one schema: each that refuses a value keeps a copy of it."""


def json_string_of(schema: CoreSchema) -> CoreSchema:
    """The JSON of what a schema accepts, in a string; pydantic-core's own takes bytes as well."""
    parsing = cs.json_schema(schema)
    only_text = cs.chain_schema([STRING, parsing])
    return cs.json_or_python_schema(json_schema=parsing, python_schema=only_text)


def first_of(choices: Sequence[CoreSchema]) -> CoreSchema:
    """What the first of some schemas accepts, in their order.

    They are named by number: pydantic-core's own names, which errors copy, spell out all that a
    schema consists of.
    """
    if len(choices) == 1:
        return choices[0]
    named = [(choice, f"choice {number}") for number, choice in enumerate(choices)]
    return cs.union_schema(named, mode="left_to_right")  # type: ignore[arg-type]


def literal_of(values: list[Any]) -> CoreSchema:
    """One of some literals; an error about many does not spell out all of them."""
    literals = cs.literal_schema(values)
    if len(values) <= SPELLED_OUT:
        return literals
    return cs.custom_error_schema(
        literals, custom_error_type="choice", custom_error_message="one of many choices"
    )


def judged(verdicts: Iterable[Callable[[Any], bool]], *, allow_inf_nan: bool) -> CoreSchema:
    """Any JSON value of which one of some verdicts is true."""

    def judged_value(value: Any) -> Any:
        copy = plain_copy(value, allow_inf_nan=allow_inf_nan)
        if any(is_valid(copy) for is_valid in verdicts):
            return copy
        raise ValueError

    return cs.no_info_plain_validator_function(judged_value)


def no_text(schema: CoreSchema) -> CoreSchema:
    """What a schema accepts, unless it is a string."""

    def value_but_text(value: Any) -> Any:
        if isinstance(value, str):
            raise ValueError  # noqa: TRY004 - pydantic-core takes it for a refusal
        return value

    return cs.no_info_before_validator_function(value_but_text, schema)


def refusing_integral_floats(schema: CoreSchema) -> CoreSchema:
    """A schema that refuses what holds 3.0: the search has to tell whether that means 3."""

    def settled_value(value: Any) -> Any:
        if any_scalar(value, is_integral_float):
            raise ValueError
        return value

    return cs.no_info_after_validator_function(settled_value, schema)
