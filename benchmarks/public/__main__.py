"""Measure readers of tool arguments on data that anyone may use.

    python -m benchmarks.public                       # all peers that are installed
    python -m benchmarks.public mine=package.module:function

A reader is a function of a schema and a text that returns the arguments, and raises to refuse.
"""

from __future__ import annotations

import argparse
import importlib
import json
import platform
import re
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from benchmarks.documents import between_markers, table
from benchmarks.public.cases import KINDS, SOURCES, Case, bfcl_cases, own_cases, recorded_cases
from benchmarks.public.measure import Outcome, measure
from benchmarks.public.peers import PEERS

__all__ = ["main"]

DOCUMENT: Final = Path(__file__).parents[2] / "docs" / "benchmark.md"
CALLS: Final = 200
"""Calls of the leaderboard that are used by default."""


def main(arguments: list[str] | None = None) -> None:
    """Measure the chosen readers, print the table, and write what was asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.public",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("reader", nargs="*", help="NAME=MODULE:FUNCTION, or the name of a peer")
    parser.add_argument("--calls", type=int, default=CALLS, help=f"calls of BFCL to use ({CALLS})")
    parser.add_argument("--recorded", type=Path, help="a source distribution with VCR cassettes")
    parser.add_argument("--json", type=Path, help="write all counts and times to this file")
    parser.add_argument("--write", action="store_true", help="write the table into the docs")
    given = parser.parse_args(arguments)
    readers = dict(map(_reader, given.reader)) or PEERS
    cases = _cases(given, parser)
    outcomes: dict[str, Outcome] = {}
    for name, read in readers.items():
        try:
            outcomes[name] = measure(read, cases)
        except ImportError as error:  # noqa: PERF203 - once a reader
            print(f"{name} is left out: {error}")
    print(report(cases, outcomes))
    if given.write:  # the cases of our own tests are not for a comparison
        public = [case for case in cases if case.source == "bfcl"]
        between_markers(DOCUMENT, "public", report(public, outcomes))
    if given.json:
        given.json.write_text(json.dumps(as_data(outcomes), indent=1), encoding="utf-8")


def _reader(argument: str) -> tuple[str, Callable[[dict[str, Any], str], Any]]:
    if argument in PEERS:
        return argument, PEERS[argument]
    name, _, path = argument.rpartition("=")
    module, _, function = path.partition(":")
    if not function:
        message = f"{argument}: write NAME=MODULE:FUNCTION, or one of: {', '.join(PEERS)}"
        raise SystemExit(message)
    return name or path, getattr(importlib.import_module(module), function)


def _cases(given: argparse.Namespace, parser: argparse.ArgumentParser) -> list[Case]:
    cases = [*own_cases()]
    try:
        cases += bfcl_cases(given.calls)
        cases += recorded_cases(given.recorded) if given.recorded else ()
    except (ImportError, OSError) as error:
        parser.error(str(error))
    return cases


# ---------------------------------------------------------------------------------------- reports
def report(cases: list[Case], outcomes: dict[str, Outcome]) -> str:
    """Return the tables as Markdown."""
    parts = []
    for source, description in SOURCES.items():
        counts = Counter(case.kind for case in cases if case.source == source)
        if counts:
            kinds = [kind for kind in KINDS if counts[kind]]
            heads = ["reader", *(f"{kind} ({counts[kind]:,})" for kind in kinds)]
            heads += [f"µs, {kind}" for kind in kinds if kind != "to refuse"]
            parts += [f"### {description}", "", table(heads, _rows(source, kinds, outcomes)), ""]
    parts.append(f"{_machine()}. Versions: {', '.join(_versions(outcomes))}.")
    return "\n".join(parts)


def _rows(source: str, kinds: list[str], outcomes: dict[str, Outcome]) -> Iterator[list[str]]:
    for name, outcome in outcomes.items():
        cells = []
        for kind in kinds:
            counter = outcome.of(source, kind)
            shares = (_percent(counter[each], counter.total()) for each in ("right", "wrong"))
            cells.append("/".join(shares))
        timed = (kind for kind in kinds if kind != "to refuse")
        times = [f"{outcome.microseconds(source, kind):,.0f}" for kind in timed]
        yield [name, *cells, *times]


_VERDICTS: Final = ("right", "wrong", "refused")


def _percent(count: int, total: int) -> str:
    share = 100 * count / max(total, 1)
    return f"{share:.0f}" if share in {0, 100} else f"{min(max(share, 0.1), 99.9):.1f}"


def as_data(outcomes: dict[str, Outcome]) -> dict[str, Any]:
    """Return all counts and times, for other programs.

    By reader, source and group: `right`, `wrong` and `refused` are counts, `microseconds` is the
    mean processor time of a case.
    """
    readers: dict[str, Any] = {}
    for name, outcome in outcomes.items():
        sources: dict[str, Any] = readers.setdefault(name, {})
        for key, counter in outcome.counts.items():
            source, kind, group = key
            counts: dict[str, Any] = {"kind": kind}
            counts |= {verdict: counter[verdict] for verdict in _VERDICTS}
            counts["microseconds"] = round(1e6 * outcome.seconds[key] / counter.total(), 2)
            sources.setdefault(source, {})[f"{group}, {kind}"] = counts
    return {"machine": _machine(), "versions": _versions(outcomes), "readers": readers}


def _machine() -> str:
    return f"CPython {platform.python_version()} on {platform.system()} {platform.machine()}"


def _versions(outcomes: dict[str, Outcome]) -> list[str]:
    names = {
        re.split(r"[, ]", name)[0].replace("schema2model", "pydantic-schema2model")
        for name in outcomes
    }
    names |= {"baml-py", "bfcl-eval", "pydantic"}
    found = []
    for name in sorted(names):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:  # noqa: PERF203 - of a reader that is not a package
            continue
    return found


if __name__ == "__main__":
    main()
