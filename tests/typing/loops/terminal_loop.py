import asyncio
from typing import Any

from openai import AsyncOpenAI

from schema2model import ToolError, Toolset

CLEAR = "\r\033[K"
"""Go back to the beginning of the line, and clear it."""


async def reply_of(client: AsyncOpenAI, model: str, messages: list[Any], tools: Toolset) -> Any:
    """Stream one reply; show its text, and the arguments of its calls while they arrive."""
    assembler = tools.assembler("openai", strings=True)
    async with await client.chat.completions.create(
        model=model, messages=messages, tools=tools.definitions("openai"), stream=True
    ) as stream:
        async for chunk in stream:
            calls = assembler.feed(chunk)
            print(assembler.new_text(), end="", flush=True)
            if (call := assembler.arriving) is not None:
                print(f"{CLEAR}{call.name} {call.arguments}"[:200], end="", flush=True)
            for done in calls:
                print(f"{CLEAR}{done.name} {done.error or done.arguments}")
    reply = assembler.finish()
    print(assembler.new_text())
    return reply


async def run(
    client: AsyncOpenAI, model: str, messages: list[Any], tools: Toolset, turns: int = 10
) -> str:
    """Talk until the model answers without a call; run its calls concurrently."""
    memory: dict[str, ToolError] = {}
    for _ in range(turns):
        reply = await reply_of(client, model, messages, tools)
        results = await tools.aanswer(reply, memory=memory, limit=4)
        messages += [*reply.messages, *results]
        if not results:
            return str(reply.text)
    raise RuntimeError("no answer within so many turns")


def main(messages: list[Any], tools: Toolset, model: str) -> None:
    """Run the loop with the key of the environment."""
    print(asyncio.run(run(AsyncOpenAI(), model, messages, tools)))
