"""Strict tools in frameworks: a model is shown the projection, the function gets what it means."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from schema2model import Tool, Toolset
from schema2model.extras import needs

CALL: dict[str, Any] = {"city": "Rome", "days": None, "note": {"value": None}}


def forecast(city: str, days: int = 3, note: str | None = "none") -> str:
    """Tell the weather."""
    return f"{days} days in {city}, {note}"


def strict_tool(provider: str = "openai") -> Tool:
    """The tool, of a strict toolset."""
    return Toolset([forecast], strict=provider)["forecast"]


def test_openai_agents() -> None:
    """The SDK sends the projection unchanged, and as strict."""
    pytest.importorskip("agents", reason=needs("openai-agents"))
    from agents.tool_context import ToolContext  # noqa: PLC0415 - of an extra

    from schema2model.adapters.openai_agents import from_tool  # noqa: PLC0415

    tool = strict_tool()
    theirs = from_tool(tool)
    assert theirs.strict_json_schema
    assert theirs.params_json_schema == tool.shown_schema
    text = json.dumps(CALL)
    context = ToolContext(None, tool_name="forecast", tool_call_id="1", tool_arguments=text)
    assert asyncio.run(theirs.on_invoke_tool(context, text)) == "3 days in Rome, None"


def test_pydantic_ai() -> None:
    """Its own transformation for OpenAI leaves the projection as it is."""
    pytest.importorskip("pydantic_ai", reason=needs("pydantic-ai"))
    from pydantic_ai import Agent  # noqa: PLC0415
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart  # noqa: PLC0415
    from pydantic_ai.models.function import FunctionModel  # noqa: PLC0415
    from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer  # noqa: PLC0415

    from schema2model.adapters.pydantic_ai import from_tool  # noqa: PLC0415

    tool = strict_tool()
    theirs = from_tool(tool)
    assert theirs.tool_def.strict is True
    shown = tool.shown_schema
    assert OpenAIJsonSchemaTransformer(tool.shown_schema, strict=True).walk() == shown

    def model(messages: list[Any], _: Any) -> ModelResponse:
        if len(messages) == 1:
            return ModelResponse([ToolCallPart("forecast", json.dumps(CALL))])
        return ModelResponse([TextPart(str(messages[-1].parts[0].content))])

    result = Agent(FunctionModel(model), tools=[theirs]).run_sync("Weather?")
    assert result.output == "3 days in Rome, None"


def test_langchain() -> None:
    """Binding with `strict=True` sends the projection."""
    pytest.importorskip("langchain_core", reason=needs("langchain"))
    from langchain_core.utils.function_calling import convert_to_openai_tool  # noqa: PLC0415

    from schema2model.adapters.langchain import from_tool  # noqa: PLC0415

    tool = strict_tool()
    theirs = from_tool(tool)
    sent = convert_to_openai_tool(theirs, strict=True)["function"]
    assert sent["strict"] is True
    assert sent["parameters"] == tool.shown_schema
    assert theirs.invoke(CALL) == "3 days in Rome, None"


def test_google_adk() -> None:
    """The declaration has the projection for Gemini, in which properties stay optional."""
    pytest.importorskip("google.adk", reason=needs("google-adk"))
    from schema2model.adapters.google_adk import from_tool  # noqa: PLC0415

    tool = strict_tool("gemini")
    theirs = from_tool(tool)
    assert theirs._get_declaration().parameters_json_schema == tool.shown_schema
    result = asyncio.run(theirs.run_async(args={"city": "Rome", "note": None}, tool_context=None))
    assert "3 days in Rome, None" in str(result)


def test_instructor() -> None:
    """The response model shows the projection, and decodes."""
    pytest.importorskip("instructor", reason=needs("instructor"))
    from schema2model.adapters.instructor import from_tool  # noqa: PLC0415

    tool = strict_tool()
    response = from_tool(tool)
    assert response.model_json_schema()["properties"] == tool.shown_schema["properties"]
    expected = {"city": "Rome", "note": None}
    assert response.model_validate_json(json.dumps(CALL)).model_dump() == expected
    assert response.model_validate(CALL).model_dump() == expected
