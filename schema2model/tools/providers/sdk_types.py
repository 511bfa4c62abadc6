"""The types of definitions in the providers' own packages, for type checkers.

Where a package is not installed, its type is unknown, and anything may be done with a definition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

__all__ = ["AnthropicTool", "ChatShape", "ChatTool", "GeminiTool", "Provider", "ResponsesTool"]

ChatShape = Literal["openai", "gpt-oss"]
"""The shapes of chat completions."""

Provider = Literal["openai", "gpt-oss", "openai-responses", "anthropic", "gemini", "mcp"]
"""The providers that definitions are made for."""

if TYPE_CHECKING:
    from anthropic.types import ToolParam as AnthropicTool
    from google.genai.types import FunctionDeclarationDict as GeminiTool
    from openai.types.chat import ChatCompletionFunctionToolParam as ChatTool
    from openai.types.responses import FunctionToolParam as ResponsesTool
else:
    AnthropicTool = GeminiTool = ChatTool = ResponsesTool = dict[str, Any]
