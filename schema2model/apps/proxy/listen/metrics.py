"""Counts in the text format of Prometheus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from schema2model.apps.proxy.calls import LATENCIES

__all__ = ["CONTENT_TYPE", "exposition"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_HELP = {
    "sessions": "Open sessions.",
    "open_requests": "Requests that are not answered.",
    "sessions_refused": "Sessions that were refused.",
    "restarts": "Servers that were started again.",
}


def exposition(
    calls: Mapping[tuple[str, str], int],
    results: Mapping[tuple[str, str], int],
    *,
    latencies: Mapping[str, Sequence[float]],
    gauges: Mapping[str, int],
    counters: Mapping[str, int],
) -> str:
    r"""Return the counts of calls and results by tool and outcome, latencies, and other figures.

    >>> text = exposition({("a\"b", "coerced"): 2}, {}, latencies={}, gauges={}, counters={})
    >>> print(text.splitlines()[2])
    schema2model_calls_total{tool="a\"b",outcome="coerced"} 2
    """
    lines: list[str] = []
    for name, thing, counts in (("calls", "Calls", calls), ("results", "Results", results)):
        metric = f"schema2model_{name}_total"
        lines += [f"# HELP {metric} {thing} of tools by outcome.", f"# TYPE {metric} counter"]
        lines += [
            f'{metric}{{tool="{_escaped(tool)}",outcome="{_escaped(outcome)}"}} {count}'
            for (tool, outcome), count in sorted(counts.items())
        ]
    lines += _histogram(latencies)
    for kind, figures in (("counter", counters), ("gauge", gauges)):
        for name, value in figures.items():
            metric = f"schema2model_{name}" + ("_total" if kind == "counter" else "")
            lines += [f"# HELP {metric} {_HELP[name]}", f"# TYPE {metric} {kind}"]
            lines.append(f"{metric} {value}")
    return "\n".join([*lines, ""])


def _histogram(latencies: Mapping[str, Sequence[float]]) -> Iterator[str]:
    metric = "schema2model_call_duration_seconds"
    yield f"# HELP {metric} Seconds until the server has answered a call."
    yield f"# TYPE {metric} histogram"
    for tool, counts in sorted(latencies.items()):
        label = f'tool="{_escaped(tool)}"'
        sums = [round(each) for each in accumulate(counts[:-1])]
        for bound, count in zip((*LATENCIES, "+Inf"), sums, strict=True):
            yield f'{metric}_bucket{{{label},le="{bound}"}} {count}'
        yield f"{metric}_sum{{{label}}} {counts[-1]:.6f}"
        yield f"{metric}_count{{{label}}} {sums[-1]}"


def _escaped(value: str) -> str:
    text = value.encode(errors="backslashreplace").decode()
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
