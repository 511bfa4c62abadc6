"""`python -m benchmarks.tables`: write the documentation's tables of rules, from their records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks.documents import between_markers, table
from schema2model.auditing import RULES

__all__ = ["DOCUMENTS", "TABLES"]

DOCUMENTS = Path(__file__).parent.parent / "docs"


def rules_of_the_audit() -> str:
    """A row for each rule of `check`."""
    heads = ("rule", "severity", "found", "what to do")
    rows = [
        (f"`{rule.id}`", rule.severity, _words(rule.title), _words(rule.suggestion))
        for rule in RULES
    ]
    return table(heads, rows, numbers=False)


def _words(text: str) -> str:
    """Plain text as Markdown takes it in a table."""
    return text.replace("<", "&lt;").replace("|", r"\|")


TABLES: Mapping[str, Callable[[], str]] = {"check.md": rules_of_the_audit}
"""What makes the table between the markers `rules` of each document."""


def main() -> None:
    """Write all of them."""
    for name, made in TABLES.items():
        if not between_markers(DOCUMENTS / name, "rules", made()):
            message = f"{name} has no place for its table: <!-- rules:start --><!-- rules:end -->"
            raise SystemExit(message)


if __name__ == "__main__":
    main()
