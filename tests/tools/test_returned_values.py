"""What functions return: large results are told of and cut, and those without JSON are kept."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from schema2model.tools.tool import Tool
from schema2model.tools.toolset import Toolset


def returning(result: Any, **options: Any) -> Tool:
    """A tool that returns what it is made with."""
    return Tool.from_function(lambda: result, name="give", **options)


def test_the_size_of_a_result_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """In characters of the text that a model reads, with a warning where it is large."""
    caplog.set_level(logging.DEBUG, "schema2model")
    assert returning({"città": [1]}).call({}) == {"città": [1]}
    assert caplog.records[-1].getMessage() == "`give` returned 13 characters"
    assert returning("x" * 60_000).call({}) == "x" * 60_000
    assert caplog.records[-1].levelno == logging.WARNING
    assert "returned 60000 characters, more than 50000" in caplog.text
    caplog.clear()
    returning([1, 2, 3], warn_above=None).call({})
    returning([1, 2, 3], warn_above=5).call({})
    assert [record.levelname for record in caplog.records] == ["DEBUG", "DEBUG", "WARNING"]


def test_truncation_says_that_it_truncated() -> None:
    """A model that does not know it sees a part takes it for the whole."""
    notice = "… [truncated: 6 of 10 characters left out]"
    assert returning("0123456789", truncate_above=4).call({}) == f"0123{notice}"
    assert returning([11, 22, 33], truncate_above=10).prepare({}).call_json() == "[11,22,33]"
    assert returning("0123", truncate_above=4).call({}) == "0123"
    assert returning("012\ud800456789", truncate_above=4).call({}) == f"012\ud800{notice}"


def test_only_text_is_truncated() -> None:
    """A result of another type stays one; what models and frameworks get of it is cut."""
    tool = returning([11, 22, 33], truncate_above=4)
    text = "[11,… [truncated: 6 of 10 characters left out]"
    assert tool.call({}) == [11, 22, 33]
    assert tool.prepare({}).call_json() == text
    assert tool.as_function()() == text
    assert returning("0123456789", truncate_above=4).prepare({}).call_json().startswith("0123… [tr")
    call = {"id": "c1", "function": {"name": "give", "arguments": "{}"}}
    (answer,) = Toolset([tool]).answer({"role": "assistant", "tool_calls": [call]})
    assert answer["content"] == text


class Report(BaseModel):
    """A result that has JSON."""

    city: str


async def stream() -> AsyncIterator[int]:
    """Yield once."""
    yield 1


@pytest.mark.parametrize("make", [object, lambda: iter([1]), stream, lambda: {"a": [object]}])
def test_results_without_json_are_returned(
    make: Callable[[], Any], caplog: pytest.LogCaptureFixture
) -> None:
    """The function has run: its result is not lost, and a warning says that it has no JSON."""
    result = make()
    finished: list[Any] = []
    tool = returning(result, on_finished=lambda *them: finished.append(them[2]))
    assert tool.call({}) is result
    assert finished == [None]
    assert "which has no JSON form" in caplog.text
    assert tool.as_function()() is result
    if isinstance(result, Iterator):
        assert next(result) == 1


def test_results_may_be_models() -> None:
    """They are returned as they are."""
    report = Report(city="Rome")
    assert returning(report).call({}) is report
