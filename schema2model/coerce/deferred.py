"""Imports that correct arguments do without, each made once.

An import statement in a function takes longer than a correct call.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from schema2model.coerce.rules.plan import Plan
    from schema2model.coerce.search.readings import Reading, Step
    from schema2model.coerce.text import TextReader
    from schema2model.errors import Issue
    from schema2model.schema.nodes import Node
    from schema2model.schema.verdicts import Verdicts

__all__ = [
    "import_diff_changes",
    "import_issues_of_reading",
    "import_text_reader",
    "import_unfixable_issues",
]


@functools.cache
def import_diff_changes() -> Callable[[Node, Verdicts, Plan, Any, Any], tuple[Step, ...]]:
    """Import what lists the changes of an accepted value."""
    from schema2model.coerce.changes import diff_changes as imported  # noqa: PLC0415

    return imported


@functools.cache
def import_issues_of_reading() -> Callable[[Node, Verdicts, Plan, Reading], tuple[Issue, ...]]:
    """Import what lists the issues of a reading that is not valid."""
    from schema2model.coerce.refusals import issues_of_reading as imported  # noqa: PLC0415

    return imported


@functools.cache
def import_text_reader() -> type[TextReader]:
    """Import the reader of text that is not valid JSON."""
    from schema2model.coerce.text import TextReader  # noqa: PLC0415

    return TextReader


@functools.cache
def import_unfixable_issues() -> Callable[[Node, Verdicts, Plan, Any], tuple[Issue, ...]]:
    """Import what refuses a value without a search of the whole."""
    from schema2model.coerce.refusals import unfixable_issues as imported  # noqa: PLC0415

    return imported
