"""Literals of Python and JavaScript have the value that these languages give them."""

from __future__ import annotations

import ast
import json

import pytest
from hypothesis import given, strategies as st

from schema2model import ToolError, compile_schema
from schema2model.text.literals import literal

TOOL = compile_schema(
    {
        "properties": {"a": {}, "n": {"type": "string"}, "b": {}, "l": {"type": "array"}},
        "additionalProperties": False,
    }
)
hard = st.text(st.sampled_from("ab'\"\\{}[](),:= \né"), max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | hard,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(hard, inner, max_size=3),
    max_leaves=8,
)


def written(value: object, gap: str) -> str:
    """Return the Python literal of a value, with other blanks after its commas."""
    if isinstance(value, dict):
        pairs = (f"{key!r}: {written(member, gap)}" for key, member in value.items())
        return f"{{{gap.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{gap.join(written(item, gap) for item in value)}]"
    return repr(value)


@given(st.dictionaries(hard, values, min_size=1, max_size=3), st.sampled_from((",", ", ", ",\n ")))
def test_a_literal_is_read_as_python_reads_it(value: dict[str, object], gap: str) -> None:
    """However hard its strings are, and however its lines are laid out."""
    text = written(value, gap)
    assert ast.literal_eval(text) == value
    assert compile_schema({}).validate_json(text) == value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "dict(a='f(\"x\")', l=('b', None))", {"a": 'f("x")', "l": ["b", None]}, id="call"
        ),
        pytest.param("dict(a=dict(x=-1.5), b = True)", {"a": {"x": -1.5}, "b": True}, id="calls"),
        pytest.param("[{'a': ')', 'b': '['}]", [{"a": ")", "b": "["}], id="brackets in strings"),
        pytest.param(
            "{'a': \"it's\",\n 'b': {'x': '{',\n \"y\": '('}}",
            {"a": "it's", "b": {"x": "{", "y": "("}},
            id="both quotes",
        ),
        pytest.param('[{"it\'s": [\'"\', "\'"]}]', [{"it's": ['"', "'"]}], id="quotes of quotes"),
        pytest.param("{a: {b_1: 'x', c$: [1,],},}", {"a": {"b_1": "x", "c$": [1]}}, id="bare keys"),
        pytest.param('{"a": ["x", "y",],\n}', {"a": ["x", "y"]}, id="extra commas"),
        pytest.param("('a',)", ["a"], id="a tuple of one"),
        pytest.param("[None]", [None], id="a constant in brackets, which is no aside"),
        pytest.param("['a\\x41\\'', '\\\\d']", ["aA'", "\\d"], id="escapes"),
    ],
)
def test_it_needs_no_search(text: str, expected: object) -> None:
    """Strings may have brackets, quotes and escapes in them."""
    tokens = literal(text, 0)
    assert tokens is not None
    assert json.loads("".join(token.json for token in tokens)) == expected
    assert compile_schema({}).validate_json(text) == expected
    bounds = [0, *(at for token in tokens for at in (token.start, token.end)), len(text)]
    between = (text[end:start] for end, start in zip(bounds[::2], bounds[1::2], strict=True))
    assert not "".join(between).strip()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("{'a': 'it's'}", id="a quote in a string"),
        pytest.param("{'a': 'x' 'b': 'y'}", id="a comma missing"),
        pytest.param("{'a': 'x'", id="a closer missing"),
        pytest.param("{'a': ['x'}]", id="closers swapped"),
        pytest.param("{'a': ('x')}", id="a group, which is no tuple"),
        pytest.param("{'a': 'x', b='y'}", id="a keyword among members"),
        pytest.param("{'a': '\\d'}", id="an escape that is none"),
        pytest.param("{'a': 1_000}", id="a number that JSON does not write"),
        pytest.param("{'a': 'x'} and more", id="more behind it"),
        pytest.param("{'a': [,]}", id="nothing before a comma"),
        pytest.param("{'a': ['x',,]}", id="two commas"),
        pytest.param("['a', b: 1]", id="a bare key among items"),
        pytest.param("{a: b: 1}", id="two colons"),
        pytest.param("{a: https://x.y}", id="a string without quotes"),
        pytest.param('{"a": True}', id="the quotes of JSON"),
    ],
)
def test_what_is_no_literal_is_for_the_mender(text: str) -> None:
    """Nothing is guessed here: it gives no tokens, or none that spell JSON."""
    tokens = literal(text, 0)
    if tokens is not None:
        with pytest.raises(ValueError, match="line 1"):
            json.loads("".join(token.json for token in tokens))


def test_a_literal_that_is_refused_is_not_read_in_another_way() -> None:
    """A string that absorbs two members would be valid, but is not the text's meaning."""
    text = "dict(a={'k\"q': '', \"k's\": 'x'},n='1',b=['\\\\\\\\'],l=False)"
    with pytest.raises(ToolError, match="/l: expected array, found false"):
        TOOL.validate_json(text)


def test_its_edits_are_told_with_their_places() -> None:
    """In the words that the mender has for them."""
    _, *changes = compile_schema({}).explain_json("dict(a='x', b=['y', None])").changes
    assert [change.after for change in changes] == [
        "read dict( as { at character 0",
        "read a keyword as a key at character 5, and 1 more",
        "read ' as a quote at character 7, and 1 more",
        "read None as null at character 20",
    ]
