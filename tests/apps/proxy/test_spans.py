"""Spans of OpenTelemetry for the calls that the proxy forwards."""

from __future__ import annotations

import pytest
from on_a_loop import Sides
from proxied import call

from schema2model.extras import needs

pytest.importorskip("opentelemetry.sdk", reason=needs("otel"))

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

TRACE = "0af7651916cd43dd8448eb211c80319c"


def test_a_call_is_a_span_of_the_clients_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server gets its `traceparent`; an error of the tool is one of the span."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    ends = Sides()
    ends.lists({"name": "f\ud800", "inputSchema": {"properties": {"n": {"type": "integer"}}}})
    meta = {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01"}
    ends.say(call(1, {"n": "3"}, "f\ud800", _meta=meta))
    ends.answer(1, result={"content": [], "isError": True})
    (span,) = exporter.get_finished_spans()
    assert span.context is not None
    assert f"{span.context.trace_id:032x}" == TRACE
    assert span.name == "execute_tool f?"  # which exporters can encode
    assert dict(span.attributes or {})["error.type"] == "tool_error"
    params = ends.arrived()["params"]
    assert params["arguments"] == {"n": 3}
    assert params["_meta"]["traceparent"] == f"00-{TRACE}-{span.context.span_id:016x}-01"


def test_spans_say_what_became_of_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Status, rules and user; a refused call has one as well, which has failed."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    ends = Sides(session="s", user="ann")
    ends.lists({"name": "f", "inputSchema": {"properties": {"n": {"type": "integer"}}}})
    for number, n in enumerate((3, "3", "many"), 1):
        ends.say(call(number, {"n": n}, "f"))
        ends.answer(number, result={"content": []})
    spans = sorted(exporter.get_finished_spans(), key=lambda span: span.start_time or 0)
    found = [dict(span.attributes or {}) for span in spans]
    assert [each["schema2model.status"] for each in found] == ["unchanged", "coerced", "refused"]
    assert [each.get("schema2model.rules") for each in found] == [None, ("json_text",), ("type",)]
    assert [each.get("error.type") for each in found] == [None, None, "refused"]
    assert {each["user.name"] for each in found} == {"ann"}
    assert [span.status.is_ok for span in spans] == [True, True, False]
