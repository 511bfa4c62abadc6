"""Definitions in the providers' own packages, as type checkers see them; see `user_script`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schema2model import Toolset

if TYPE_CHECKING:
    from anthropic import Anthropic
    from google.genai import Client
    from openai import AsyncOpenAI, OpenAI

tools = Toolset([{"name": "now", "parameters": {}}], strict="openai")
tool = tools["now"]


def ask_openai(client: OpenAI) -> None:
    """Chat completions and Responses."""
    client.chat.completions.create(model="m", messages=[], tools=tools.definitions("openai"))
    client.chat.completions.create(model="m", messages=[], tools=tools.definitions("gpt-oss"))
    client.chat.completions.create(model="m", messages=[], tools=[tool.definition("openai")])
    client.chat.completions.stream(model="m", messages=[], tools=tools.definitions("openai"))
    client.responses.create(model="m", input="", tools=tools.definitions("openai-responses"))
    client.responses.create(model="m", input="", tools=[tool.definition("openai-responses")])
    wrong = tools.definitions("anthropic")
    client.chat.completions.create(model="m", messages=[], tools=wrong)  # error


async def ask_asynchronously(client: AsyncOpenAI) -> None:
    """The other client."""
    await client.chat.completions.create(model="m", messages=[], tools=tools.definitions("openai"))


def ask_anthropic(client: Anthropic) -> None:
    """Messages."""
    sent = tools.definitions("anthropic")
    client.messages.create(model="m", max_tokens=9, messages=[], tools=sent)
    client.messages.stream(model="m", max_tokens=9, messages=[], tools=sent)
    wrong = tools.definitions("openai")
    client.messages.create(model="m", max_tokens=9, messages=[], tools=wrong)  # error


def ask_gemini(client: Client) -> None:
    """Function declarations."""
    sent = tools.definitions("gemini")
    client.models.generate_content(
        model="m", contents="", config={"tools": [{"function_declarations": sent}]}
    )
