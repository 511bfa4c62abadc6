"""Imports that correct arguments do without, each made once.

An import statement in a function takes longer than a correct call.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from schema2model.coerce.rules.plan import Plan
    from schema2model.coerce.search.readings import Step
    from schema2model.coerce.text_reader import TextReader
    from schema2model.schema.nodes import Node
    from schema2model.schema.verdicts import Verdicts

__all__ = [
    "import_diff_changes",
    "import_refusals",
    "import_text_reader",
]


@functools.cache
def import_diff_changes() -> Callable[[Node, Verdicts, Plan, Any, Any], tuple[Step, ...]]:
    """Import what lists the changes of an accepted value."""
    from schema2model.coerce.value_changes import diff_changes as imported  # noqa: PLC0415

    return imported


@functools.cache
def import_refusals() -> ModuleType:
    """Import the module that lists the issues of refused arguments."""
    from schema2model.coerce import refusals  # noqa: PLC0415

    return refusals


@functools.cache
def import_text_reader() -> type[TextReader]:
    """Import the reader of text that is not valid JSON."""
    from schema2model.coerce.text_reader import TextReader  # noqa: PLC0415

    return TextReader
