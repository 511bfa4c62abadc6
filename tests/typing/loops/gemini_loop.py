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
        response = client.models.generate_content(model=model, contents=contents, config=config)
        results = tools.answer(response, memory=memory)
        if not results:
            return response.text or ""
        content = response.candidates[0].content if response.candidates else None
        contents += [*([content] if content and content.parts else []), *results]
    raise RuntimeError("no answer within so many turns")
