"""What telemetry costs: one call of a tool, not instrumented, and instrumented up to the SDK.

`pytest benchmarks/test_telemetry.py --benchmark-only` measures. The spans and metrics of the SDK go
nowhere: exporting is a matter of the application's threads, and of its network.
"""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("opentelemetry.sdk", reason="needs opentelemetry-sdk")

from opentelemetry.metrics import NoOpMeterProvider
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from opentelemetry.trace import NoOpTracerProvider

from benchmarks.test_tools import ARGUMENTS, TEXT, search
from schema2model import Tool, ToolError
from schema2model.telemetry import Telemetry, instrument

TOOL = Tool.from_function(search)


def instrumented(tracers: Any, meters: Any) -> Tool:
    """The tool, telling these providers."""
    return instrument(TOOL, Telemetry(tracer_provider=tracers, meter_provider=meters))


def metered() -> MeterProvider:
    """The SDK's metrics."""
    return MeterProvider([InMemoryMetricReader()])


TOOLS = {
    "off": TOOL,
    "API without SDK": instrumented(NoOpTracerProvider(), NoOpMeterProvider()),
    "SDK, metrics only": instrumented(NoOpTracerProvider(), metered()),
    "SDK, spans not sampled": instrumented(TracerProvider(sampler=ALWAYS_OFF), metered()),
    "SDK": instrumented(TracerProvider(), metered()),
}
CALLS = {
    "correct": TEXT,
    "stringified": {**ARGUMENTS, "limit": "10", "tags": '["a", "b"]'},
    "refused": {**ARGUMENTS, "limit": "many"},
}


@pytest.mark.benchmark(group="telemetry", max_time=0.5, min_time=0.0005)
@pytest.mark.parametrize("contender", TOOLS)
@pytest.mark.parametrize("case", CALLS)
def test_call(benchmark: Any, case: str, contender: str) -> None:
    """All calls have the same result."""
    arguments, tool = CALLS[case], TOOLS[contender]

    def call() -> Any:
        try:
            return tool.call(arguments)
        except ToolError as error:
            return str(error)

    expected = TOOL.prepare(TEXT).call() if case != "refused" else None
    assert (call() == expected) is (case != "refused")
    benchmark.extra_info |= {"case": case, "contender": contender}
    benchmark(call)
