"""Arguments that hooks or the application change after `prepare`: they are valid, or do not run."""

from __future__ import annotations

import asyncio
import datetime as dt
import pickle
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from schema2model import Tool, ToolError, Toolset
from schema2model.tools.tool import Prepared


def plain(tags: list[str], nights: int) -> Any:
    """A function whose arguments need no conversion."""
    return tags, nights


def typed(when: dt.date, nights: int) -> Any:
    """One whose arguments are converted."""
    return when, nights


def edit(prepared: Prepared[Any]) -> None:
    """Change a member, as an application or hook does."""
    prepared.arguments["nights"] = "3"
    if "when" in prepared.arguments:
        prepared.arguments["when"] = "2030-02-01"
    else:
        prepared.arguments["tags"].append("b")


def spoil(prepared: Prepared[Any]) -> None:
    """Change a member to what is not valid."""
    prepared.arguments["nights"] = "many"


CASES = [
    (Tool(plain), {"tags": ["a"], "nights": 1}, (["a", "b"], 3)),
    (Tool(typed), {"when": "2030-01-31", "nights": 1}, (dt.date(2030, 2, 1), 3)),
    (Tool(typed), '{"when": "2030-01-31", "nights": "1",}', (dt.date(2030, 2, 1), 3)),
]


@pytest.mark.parametrize("run", [Prepared.call, lambda p: asyncio.run(p.acall())])
@pytest.mark.parametrize(("tool", "sent", "meant"), CASES)
def test_edited_arguments_are_those_that_run(
    tool: Tool, sent: Any, meant: Any, run: Callable[[Any], Any]
) -> None:
    """Also where a parameter is converted; they are read as any others, once."""
    prepared = tool.prepare(sent)
    edit(prepared)
    assert run(prepared) == meant
    assert run(prepared) == meant
    assert prepared.arguments["nights"] == 3
    assert prepared.kwargs["nights"] == 3
    spoiled = tool.prepare(sent)
    spoil(spoiled)
    with pytest.raises(ToolError, match="nights"):
        run(spoiled)


@pytest.mark.parametrize("hook", ["on_prepared", "on_started", "approve"])
def test_a_hook_edits_what_runs(hook: str) -> None:
    """Before the function runs; what it spoils is refused, and does not run."""
    call = {"function": {"name": "typed", "arguments": '{"when": "2030-01-31", "nights": 1}'}}
    message = {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", **call}]}
    ran: list[Any] = []

    def travel(when: dt.date, nights: int) -> str:
        ran.append((when, nights))
        return "done"

    def answered(change: Callable[[Any], None]) -> str:
        def asked(prepared: Any) -> bool:
            change(prepared)
            return True

        options: Any = {} if hook == "approve" else {hook: change}
        tools = Toolset([Tool(travel, name="typed", **options)])
        (answer,) = tools.answer(message, approve=asked if hook == "approve" else None)
        return str(answer["content"])

    assert answered(edit) == "done"
    assert "nights" in answered(spoil)
    assert ran == [(dt.date(2030, 2, 1), 3)]


def test_edits_by_way_of_keyword_arguments_are_seen() -> None:
    """They hold the same lists where nothing is converted."""
    prepared = Tool(plain).prepare({"tags": ["a"], "nights": 1})
    prepared.kwargs["tags"].append(7)
    assert prepared.call() == (["a", "7"], 1)


def test_edits_outlive_pickling() -> None:
    """The pickled call has them."""
    prepared = Tool(typed).prepare({"when": "2030-01-31", "nights": 1})
    edit(prepared)
    assert pickle.loads(pickle.dumps(prepared)).call() == (dt.date(2030, 2, 1), 3)  # noqa: S301


def test_arguments_that_nobody_changed_keep_what_they_were_made_of() -> None:
    """The digits of a Decimal are in the text alone."""

    def pay(amount: Decimal) -> Decimal:
        return amount

    prepared = Tool(pay).prepare('{"amount": 12.10}')
    assert prepared.arguments == {"amount": 12.1}
    assert str(prepared.call()) == "12.10"
