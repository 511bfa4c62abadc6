"""Markdown: tables, and places in documents that a script fills."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

__all__ = ["between_markers", "table"]


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; every column but the first is a column of numbers.

    >>> print(table(["what", "how much"], [["a", "1"]]))
    | what | how much |
    |---|---:|
    | a | 1 |
    """
    rule = ["---", *["---:"] * (len(heads) - 1)]
    lines = [f"| {' | '.join(heads)} |", f"|{'|'.join(rule)}|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def between_markers(document: Path, name: str, text: str) -> bool:
    """Replace what is between `<!-- name:start -->` and `<!-- name:end -->`.

    Returns:
        Whether the document exists and has these markers.

    """
    if not document.exists():
        return False
    start, end = f"<!-- {name}:start -->", f"<!-- {name}:end -->"
    before = document.read_text(encoding="utf-8")
    pattern = re.compile(f"{re.escape(start)}.*?{re.escape(end)}", re.DOTALL)
    if not pattern.search(before):
        return False
    after = pattern.sub(lambda _: f"{start}\n{text}\n{end}", before)
    document.write_text(after, encoding="utf-8")
    return True
