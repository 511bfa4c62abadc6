"""Core schemas that `lowering` builds with: JSON's types, and what pydantic-core lacks.

JSON Schema Core section 4.2.1 (the types); everything is strict.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from sys import intern
from typing import Any

from pydantic_core import CoreSchema, PydanticOmit, SchemaValidator, core_schema as cs

from schema2model.coerce.rules.scalars import null_word
from schema2model.json.canonical import has_json_text
from schema2model.json.repeated_names import unique_names
from schema2model.json.values import (
    EXACT_FLOATS,
    any_scalar,
    exact_fraction,
    finite,
    plain_copy,
)

__all__ = [
    "BOOLEAN",
    "INTEGER",
    "NEVER",
    "NULL",
    "NULL_TEXT",
    "NULL_WORD",
    "OMISSIONS",
    "STRING",
    "checked",
    "choices_of",
    "first_of",
    "integer_schema",
    "is_native_bound",
    "json_string_of",
    "no_text",
    "number_schema",
    "refusing",
    "rewritten",
    "tested",
    "validator_of",
]


def _refuse(value: Any) -> Any:  # noqa: ARG001
    """Refuse every value, as the schema `false` does."""
    raise ValueError


def _abort(value: Any) -> Any:  # noqa: ARG001
    """Refuse a value whatever other schemas would accept; `accept` may raise anything."""
    raise TypeError


def _null(word: Any) -> None:
    """Return null for a word that means it, or null itself."""
    if null_word(word) is not None:
        raise ValueError


def _omit_word(word: Any) -> Any:
    """Leave an optional property out for the same."""
    _null(word)
    raise PydanticOmit


def checked(test: Callable[[Any], bool] | None, *, allow_inf_nan: bool) -> CoreSchema:
    """Return a schema of the JSON values that pass a test, or of all."""

    def checked_value(value: Any) -> Any:
        copy = plain_copy(value, allow_inf_nan=allow_inf_nan)
        tested = finite(copy) if allow_inf_nan else copy
        if (test is None or test(tested)) and has_json_text(copy, is_copied=True):
            return copy
        raise ValueError

    return cs.no_info_plain_validator_function(checked_value)


NEVER = cs.no_info_plain_validator_function(_refuse)
"""A schema that accepts nothing."""

NULL = cs.none_schema()
BOOLEAN = cs.bool_schema(strict=True)
LONGEST = 2**62
"""No string is longer, but with a maximum pydantic-core refuses half of a surrogate pair, which has
no JSON text."""
STRING = cs.str_schema(strict=True, max_length=LONGEST)


def first_of(choices: Sequence[CoreSchema], *, nullable: bool = False) -> CoreSchema:
    """Return a schema that tries some schemas in their order; null first, if it is nullable.

    They have numbers for names: pydantic-core's own names, which errors copy, spell out the whole
    schema. If all refuse a value, there is one error: those of each, copied at every level around,
    took six times as long for 50 levels.
    """
    if nullable:
        return cs.nullable_schema(first_of(choices))
    if len(choices) < 2:  # noqa: PLR2004
        return choices[0] if choices else NEVER
    named = [(choice, intern(f"choice {number}")) for number, choice in enumerate(choices)]
    return cs.union_schema(
        named,  # type: ignore[arg-type]
        mode="left_to_right",
        custom_error_type="choices",
        custom_error_message="none of the choices",
    )


def choices_of(schema: Any) -> list[CoreSchema]:
    """Return the schemas that a schema of `first_of` tries in their order; itself if it is none."""
    is_ordered = schema["type"] == "union" and schema.get("mode") == "left_to_right"
    return [choice for choice, _ in schema["choices"]] if is_ordered else [schema]


def _integers(**bounds: Any) -> CoreSchema:
    """Return a schema of integers within whole bounds that have a JSON text.

    pydantic-core's parser refuses the others. Of Python's, those of more than 64 bits are left to
    the search, for 8 us: a second schema for them takes a quarter more time for every integer.
    """
    whole = cs.int_schema(strict=True, **bounds)
    short = cs.int_schema(strict=True, **{"ge": -(2**63), "le": 2**63 - 1, **bounds})
    return cs.json_or_python_schema(json_schema=whole, python_schema=short)


INTEGER = _integers()


def integer_schema(bounds: Mapping[str, Any]) -> CoreSchema:
    """Return a schema of integers within bounds, which may be fractions."""
    if not bounds:
        return INTEGER
    whole: dict[str, Any] = {}
    for name, bound in bounds.items():
        exact = exact_fraction(bound) if isinstance(bound, float) else bound
        if name == "multiple_of":
            if exact is bound:
                whole[name] = bound
        elif name in {"ge", "gt"}:
            least = math.ceil(exact) if name == "ge" else math.floor(exact) + 1
            whole["ge"] = max(least, whole.get("ge", least))
        else:
            most = math.floor(exact) if name == "le" else math.ceil(exact) - 1
            whole["le"] = min(most, whole.get("le", most))
    if whole.keys() >= {"ge", "le"}:
        return cs.int_schema(strict=True, **whole)
    return _integers(**whole)


def number_schema(
    bounds: Mapping[str, Any], *, allow_inf_nan: bool, expects_text: bool
) -> CoreSchema:
    """Return a schema of numbers within bounds; an integer stays one."""
    if not bounds:
        return _any_number(allow_inf_nan, expects_text)
    native = {name: b for name, b in bounds.items() if is_native_bound(name, b, whole=False)}
    # as a float, an integer beyond these might slip through a bound that it exceeds; floats as
    # great are left to the search
    native["lt"] = min(native.get("lt", EXACT_FLOATS), EXACT_FLOATS)
    native["gt"] = max(native.get("gt", -EXACT_FLOATS), -EXACT_FLOATS)
    return _floats_or(integer_schema(bounds), allow_inf_nan, native)


def _floats_or(integers: CoreSchema, inf_nan: bool, bounds: Mapping[str, Any]) -> CoreSchema:  # noqa: FBT001
    """Return a schema of floats or integers. Smart mode takes a float at once; an integer is not an
    exact match for floats, and stays one.
    """
    # pydantic-core's own schema also takes what can be converted, and loses digits of it
    floats = cs.float_schema(strict=True, allow_inf_nan=inf_nan, **bounds)
    only_floats = cs.chain_schema([cs.is_instance_schema(float), floats])
    either = cs.json_or_python_schema(json_schema=floats, python_schema=only_floats)
    return cs.union_schema([(either, "float"), (integers, "int")], mode="smart")


@functools.cache
def _any_number(inf_nan: bool, expects_text: bool) -> CoreSchema:  # noqa: FBT001
    """Return a schema of any number, of the form that is faster for the values to expect.

    The second takes a quarter less time for numbers, and twice as much for strings. Smart mode
    would convert what is neither a float nor an integer, unless that is aborted.
    """
    if expects_text:
        return _floats_or(INTEGER, inf_nan, {})
    floats = cs.float_schema(strict=True, allow_inf_nan=inf_nan)
    converted = cs.no_info_after_validator_function(_abort, floats)
    return cs.union_schema([(floats, "float"), (INTEGER, "int"), (converted, "none")], mode="smart")


NULL_WORD = cs.no_info_after_validator_function(_null, STRING)
"""A schema of words for null."""

OMISSIONS = {
    kinds: cs.no_info_after_validator_function(_omit_word, schema)
    for kinds, schema in (
        ((True, False), NULL),
        ((False, True), STRING),
        ((True, True), cs.nullable_schema(STRING)),
    )
}
"""Schemas of a property to be left out; by whether it may be null, and a word for null.

Null or a word is one schema: each that refuses a value keeps a copy of it."""


def is_native_bound(name: str, bound: float, *, whole: bool) -> bool:
    """Return whether pydantic-core applies a bound exactly: it allows for rounding of floats."""
    if name == "multiple_of":
        return whole and isinstance(bound, int)
    return whole or isinstance(bound, float) or abs(bound) <= EXACT_FLOATS


def json_string_of(schema: CoreSchema, *, has_names: bool = False) -> CoreSchema:
    """Return a schema of JSON text in a string; pydantic-core's own also accepts bytes.

    Where the text of a Python value `has_names`, none may have two values. Those in a string of a
    JSON text are found with all others there.
    """
    parsing = cs.json_schema(_for_json(schema))
    inner = cs.no_info_wrap_validator_function(unique_names, parsing) if has_names else parsing
    only_text = cs.chain_schema([STRING, inner])
    return cs.json_or_python_schema(json_schema=parsing, python_schema=only_text)


def _for_json(schema: Any) -> Any:
    """Return the part of a schema of scalars that reads JSON, without that for Python values."""
    if schema["type"] == "json-or-python":
        return schema["json_schema"]
    if schema["type"] == "union":
        choices = [(_for_json(choice), name) for choice, name in schema["choices"]]
        return {**schema, "choices": choices}
    return schema


NULL_TEXT = json_string_of(NULL)
"""A schema of the JSON text of null: of the words for it the likeliest, and read faster."""


def rewritten(functions: Sequence[Callable[[Any], Any]], schema: Any) -> CoreSchema:
    """Return a schema of what some functions make of a value: the first that changes it.

    One schema of all takes less memory than one for each.
    """

    def rewrite(value: Any) -> Any:
        for function in functions:
            made = function(value)
            if made is not value:
                return made
        return value

    if schema["type"] == "json-or-python":
        schema = schema["python_schema"]
    function = rewrite if len(functions) > 1 else functions[0]
    return cs.no_info_before_validator_function(function, schema)


def no_text(schema: CoreSchema) -> CoreSchema:
    """Return a schema that accepts the same values, except strings."""

    def value_but_text(value: Any) -> Any:
        if isinstance(value, str):
            raise ValueError  # noqa: TRY004 - pydantic-core takes it for a refusal
        return value

    return cs.no_info_before_validator_function(value_but_text, schema)


def tested(test: Callable[[Any], bool], schema: CoreSchema) -> CoreSchema:
    """Return a schema of the scalars that pass a test."""

    def tested_value(value: Any) -> Any:
        if not test(value):
            raise ValueError
        return value

    return cs.no_info_after_validator_function(tested_value, schema)


def refusing(test: Callable[[Any], bool], schema: CoreSchema) -> CoreSchema:
    """Return a schema that refuses values that contain a scalar which passes a test."""

    def refused_value(value: Any) -> Any:
        if any_scalar(value, test):
            raise ValueError
        return value

    return cs.no_info_after_validator_function(refused_value, schema)


def validator_of(schema: CoreSchema) -> SchemaValidator:
    """Compile a schema. A validator keeps it to be pickled: this one keeps an empty one.

    Raises:
        pydantic_core.SchemaError: if pydantic-core cannot compile it.

    """
    kept: Any = {**schema}
    validator = SchemaValidator(kept)
    kept.clear()
    return validator
