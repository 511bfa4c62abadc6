"""LangChain's tools alone, of ours, and wrapped."""

from __future__ import annotations

import asyncio
import datetime as dt
from typing import Annotated, Any

import pytest

from schema2model.extras import needs

pytest.importorskip("langchain_core", reason=needs("langchain"))
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, InjectedToolCallId, StructuredTool, ToolException, tool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_tools import PROBLEM, REFUSED, SCHEMA, Opts, both, call, our_tool, raw_tool
from probe import HOPELESS, STRINGS
from pydantic import PrivateAttr, ValidationError

from schema2model import Tool, ToolError, compile_schema
from schema2model.adapters.langchain import from_tool, wrap_tool

pytestmark = pytest.mark.adapters


def invoke(theirs: BaseTool, arguments: Any, *, asynchronous: bool = False) -> Any:
    """What the tool answers."""
    if asynchronous:
        return asyncio.run(theirs.ainvoke(call(arguments, theirs.name)))
    return theirs.invoke(call(arguments, theirs.name))


# ------------------------------------------------------------------------------------- alone
def test_our_model_is_a_schema_for_langchains_own_tools() -> None:
    """It shows every property, coerces what is sent, and adds nothing; the tool has all of it."""
    model = compile_schema(SCHEMA, name="search").model
    taken: list[dict[str, Any]] = []

    def search(**arguments: Any) -> None:
        taken.append(arguments)

    of_model = StructuredTool(name="search", description="", args_schema=model, func=search)
    shown = convert_to_openai_tool(of_model)["function"]["parameters"]
    assert shown["properties"].keys() == SCHEMA["properties"].keys()
    assert shown["required"] == SCHEMA["required"]
    of_model.invoke({"tags": '["a"]', "limit": "3"})
    assert taken == [{"tags": ["a"], "limit": 3}]
    assert convert_to_openai_tool(from_tool(our_tool([])))["function"] == {
        "name": "search",
        "description": "Find.",
        "parameters": SCHEMA,
    }


# ---------------------------------------------------------------------------------- from_tool
@both
def test_our_message_answers_a_hopeless_call(asynchronous: bool) -> None:  # noqa: FBT001
    """As LangChain answers when a tool raises."""
    answer = invoke(from_tool(our_tool([])), HOPELESS, asynchronous=asynchronous)
    assert (answer.content, answer.status) == (REFUSED, "error")


@both
def test_an_error_of_the_function_answers_too(asynchronous: bool) -> None:  # noqa: FBT001
    """Whether it is asynchronous or not; `handle_tool_error` is LangChain's to respect."""

    def lookup() -> str:
        raise ToolError("no such article")  # noqa: EM101, TRY003

    async def alookup() -> str:
        lookup()
        return ""

    function = alookup if asynchronous else lookup
    ours = Tool.from_function(function, name="lookup")
    answer = invoke(from_tool(ours), {}, asynchronous=asynchronous)
    assert (answer.content, answer.status) == ("no such article", "error")
    with pytest.raises(ToolException, match="no such article"):
        invoke(from_tool(ours, handle_tool_error=False), {}, asynchronous=asynchronous)


@both
def test_what_is_injected_is_the_config(asynchronous: bool) -> None:  # noqa: FBT001
    """LangChain's own, whatever the properties are called."""

    def run(self: str, config: str, context: Any) -> str:
        return f"{self} {config} {context['configurable']['user']}"

    async def arun(self: str, config: str, context: Any) -> str:
        return run(self, config, context)

    schema = {"properties": {"self": {"type": "string"}, "config": {"type": "string"}}}
    ours = Tool.from_schema({"name": "run", "inputSchema": schema}, arun if asynchronous else run)
    theirs = from_tool(ours, tags=["t"])
    config: RunnableConfig = {"configurable": {"user": "Ada"}}
    sent = {"self": 1, "config": "c"}
    if asynchronous:
        assert asyncio.run(theirs.ainvoke(sent, config)) == "1 c Ada"
    else:
        assert theirs.invoke(sent, config) == "1 c Ada"
    assert theirs.tags == ["t"]


def test_text_is_read_as_the_arguments() -> None:
    """As LangChain's tools may be called with a string."""
    taken: list[Any] = []
    from_tool(our_tool(taken)).invoke('{"limit": "3"}')
    assert taken == [{"limit": 3}]


# ---------------------------------------------------------------------------------- wrap_tool
def test_a_tool_with_a_model_takes_what_it_is_annotated_with() -> None:
    """LangChain's own validation follows, and what it injects arrives."""

    @tool(return_direct=True)
    def search(
        tags: list[str],
        opts: Opts,
        call_id: Annotated[str, InjectedToolCallId],
        config: RunnableConfig,
        page: int | None = 1,
    ) -> str:
        """Find."""
        return repr((tags, opts, call_id, page))

    wrapped = wrap_tool(search)
    answer = invoke(wrapped, {name: STRINGS[name] for name in ("tags", "opts", "page")})
    assert answer.content == "(['a'], Opts(depth=3), '1', None)"
    assert wrapped.return_direct
    assert isinstance(wrapped, StructuredTool)
    assert convert_to_openai_tool(wrapped) == convert_to_openai_tool(search)


def test_a_tool_of_a_class_keeps_its_state() -> None:
    """Also what pydantic does not call a field."""

    class Counting(BaseTool):
        name: str = "count"
        description: str = "Count."
        args_schema: Any = SCHEMA
        _counts: list[int] = PrivateAttr(default_factory=list)

        def _run(self, limit: int) -> list[int]:
            self._counts.append(limit)
            return self._counts

    theirs = Counting()
    theirs.invoke({"limit": 1})
    assert wrap_tool(theirs).invoke({"limit": "2"}) == [1, 2]
    assert wrap_tool(wrap_tool(theirs)).invoke({"limit": "3"}) == [1, 2, 3]


@both
def test_a_wrapped_tool_refuses_as_langchain_does(asynchronous: bool) -> None:  # noqa: FBT001
    """With a ValidationError, which `handle_validation_error` answers."""
    with pytest.raises(ValidationError, match=PROBLEM):
        invoke(wrap_tool(raw_tool([])), HOPELESS, asynchronous=asynchronous)
    handling = raw_tool([], handle_validation_error=str)
    answer = invoke(wrap_tool(handling), HOPELESS, asynchronous=asynchronous)
    assert answer.status == "error"
    assert PROBLEM in answer.content


@both
def test_a_tool_of_ours_that_is_wrapped_answers_for_itself(asynchronous: bool) -> None:  # noqa: FBT001
    """Once or twice: as it does where it is not wrapped."""
    made = from_tool(our_tool([]))
    answers = [
        invoke(each, HOPELESS, asynchronous=asynchronous)
        for each in (made, wrap_tool(made), wrap_tool(wrap_tool(made)))
    ]
    assert {(each.status, each.content) for each in answers} == {("error", answers[0].content)}
    assert PROBLEM in answers[0].content


def test_text_for_a_single_parameter_stays_langchains() -> None:
    """It is no JSON."""

    @tool
    def search(query: str) -> str:
        """Find."""
        return query

    assert wrap_tool(search).invoke("cats") == "cats"


def test_a_tool_without_a_schema_takes_what_its_method_is_annotated_with() -> None:
    """LangChain makes a model of it, for the language model only."""

    class Counting(BaseTool):
        name: str = "count"
        description: str = "Count."

        def _run(self, limit: int) -> str:
            return repr(limit)

    assert Counting().invoke({"limit": "2"}) == "'2'"
    assert wrap_tool(Counting()).invoke({"limit": "2"}) == "2"


def test_a_word_for_null_is_no_date_of_a_wrapped_tool() -> None:
    """The types are those of the function's annotations, which its model has."""

    @tool
    def book(day: dt.date | None) -> str:
        """Book a room."""
        return repr(day)

    assert invoke(wrap_tool(book), {"day": "null"}).content == "None"
    made = invoke(wrap_tool(book), {"day": "2030-01-31"}).content
    assert made == "datetime.date(2030, 1, 31)"
