"""`python -m benchmarks.tables`: write the documentation's tables of rules and limits."""

from __future__ import annotations

import ast
import inspect
import json
import textwrap
from collections.abc import Callable, Collection, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.annotations import annotations_of_tools
from benchmarks.documents import between_markers, table
from schema2model import limits
from schema2model.apps.audit import RULES, SEVERITIES
from schema2model.coercions import COERCION_RULES, PRESETS, CoercionExample

__all__ = ["DOCUMENTS", "TABLES"]

_LIMITS_WIDTH = 100
"""Characters of a line of the table of limits."""

DOCUMENTS = Path(__file__).parent.parent / "docs"


def rules_of_the_audit() -> str:
    """Return a block with the rules of `check` under their severities."""
    width = max(len(rule.id) for rule in RULES)
    lines = []
    for severity in SEVERITIES:
        found = [
            f"  {rule.id:<{width}}  {rule.title}" for rule in RULES if rule.severity == severity
        ]
        lines += [severity, *found]
    return "\n".join(["```text", *lines, "```"])


def rules_of_coercion() -> str:
    """Return a row for each field of `Coercion`, with its presets."""
    heads = ("field", "what it does", "example", "presets")
    rows = [
        (
            f"`{rule.name}`",
            rule.meaning,
            _example(rule.example),
            _presets(rule.presets),
        )
        for rule in COERCION_RULES
    ]
    return table(heads, rows, numbers=False)


def _presets(names: Collection[str]) -> str:
    """Return the presets that have a rule, in the order of the documentation."""
    names = [name for name, preset in PRESETS.items() if name in names and not preset.is_off]
    return "all" if "default" in names else ", ".join(names)


def _example(example: CoercionExample) -> str:
    _, sent, result, is_text = example
    text = f"text `{sent}`" if is_text else _code(sent)
    return f"{text} → {_code(result)}"


def _code(value: Any) -> str:
    return f"`{json.dumps(value)}`"


def safety_limits() -> str:
    """Return a block with a line for each limit: its name, its value, of what it is the maximum."""
    rows = []
    for limit, sentence in pairwise(ast.parse(inspect.getsource(limits)).body):
        if isinstance(limit, ast.AnnAssign) and isinstance(limit.target, ast.Name):
            if not isinstance(sentence, ast.Expr):
                message = f"{limit.target.id} has no docstring"
                raise TypeError(message)
            name, subject = limit.target.id, _subject(ast.literal_eval(sentence.value))
            rows.append((name, f"{getattr(limits, name):,}", subject))
    width, of_value = (max(len(row[column]) for row in rows) for column in (0, 1))
    lines = [
        textwrap.fill(
            f"{name:<{width}}  {value:>{of_value}}  {subject}",
            _LIMITS_WIDTH,
            subsequent_indent=" " * (width + of_value + 4),
        )
        for name, value, subject in rows
    ]
    return "\n".join(["```text", *lines, "```"])


def _subject(text: str) -> str:
    """Return what a docstring of a limit begins with, without the reasons.

    >>> _subject("Maximum calls in one text: protects the memory.")
    'calls in one text'
    """
    return " ".join(text.split()).removeprefix("Maximum ").split(": protects")[0].rstrip(".")


def _words(text: str) -> str:
    """Escape plain text for a table in Markdown."""
    return text.replace("<", "&lt;").replace("|", r"\|")


TABLES: Mapping[str, Callable[[], str]] = {
    "check.md": rules_of_the_audit,
    "rules.md": rules_of_coercion,
    "reference/limits.md": safety_limits,
    "tools.md": annotations_of_tools,
}
"""The function that returns the table between the markers `table` of each document."""


def main() -> None:
    """Write every table into its document."""
    for name, rows in TABLES.items():
        if not between_markers(DOCUMENTS / name, "table", rows()):
            message = (
                f"{name} lacks the markers of its table: <!-- table:start --><!-- table:end -->"
            )
            raise SystemExit(message)


if __name__ == "__main__":
    main()
