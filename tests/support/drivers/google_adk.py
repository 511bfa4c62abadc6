"""Google's Agent Development Kit, with a model that says what it is told to."""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator
from typing import Any

from contract import COMPLETED, CONTEXT, DONE, Driver, Job, Script, Tools
from google.adk.agents import Agent
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools import BaseTool, FunctionTool, ToolContext
from google.genai import types

from schema2model.adapters import google_adk


def who(context: ToolContext) -> str:
    """What a tool is told of the application."""
    return str(context.state["who"])


class Raw(BaseTool):
    """A tool of the kit's own, of a schema."""

    def __init__(self, job: Job) -> None:
        super().__init__(name="search", description="Find articles.")
        self.job, self.schema = job, job.schema

    def _get_declaration(self) -> types.FunctionDeclaration:
        return types.FunctionDeclaration(name=self.name, parameters_json_schema=self.schema)

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> Any:
        """Run it."""
        result = self.job.run(args, who(tool_context))
        return await result if self.job.asynchronous else result


class Model(BaseLlm):
    """Makes the calls of a script, one after the other."""

    model: str = "scripted"
    script: Script

    async def generate_content_async(
        self,
        llm_request: LlmRequest,
        stream: bool = False,  # noqa: FBT001, FBT002 - the kit's signature
    ) -> AsyncGenerator[LlmResponse, None]:
        """Make the next call."""
        parts = [part for content in llm_request.contents for part in content.parts or ()]
        made = sum(part.function_response is not None for part in parts)
        part, reason = types.Part(text=DONE), types.FinishReason.STOP
        if made < len(self.script):
            call = self.script[made]
            part = types.Part.from_function_call(name=call.name, args=call.arguments)
            reason = types.FinishReason.MAX_TOKENS if call.is_cut_off else reason
        content = types.Content(role="model", parts=[part])
        yield LlmResponse(content=content, finish_reason=reason)


async def converse(setup: dict[str, Any], script: Script) -> list[str]:
    """What the model is told of each call."""
    agent = Agent(name="agent", model=Model(script=script), tools=setup["tools"])
    runner = InMemoryRunner(agent, app_name="app", plugins=setup.get("plugins"))
    session = await runner.session_service.create_session(
        app_name="app", user_id="user", session_id=uuid.uuid4().hex, state={"who": CONTEXT}
    )
    message = types.Content(role="user", parts=[types.Part(text="Go on.")])
    told = []
    async for event in runner.run_async(user_id="user", session_id=session.id, new_message=message):
        told += [answer.model_dump_json() for answer in event.get_function_responses()]
    return told


TOOLS = Tools(
    adapter=google_adk,
    raw=Raw,
    function=lambda job: FunctionTool(job.function("tool_context", ToolContext, who)),
    hooks={
        "CoercionPlugin": lambda tool, **options: {
            "tools": [tool],
            "plugins": [google_adk.CoercionPlugin(**options)],
        },
    },
    who=who,
    context=ToolContext,
)

DRIVER = Driver(
    ways=TOOLS.ways,
    tools=TOOLS,
    converse=converse,
    reads_text=False,
    cut_off=(COMPLETED,),
)
