"""The proxy, `batch` and telemetry count the same calls in the same words."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from schema2model import Tool, ToolError
from schema2model.apps.batch.corrector import Corrector
from schema2model.apps.batch.layouts import Layout
from schema2model.apps.batch.rows import correct_row
from schema2model.apps.batch.summary import Summary
from schema2model.apps.proxy.calls import CallPolicy, ListedTools, Tally
from schema2model.coercions import STATUSES
from schema2model.extras import needs

SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer"}, "tags": {"type": "array"}},
    "required": ["n"],
}
TOOLS = [{"name": name, "inputSchema": SCHEMA} for name in ("search", "list")]
CALLS: list[tuple[str, Any]] = [
    ("search", {"n": 1}),
    ("search", {"n": "1"}),
    ("search", {"n": 1, "tags": "['a']"}),
    ("search", {"n": 1, "tags": '["a", "b"'}),
    ("search", {"n": "many"}),
    ("list", {}),
    ("list", {"n": 2.0}),
    ("other", {"n": 1}),
]


def of_proxy() -> dict[tuple[str, str], int]:
    """The counts of the proxy: by tool and status."""
    tally = Tally()
    tools = ListedTools(CallPolicy(tally=tally))
    tools.add({"tools": TOOLS})
    for name, arguments in CALLS:
        message = {
            "id": 1,
            "method": "tools/call",
            "params": {"name": name, "arguments": arguments},
        }
        tools.read(message)
    return tally.outcomes()


def of_batch() -> tuple[dict[tuple[str, str], int], int]:
    """The counts of a batch, and the number of calls of unknown tools."""
    corrector, layout, summary = Corrector(TOOLS), Layout(), Summary()
    for name, arguments in CALLS:
        row = {"tool": name, "arguments": arguments}
        summary.add_row(correct_row(row, corrector, layout), row, layout)
    counted = {
        (entry["tool"], status): entry[status]
        for entry in summary.document()["calls"]
        for status in STATUSES
        if entry[status]
    }
    unknown = sum(n for reason, n in summary.reasons.items() if reason.kind == "unknown_tool")
    return counted, unknown


def test_the_proxy_and_a_batch_count_alike() -> None:
    """Calls of unknown tools, which the proxy forwards, have no name there."""
    proxy, (batch, unknown) = of_proxy(), of_batch()
    assert proxy.pop(("", "unknown_tool")) == unknown == batch.pop(("other", "refused")) == 1
    assert proxy == batch
    assert {status for _, status in proxy} == set(STATUSES)


def test_telemetry_counts_alike() -> None:
    """The statuses of the calls of one tool."""
    metrics = pytest.importorskip("opentelemetry.sdk.metrics", reason=needs("otel"))
    export = pytest.importorskip("opentelemetry.sdk.metrics.export", reason=needs("otel"))
    from schema2model.telemetry import Telemetry  # noqa: PLC0415 - needs the extra

    reader = export.InMemoryMetricReader()
    telemetry = Telemetry(meter_provider=metrics.MeterProvider([reader]))
    tool = Tool.from_definition(TOOLS[0], lambda **_: None, observer=telemetry)
    for name, arguments in CALLS:
        if name == "search":
            try:
                tool.call(arguments)
            except ToolError:
                continue
    (scope,) = reader.get_metrics_data().resource_metrics[0].scope_metrics
    points = next(m.data.data_points for m in scope.metrics if m.name == "schema2model.calls")
    found = Counter({point.attributes["schema2model.status"]: point.value for point in points})
    assert found == {status: n for (name, status), n in of_proxy().items() if name == "search"}
