"""Spans of OpenTelemetry for the calls that a proxy forwards or refuses.

They are made if OpenTelemetry is loaded, as `opentelemetry-instrument schema2model proxy` does. The
client's trace goes on: its `traceparent` is in `_meta`, where the server finds that of the span.
"""

from __future__ import annotations

import sys
from typing import Any

from schema2model.apps.proxy.calls import ReadCall
from schema2model.apps.proxy.json_rpc import object_in
from schema2model.tools.result_writing import encodable

__all__ = ["end_span", "with_span"]


def with_span(
    message: dict[str, Any], tool: str, read: ReadCall, user: str | None
) -> tuple[dict[str, Any], Any]:
    """Return a call with the trace of a new span, and the span; None if nothing records it.

    Args:
        message: the call.
        tool: its name.
        read: what has become of it.
        user: the name of the token that it came with.

    """
    if "opentelemetry.trace" not in sys.modules:
        return message, None
    from opentelemetry import propagate, trace  # noqa: PLC0415 - only where it is loaded

    tool = encodable(tool)
    params = object_in(message, "params")
    meta = object_in(params, "_meta")
    parent = propagate.extract({k: v for k, v in meta.items() if isinstance(v, str)})
    attributes: dict[str, Any] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool,
        "schema2model.status": read.status,
    }
    if read.rules:
        attributes["schema2model.rules"] = read.rules
    if user is not None:
        attributes["user.name"] = user
    span = trace.get_tracer("schema2model").start_span(
        f"execute_tool {tool}",
        parent,
        kind=trace.SpanKind.CLIENT,
        attributes=attributes,
    )
    if not span.is_recording():
        return message, None
    carrier: dict[str, str] = {}
    propagate.inject(carrier, trace.set_span_in_context(span, parent))
    return {**message, "params": {**params, "_meta": {**meta, **carrier}}}, span


def end_span(span: Any, error: str | None) -> None:
    """End a span; `error` is the type of the error, if the call has failed."""
    from opentelemetry import trace  # noqa: PLC0415 - only where it is loaded

    if error is not None:
        span.set_attribute("error.type", error)
        span.set_status(trace.StatusCode.ERROR)
    span.end()
