"""Names that come twice in an object: equal values are one, different ones are refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from schema2model import ToolError, compile_schema
from schema2model.apps.proxy.json_rpc import client_messages
from schema2model.json import repeated_names
from schema2model.json.repeated_names import parse_unique, repeated_name

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["", ":", '":', "a=b", "\\u003a", "{"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc:"), inner, max_size=3)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"a": 1, "a": 2}', "a"),
        ('{"a": 1, "a": 1}', None),
        ('{"a": [1, {}], "a": [1.0, {}]}', None),
        ('{"a": 1, "a": true}', "a"),
        ('{"a": 1, "\\u0061": 2}', "a"),
        ('{"a": ":", "a": ""}', "a"),
        ('{"a": 1, "a": 2, "b": "\\u003a"}', "a"),
        ('[{"a": {"b": 1, "b": 2}}, {}]', "b"),
        ('[{"a": 1, "a": 2}, {}]', "a"),
        ('{"o": {"b": [{"c": 1, "c": 2}]}}', "c"),
        ('{"a": "\\ud800", "b": 1, "b": 2}', "b"),
    ],
)
def test_a_name_with_two_values_is_found(text: str, name: str | None) -> None:
    """At any depth, however the names and the strings around them are spelled."""
    assert repeated_name(text, json.loads(text)) == name
    compiled = compile_schema({})
    for given_text in (text, text.encode(errors="surrogatepass")):
        if name is not None:
            with pytest.raises(ToolError, match=f"two values for `{name}`"):
                compiled.validate_json(given_text)
        else:
            assert compiled.validate_json(given_text) == json.loads(text)


@given(VALUES)
def test_no_name_is_found_where_none_comes_twice(value: Any) -> None:
    """Whatever colons the strings hold."""
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1)):
        assert repeated_name(text, value) is None


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "\\u003cb\\u003e: \\u003a\\u003A", "o": {"b": [{"c": 1}]}}',
        '{"a": "\\u0026\\u003d", "o": {"b": [{"c": ":"}]}}',
    ],
)
def test_colons_are_counted_however_they_are_spelled(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A text of an encoder that escapes `<`, as that of Go does, is not parsed a second time."""
    value = json.loads(text)
    decoder = json.JSONDecoder(object_pairs_hook=lambda _: pytest.fail("parsed again"))
    monkeypatch.setattr(repeated_names, "merged_members", decoder.object_pairs_hook)
    monkeypatch.setattr(repeated_names, "_MERGED", decoder)
    assert repeated_name(text, value) is None
    assert parse_unique(text) == parse_unique(text.encode()) == value


@given(VALUES, VALUES)
def test_a_second_value_is_always_found(value: Any, other: Any) -> None:
    """Whatever else the object holds."""
    text = f'{{"k": {json.dumps(value)}, "z": {json.dumps(other)}, "k": "another"}}'
    assert repeated_name(text, json.loads(text)) == "k"


@pytest.mark.parametrize(
    "rest", ['"o": "dict(b=1)"', '"o": "{\'b\': 1}"', '"o": "{\\"b\\"\\u003a 1}"', '"n": "5"']
)
def test_a_string_that_is_parsed_hides_none(rest: str) -> None:
    """Members of an object in a string are not counted for those of the text."""
    schema = {"properties": {"o": {"type": "object"}, "n": {"type": "integer"}}}
    compiled = compile_schema(schema)
    assert compiled.validate_json(f'{{"a": 1, {rest}}}')["a"] == 1
    with pytest.raises(ToolError, match="two values for `a`"):
        compiled.validate_json(f'{{"a": 1, "a": 2, {rest}}}')


def test_a_name_in_a_string_that_is_parsed_has_one_value_too() -> None:
    """The string is no object then, unless it may be a string."""
    text = '{"o": "{\\"a\\": 1, \\"a\\": 2}"}'
    with pytest.raises(ToolError, match="/o"):
        compile_schema({"properties": {"o": {"type": "object"}}}).validate_json(text)
    kept = compile_schema({"properties": {"o": {"type": "string"}}}).validate_json(text)
    assert kept == json.loads(text)


MEMBERS = st.tuples(st.sampled_from("ab"), st.sampled_from(["1", '"1"', "2", "{}"]))
CONTAINERS = {
    "o": {"type": "object"},
    "u": {"anyOf": [{"type": "object"}, {"type": "null"}]},
    "l": {"type": "array", "items": {"type": "object"}},
    "t": {"type": "array", "items": {"type": "string"}},
    "any": {"type": "array"},
}
DECLARED = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "object"}}}


@given(st.lists(MEMBERS, max_size=3), st.sampled_from([*CONTAINERS, "d"]), st.booleans())
def test_a_string_means_the_same_in_a_value_and_in_a_text(
    members: list[tuple[str, str]],
    name: str,
    is_listed: bool,  # noqa: FBT001
) -> None:
    """Also where one of its names has two values: neither way takes the last of them."""
    compiled = compile_schema({"properties": {**CONTAINERS, "d": DECLARED}})
    inner = f"{{{', '.join(f'{json.dumps(key)}: {value}' for key, value in members)}}}"
    value = {name: f"[{inner}]" if is_listed else inner}
    outcomes = [compiled.explain(value), compiled.explain_json(json.dumps(value))]
    assert outcomes[0].result == outcomes[1].result
    assert len({str(outcome.error) for outcome in outcomes}) == 1
    values = {key: {text for name, text in members if name == key} for key in "ab"}
    if any(len({json.dumps(json.loads(text)) for text in each}) > 1 for each in values.values()):
        assert outcomes[0].result is None


def test_a_message_with_a_repeated_name_is_not_forwarded() -> None:
    """The server might take the other value than the one that the proxy checked."""
    call = b'{"id": 1, "method": "tools/call", "params": {"name": "f", "arguments": %s}}'
    assert client_messages(call % b'{"a": 1, "a": 2}') == []
    assert len(client_messages(call % b'{"a": 1, "a": 1}')) == 1
