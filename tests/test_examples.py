"""The examples run offline, and show what they promise."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


def test_a_service_answers_bad_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    """Coerced where it can be, refused in words where it cannot."""
    answers = runpy.run_path(str(EXAMPLES / "service.py"))["main"]()
    assert answers[:3] == [
        "3",
        "Ada, 01 July, 2 beds, no notes",
        "Ada, 02 July, 1 beds, no notes",
    ]
    assert answers[3] == "only 1 rooms are free; offer fewer"
    assert answers[4].startswith("Error parsing arguments for `book`:\n- /arrival: expected")
    assert "\n- /rooms/0/beds: expected" in answers[4]
    assert answers[5].startswith(
        "Error parsing arguments for `book`:\n- /arrival: expected string in the format"
    )
    assert "call `book`" in answers[6]
    runpy.run_path(str(EXAMPLES / "service.py"), run_name="__main__")
    assert "Ada, 01 July" in capsys.readouterr().out


def test_calls_are_read_out_of_text(capsys: pytest.CaptureFixture[str]) -> None:
    """In whatever format the model wrote them; what cannot be read is answered."""
    messages = runpy.run_path(str(EXAMPLES / "text_model.py"))["main"]()
    told = [message["content"] for message in messages if message["role"] == "tool"]
    assert told[:2] == ["5", "0"]
    assert "cut off in `fruit`" in told[2]
    assert json.loads(told[3]) == {"ordered": "apples", "amount": 4, "express": True}
    assert messages[-1]["role"] == "assistant"
    runpy.run_path(str(EXAMPLES / "text_model.py"), run_name="__main__")
    assert "tool: 5" in capsys.readouterr().out


def test_a_conversation_survives_malformed_text(capsys: pytest.CaptureFixture[str]) -> None:
    """Every call in it is JSON in the end, and every call is answered."""
    messages = runpy.run_path(str(EXAMPLES / "conversation.py"))["main"]()
    calls = [call for message in messages for call in message.get("tool_calls", ())]
    written = [json.loads(call["function"]["arguments"]) for call in calls]
    assert written[0] == {"items": '["apples", "pears"]', "express": "yes"}
    answers = [message["content"] for message in messages if message["role"] == "tool"]
    assert json.loads(answers[0]) == {"ordered": ["apples"], "express": True}
    assert "cut off" in answers[1]
    assert "/items: expected" in answers[2]
    assert json.loads(answers[3])["ordered"] == ["apples"]
    runpy.run_path(str(EXAMPLES / "conversation.py"), run_name="__main__")
    assert "call   {" in capsys.readouterr().out
