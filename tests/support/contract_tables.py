"""What the contract finds of each adapter, as data, and the table of `docs/adapters.md`.

python tests/support/contract_tables.py           # of all frameworks that are installed here
python tests/support/contract_tables.py agno dspy
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import logging
import re
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from contract import (
    ALONE,
    AS_JSON,
    AS_PYTHON,
    CASES,
    FUNCTION,
    NOTHING,
    Driver,
    is_wanted,
    outcome,
)

ROOT = Path(__file__).parents[2]
INDEX = ROOT / "docs" / "adapters.md"
OUTCOMES = ROOT / "tests" / "adapters" / "outcomes.json"
"""The outcomes by adapter and case, in the order of its ways."""
BEGIN, END = "<!-- what the contract found -->", "<!-- until here -->"
RESULTS = ("result a model", "result a list of models")
AS_RESULT = {AS_JSON: "JSON", AS_PYTHON: "`str`", NOTHING: ""}

Found = Mapping[str, Mapping[str, str]]
"""The outcomes by case, and by the way."""


def names() -> list[str]:
    """The adapters that have a driver, in order."""
    folder = Path(__file__).parent / "drivers"
    return sorted(path.stem for path in folder.glob("[!_]*.py"))


def driver(name: str) -> Driver:
    """The driver of an adapter.

    Raises:
        ImportError: where its framework is not installed, or not in the version that it needs.

    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of frameworks as they are imported
        importlib.import_module(f"schema2model.adapters.{name}")
        made: Driver = importlib.import_module(f"drivers.{name}").DRIVER
    return made


def page(name: str) -> Path:
    """The page of an adapter."""
    return INDEX.parent / "adapters" / f"{name}.md"


def plain(text: str) -> str:
    """The sentences of a page, however its lines are broken."""
    return " ".join(text.split())


def recorded(name: str) -> dict[str, dict[str, str]]:
    """The outcomes of an adapter, as they were written; none if it has never run."""
    of = _all_recorded().get(name, {"ways": [], "outcomes": {}})
    return {case: dict(zip(of["ways"], row, strict=True)) for case, row in of["outcomes"].items()}


def counts() -> str:
    """The table of the index: how many calls end as they should, and what becomes of models."""
    lines = [_line(["", ALONE, FUNCTION, "with schema2model", "models in results"])]
    lines.append(_line(["---"] * 5))
    for name in names():
        found = recorded(name)
        if not found:  # it has never run
            continue
        every = list(found[next(iter(CASES))])
        ways = [way for way in every if way not in {ALONE, FUNCTION}]
        ours = ", ".join(f"{way} {_right(found, way)}" for way in ways)
        if all(row[way] == row[ALONE] for row in found.values() for way in ways):
            ours = "the same verdicts"
        of_function = _right(found, FUNCTION) if FUNCTION in every else ""
        link = f"[{name}](adapters/{name}.md)"
        lines.append(_line([link, _right(found, ALONE), of_function, ours, _results(found)]))
    return "\n".join(lines)


def _right(found: Found, way: str) -> str:
    places = [case for case in CASES if found[case][way] != NOTHING]
    right = sum(is_wanted(case, found[case][way]) for case in places)
    return f"{right}/{len(places)}"


def _results(found: Found) -> str:
    """How the framework shows a model, and a list of them, that a tool returns."""
    shown = [AS_RESULT.get(found[case].get("from_tool", NOTHING), "refused") for case in RESULTS]
    return shown[0] if shown[0] == shown[1] else f"{shown[0]}; in a list {shown[1]}"


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _all_recorded() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(OUTCOMES.read_text("utf-8"))
    return found


def _written(outcomes: Mapping[str, Any]) -> str:
    """The outcomes as JSON, a line for each case."""
    text = json.dumps(dict(sorted(outcomes.items())), indent=2)
    return re.sub(r"\[[^\[\]]*\]", lambda row: json.dumps(json.loads(row[0])), text) + "\n"


def main(wanted: list[str]) -> None:
    """Write the outcomes and the table."""
    logging.disable()
    outcomes = _all_recorded()
    for name in wanted or names():
        try:
            of = driver(name)
        except ImportError as error:
            print(f"{name}: {error}", file=sys.stderr)  # noqa: T201 - it is a command
            continue
        with contextlib.redirect_stdout(io.StringIO()):  # what frameworks have to say
            rows = {case: [outcome(of, way, case) for way in of.ways] for case in CASES}
        outcomes[name] = {"ways": list(of.ways), "outcomes": rows}
    OUTCOMES.write_text(_written(outcomes), "utf-8")
    pattern = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    table = f"{BEGIN}\n{counts()}\n{END}"
    INDEX.write_text(pattern.sub(lambda _: table, INDEX.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
