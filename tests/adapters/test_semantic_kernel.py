"""Semantic Kernel: what the contract does not say."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from schema2model.extras import needs

pytest.importorskip(
    "semantic_kernel",
    reason=needs("semantic-kernel"),
)
from contract import CONTEXT, Call, Job
from drivers.semantic_kernel import converse, raw, who
from forking import python
from probe import DEFINITION, HOPELESS, PROBLEM, SCHEMA
from pydantic import BaseModel
from semantic_kernel import Kernel
from semantic_kernel.filters import FilterTypes
from semantic_kernel.functions import (
    KernelArguments,
    KernelFunctionFromMethod,
    KernelParameterMetadata,
    kernel_function,
)

from schema2model import Tool, ToolError
from schema2model.adapters.semantic_kernel import coercion, from_tool, wrap_tool

pytestmark = [pytest.mark.adapters, pytest.mark.filterwarnings("ignore")]


class Depth(BaseModel):
    """A model of the application's."""

    depth: int


ECHO = [str(Path(__file__).parent / "mcp_server.py")]


def told(arguments: Any, name: str = "search", **setup: Any) -> str:
    """What the model is told of one call."""
    (answer,) = asyncio.run(converse(setup, (Call(arguments, name),)))
    return answer


def test_false_is_no_truth() -> None:
    """The kernel alone takes the text for true, as Python's `bool` does."""

    @kernel_function(name="search")
    def search(active: bool, ratio: float = 0.5) -> str:  # noqa: FBT001 - a model names it
        """Find articles."""
        return repr((active, ratio))

    theirs, sent = KernelFunctionFromMethod(search), {"active": "false", "ratio": "1e-1"}
    assert "(True, 0.1)" in told(sent, function=theirs)
    assert told(sent, function=wrap_tool(theirs)) == "(False, 0.1)"


def test_our_tool_shows_its_parameters() -> None:
    """With the schema of each."""
    made = from_tool(Tool.from_schema(DEFINITION))
    assert (made.name, made.description) == ("search", "Find articles.")
    assert {p.name: p.schema_data for p in made.parameters} == SCHEMA["properties"]
    assert [p.name for p in made.parameters if p.is_required] == SCHEMA["required"]


def test_a_parameter_is_shown_with_what_it_refers_to() -> None:
    """As a kernel has no place for definitions; and it holds."""

    def search(opts: list[Depth]) -> str:
        """Find articles."""
        return repr(opts)

    made = from_tool(Tool.from_function(search))
    (parameter,) = made.parameters
    assert "$ref" not in str(parameter.schema_data)
    assert "depth" in str(parameter.schema_data)
    assert told({"opts": '[{"depth": "3"}]'}, function=made) == "[Depth(depth=3)]"


def test_settings_and_other_names_are_arguments_too() -> None:
    """Also those that the kernel's own functions take."""
    names = ("settings", "kernel", "arguments", "service", "self")
    schema = {"type": "object", "properties": {name: {"type": "integer"} for name in names}}

    def search(raw_arguments: dict[str, Any]) -> str:
        return repr(raw_arguments)

    ours = Tool.from_schema({"name": "search", "parameters": schema}, search)
    kernel, sent = Kernel(), KernelArguments()
    sent.update(dict.fromkeys(names, "3"))
    for made in (from_tool(ours), wrap_tool(from_tool(ours))):
        result = asyncio.run(made.invoke(kernel, sent))
        assert result is not None
        assert result.value == repr(dict.fromkeys(names, 3))


def test_a_name_that_a_kernel_does_not_take_is_refused() -> None:
    """When the function is made."""
    schema = {"type": "object", "properties": {"a b": {"type": "string"}}}
    with pytest.raises(ValueError, match="pattern"):
        from_tool(Tool.from_schema({"name": "search", "parameters": schema}))


@pytest.mark.parametrize("ours", [False, True])
def test_a_program_is_told_by_an_exception(ours: bool) -> None:  # noqa: FBT001
    """Where it is no model that calls."""
    made = from_tool(Job().ours(who)) if ours else wrap_tool(raw(Job()))
    kernel = Kernel()
    with pytest.raises(ToolError, match="must be an integer"):
        asyncio.run(made.invoke(kernel, KernelArguments(who=CONTEXT, **HOPELESS)))
    result = asyncio.run(made(kernel, None, None, limit="3", who=CONTEXT))
    assert result is not None
    assert result.value == f"for {CONTEXT}"


def test_what_the_application_fills_in_is_kept() -> None:
    """It is not shown to models, and may be anything."""
    job = Job()

    @kernel_function(name="search")
    def search(**given: Any) -> str:
        job.got.append(given)
        return "found"

    parameters = [
        KernelParameterMetadata(name="limit", schema_data={"type": "integer"}, is_required=True),
        KernelParameterMetadata(name="who", include_in_function_choices=False),
    ]
    theirs = KernelFunctionFromMethod(search, parameters=parameters)
    for setup in (
        {"function": wrap_tool(theirs)},
        {"function": theirs, "filters": [coercion()]},
    ):
        told({"limit": "3"}, **setup)
        assert job.got[-1] == {"limit": 3, "who": CONTEXT}


def test_a_wrapped_function_is_the_same_otherwise() -> None:
    """Its class, and what models are shown."""
    theirs = raw(Job())
    wrapped = wrap_tool(theirs)
    assert isinstance(wrapped, KernelFunctionFromMethod)
    assert wrapped.metadata is theirs.metadata


def test_an_mcp_plugin_gets_exact_arguments() -> None:
    """Over stdio; what is hopeless does not reach it."""
    mcp = pytest.importorskip("semantic_kernel.connectors.mcp", reason="needs mcp: pip install mcp")

    async def run() -> list[str]:
        sent = {"tags": "['a']", "limit": "10", "active": "yes"}
        told = []
        plugin = mcp.MCPStdioPlugin("shop", python(), args=ECHO, load_prompts=False)
        async with plugin as server:
            kernel = Kernel()
            kernel.add_plugin(server)
            kernel.add_filter(FilterTypes.AUTO_FUNCTION_INVOCATION, coercion())
            theirs = kernel.get_function("shop", "search")
            for arguments in (sent, {"tags": [], "limit": "many"}):
                setup = {"function": theirs, "filters": [coercion()]}
                told += await converse(setup, (Call(arguments),))
        return told

    right, refused = asyncio.run(run())
    assert "(['a'], 10, True)" in right
    assert PROBLEM in refused
