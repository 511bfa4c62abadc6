"""Literals of Python and JavaScript: what either reads as one is that, and nothing else."""

from __future__ import annotations

import ast
import json

import pytest
from case_tests import each_case
from cases import Case
from hypothesis import given, strategies as st

from schema2model import ToolError, compile_schema
from schema2model.json.parsing import parse_prefix
from schema2model.text.literals import literal

hard = st.text(st.sampled_from("ab'\"\\{}[](),:= \né"), max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | hard,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(hard, inner, max_size=3),
    max_leaves=8,
)


def written(value: object, gap: str) -> str:
    """A value as Python writes it, with other blanks behind its commas."""
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


@each_case("literals", "literals")
def test_it_needs_no_search(case: Case) -> None:
    """Strings may have brackets, quotes and escapes in them."""
    text = case.input
    tokens = literal(text, 0, parse_prefix(text)[1])
    assert tokens is not None
    assert json.loads("".join(token.json for token in tokens)) == case.result
    assert compile_schema(case.schema).validate_json(text) == case.result
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
        pytest.param('{"a": [True}', id="another closer"),
    ],
)
def test_what_is_no_literal_is_for_the_mender(text: str) -> None:
    """Nothing is guessed here: it gives no tokens, or none that spell JSON."""
    tokens = literal(text, 0, parse_prefix(text)[1])
    if tokens is not None:
        with pytest.raises(ValueError, match="line 1"):
            json.loads("".join(token.json for token in tokens))


@each_case("literals", "rejected")
def test_a_literal_that_is_refused_is_not_read_in_another_way(case: Case) -> None:
    """A string that swallows two members would satisfy the schema, but is not what it says."""
    with pytest.raises(ToolError, match="/l: expected array, found false"):
        compile_schema(case.schema).validate_json(case.input)


def test_its_edits_are_told_with_their_places() -> None:
    """In the words that the mender has for them."""
    _, *changes = compile_schema({}).explain_json("dict(a='x', b=['y', None])").changes
    assert [change.after for change in changes] == [
        "read dict( as { at character 0",
        "read a keyword as a key at character 5, and 1 more",
        "read ' as a quote at character 7, and 1 more",
        "read None as null at character 20",
    ]
