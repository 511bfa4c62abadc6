# ruff: noqa: D103 - the names state the promises
"""How the calls of one message run: approved, within a limit, until an exception, repeated."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from answering import ROME, TOOLS, chat, forecast, later

from schema2model import ToolError, Toolset


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_turn_that_an_exception_ends_may_be_repeated(asynchronous: bool) -> None:  # noqa: FBT001
    """The message is as it was: a call that was cut off is refused the second time, too."""
    attempts: list[str] = []

    def store(city: str) -> str:
        attempts.append(city)
        if len(attempts) == 1:
            message = "no connection"
            raise OSError(message)
        return "stored"

    def answer(message: Any) -> list[Any]:
        tools = Toolset([store, forecast])
        return asyncio.run(tools.aanswer(message)) if asynchronous else tools.answer(message)

    message = chat(("store", "{'city': 'Rome'}"), ("forecast", '{"days": 2, "city": "Ro'))
    sent = copy.deepcopy(message)
    with pytest.raises(OSError, match="no connection"):
        answer(message)
    assert message == sent
    stored, refused = answer(message)
    assert (attempts, stored["content"]) == (["Rome", "Rome"], "stored")
    assert "cut off inside a string" in refused["content"]
    written = [call["function"]["arguments"] for call in message["tool_calls"]]
    assert [*map(json.loads, written)] == [{"city": "Rome"}, {"days": 2, "city": "Ro"}]


def test_a_repeated_mistake_is_pointed_out_and_a_final_error_says_so() -> None:
    memory: dict[str, ToolError] = {}
    wrong = ("forecast", '{"days": 1}')
    TOOLS.answer(chat(wrong), memory=memory)
    [again] = TOOLS.answer(chat(wrong), memory=memory)
    assert "The last call had the same problem" in again["content"]
    TOOLS.answer(chat(("forecast", '{"city": "Rome"}')), memory=memory)
    assert not memory
    [final] = TOOLS.answer(chat(("forecast", '{"city": "Closed"}')))
    assert final["content"] == "the service is closed\nDo not call it again."


def test_equal_mistakes_in_one_message_are_not_called_repeated() -> None:
    """The model has not seen the first answer when it makes the second call."""
    memory: dict[str, ToolError] = {}
    wrong = ("forecast", '{"days": 1}')
    first, second = TOOLS.answer(chat(wrong, wrong), memory=memory)
    assert first["content"] == second["content"]
    assert "last call" not in first["content"]
    good = ("forecast", '{"city": "Rome"}')
    for message in (chat(wrong, good), chat(good, wrong)):
        TOOLS.answer(message, memory=memory)
        assert "forecast" in memory


def test_calls_run_concurrently_in_their_order_and_after_approval() -> None:
    tools = Toolset([forecast, later])
    asked: list[str] = []

    async def approve(prepared: Any) -> bool:
        asked.append(prepared.tool.name)
        if prepared.arguments.get("city") == "Oslo":
            message = "the user said no"
            raise ToolError(message)
        return True

    message = chat(
        *(("later", '{"city": "Rome"}'), ("forecast", '{"city": "Rome"}')),
        ("later", '{"city": "Oslo"}'),
    )
    for limit in (None, 1):
        results = asyncio.run(tools.aanswer(message, approve=approve, limit=limit))
        assert [each["content"] for each in results] == ["later in Rome", ROME, "the user said no"]
    assert asked == ["later", "forecast", "later"] * 2


def test_a_refusal_by_the_hook_does_not_run_the_tool() -> None:
    ran: list[str] = []

    def pay(amount: int) -> str:
        ran.append(f"{amount}")
        return "paid"

    tools, message = Toolset([pay]), chat(("pay", '{"amount": 1}'), ("pay", '{"amount": 9}'))
    for answer in (
        tools.answer(message, approve=lambda call: call.arguments["amount"] < 5),
        asyncio.run(tools.aanswer(message, approve=lambda call: call.arguments["amount"] < 5)),
    ):
        assert [each["content"] for each in answer] == [
            "paid",
            "The call of `pay` was not approved; it was not made.",
        ]
    assert ran == ["1", "1"]

    for said in (None, 1, "yes", "no", {"approved": True}):  # only True is an approval
        answer = tools.answer(message, approve=lambda _, said=said: said)
        assert all("was not approved" in each["content"] for each in answer)

    async def approve(_: Any) -> bool:
        return True

    with pytest.raises(TypeError, match="use `await tools"):
        tools.answer(message, approve=approve)
    assert ran == ["1", "1"]


@pytest.mark.parametrize("hook", ["approve", "on_prepared", "on_started"])
def test_arguments_that_a_hook_changes_are_checked_again(hook: str) -> None:
    """The tool gets what is valid of them; else the call is refused, and not made."""
    ran: list[date] = []

    def book(day: date, seats: int = 1) -> str:
        ran.append(day)
        return f"{seats} on {day}"

    def answers(change: Callable[[dict[str, Any]], object], strict: Any) -> str:
        def changing(prepared: Any) -> bool:
            change(prepared.arguments)
            return True

        hooks: Any = {hook: changing}
        approve = hooks.pop("approve", None)
        tools = Toolset([book], strict=strict, **hooks)
        message = chat(("book", '{"day": "2026-01-02", "seats": 2}'))
        [one], [other] = (
            tools.answer(message, approve=approve),
            asyncio.run(tools.aanswer(message, approve=approve)),
        )
        assert one == other
        return str(one["content"])

    for strict in (None, "openai"):
        assert answers(lambda given: given.update(day="2027-03-04"), strict) == "2 on 2027-03-04"
        assert answers(lambda given: given.update(seats="3"), strict) == "3 on 2026-01-02"
        assert answers(lambda given: None, strict) == "2 on 2026-01-02"
        ran.clear()
        assert "/seats: must be an integer" in answers(lambda given: given.update(seats=[]), strict)
        assert "day" in answers(lambda given: given.pop("day"), strict)
        assert "/seats" in answers(lambda given: given.update(seats={1, 2}), strict)
        assert ran == []


def test_injected_values_reach_the_tools_and_bugs_are_raised() -> None:
    def add(number: int, session: str) -> str:
        return f"{session}: {1 // number}"

    tools = Toolset([add], inject="session")
    [result] = tools.answer(chat(("add", '{"number": 1}')), session="s1")
    assert result["content"] == "s1: 1"
    with pytest.raises(ZeroDivisionError):
        tools.answer(chat(("add", '{"number": 0}')), session="s1")


def test_an_asynchronous_tool_is_noticed_before_any_other_runs() -> None:
    ran: list[str] = []

    def note(text: str) -> None:
        ran.append(text)

    message = chat(("note", '{"text": "x"}'), ("later", '{"city": "Rome"}'))
    with pytest.raises(TypeError, match="use `await tools"):
        Toolset([note, later]).answer(message)
    assert not ran


def test_exceptions_to_catch_become_results_and_others_cancel_the_turn() -> None:
    cancelled: list[str] = []

    async def fail(code: int) -> int:
        await asyncio.sleep(0)
        return 1 // code

    async def wait(seconds: float) -> str:
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            cancelled.append("wait")
            raise
        return "waited"

    def divide(by: int) -> int:
        return 1 // by

    tools = Toolset([fail, wait])
    message = chat(("wait", '{"seconds": 5}'), ("fail", '{"code": 0}'))
    with pytest.raises(ZeroDivisionError):
        asyncio.run(tools.aanswer(message))
    assert cancelled == ["wait"]
    message = chat(("wait", '{"seconds": 0}'), ("fail", '{"code": 0}'))
    for answer in (
        asyncio.run(tools.aanswer(message, catch=ZeroDivisionError))[1:],
        Toolset([divide]).answer(chat(("divide", '{"by": 0}')), catch=(ArithmeticError, OSError)),
    ):
        [result] = answer
        assert result["content"].startswith("ZeroDivisionError: ")


def test_a_limit_bounds_the_calls_that_run_at_the_same_time() -> None:
    running, most = 0, 0

    async def work(number: int) -> int:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.001 * (5 - number))
        running -= 1
        return number

    message = chat(*(("work", json.dumps({"number": number})) for number in range(5)))
    for limit, expected in ((None, 5), (2, 2), (1, 1)):
        most = 0
        results = asyncio.run(Toolset([work]).aanswer(message, limit=limit))
        assert [each["content"] for each in results] == ["0", "1", "2", "3", "4"]
        assert most == expected
    with pytest.raises(ValueError, match="limit is"):
        asyncio.run(Toolset([work]).aanswer(message, limit=0))
