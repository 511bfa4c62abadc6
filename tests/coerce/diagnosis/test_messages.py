"""Wrong calls, and the whole message that each gets: what a model reads, word for word."""

from __future__ import annotations

import datetime as dt
import json
import pathlib
import types
from typing import Any

import pytest

from schema2model import Coercion, ToolError, compile_schema
from schema2model.coerce.diagnosis import examples
from schema2model.schema.vocabularies import format as formats

WRONG_CALLS = json.loads(pathlib.Path(__file__).with_name("wrong_calls.json").read_text("utf-8"))
"""Each has a schema, what was sent, as a value or as text, and the lines of the answer."""


@pytest.fixture(autouse=True)
def _today(monkeypatch: pytest.MonkeyPatch) -> None:
    """Examples of dates show one date, and the clock shows it to what keeps them for a day."""
    day = dt.datetime(2030, 1, 31, tzinfo=dt.timezone.utc)
    monkeypatch.setattr(formats, "today", day.date)
    monkeypatch.setattr(examples, "time", types.SimpleNamespace(time=day.timestamp))


@pytest.mark.parametrize("call", WRONG_CALLS, ids=[call["name"] for call in WRONG_CALLS])
def test_message(call: dict[str, Any]) -> None:
    """Where, what is wanted there, what was found, and what to do; the same every time."""
    compiled = compile_schema(call["schema"], **call.get("options", {}))
    validate = compiled.validate_json if "text" in call else compiled.validate
    for _ in range(2):
        with pytest.raises(ToolError) as raised:
            validate(call.get("sent", call.get("text")))
        assert str(raised.value).split("\n") == call["message"]


@pytest.mark.parametrize(
    "call", [c for c in WRONG_CALLS if "sent" in c], ids=lambda call: call["name"]
)
def test_a_second_attempt_is_told_that_it_is_one(call: dict[str, Any]) -> None:
    """The same mistake again gets other words, whether the error or its text is at hand."""
    with pytest.raises(ToolError) as raised:
        compile_schema(call["schema"], **call.get("options", {})).validate(call["sent"])
    error = raised.value
    for previous in (error, str(error)):
        again = error.after(previous)
        header, second, *rest = str(again).split("\n")
        assert header == call["message"][0]
        assert "same problem" in second
        assert rest
        assert len(str(again)) <= 2_000
        assert again.issues == error.issues
    assert str(
        error.after("Error parsing arguments for `tool`:\n- /other: expected x, found 1")
    ) == (str(error))


@pytest.mark.parametrize("sent", ["a\u202eb\u2028c\u200b\x1b[2J", "\ud800"], ids=ascii)
@pytest.mark.parametrize("name", ["a", "t"])
def test_an_example_of_what_was_sent_is_one_harmless_line(name: str, sent: str) -> None:
    """It steers no terminal, breaks no line, and can be encoded."""
    wrapped = {"type": "object", "properties": {"a": {}}}
    listed = {"type": "array", "items": {"type": "string"}}
    properties = {"req": wrapped} if name == "a" else {"t": listed}
    schema = {"type": "object", "properties": properties, "required": [*properties]}
    with pytest.raises(ToolError) as refused:
        compile_schema({**schema, "additionalProperties": False}).validate({name: sent})
    head, *lines = str(refused.value).encode().decode().split("\n")
    assert head.isprintable()
    assert all(line.isprintable() for line in lines)


def test_an_example_is_json() -> None:
    """Numbers that JSON does not have are in none."""
    schema = {"type": "object", "properties": {"req": {"type": "object"}}, "required": ["req"]}
    coercion = Coercion.default.replace(allow_inf_nan=True)
    compiled = compile_schema({**schema, "additionalProperties": False}, coercion=coercion)
    with pytest.raises(ToolError) as refused:
        compiled.validate({"a": float("inf")})
    assert "Infinity" not in str(refused.value)
