"""Fixtures of other engines: what schema2model reads, and with which engines it agrees.

python -m tests.conformance.fixtures FOLDER     # needs PyYAML

The folder has the layout of `conformance/toolcalling/fixtures` of ai-dynamo/frontend-crates
(Apache-2.0): a folder for each family of models, files of YAML with `family` and `cases`, and in
each case `model_text` or `chunks`, `tools`, and what each engine makes of it.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from schema2model import Toolset

__all__ = ["Result", "main", "results"]


class Result(NamedTuple):
    """What became of a case: the calls that were read, and the engines that read the same."""

    family: str
    case: str
    calls: list[dict[str, Any]]
    engines: list[str]
    agreeing: list[str]


def results(folder: Path) -> Iterator[Result]:
    """All cases that apply, in order.

    Raises:
        LookupError: where there is none.

    """
    found = False
    for path in sorted(folder.glob("*/*.yaml")):
        document = yaml.safe_load(path.read_text("utf-8"))
        for name, case in document["cases"].items():
            if "model_text" in case or "chunks" in case:
                found = True
                yield _result(document["family"], name, case)
    if not found:
        message = f"{folder} has no FAMILY/*.yaml with cases"
        raise LookupError(message)


def _result(family: str, name: str, case: dict[str, Any]) -> Result:
    """Read a case at once, or in its chunks."""
    expected = case.get("expected") or {"golden": case["golden"]}
    expected = {engine: each for engine, each in expected.items() if "calls" in each}
    tools = Toolset(case.get("tools") or _called(expected))
    if "model_text" in case:
        read = tools.read_calls(case["model_text"], errors="keep")
    else:
        reader = tools.call_reader()
        for chunk in case["chunks"]:
            reader.feed(chunk["delta_text"])
        reader.finish()
        read = reader.calls
    calls = [{"name": each.name, "arguments": each.arguments} for each in read if not each.error]
    agreeing = [engine for engine, each in expected.items() if _calls(each) == calls]
    return Result(family, name, calls, [*expected], agreeing)


def _called(expected: dict[str, Any]) -> list[dict[str, Any]]:
    """Tools without a schema, for a case that has none: those that its calls name."""
    names = {call["name"] for each in expected.values() for call in each["calls"]}
    return [{"name": name, "parameters": {}} for name in sorted(names)]


def _calls(expected: dict[str, Any]) -> list[dict[str, Any]]:
    return [{key: call[key] for key in ("name", "arguments")} for call in expected["calls"]]


def main(folder: Path) -> None:
    """Print how often each engine reads the same, by family, and the cases where none does."""
    cases: Counter[str] = Counter()
    counts: Counter[tuple[str, str]] = Counter()
    alone = []
    for result in results(folder):
        cases[result.family] += 1
        for engine in result.engines:
            counts[result.family, engine] += engine in result.agreeing
        if not result.agreeing:
            alone.append(result)
    print("| family | cases | the same calls as |\n|---|---:|---|")
    for family, count in cases.items():
        same = ", ".join(f"{engine} {n}" for (of, engine), n in counts.items() if of == family)
        print(f"| {family} | {count} | {same} |")
    for result in alone:
        print(f"{result.family} {result.case}: {result.calls}, which no engine reads")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
