"""Refusals of arguments that a schema allows and does not declare, where an option asks for them.

The advice is that of an object that closes itself: `floor_number` is renamed to `floor` there, too.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from schema2model.compiled import CompiledSchema
from schema2model.errors import ToolError
from schema2model.limits import MAX_ISSUES
from schema2model.schema.undeclared import DeclaredNames, UnknownArguments

__all__ = ["undeclared_refusal"]


def undeclared_refusal(
    name: str,
    compiled: CompiledSchema,
    value: Any,
    option: UnknownArguments,
    names: DeclaredNames | None = None,
) -> ToolError | None:
    """Return the error for the valid arguments of a tool; None if the option allows them.

    >>> from schema2model import compile_schema
    >>> schema = {"properties": {"floor": {"type": "integer"}, "street": {"type": "string"}}}
    >>> compiled, sent = compile_schema(schema), {"street": "E", "floor_number": 3}
    >>> undeclared_refusal("order", compiled, sent, "refuse").issues[0].advice
    'rename "floor_number" to "floor"'
    >>> undeclared_refusal("order", compiled, sent, "refuse_similar")

    """
    if option == "keep":
        return None
    names = names or DeclaredNames(compiled._engine.root)
    if option == "refuse_similar":
        issues = names.issues(value)
    else:
        found = [*islice(names.undeclared(value), MAX_ISSUES + 1)]
        if not found:
            return None
        from schema2model.coerce.refusals import undeclared_issues  # noqa: PLC0415 - wrong calls alone need it

        issues = undeclared_issues(compiled._engine.verdicts, value, found)
    return ToolError.for_arguments(name, issues) if issues else None
