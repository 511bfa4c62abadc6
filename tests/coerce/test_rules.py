"""The rules of coercion: each alone, under every preset, and its function."""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import json
import uuid
from collections.abc import Callable
from typing import Any, Literal

import pytest
from case_tests import coercions, each_case
from cases import Case, cases, encode, spelled
from pydantic import AnyUrl, ValidationError

from schema2model import Coercion, CompiledSchema, Tool, ToolError, compile_schema
from schema2model.coerce.rules import guesses as regrouping, scalars as rules

REFUSED: Any = object()
WAYS = ("validate", "validate_json", "model")
CITY = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
BIG = 12345678901234567890
RULES = [field.name for field in dataclasses.fields(Coercion)]


def outcome(method: Callable[[Any], Any], sent: Any) -> Any:
    """Return the text of what a method returns, in which 3 is not 3.0, or REFUSED."""
    try:
        return spelled(encode(method(sent)))
    except (ToolError, ValidationError):
        return REFUSED


def by_all_ways(compiled: CompiledSchema, sent: Any) -> dict[str, Any]:
    """Read a value as a value, as JSON text and from the model."""
    results = (
        outcome(compiled.validate, sent),
        outcome(compiled.validate_json, json.dumps(sent)),
        outcome(lambda value: compiled.model.model_validate(value).model_dump(), sent),
    )
    return dict(zip(WAYS, results, strict=True))


def is_written_as_json(case: Case) -> bool:
    """Return whether the input and the result of a case need no infinity."""
    return "$number" not in spelled(case.line)


@each_case("rules")
def test_a_rule_reads_what_its_case_says(case: Case) -> None:
    """A value is read alike under each of the presets: as a value, as JSON text, in the model."""
    expected = REFUSED if case.is_refused else spelled(encode(case.result))
    for coercion in coercions(case):
        compiled = compile_schema(case.schema, coercion=coercion)
        if is_written_as_json(case):
            assert by_all_ways(compiled, case.input) == dict.fromkeys(WAYS, expected)
        else:
            assert outcome(compiled.validate, case.input) == expected
            assert spelled(encode(compiled.explain(case.input).result)) == expected


@each_case("switches")
def test_a_rule_is_a_switch(case: Case) -> None:
    """A rule works with every other one off, and does nothing when it is off."""
    expected = REFUSED if case.is_refused else spelled(case.result)
    for coercion in coercions(case):
        compiled = compile_schema(case.schema, coercion=coercion)
        way = compiled.validate_json if case.operation == "validate_json" else compiled.validate
        assert outcome(way, case.input) == expected


# --------------------------------------------------------------------------- the rule functions
UNITS: dict[str, list[tuple[Any, Any]]] = {
    "integer_text": [
        *[("10", 10), (" 10 ", 10), ("\t-7\n", -7), ("+5", 5), ("-0", 0), ("007", 7)],
        *[("10.0", 10), ("10.", 10), ("1e3", 1000), ("1E+3", 1000), ("120e-1", 12), ("0e9", 0)],
        *[("1e23", 10**23), ("9" * 4300, 10**4300 - 1), ("1e4299", 10**4299)],
        *[("9007199254740993", 2**53 + 1), ("9007199254740993.0", 2**53 + 1)],
    ],
    "number_text": [
        *[("10", 10), (" 10 ", 10), ("+5", 5), ("-.5", -0.5), ("5.", 5.0), ("1e3", 1000.0)],
        *[("0.1", 0.1), ("-0", 0), ("1e-400", 0.0), ("12345678901234567890", BIG)],
    ],
    "number_beyond_json": [
        *[("inf", float("inf")), ("-Infinity", -float("inf")), (" +INF ", float("inf"))],
    ],
    "integral_float": [(3.0, 3), (-0.0, 0), (1e23, int(1e23))],
    "boolean_word": [
        *[(word, True) for word in ("true", "YES", " on ", "1", "T", "y", 1, 1.0)],
        *[(word, False) for word in ("false", "No", "off", "0", "f", "N", 0, 0.0)],
    ],
    "null_word": [(word, None) for word in ("null", "None", "NULL", "", "  ", " none\n")],
    "scalar_text": [
        *[(True, "true"), (False, "false"), (5, "5"), (1.5, "1.5"), (3.0, "3.0")],
        *[(1e22, "1e+22"), (BIG, str(BIG))],
    ],
    "unquoted": [
        *[('"a"', "a"), ("'a'", "a"), ("`a`", "a"), (' "a" ', "a"), ('""', ""), ("''a''", "'a'")],
    ],
    "container_text": [
        *[({}, "{}"), ([], "[]"), ({"a": [1, None]}, '{"a":[1,null]}'), (["é"], '["é"]')],
    ],
    "one_item": [("a", ["a"]), (0, [0]), (False, [False]), ({}, [{}])],
    "comma_items": [("a, b", ["a", "b"]), ("1,2,3", ["1", "2", "3"])],
    "enveloped_items": [
        *[({"item": [1]}, [1]), ({"item": 1}, [1]), ({"0": "a", "1": "b"}, ["a", "b"])],
    ],
    "enveloped_item": [({"item": 14}, 14), ({"item": None}, None)],
    "only_item": [([5], 5), ([[]], []), ([None], None)],
}
"""Values that a rule function converts, and the results."""

_NO_NUMBERS = (
    *("", " ", "+", "-", ".", "e", "e5", "1e", "1e+", "+-5", "- 5", "1 2", "1,5", "1.2.3", "ten"),
    *("0x10", "0b1", "1_000", "1__0", "\u0661\u0662", "\u00b2", "\uff11", "\u2212 5", "5%", "$5"),
    *("1e999999999", "1e99999", "9" * 4301, "1" + "0" * 100_000, "nan", "inf", "\ud800"),
    *(None, True, 5, 1.5, [], {}, b"5"),
)
UNMOVED: dict[str, tuple[Any, ...]] = {
    "integer_text": (*_NO_NUMBERS, "10.5", "1e-3", ".5"),
    "number_text": (*_NO_NUMBERS, "1e400", "-1e309"),
    "number_beyond_json": (
        "",
        "inf.",
        "infinite",
        "nano",
        "in f",
        "5",
        None,
        float("inf"),
        "n" * 99,
    ),
    "integral_float": (3.5, float("inf"), float("nan"), 3, "3.0", None, True),
    "boolean_word": ("maybe", "", "tru", "2", "y" * 99, 2, -1, 1.5, None, [], True),
    "null_word": ("nothing", "nil", "0", " " * 99, 0, False, [], None),
    "scalar_text": ("a", None, [], {}, float("inf"), float("nan"), 10**5000),
    "unquoted": ("a", "", '"', "'", "\"a'", '"a', 5, None),
    "container_text": ("a", 5, None, True),
    "one_item": (["a"], [], None, "", " "),
    "comma_items": ("a", "", 5, None, ["a,b"]),
    "enveloped_items": ({}, {"items": []}, {"1": 1}, {"item": 1, "b": 2}, {"1": 1, "0": 0}, [1]),
    "enveloped_item": ({}, {"items": 1}, {"item": 1, "b": 2}, [1], None),
    "only_item": ([], [1, 2], "a", {"0": 1}, None),
}
"""Values to which a rule function does not apply."""


def _cases(table: Any) -> list[Any]:
    return [
        pytest.param(name, *(case if isinstance(case, tuple) else (case,)), id=f"{name}-{number}")
        for name, cases in table.items()
        for number, case in enumerate(cases)
    ]


def rule_function(name: str) -> Callable[[Any], Any]:
    """A rule function by its name."""
    found: Callable[[Any], Any] = getattr(rules if hasattr(rules, name) else regrouping, name)
    return found


@pytest.mark.parametrize(("name", "sent", "read"), _cases(UNITS))
def test_rule_functions_read(name: str, sent: Any, read: Any) -> None:
    """A rule function returns the only meaning of a value, of the right type."""
    result = rule_function(name)(sent)
    assert type(result) is type(read)
    assert result == read


@pytest.mark.parametrize(("name", "sent"), _cases(UNMOVED))
def test_rule_functions_leave_alone(name: str, sent: Any) -> None:
    """A rule function returns the same object if it does not apply."""
    assert rule_function(name)(sent) is sent


def test_nan_is_read() -> None:
    """NaN equals nothing, itself included."""
    assert repr(rules.number_beyond_json(" NaN ")) == "nan"


# ------------------------------------------------------------------------------------- Coercion
def test_presets_are_values() -> None:
    """The presets differ in the rules that the specification gives to them, and in no others."""
    default = dataclasses.asdict(Coercion.default)

    def beyond(preset: Coercion) -> set[str]:
        return {name for name, on in dataclasses.asdict(preset).items() if on != default[name]}

    assert not any(dataclasses.asdict(Coercion.off).values())
    assert beyond(Coercion.untyped) == {"text_over_string", "null_words_over_string"}
    assert beyond(Coercion.forgiving) == {
        *("scalar_to_list", "comma_text", "digit_groups", "choice_spelling", "key_spelling"),
        *("envelope", "flattened_object"),
        *("item_envelope", "xml_items", "single_item", "nested_list", "drop_placeholders"),
        *("flattened_keys", "sole_key", "listed_pairs"),
    }
    assert beyond(Coercion.lenient) - beyond(Coercion.forgiving) == {"drop_unknown", "cut_off_text"}
    assert beyond(Coercion.forgiving) < beyond(Coercion.lenient)
    assert Coercion() == Coercion.default
    assert not Coercion.lenient.allow_inf_nan


def test_every_rule_is_tested_alone() -> None:
    """No rule of `Coercion` is forgotten here."""
    texts = {"repair_text", "cut_off_text"}  # whose cases are in `tests/text`
    for wanted in ("works without any other rule", "does nothing when it is off"):
        found = {case.group for case in cases("switches") if wanted in case.id}
        assert found == set(RULES) - {"allow_inf_nan"}
    assert {case.group for case in cases("rules")} == set(RULES) - texts


def test_coercion_is_frozen_and_hashable() -> None:
    """Equal coercions are one key; none changes."""
    assert len({Coercion(), Coercion.default, Coercion.off.replace(json_text=True)}) == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        Coercion.default.json_text = False  # type: ignore[misc]


def test_presets_go_by_name() -> None:
    """A name and its preset compile the same schema."""
    for name in ("off", "default", "untyped", "forgiving", "lenient"):
        named = compile_schema(CITY, coercion=name)
        assert named is compile_schema(CITY, coercion=getattr(Coercion, name))
        assert named.coercion == getattr(Coercion, name)


class _Mode(enum.Enum):
    FAST = "fast"


@pytest.mark.parametrize("word", ["null", "None"])
@pytest.mark.parametrize(
    "annotation",
    [int, bool, dt.date, dt.datetime, uuid.UUID, decimal.Decimal, _Mode, Literal["a"], AnyUrl],
    ids=str,
)
def test_a_word_for_null_is_left_out_where_the_default_of_a_function_is_none(
    annotation: Any, word: str
) -> None:
    """Of every type: the schema says that nothing is meant then."""

    def run(x: Any = None, y: int = 1) -> Any:
        """Run."""
        return x, y

    run.__annotations__["x"] = annotation
    assert Tool(run).prepare({"x": word, "y": 2}).arguments == {"y": 2}
