"""Gemini: function declarations, function calls and their responses."""

from google.genai import Client, types

from schema2model import Tool, ToolError, Toolset


def weather(city: str) -> dict[str, str]:
    """Tell the weather."""
    return {"city": city, "sky": "blue"}


tools = Toolset([Tool(weather)])
definitions: list[types.FunctionDeclarationDict] = tools.definitions("gemini")


def ask(client: Client) -> list[types.Part]:
    """Ask with the declarations, and answer the calls."""
    config = types.GenerateContentConfigDict(tools=[{"function_declarations": [*definitions]}])
    response = client.models.generate_content(model="m", contents="Oslo?", config=config)
    parts: list[types.Part] = []
    for call in response.function_calls or []:
        try:
            answer = {"result": tools.prepare_call(call).call()}
        except ToolError as error:
            answer = {"error": str(error)}
        parts.append(types.Part.from_function_response(name=call.name or "", response=answer))
    return parts
