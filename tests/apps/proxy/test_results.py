"""Results that pass the proxy: as they come by default; checked, corrected or refused if asked."""

from __future__ import annotations

import json
from typing import Any

import pytest
from on_a_loop import Sides
from proxied import call

OUTPUT = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
EXACT = '{"id":1,"result":{"content":[],"structuredContent":{"n": 3.0e0}}}'
CORRECTABLE = '{"id":1,"result":{"x":1.10,"content":[],"structuredContent":{"n":"3"}}}'
TEXT = '{"id":1,"result":{"content":[{"type":"text","text":"{\\"n\\":3}"}]}}'
WRONG = '{"id":1,"result":{"content":[],"structuredContent":{"n":"s3cret"}}}'
FAILED = '{"id":1,"result":{"content":[],"isError":true}}'
UNFINISHED = '{"id":1,"result":{"resultType":"input_required"}}'
CORRECTED = '{"id":1,"result":{"x":1.10,"content":[],"structuredContent":{"n":3}}}'


def forwarded(mode: Any, *answers: str, asked: Any = None, **options: Any) -> tuple[str, list[str]]:
    """What the client gets for an answer of the server, and the counts."""
    ends = Sides(results=mode, **options)
    ends.say(asked or call(1, {}, "count"))
    tool = {"name": "count", "inputSchema": {}, "outputSchema": OUTPUT}
    ends.answer(ends.arrived()["id"], result={"tools": [tool]})
    assert ends.arrived()["method"] == "tools/call"
    for answer in answers:
        ends.proxy.from_server(answer.encode() + b"\n")
        line = ends.line().decode().removesuffix("\n")
    return line, [words for words, _ in ends.proxy.tally.lines() if "results" in words]


@pytest.mark.parametrize("answer", [EXACT, CORRECTABLE, TEXT, WRONG, FAILED, UNFINISHED])
@pytest.mark.parametrize("mode", ["off", "check"])
def test_results_pass_as_they_come(mode: str, answer: str) -> None:
    """By default, and where they are only checked."""
    assert forwarded(mode, answer)[0] == answer


@pytest.mark.parametrize("mode", ["correct", "refuse"])
def test_results_are_corrected(mode: str) -> None:
    """Where there is a valid reading; all other members keep their spelling."""
    for answer in (FAILED, UNFINISHED):
        assert forwarded(mode, answer)[0] == answer
    line, counts = forwarded(mode, CORRECTABLE)
    assert line == CORRECTED
    assert counts == ['results of "count": 1 corrected']
    result = json.loads(forwarded(mode, TEXT)[0])["result"]
    assert result["structuredContent"] == {"n": 3}
    assert result["content"] == [{"type": "text", "text": '{"n":3}'}]


def test_results_without_a_valid_reading_are_refused(caplog: pytest.LogCaptureFixture) -> None:
    """With an error of the protocol, if that is asked for; the log has no values."""
    caplog.set_level("INFO", "schema2model.proxy")
    assert forwarded("correct", WRONG) == (WRONG, ['results of "count": 1 wrong'])
    error = json.loads(forwarded("refuse", WRONG)[0])["error"]
    assert error["code"] == -32603
    assert error["message"].startswith("The result of `count` does not match its schema:\n- /n: ")
    assert "/n (type)" in caplog.text
    assert "s3cret" not in caplog.text


LIST_CHANGED = '{"method":"notifications/tools/list_changed"}'


@pytest.mark.parametrize(
    ("name", "coercion", "first"),
    [("count", "default", [LIST_CHANGED]), ("Count", "forgiving", [])],
    ids=["list-changed", "other-spelling"],
)
def test_a_result_is_read_by_the_schema_of_its_call(
    name: str, coercion: Any, first: list[str]
) -> None:
    """Also if the list changes while the tool runs, or the model spells its name otherwise."""
    answers = (*first, WRONG)
    line, counts = forwarded("refuse", *answers, asked=call(1, {}, name), coercion=coercion)
    assert "does not match its schema" in line
    assert counts == ['results of "count": 1 wrong']


def test_a_task_is_not_a_result() -> None:
    """What a call with a task is answered with passes: its result comes later."""
    task = '{"id":1,"result":{"task":{"taskId":"a","status":"working"}}}'
    assert forwarded("refuse", task, asked=call(1, {}, "count", task={})) == (task, [])


def test_checked_results_are_counted() -> None:
    """Those that could be corrected, too."""
    assert forwarded("check", CORRECTABLE)[1] == ['results of "count": 1 correctable']
