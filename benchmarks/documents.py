"""Markdown: tables, and places in documents that a script fills."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

__all__ = ["between_markers", "filled", "table"]


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: bool = True) -> str:
    """A Markdown table; every column but the first is a column of numbers, or none is.

    >>> print(table(["what", "how much"], [["a", "1"]]))
    | what | how much |
    |---|---:|
    | a | 1 |
    """
    rule = ["---", *["---:" if numbers else "---"] * (len(heads) - 1)]
    lines = [f"| {' | '.join(heads)} |", f"|{'|'.join(rule)}|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def filled(document: str, name: str, text: str) -> str | None:
    r"""A document with a text between `<!-- name:start -->` and `<!-- name:end -->`.

    None if it has no such markers.

    >>> filled("Before. <!-- sum:start -->2<!-- sum:end --> After.", "sum", "3")
    'Before. <!-- sum:start -->\n3\n<!-- sum:end --> After.'
    """
    start, end = f"<!-- {name}:start -->", f"<!-- {name}:end -->"
    pattern = re.compile(f"{re.escape(start)}.*?{re.escape(end)}", re.DOTALL)
    if not pattern.search(document):
        return None
    return pattern.sub(lambda _: f"{start}\n{text}\n{end}", document)


def between_markers(document: Path, name: str, text: str) -> bool:
    """Replace what is between `<!-- name:start -->` and `<!-- name:end -->` in a file.

    Returns:
        Whether the document exists and has these markers.

    """
    if not document.exists():
        return False
    after = filled(document.read_text(encoding="utf-8"), name, text)
    if after is not None:
        document.write_text(after, encoding="utf-8")
    return after is not None
