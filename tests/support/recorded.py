"""What OpenTelemetry's SDK would export, kept in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from schema2model.telemetry import Telemetry


class Recorded:
    """Providers of an application's own, and what they were told."""

    def __init__(self, **options: Any) -> None:
        self._exporter = InMemorySpanExporter()
        self._reader = InMemoryMetricReader()
        with pytest.MonkeyPatch.context() as patch:  # frameworks may have opted out for all
            patch.delenv("OTEL_SDK_DISABLED", raising=False)
            self.tracer_provider = TracerProvider()
            self.meter_provider = MeterProvider([self._reader])
            self.tracer_provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.telemetry = Telemetry(
            tracer_provider=self.tracer_provider, meter_provider=self.meter_provider, **options
        )

    @property
    def spans(self) -> Sequence[ReadableSpan]:
        """Those that have ended, in that order."""
        return self._exporter.get_finished_spans()

    @property
    def metrics(self) -> dict[str, list[Any]]:
        """Data points by the names of their metrics."""
        data = self._reader.get_metrics_data()
        scopes = [s for r in data.resource_metrics for s in r.scope_metrics] if data else []
        return {metric.name: metric.data.data_points for s in scopes for metric in s.metrics}

    @property
    def calls(self) -> dict[tuple[Any, Any], int]:
        """Calls by tool and status."""
        return self._sums("schema2model.calls", "schema2model.status")

    @property
    def changes(self) -> dict[tuple[Any, Any], int]:
        """Changes by tool and rule."""
        return self._sums("schema2model.changes", "schema2model.rule")

    @property
    def swallowed(self) -> dict[Any, int]:
        """Parameters in the strings of others, by tool."""
        points = self.metrics.get("schema2model.swallowed", ())
        return {p.attributes["gen_ai.tool.name"]: p.value for p in points}

    @property
    def contained(self) -> dict[tuple[Any, Any], int]:
        """Calls in text that may hold another one, by tool and format."""
        return self._sums("schema2model.contained_calls", "schema2model.format")

    @property
    def executions(self) -> dict[tuple[Any, Any], int]:
        """Executions by tool and type of error."""
        points = self.metrics.get("gen_ai.execute_tool.duration", ())
        return {
            (p.attributes["gen_ai.tool.name"], p.attributes.get("error.type")): p.count
            for p in points
        }

    @property
    def text(self) -> str:
        """All that would leave the process."""
        data = self._reader.get_metrics_data()
        return "\n".join([span.to_json() for span in self.spans] + [data.to_json() if data else ""])

    def _sums(self, metric: str, attribute: str) -> dict[tuple[Any, Any], int]:
        points = self.metrics.get(metric, ())
        return {
            (p.attributes["gen_ai.tool.name"], p.attributes[attribute]): p.value for p in points
        }
