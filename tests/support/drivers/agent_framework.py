"""Microsoft's Agent Framework, with a chat client that says what it is told to."""

from __future__ import annotations

from typing import Any

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatResponse,
    Content,
    FunctionInvocationContext,
    FunctionInvocationLayer,
    FunctionTool,
    Message,
    tool,
)
from contract import CONTEXT, DONE, Driver, Job, Script, Tools

from schema2model.adapters import agent_framework


def who(context: FunctionInvocationContext) -> str:
    """What a tool is told of the application."""
    return str(context.kwargs["who"])


def raw(job: Job, **options: Any) -> FunctionTool:
    """A tool of the framework's own, of a schema."""
    if job.asynchronous:

        async def search(ctx: FunctionInvocationContext, **arguments: Any) -> Any:
            return await job.run(arguments, who(ctx))

    else:

        def search(ctx: FunctionInvocationContext, **arguments: Any) -> Any:
            return job.run(arguments, who(ctx))

    options = {"description": "Find articles.", **options}
    return FunctionTool(name="search", func=search, input_model=job.schema, **options)


class Client(FunctionInvocationLayer[Any], BaseChatClient[Any]):
    """Makes the calls of a script, one after the other."""

    def __init__(self, script: Script) -> None:
        super().__init__()
        self.script = script

    def _inner_get_response(self, *, messages: Any, stream: bool, **_: Any) -> Any:
        async def respond() -> ChatResponse:
            made = len(answers(messages))
            content = Content.from_text(DONE)
            if made < len(self.script):
                call = self.script[made]
                content = Content.from_function_call(
                    call_id=f"call-{made}", name=call.name, arguments=call.arguments
                )
            return ChatResponse(messages=[Message("assistant", [content])])

        return respond()


def answers(messages: Any) -> list[Content]:
    """The results of the calls in a conversation."""
    contents = [content for message in messages for content in message.contents]
    return [content for content in contents if content.type == "function_result"]


async def converse(setup: dict[str, Any], script: Script) -> list[str]:
    """What the model is told of each call."""
    agent = Agent(client=Client(script), **setup)
    response = await agent.run("Go on.", function_invocation_kwargs={"who": CONTEXT})
    return [str(content.result) for content in answers(response.messages)]


TOOLS = Tools(
    adapter=agent_framework,
    raw=raw,
    function=lambda job: tool(job.function("ctx", FunctionInvocationContext, who)),
    hooks={
        "CoercionMiddleware": lambda tool, **options: {
            "tools": [tool],
            "middleware": [agent_framework.CoercionMiddleware(**options)],
        },
    },
    who=who,
    context=FunctionInvocationContext,
)

DRIVER = Driver(
    ways=TOOLS.ways,
    tools=TOOLS,
    converse=converse,
)
