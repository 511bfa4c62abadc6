"""One call costs one call: whatever is raised over it, it is answered, and the rest goes on."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from failures import FAILURES, PATTERNS, SECRET, raising
from on_a_loop import Sides
from proxied import STRINGIFIED, TYPED, Connect, call, got, request
from waiting import PATIENCE

from schema2model import Tool
from schema2model.apps.proxy import session
from schema2model.apps.proxy.result_checks import checked_answer
from schema2model.tools import tool_cache

SEARCH = {"name": "search", "inputSchema": {"properties": {"limit": {"type": "integer"}}}}
every_failure = pytest.mark.parametrize("error", FAILURES, ids=lambda each: type(each).__name__)


def failed(number: Any, error: BaseException) -> dict[str, Any]:
    """What a call is answered with over which an error was raised."""
    message = f"the arguments of this call could not be read: {type(error).__name__}"
    return {"jsonrpc": "2.0", "id": number, "error": {"code": -32603, "message": message}}


@every_failure
@pytest.mark.parametrize("known", [True, False], ids=["known", "held"])
def test_what_is_raised_over_a_call_is_its_answer(
    error: BaseException,
    known: bool,  # noqa: FBT001 - a case
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """With the type's name alone; whether or not it waited for the list."""
    monkeypatch.setattr(Tool, "prepare", raising(Tool.prepare, error))
    caplog.set_level(logging.WARNING, "schema2model")  # a command run here before may say more
    ends = Sides()
    if known:
        ends.lists(SEARCH)
    calls = [call(1, {"limit": "1"}), call(2, {"limit": SECRET}), call(3, {"limit": "3"})]
    ends.say(*calls)
    if not known:
        ends.answer(ends.arrived()["id"], result={"tools": [SEARCH]})
    ends.proxy.client_ended()
    assert ends.told() == failed(2, error)
    arrived = [ends.arrived() for _ in range(2)]
    assert arrived == [call(1, {"limit": 1}), call(3, {"limit": 3})]
    assert ends.served.empty()
    assert ends.heard.empty()
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert f'could not read a call of "search": {type(error).__name__}' in caplog.text
    assert SECRET not in caplog.text


@every_failure
def test_what_is_raised_over_a_schema_is_the_answer_to_each_call(
    error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of that tool; calls of others pass."""
    made = tool_cache.definition_parts

    def failing(definition: Any, *given: Any) -> Any:
        if definition["name"] == "search":
            raise error
        return made(definition, *given)

    monkeypatch.setattr(tool_cache, "definition_parts", failing)
    ends = Sides()
    ends.say(call(1, {"limit": "1"}))
    tools = [SEARCH, {**SEARCH, "name": "other"}]
    ends.answer(ends.arrived()["id"], result={"tools": tools})
    ends.say(call(2, {"limit": "2"}), call(3, {"limit": "3"}, "other"))
    ends.proxy.client_ended()
    assert [ends.told(), ends.told()] == [failed(1, error), failed(2, error)]
    assert ends.arrived() == call(3, {"limit": 3}, "other")


def test_patterns_that_libraries_do_not_agree_on_cost_nothing_else(connect: Connect) -> None:
    """Each call of such a tool has an answer, and the next one is read."""
    tools = [{"name": "search", "inputSchema": TYPES}]
    for pattern in PATTERNS:
        odd = {"type": "object", "patternProperties": {pattern: {"type": "integer"}}}
        tools.append({"name": pattern, "inputSchema": odd})
    client = connect(f"list={json.dumps({'tools': tools})}")
    for number, pattern in enumerate([*PATTERNS, *PATTERNS]):
        client.send(call(f"odd {number}", {"x-a": SECRET}, pattern), call(number, STRINGIFIED))
    count = 2 * len(PATTERNS)
    answers = {answer["id"]: answer for answer in (client.next() for _ in range(2 * count))}
    assert len(answers) == 2 * count
    assert [got(answers[number]) for number in range(count)] == [TYPED] * count
    client.input.close()
    code, said = client.ends()
    assert code == 0
    assert "Traceback" not in said
    assert SECRET not in said


TYPES = {"properties": {"tags": {"type": "array"}, "limit": {"type": "integer"}}}


LINES = [
    pytest.param(b'[{"id": %b, "result": {}}, {"n": NaN}]', id="NaN"),
    pytest.param(b'[{"id": %b, "result": {}}, {"n": 1e999}]', id="infinite"),
    pytest.param(b'[{"id": %b, "result": {}}, {"n": ' + b"[" * 150 + b"]" * 150 + b"}]", id="deep"),
    pytest.param(b'[{"id": %b, "result": {}}, {"n": "\\ud83d"}]', id="surrogate"),
    pytest.param(b'[{"id": %b, "result": {}}, {"n": ' + b"9" * 9999 + b"}]", id="digits"),
]


@pytest.mark.parametrize("line", LINES)
def test_what_a_server_packs_beside_an_answer_is_handed_on(line: bytes) -> None:
    """The answer to the proxy's own question among it, where it cannot be taken out."""
    ends = Sides()
    ends.say(call(1, {"limit": "1"}))
    asked = json.dumps(ends.arrived()["id"]).encode()
    ends.proxy.from_server(line % asked)
    assert b'"n":' in ends.line()
    assert ends.heard.empty()


def test_a_list_with_half_a_surrogate_pair_is_read() -> None:
    """It is JSON."""
    ends = Sides()
    ends.say(call(1, {"limit": "1"}))
    tools = [{"name": "odd", "description": "\ud83d"}, SEARCH]
    ends.answer(ends.arrived()["id"], result={"tools": tools})
    ends.proxy.client_ended()
    assert ends.arrived() == call(1, {"limit": 1})


@pytest.mark.parametrize(
    "answer",
    [
        b'{"jsonrpc":"2.0","id":1,"result":{"content":[],"x":NaN}}',
        b'{"jsonrpc":"2.0","id":1,"result":{"content":[],"x":-Infinity}}',
        b'{"jsonrpc":"2.0","id":1,"result":{"content":[}}',
        b'{"jsonrpc":"2.0","id":1}',
        b'{"id":1,"jsonrpc":"2.0","_meta":{}}',
    ],
)
def test_an_answer_that_a_client_cannot_read_becomes_an_error(answer: bytes) -> None:
    """It would wait for ever."""
    ends = Sides()
    ends.say(request(1, "future/thing"))
    ends.arrived()
    ends.proxy.from_server(answer)
    heard = ends.told()
    assert heard["id"] == 1
    assert heard["error"]["code"] == -32603
    assert heard["error"]["message"].startswith("the server ")


@pytest.mark.parametrize(
    "result", ['{"a": "NaN Infinity"}', '{"a": 1e999}', '{"a": ' + "[" * 3000 + "]" * 3000 + "}"]
)
def test_every_result_in_json_is_handed_on(result: str) -> None:
    """Byte for byte, however deep it is and however large its numbers are."""
    ends = Sides()
    ends.say(request(1, "future/thing"))
    ends.arrived()
    answer = f'{{"jsonrpc":"2.0","id":1,"result":{result}}}'.encode()
    ends.proxy.from_server(answer)
    assert ends.line() == answer


DEEP = "[" * 3000 + "]" * 3000


@pytest.mark.parametrize(
    "rest",
    [f'"result":{DEEP}', f'"error":{{"code":1,"data":{DEEP}}}', '"result":NaN', '"error":NaN'],
)
def test_an_answer_that_is_not_parsed_counts_once(rest: str) -> None:
    """The request is not answered again when the server ends."""
    ends = Sides()
    ends.say(request(1, "future/thing"))
    ends.proxy.from_server(f'{{"jsonrpc":"2.0","id":1,{rest}}}'.encode())
    assert ends.line()
    assert not ends.proxy.server_ended("ended")
    assert ends.heard.empty()


def test_a_request_of_the_server_is_no_answer_to_one_of_the_client() -> None:
    """Though both have the same id, and it is too deep to be parsed."""
    ends = Sides()
    ends.say(request(1, "future/thing"))
    line = f'{{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{DEEP}}}'.encode()
    ends.proxy.from_server(line)
    assert ends.line() == line
    assert ends.proxy.server_ended("ended")


def test_a_list_of_tools_that_is_not_parsed_holds_up_no_call() -> None:
    """The call is forwarded as it is, and the client sees no answer to what it did not ask."""
    ends = Sides(timeout=PATIENCE)
    ends.say(call(1, {"limit": "1"}))
    asked = ends.arrived()["id"]
    ends.proxy.from_server(f'{{"jsonrpc":"2.0","id":"{asked}","result":{DEEP}}}'.encode())
    assert ends.arrived() == call(1, {"limit": "1"})
    assert ends.heard.empty()


@pytest.mark.parametrize("kind", [[], {}, 3, ["complete"]], ids=repr)
def test_a_result_of_no_kind_is_handed_on(kind: Any) -> None:
    """Unchecked: nobody knows what it is."""
    ends = Sides(results="refuse")
    tool = {**SEARCH, "outputSchema": {"type": "object", "required": ["n"]}}
    ends.lists(tool)
    ends.say(call(2, {"limit": 1}))
    answer = {"jsonrpc": "2.0", "id": 2, "result": {"resultType": kind, "structuredContent": {}}}
    ends.answer(2, result=answer["result"])
    assert ends.told() == answer


@every_failure
def test_what_is_raised_over_a_result_does_not_lose_it(
    error: BaseException, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is handed on as it came; the log has the type of the error alone."""
    caplog.set_level(logging.WARNING, "schema2model")
    monkeypatch.setattr(session, "checked_answer", raising(checked_answer, error))
    ends = Sides(results="refuse")
    tool = {**SEARCH, "outputSchema": {"type": "object", "required": ["n"]}}
    ends.lists(tool)
    ends.say(call(2, {"limit": 1}))
    answer = {"jsonrpc": "2.0", "id": 2, "result": {"structuredContent": {"n": SECRET}}}
    ends.answer(2, result=answer["result"])
    assert ends.told() == answer
    assert f"an answer was not read: {type(error).__name__}" in caplog.text
    assert SECRET not in caplog.text
