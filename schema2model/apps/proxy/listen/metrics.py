"""Counts in the text format of Prometheus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

from schema2model.apps.proxy.calls import LATENCIES, Tally
from schema2model.apps.proxy.hop import Hop
from schema2model.apps.proxy.listen.clients import Clients

__all__ = ["CONTENT_TYPE", "metrics_text"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def metrics_text(clients: Clients, tally: Tally, hops: Mapping[Hop, str]) -> str:
    """Return all counts of a listening proxy.

    Args:
        clients: the sessions.
        tally: the calls, and their results.
        hops: the servers that run, or may be started again, each with its name.

    """
    servers = Counter(
        (name, "up" if hop.is_up else "down") for hop, name in hops.items() if not hop.has_ended
    )
    by_outcome = "tool", "outcome"
    return "\n".join(
        [
            *_metric("calls_total", "Calls of tools by outcome.", tally.outcomes(), *by_outcome),
            *_metric("results_total", "Results of tools by outcome.", tally.results, *by_outcome),
            *_metric(
                "user_calls_total",
                "Calls by the name of the token.",
                tally.outcomes_by_user(),
                *("user", "outcome"),
            ),
            *_histogram(tally.latencies()),
            *_metric("sessions_refused_total", "Refused sessions.", {(): clients.refused}),
            *_metric("restarts_total", "Servers that were started again.", {(): tally.restarts}),
            *_metric("sessions", "Open sessions.", {(): len(clients)}),
            *_metric("open_requests", "Unanswered requests.", {(): clients.open_requests}),
            *_metric("servers", "Servers of the sessions by state.", servers, "server", "state"),
            "",
        ]
    )


def _metric(name: str, words: str, values: Mapping[Any, int], *labels: str) -> Iterator[str]:
    r"""Yield the lines of a counter, if its name ends so, or else of a gauge.

    >>> [*_metric("calls_total", "Calls.", {('a"b',): 2}, "tool")][2]
    'schema2model_calls_total{tool="a\\"b"} 2'
    """
    metric = f"schema2model_{name}"
    yield f"# HELP {metric} {words}"
    yield f"# TYPE {metric} {'counter' if name.endswith('_total') else 'gauge'}"
    for key, value in sorted(values.items()):
        pairs = zip(labels, key, strict=True)
        shown = ",".join(f'{label}="{_escaped(each)}"' for label, each in pairs)
        yield f"{metric}{{{shown}}} {value}" if shown else f"{metric} {value}"


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
