"""OpenAI: definitions for both APIs, calls and results of chat completions and Responses."""

from openai import OpenAI
from openai.types.chat import (
    ChatCompletion,
    ChatCompletionFunctionToolParam,
    ChatCompletionMessageFunctionToolCall,
    ChatCompletionToolParam,
)
from openai.types.responses import FunctionToolParam, Response, ResponseFunctionToolCall
from typing_extensions import assert_type

from schema2model import Tool, ToolError, Toolset, tool
from schema2model.types import Prepared


@tool(name="add", coercion="forgiving")
def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


tools = Toolset([add])
chat: list[ChatCompletionFunctionToolParam] = tools.definitions("openai")
responses: list[FunctionToolParam] = tools.definitions("openai-responses")
one: ChatCompletionToolParam = add.definition("openai")
assert_type(add, Tool[int])


def ask(client: OpenAI) -> tuple[ChatCompletion, Response]:
    """Send the definitions to both APIs."""
    completion = client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": "2 + 3?"}], tools=[*chat]
    )
    response = client.responses.create(model="m", input="2 + 3?", tools=[*responses])
    return completion, response


def answer(completion: ChatCompletion, response: Response) -> list[str]:
    """Run calls one by one, and all of a reply."""
    results: list[str] = []
    for call in completion.choices[0].message.tool_calls or ():
        if isinstance(call, ChatCompletionMessageFunctionToolCall):
            try:
                prepared: Prepared = tools.prepare_call(call)
                results.append(prepared.call_json())
            except ToolError as error:
                results.append(str(error))
    results += [
        str(tools.prepare_call(item).arguments)
        for item in response.output
        if isinstance(item, ResponseFunctionToolCall)
    ]
    memory: dict[str, ToolError] = {}
    return results + [str(message) for message in tools.answer(response, memory=memory)]
