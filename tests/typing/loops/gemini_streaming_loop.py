from typing import Any

from google.genai import Client, types

from schema2model import ToolError, Toolset


def run(client: Client, model: str, contents: list[Any], tools: Toolset, turns: int = 10) -> str:
    """Talk until the model answers without a call."""
    memory: dict[str, ToolError] = {}
    functions = [
        types.FunctionDeclaration.model_validate(each) for each in tools.definitions("gemini")
    ]
    config = types.GenerateContentConfig(tools=[types.Tool(function_declarations=functions)])
    for _ in range(turns):
        assembler = tools.assembler("gemini")
        for chunk in client.models.generate_content_stream(
            model=model, contents=contents, config=config
        ):
            assembler.feed(chunk)
            print(assembler.new_text(), end="")
        reply = assembler.finish()
        print(assembler.new_text())
        results = tools.answer(reply, memory=memory)
        contents += [*reply.messages, *results]
        if not results:
            return reply.text
    raise RuntimeError("no answer within so many turns")
