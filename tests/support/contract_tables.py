"""The tables of `docs/adapters`: what the contract finds, in the words of the contract.

python tests/support/contract_tables.py           # of all frameworks that are installed here
python tests/support/contract_tables.py agno dspy
"""

from __future__ import annotations

import contextlib
import importlib
import io
import logging
import re
import sys
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from contract import ALONE, CASES, FUNCTION, NOTHING, Driver, is_wanted, outcome

DOCS = Path(__file__).parents[2] / "docs"
INDEX = DOCS / "adapters.md"
SEPARATOR = "; "
OTHERS = "all other calls"
BEGIN, END = "<!-- what the contract found -->", "<!-- until here -->"

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
    """Where an adapter is described."""
    return DOCS / "adapters" / f"{name}.md"


# ---------------------------------------------------------------------------- of one adapter
def written(of: Driver, found: Found) -> str:
    """The table of a page, and the reasons for what differs."""
    lines = [_line(["call", *of.ways]), _line(["---"] * (1 + len(of.ways))), *rows(found)]
    reasons = _together((reason, case) for case, reason in of.differs.items())
    own = f"; *alone*: {of.alone}" if of.alone != Driver.alone else ""
    lines += ["", f"[The words](../adapters.md#one-contract){own}.", *([""] if reasons else [])]
    return "\n".join([*lines, *(f"- {cases}: {reason}." for reason, cases in reasons.items())])


def rows(found: Found) -> list[str]:
    """The rows of a table: cases with the same outcomes share one, most of them the last."""
    together = _together((tuple(found[case].values()), case) for case in CASES)
    most = max(together, key=lambda outcomes: together[outcomes].count(SEPARATOR))
    listed = [_line([cases, *row]) for row, cases in together.items() if row != most]
    return [*listed, _line([OTHERS, *most])]


def _together(pairs: Iterable[tuple[Any, str]]) -> dict[Any, str]:
    """The cases that have the same in common, in one line."""
    cases: dict[Any, list[str]] = {}
    for common, case in pairs:
        cases.setdefault(common, []).append(case)
    return {common: SEPARATOR.join(some) for common, some in cases.items()}


def missing(name: str) -> str:
    """What a page lacks for its table to be written; "" if it lacks nothing."""
    path = page(name)
    if not path.is_file():
        return f"docs/adapters/{name}.md is missing"
    lacks = [mark for mark in (BEGIN, END) if mark not in path.read_text("utf-8")]
    return f"docs/adapters/{name}.md lacks {' and '.join(lacks)}" if lacks else ""


def documented(name: str) -> dict[str, dict[str, str]]:
    """The outcomes that a page's table has; none where there is no table."""
    if missing(name):
        return {}
    lines = _between(page(name).read_text("utf-8")).splitlines()
    table = [[c.strip() for c in line.strip("|").split("|")] for line in lines if line[:1] == "|"]
    found = {
        case: dict(zip(table[0][1:], row[1:], strict=True))
        for row in table[2:]
        for case in row[0].split(SEPARATOR)
    }
    others = found.pop(OTHERS, None)
    return found if others is None else {**dict.fromkeys(CASES, others), **found}


# ------------------------------------------------------------------------------- of all of them
def counts() -> str:
    """The table of the index: of how many calls each way makes what is wanted."""
    lines = [_line(["", ALONE, FUNCTION, "with schema2model"]), _line(["---"] * 4)]
    for name in names():
        found = documented(name)
        if not found:  # it has never run
            continue
        every = list(found[next(iter(CASES))])
        ways = [way for way in every if way not in {ALONE, FUNCTION}]
        ours = ", ".join(f"{way} {_right(found, way)}" for way in ways)
        if all(row[way] == row[ALONE] for row in found.values() for way in ways):
            ours = "the same verdicts"
        of_function = _right(found, FUNCTION) if FUNCTION in every else ""
        link = f"[{name}](adapters/{name}.md)"
        lines.append(_line([link, _right(found, ALONE), of_function, ours]))
    return "\n".join(lines)


def _right(found: Found, way: str) -> str:
    places = [case for case in CASES if found[case][way] != NOTHING]
    right = sum(is_wanted(case, found[case][way]) for case in places)
    return f"{right}/{len(places)}"


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _between(text: str) -> str:
    return text.split(BEGIN)[1].split(END, maxsplit=1)[0].strip()


def _replaced(text: str, table: str) -> str:
    pattern = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    return pattern.sub(lambda _: f"{BEGIN}\n{table}\n{END}", text)


def main(wanted: list[str]) -> None:
    """Write the tables."""
    logging.disable()
    for name in wanted or names():
        if missing(name):
            print(missing(name), file=sys.stderr)  # noqa: T201 - it is a command
            continue
        try:
            of = driver(name)
        except ImportError as error:
            print(f"{name}: {error}", file=sys.stderr)  # noqa: T201 - it is a command
            continue
        with contextlib.redirect_stdout(io.StringIO()):  # what frameworks have to say
            found = {case: {way: outcome(of, way, case) for way in of.ways} for case in CASES}
        path = page(name)
        path.write_text(_replaced(path.read_text("utf-8"), written(of, found)), "utf-8")
    INDEX.write_text(_replaced(INDEX.read_text("utf-8"), counts()), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
