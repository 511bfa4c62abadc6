"""Members of a JSON text are found and replaced, and all else keeps its spelling."""

from __future__ import annotations

import copy
import json
import sys
from typing import Any

import pytest
from hypothesis import given, strategies as st

from schema2model.json import spans as spans_module
from schema2model.json.spans import SpelledText, item_spans, member_spans, respelled

NUMBERS = ["1.10", "-0", "1E+2", "12345678901234567890.123456789", "1e-7", "0.0", "10"]
TEXTS = st.recursive(
    st.sampled_from([*NUMBERS, "null", "true", '"a\\"]}"', '"\\u00e9"', '"é,:{"', '""']),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda items: f"[ {' , '.join(items)}]"),
        st.dictionaries(st.sampled_from(["a", "b", 'q"', "\\", "é", "id"]), inner, max_size=4).map(
            lambda members: (
                "{" + ",\n".join(f"{json.dumps(k)} :\t{v}" for k, v in members.items()) + " }"
            )
        ),
    ),
    max_leaves=12,
)


def spans(text: str) -> Any:
    """The value of a text, each scalar in its own spelling."""
    text = text.strip()
    if text.startswith("{"):
        return {name: spans(text[slice(*span)]) for name, span in member_spans(text).items()}
    if text.startswith("["):
        return [spans(text[slice(*span)]) for span in item_spans(text)]
    return text


def spelled(text: str) -> Any:
    """The same by the standard parser."""
    names = {"parse_float": str, "parse_int": str, "parse_constant": str}
    return json.loads(text, **names)


@given(TEXTS)
def test_spans_are_those_of_the_standard_parser(text: str) -> None:
    """Wherever brackets, quotes and blanks are."""

    def scalars(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: scalars(item) for name, item in value.items()}
        if isinstance(value, list):
            return [scalars(item) for item in value]
        return spelled(value)

    assert scalars(spans(text)) == spelled(text)


@given(TEXTS, st.data())
def test_a_change_leaves_the_spelling_of_all_else_alone(text: str, data: st.DataObject) -> None:
    """One member is replaced; every other scalar is spelled as it was."""
    value = json.loads(text)
    result = copy.deepcopy(value)  # equal, but no part is the same object
    expected = spelled(text)
    if isinstance(result, dict) and result:
        name = data.draw(st.sampled_from(sorted(result)))
        result[name] = expected[name] = ["new"]
    assert spelled(respelled(text, value, result)) == expected
    assert respelled(text, value, value) == text.strip()


def test_the_last_of_equal_names_counts() -> None:
    """As parsers have it; the others vanish."""
    text = '{"id": 1, "x": 1.0, "\\u0069d": 2}'
    assert respelled(text, json.loads(text), {"id": 3, "x": 1.0}) == '{"id":3,"x":1.0}'


@pytest.mark.parametrize(
    "text", ["", "[", "{", '{"a"', '{"a":', '{"a": [', '{"a": "', "x", "]", "{]"]
)
def test_what_is_no_object_is_an_error(text: str) -> None:
    """Never a wrong span."""
    with pytest.raises(ValueError):  # noqa: PT011 - each has its own message
        member_spans(text)


def test_depth_costs_no_stack() -> None:
    """A text deeper than the stack of Python has its members found."""
    depth = 10 * sys.getrecursionlimit()
    text = f'{{"id": 7, "x": {"[" * depth}{"]" * depth}}}'
    assert member_spans(text)["id"] == (7, 8)


def test_the_spans_of_a_container_are_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many of its members are needed: rows may have thousands of calls."""
    found = []
    monkeypatch.setattr(
        spans_module, "item_spans", lambda *given: found.append(1) or item_spans(*given)
    )
    text = SpelledText("[" + ", ".join(['{"a": 1.10}'] * 50) + "]")
    assert [text.part({"a": 1.1}, [index]) for index in range(50)] == ['{"a": 1.10}'] * 50
    assert len(found) == 1
