"""Counts in the text format of Prometheus."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["CONTENT_TYPE", "exposition"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def exposition(
    calls: Mapping[tuple[str, str], int],
    results: Mapping[tuple[str, str], int],
    sessions: int,
) -> str:
    r"""Return the counts of calls and results by tool and outcome, and of open sessions.

    >>> print(exposition({("a\"b", "coerced"): 2}, {}, 1).splitlines()[2])
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
    lines += ["# HELP schema2model_sessions Open sessions.", "# TYPE schema2model_sessions gauge"]
    return "\n".join([*lines, f"schema2model_sessions {sessions}", ""])


def _escaped(value: str) -> str:
    text = value.encode(errors="backslashreplace").decode()
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
