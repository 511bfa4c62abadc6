"""What the tables of `docs/benchmark-tables.md` come to, in ten lines of `docs/benchmarks.md`.

`python -m benchmarks.findings` writes them anew; `python -m benchmarks` does it, too.
"""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.documents import between_markers

__all__ = ["PAGE", "TABLES", "findings"]

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
TABLES = PAGE.with_name("benchmark-tables.md")

CORRECT = "Correct arguments, as a ratio to hand-written coercion"
STRINGIFIED = "Stringified arguments, as a ratio to hand-written coercion"
LIMIT = "Correct arguments, as a ratio to the limit on correct ones"
MODELS = "Correct arguments, as a ratio to hand-written BaseModel"
TEXT = "Argument text in, arguments out"
COMPILING = "Compiling a schema that was never seen"
CACHE = "Finding a compiled schema again"
PROCESS = "A new process"
MEMORY = "Memory"
PARTIAL = "rows, 20 characters a chunk"

_VALIDATE = "schema2model validate"


class _Tables:
    """A document's tables, each found by the heading over it or by its first column's head."""

    def __init__(self, document: str) -> None:
        self._document = document

    def row(self, table: str, name: str) -> list[str]:
        """A row's figures, without the quartiles in brackets; empty cells are left out."""
        table, name = re.escape(table), re.escape(name)
        pattern = rf"^(?:#+ {table}|\| {table} \|.*)\n(?:.*\n)*?\| {name} \|(.*)\|$"
        found = re.search(pattern, self._document, re.MULTILINE)
        if found is None:
            message = f"{TABLES.name} has no row {name} under {table}"
            raise LookupError(message)
        return [cell.split()[0] for cell in found[1].split("|") if cell.strip()]

    def span(self, table: str, name: str) -> str:
        """The smallest and the largest figure of a row."""
        figures = sorted(self.row(table, name), key=lambda figure: float(figure.replace(",", "")))
        return f"{figures[0]} to {figures[-1]}"


def findings(document: str) -> str:
    """The ten lines that a document of tables comes to."""
    tables = _Tables(document)
    row, span = tables.row, tables.span
    right, _, fenced, *malformed = row(TEXT, "schema2model validate_json")
    others = row(TEXT, "json_repair alone")[3:]
    ours, theirs = row(MEMORY, "schema2model")[1], row(MEMORY, "bare create_model")[1]
    cached = row(CACHE, "the same object")[0]
    parsing = row(PARTIAL, "pydantic_core.from_json, partial, at each chunk")[-1]
    lines = [
        f"**Correct arguments**: {span(CORRECT, _VALIDATE)} of the time of hand-written coercion.",
        f"**Stringified arguments**: {span(STRINGIFIED, _VALIDATE)} of it.",
        f"**Against the limit**, a pydantic-core validator that was built by hand for these types "
        f"and coerces nothing: {span(LIMIT, _VALIDATE)} times its time.",
        f"**`model_validate` and `model_dump`**: "
        f"{span(MODELS, 'schema2model model_validate + model_dump')} of the time of a hand-written "
        f"`BaseModel`.",
        f"**Text**: correct JSON takes {right} of the time of `json.loads`; in a code fence "
        f"{fenced} times that time. Malformed JSON takes {min(malformed, key=float)} to "
        f"{max(malformed, key=float)} times; json_repair, which knows no schema, takes "
        f"{min(others, key=float)} to {max(others, key=float)} times.",
        f"**A new schema** of three properties compiles in {row(COMPILING, 'schema2model')[0]} of "
        f"the time of a bare `create_model`; one full of unions takes "
        f"{row(COMPILING, 'schema2model')[-1]} times as long.",
        f"**A schema seen before** is found in {cached} of the time of `json.dumps` with sorted "
        f"keys.",
        f"**A new process** imports and compiles in "
        f"{row(PROCESS, 'schema2model, first compile')[0]} of the time of `import pydantic`.",
        f"**Memory** of a compiled schema: {ours} KiB; of a bare `create_model` {theirs}.",
        f"**Streams**: time grows with the text's length to the power of "
        f"{row(PARTIAL, 'schema2model partial')[-1]}; parsing again after each chunk, "
        f"{parsing}.",
    ]
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))


if __name__ == "__main__":
    between_markers(PAGE, "found", findings(TABLES.read_text(encoding="utf-8")))
