"""LiteLLM: exact arguments in what models answer, and in the calls of its MCP gateway.

litellm.callbacks = [Coercion()]                                      # litellm.acompletion, Router
litellm_settings: {callbacks: [schema2model.adapters.litellm.coercion]}  # the proxy's config.yaml

The schemas in the request's own `tools` decide how to read the arguments of tool calls: in chat
completions, messages and responses, whole and streamed. A stream holds back only arguments, until
they are complete. Refused arguments are passed on unchanged: the agent that runs the tools answers
the model. The MCP gateway runs tools itself: there, the result of a refused call has `isError` set.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import Any

from schema2model import coercions
from schema2model.adapters.litellm.arguments import RequestTools
from schema2model.adapters.litellm.strict_tools import StrictTools
from schema2model.errors import ToolError
from schema2model.extras import extra
from schema2model.logs import logger_named
from schema2model.tools.developer_mistakes import require_options
from schema2model.tools.tool_cache import CheckerOptions, ToolCache, take_checker_options
from schema2model.tools.toolset import Toolset

with extra("litellm"):
    from litellm._logging import verbose_logger
    from litellm.integrations.custom_logger import CustomLogger

    from schema2model.adapters.litellm.response_shapes import Stream, correct

__all__ = ["Coercion", "coercion"]

LOGGER = logger_named("schema2model.adapters")

_OWN_HOOKS = ("async_post_call_streaming_iterator_hook", "async_pre_call_hook")


class Coercion(CustomLogger):
    """A callback for `litellm.callbacks`, and for `callbacks` in the proxy's config.yaml.

    It may serve any number of requests at once.

    Args:
        coercion: a preset's name, or a `schema2model.Coercion`.
        text_calls: whether calls that a model wrote as text become calls, as
            `Toolset.read_calls` reads them; or the name of the format in which it writes them.
        strict: the provider that is to enforce the schemas, as for `CompiledSchema.strict`:
            requests are sent with strict definitions, and calls are decoded.
        options: those of LiteLLM's `CustomLogger`, and `CheckerOptions`.

    Raises:
        ValueError: for a preset or a format that there is not.

    """

    def __init__(
        self,
        coercion: coercions.Preset | coercions.Coercion = "default",
        *,
        text_calls: str | bool = False,
        strict: str | None = None,
        **options: Any,
    ) -> None:
        theirs = inspect.signature(CustomLogger.__init__).parameters
        require_options(options, [*CheckerOptions.__annotations__, *theirs], "Coercion")
        self._options = take_checker_options(options)
        self._options["coercion"] = coercion
        super().__init__(**options)
        self.coercion = coercions.coercion_named(coercion)
        self.text_calls = text_calls
        self._strict = None if strict is None else StrictTools(strict, **self._options)
        self._mcp_tools = ToolCache(**self._options)
        self._is_announced = False
        if isinstance(text_calls, str):
            Toolset(()).call_reader(text_calls)  # so that an unknown format is refused at once

    def __init_subclass__(cls, **options: Any) -> None:
        """LiteLLM looks for some hooks in the class itself, and never in its bases."""
        super().__init_subclass__(**options)
        for hook in _OWN_HOOKS:
            if hook not in vars(cls):
                setattr(cls, hook, getattr(cls, hook))

    def strict_tools(self, tools: Any) -> Any:
        """Return the definitions to send, for where LiteLLM has no hook; the same without `strict`.

        Args:
            tools: the `tools` of a request. Pass the same to `correct` and `stream`.

        """
        return tools if self._strict is None else self._strict.definitions(tools)

    def correct(self, response: Any, tools: Any) -> Any:
        """Return a whole response with its arguments corrected, for where LiteLLM has no hook.

        Args:
            response: what `litellm.completion`, `anthropic_messages` or `responses` returned; it
                is changed.
            tools: the `tools` of the request.

        """
        return self._corrected(response, self.strict_tools(tools))

    def _corrected(self, response: Any, tools: Any) -> Any:
        """Return a whole response with its arguments corrected, by the definitions sent with it."""
        self._announce()
        known = RequestTools.of(tools, self._options, text_calls=self.text_calls)
        if known is not None:
            try:
                correct(response, known)
            except Exception as error:  # noqa: BLE001 - LiteLLM's shapes are not said to be stable
                reason = type(error).__name__  # which says nothing of what is in it
                LOGGER.warning("a response stays as it is, for its shape is unknown: %s", reason)
        return response

    async def stream(self, chunks: AsyncIterator[Any], tools: Any) -> AsyncGenerator[Any, None]:
        """Yield a stream with its arguments corrected, for where LiteLLM has no hook: in its SDK.

        Args:
            chunks: what `litellm.acompletion(..., stream=True)` returned.
            tools: the `tools` of the request.

        """
        tools = self.strict_tools(tools)
        self._announce()
        known = RequestTools.of(tools, self._options, text_calls=self.text_calls)
        if known is None:
            async for chunk in chunks:
                yield chunk
            return
        stream = Stream(known)
        try:
            async for chunk in chunks:
                for corrected in stream.feed(chunk):
                    yield corrected
        except Exception:
            for held in stream.finish():
                yield held
            raise
        for held in stream.finish():
            yield held

    def _announce(self) -> None:
        """Say once, in LiteLLM's log, that answers pass this callback."""
        if not self._is_announced:
            self._is_announced = True
            verbose_logger.info("schema2model is active: it corrects the arguments of tool calls")

    # ------------------------------------------------------------------------ LiteLLM's hooks
    async def async_pre_call_deployment_hook(
        self,
        kwargs: dict[str, Any],
        call_type: Any,  # noqa: ARG002 - LiteLLM's, as the next ones
    ) -> dict[str, Any] | None:
        """Return a request as it is sent to a provider, in the SDK and in the proxy."""
        if self._strict is None or "tools" not in kwargs:
            return None
        return {**kwargs, "tools": self.strict_tools(kwargs["tools"])}

    async def async_post_call_success_deployment_hook(
        self,
        request_data: Mapping[str, Any],
        response: Any,
        call_type: Any,  # noqa: ARG002
    ) -> Any:
        """Return a whole response as a provider gave it, in the SDK and in the proxy."""
        return self._corrected(response, request_data.get("tools"))

    async def async_post_call_success_hook(
        self,
        data: Mapping[str, Any],
        user_api_key_dict: Any,  # noqa: ARG002
        response: Any,
    ) -> Any:
        """Return a corrected whole response, just before the proxy sends it.

        Strict calls are decoded by now.
        """
        return self._corrected(response, data.get("tools"))

    async def async_pre_call_hook(
        self,
        user_api_key_dict: Any,  # noqa: ARG002
        cache: Any,  # noqa: ARG002
        data: dict[str, Any],
        call_type: Any,
    ) -> dict[str, Any] | None:
        """Return a call of the MCP gateway with its arguments corrected; None for other requests.

        Raises:
            HTTPException: for a call that cannot be corrected. The gateway makes a result of it.

        """
        schema = data.get("mcp_input_schema")
        if call_type != "call_mcp_tool" or schema is None:
            return None
        name, server = data["mcp_tool_name"], data.get("mcp_server_name")
        ours = self._mcp_tools.get(name, schema, f"{server}/{name}")
        if ours is None:
            return None
        self._announce()
        given = data.get("modified_arguments") or data.get("mcp_arguments") or {}
        try:
            return {**data, "modified_arguments": ours.prepare(given).arguments}
        except ToolError as error:
            from fastapi import HTTPException  # noqa: PLC0415 - comes with the proxy

            raise HTTPException(400, str(error)) from None

    def async_post_call_streaming_iterator_hook(
        self,
        user_api_key_dict: Any,  # noqa: ARG002
        response: Any,
        request_data: Mapping[str, Any],
    ) -> AsyncGenerator[Any, None]:
        """Return a stream that the proxy is about to send."""
        return self.stream(response, request_data.get("tools"))


coercion = Coercion()
"""One with the default preset, for config.yaml."""
