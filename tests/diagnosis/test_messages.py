"""Wrong calls, and the whole message that each gets: what a model reads, word for word."""

from __future__ import annotations

import datetime as dt
import json
import pathlib
import types
from typing import Any

import pytest

from schema2model import ToolError, compile_schema
from schema2model.diagnosis import examples
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
