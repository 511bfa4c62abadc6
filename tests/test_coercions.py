"""The table of rules describes what the rules do."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import re
from typing import Any, get_args

import pytest

from schema2model import Coercion, ToolError, compile_schema
from schema2model.coerce.search.argument_search import search_arguments
from schema2model.coerce.search.reader import Reader
from schema2model.coercions import (
    COERCION_RULES as RULES,
    FREE,
    PRESETS,
    CoercionExample,
    CoercionRule,
    CoercionSwitches,
    Preset,
)

of_each_rule = pytest.mark.parametrize("rule", RULES, ids=[rule.name for rule in RULES])


class _Refused:
    def __repr__(self) -> str:
        return "REFUSED"


REFUSED: Any = _Refused()


def read(example: CoercionExample, coercion: str | Coercion) -> Any:
    """Return the type and the value of the result of an example, or REFUSED."""
    compiled = compile_schema(example.schema, coercion=coercion)
    try:
        value = (compiled.validate_json if example.is_text else compiled.validate)(example.sent)
    except ToolError:
        return REFUSED
    return type(value), value


def test_every_rule_is_described() -> None:
    """In the order of the fields, by one sentence each, with its code between backticks."""
    assert [rule.name for rule in RULES] == [field.name for field in dataclasses.fields(Coercion)]
    for rule in RULES:
        assert rule.meaning.endswith(".")
        assert "\n" not in rule.meaning
        assert rule.meaning.count("`") % 2 == 0


@of_each_rule
def test_a_rule_alone_reads_its_example(rule: CoercionRule) -> None:
    """Without it nothing does; `cut_off_text` says how far `repair_text` may go."""
    example = rule.example
    wanted = type(example.result), example.result
    others = Coercion.off.replace(repair_text=rule.name == "cut_off_text")
    assert read(example, others.replace(**{rule.name: True})) == wanted
    assert read(example, others) != wanted


@of_each_rule
def test_the_search_charges_what_a_rule_costs(rule: CoercionRule) -> None:
    """A reading of its example by the rule alone costs that; repairs of text weigh their edits."""
    if rule.example.is_text:
        assert rule.cost == FREE
        return
    coercion = Coercion.off.replace(**{rule.name: True})
    engine = compile_schema(rule.example.schema, coercion=coercion)._engine
    reader = Reader(engine.root, engine.verdicts, engine.rules)
    assert search_arguments(reader, rule.example.sent).cost == rule.cost


@of_each_rule
def test_the_presets_that_have_a_rule_read_its_example(rule: CoercionRule) -> None:
    """And no others do."""
    example = rule.example
    wanted = type(example.result), example.result
    read_by = [name for name in PRESETS if read(example, name) == wanted]
    assert (*read_by,) == rule.presets


@of_each_rule
def test_an_example_is_explained_by_its_rule(rule: CoercionRule) -> None:
    """By no other rule; the changes of a text name `repair_text`."""
    schema, sent, _, is_text = rule.example
    for name in rule.presets:
        compiled = compile_schema(schema, coercion=name)
        explanation = (compiled.explain_json if is_text else compiled.explain)(sent)
        assert {change.rule for change in explanation.changes} == {
            "repair_text" if is_text else rule.name
        }


def test_type_checkers_know_the_presets() -> None:
    """All of them, and no other."""
    assert get_args(Preset) == tuple(PRESETS)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Coercion("off"), "write coercion='off' for a preset"),  # type: ignore[call-arg]
        (lambda: Coercion(json_text="false"), "json_text is True or False, not 'false'"),
        (lambda: Coercion(json_text=1), "json_text is True or False, not 1"),
        (lambda: Coercion(jsontext=True), "did you mean 'json_text'?"),
        (lambda: Coercion.default.replace(comma=True), "unknown rule of coercion 'comma'"),
        (
            lambda: Coercion.default.replace(comma_text=None),
            "comma_text is True or False",
        ),
    ],
)
def test_a_mistake_in_a_coercion_is_a_type_error_that_says_what_to_write(
    make: Any, message: str
) -> None:
    """For presets by position, values that are not booleans, and unknown rules."""
    with pytest.raises(TypeError, match=re.escape(message)):
        make()


def test_the_switches_are_the_rules() -> None:
    """Type checkers know each rule that `Coercion.replace` takes, and no other."""
    switches = CoercionSwitches.__annotations__
    assert [*switches] == [field.name for field in dataclasses.fields(Coercion)]


class _OfOurOwn(Coercion):
    __slots__ = ()


@pytest.mark.parametrize("rules", [{}, {"sole_key": True}])
def test_equal_coercions_have_equal_hashes(rules: dict[str, bool]) -> None:
    """Also copies, with the hash known or not yet, and those of a subclass."""
    first, second = Coercion(**rules), Coercion(**rules)
    known = hash(first)
    assert hash(second) == known
    for each in (first, Coercion(**rules)):
        assert hash(copy.deepcopy(each)) == hash(pickle.loads(pickle.dumps(each))) == known  # noqa: S301
    assert hash(first.replace(envelope=not first.envelope)) != known
    assert hash(_OfOurOwn()) == hash(Coercion())
