"""Strands Agents, with a model that says what it is told to."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

from contract import CONTEXT, DONE, Driver, Job, Script, Tools
from strands import Agent, ToolContext, tool
from strands.models import Model
from strands.types.events import ToolResultEvent
from strands.types.tools import AgentTool, ToolSpec

from schema2model.adapters import strands


def who(context: ToolContext) -> str:
    """What a tool is told of the application."""
    return str(context.invocation_state["who"])


class Raw(AgentTool):
    """A tool of Strands' own, of a schema."""

    def __init__(self, job: Job) -> None:
        super().__init__()
        self.job, self.schema = job, job.schema

    tool_name = "search"
    tool_type = "test"

    @property
    def tool_spec(self) -> ToolSpec:
        """What is shown to the model."""
        schema = {"json": self.schema}
        return {"name": "search", "description": "Find articles.", "inputSchema": schema}

    async def stream(
        self, tool_use: Any, invocation_state: dict[str, Any], **_: Any
    ) -> AsyncGenerator[Any, None]:
        """Run it."""
        result = self.job.run(tool_use["input"], invocation_state["who"])
        text = await result if self.job.asynchronous else result
        yield ToolResultEvent(
            {
                "toolUseId": tool_use["toolUseId"],
                "status": "success",
                "content": [{"text": text}],
            }
        )


class ScriptedModel(Model):
    """Makes the calls of a script, one after the other."""

    def __init__(self, script: Script) -> None:
        self.script = script

    def update_config(self, **_: Any) -> None:
        """Nothing can be configured."""

    def get_config(self) -> dict[str, Any]:
        """Nothing is configured."""
        return {}

    def structured_output(self, *_: Any, **__: Any) -> Any:
        """Not asked for."""
        raise NotImplementedError

    async def stream(self, messages: Any, *_: Any, **__: Any) -> AsyncGenerator[Any, None]:
        """Make the next call."""
        made = len(answers(messages))
        yield {"messageStart": {"role": "assistant"}}
        if made < len(self.script):
            call = self.script[made]
            use = {"name": call.name, "toolUseId": f"call-{made}"}
            yield {"contentBlockStart": {"start": {"toolUse": use}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": call.text}}}}
        else:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": DONE}}}
        yield {"contentBlockStop": {}}
        reason = "tool_use" if made < len(self.script) else "end_turn"
        yield {"messageStop": {"stopReason": reason}}


def answers(messages: Any) -> list[Any]:
    """The results of the calls in a conversation."""
    blocks = [block for message in messages for block in message["content"]]
    return [block["toolResult"] for block in blocks if "toolResult" in block]


async def converse(setup: dict[str, Any], script: Script) -> list[str]:
    """What the model is told of each call."""
    agent = Agent(ScriptedModel(script), callback_handler=None, **setup)
    await agent.invoke_async("Go on.", invocation_state={"who": CONTEXT})
    return told(agent)


def converse_now(setup: dict[str, Any], script: Script) -> list[str]:
    """The same, where nothing is awaited."""
    agent = Agent(ScriptedModel(script), callback_handler=None, **setup)
    agent("Go on.", invocation_state={"who": CONTEXT})
    return told(agent)


def told(agent: Agent) -> list[str]:
    """The texts of the results."""
    return [
        "\n".join(str(block.get("text", block)) for block in answer["content"])
        for answer in answers(agent.messages)
    ]


TOOLS = Tools(
    adapter=strands,
    raw=Raw,
    function=lambda job: tool(context=True)(job.function("tool_context", ToolContext, who)),
    hooks={
        "CoercionHook": lambda tool, **options: {
            "tools": [tool],
            "hooks": [strands.CoercionHook(**options)],
        },
    },
    who=who,
    context=ToolContext,
)

DRIVER = Driver(
    ways=TOOLS.ways,
    tools=TOOLS,
    converse=converse,
    converse_now=converse_now,
    differs=dict.fromkeys(
        ["malformed text", "text in a fence", "cut off"],
        "Strands makes an empty object of text that is not JSON, and says so only in its log.",
    ),
)
