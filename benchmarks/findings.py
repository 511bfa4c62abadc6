"""What the tables of `benchmarks/results.md` come to, in ten lines of `docs/benchmarks.md`.

`python -m benchmarks.findings` writes them anew; `python -m benchmarks` does it, too.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

from benchmarks.documents import between_markers

__all__ = ["PAGE", "TABLES", "findings"]

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
TABLES = Path(__file__).parent / "results.md"

_HAND = "as a ratio to hand-written coercion"

_LINES = """\
1. **Correct arguments** take {correct} of the time of hand-written coercion.
2. **Stringified arguments** take {stringified} of it.
3. **The limit**, a pydantic-core validator that is built by hand for the same types and coerces
   nothing: correct arguments take {limit} times its time.
4. **`model_validate` and `model_dump`** take {model} of the time of a hand-written `BaseModel`.
5. **Text** that is correct JSON takes {right} of the time of `json.loads`; in a code fence
   {fenced} times that time, and malformed {malformed} times. json_repair without a schema takes
   {repaired} times for malformed text.
6. **A new schema** of three properties compiles in {compiled} of the time of a bare
   `create_model`; one full of unions takes {unions} times as long.
7. **A schema seen before** is found in {cached} of the time of `json.dumps` with sorted keys.
8. **A new process** imports and compiles in {started} of the time of `import pydantic`.
9. **Memory**: a compiled schema takes {memory} KiB, a bare `create_model` {plain_memory}.
10. **Streams**: time grows with the text's length to the power of {partial}; if all is parsed
    again after each chunk, to the power of {parsed_again}."""


def findings(document: str) -> str:
    """The ten lines that a document of tables comes to."""
    row = partial(_row, document)
    validate, dump = "schema2model validate", "schema2model model_validate + model_dump"
    text, chunks = "Argument text in, arguments out", "rows, 20 characters a chunk"
    right, _, fenced, *malformed = row(text, "schema2model validate_json")
    compiling = row("Compiling a schema that was never seen", "schema2model")
    return _LINES.format(
        correct=_span(row(f"Correct arguments, {_HAND}", validate)),
        stringified=_span(row(f"Stringified arguments, {_HAND}", validate)),
        limit=_span(row("Correct arguments, as a ratio to the limit on correct ones", validate)),
        model=_span(row("Correct arguments, as a ratio to hand-written BaseModel", dump)),
        right=right,
        fenced=fenced,
        malformed=_span(malformed),
        repaired=_span(row(text, "json_repair alone")[3:]),
        compiled=compiling[0],
        unions=compiling[-1],
        cached=row("Finding a compiled schema again", "the same object")[0],
        started=row("A new process", "schema2model, first compile")[0],
        memory=row("Memory", "schema2model")[1],
        plain_memory=row("Memory", "bare create_model")[1],
        partial=row(chunks, "schema2model partial")[-1],
        parsed_again=row(chunks, "pydantic_core.from_json, partial, at each chunk")[-1],
    )


def _row(document: str, table: str, name: str) -> list[str]:
    """A row's figures without the quartiles in brackets; empty cells are left out.

    A table is found by the heading over it, or by the head of its first column.
    """
    table, name = re.escape(table), re.escape(name)
    pattern = rf"^(?:#+ {table}|\| {table} \|.*)\n(?:.*\n)*?\| {name} \|(.*)\|$"
    found = re.search(pattern, document, re.MULTILINE)
    if found is None:
        message = f"{TABLES.name} has no row {name} under {table}"
        raise LookupError(message)
    return [cell.split()[0] for cell in found[1].split("|") if cell.strip()]


def _span(figures: list[str]) -> str:
    """The smallest and the largest.

    >>> _span(["2.50", "10.1", "0.30"])
    '0.30 to 10.1'
    """
    ordered = sorted(figures, key=float)
    return f"{ordered[0]} to {ordered[-1]}"


if __name__ == "__main__":
    between_markers(PAGE, "found", findings(TABLES.read_text(encoding="utf-8")))
