"""The OpenAI Agents SDK, in runs with its own scripted model."""

from __future__ import annotations

import json
from typing import Any

from agents import Agent, FunctionTool, RunConfig, Runner, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call
from agents.tool_context import ToolContext
from contract import CONTEXT, DONE, LACKS_CLOSERS, WRITTEN_WITH_STR, Driver, Job, Script, Tools

from schema2model.adapters import openai_agents


def who(context: ToolContext[str]) -> str:
    """What a tool is told of the application."""
    return context.context


def raw(job: Job, **options: Any) -> FunctionTool:
    """A function tool of the SDK's own, of a schema."""

    async def search(context: ToolContext[str], text: str) -> Any:
        result = job.run(json.loads(text), who(context))
        return await result if job.asynchronous else result

    given = {"strict_json_schema": False, **options}
    return FunctionTool("search", "Find.", job.schema, search, **given)


def made_of_function(job: Job, **options: Any) -> FunctionTool:
    """One that the SDK makes of a signature."""
    function = job.function("context", ToolContext[str], who)
    return function_tool(function, strict_mode=False, **options)


async def converse(tool: FunctionTool, script: Script) -> list[str]:
    """What the model is told of each call."""
    agent, options = agent_of(tool, script)
    await Runner.run(agent, "Go on.", **options)
    return answers(agent)


def converse_now(tool: FunctionTool, script: Script) -> list[str]:
    """The same, where nothing is awaited."""
    agent, options = agent_of(tool, script)
    Runner.run_sync(agent, "Go on.", **options)
    return answers(agent)


def agent_of(tool: FunctionTool, script: Script) -> tuple[Agent[Any], dict[str, Any]]:
    """An agent whose model makes the calls of a script, and the options of its run."""
    turns = []
    for number, call in enumerate(script):
        item = function_call(call.name, call.text, call_id=f"call-{number}")
        item.status = "incomplete" if call.is_cut_off else "completed"
        turns.append([item])
    model = ScriptedModel([*turns, [assistant_message(DONE)]])
    agent = Agent[Any]("agent", model=model, tools=[tool])
    return agent, {"context": CONTEXT, "run_config": RunConfig(tracing_disabled=True)}


def answers(agent: Any) -> list[str]:
    """What was said of each call."""
    items = agent.model.calls[-1].input
    return [str(item["output"]) for item in items if item.get("type") == "function_call_output"]


TOOLS = Tools(
    adapter=openai_agents,
    raw=raw,
    alone=lambda tool: tool,
    function=made_of_function,
    who=who,
    context=ToolContext,
)

DRIVER = Driver(
    ways=TOOLS.ways,
    tools=TOOLS,
    converse=converse,
    converse_now=converse_now,
    cut_off=(LACKS_CLOSERS,),
    differs={"unknown tool": "The SDK ends a run that calls an unknown tool.", **WRITTEN_WITH_STR},
)
