"""The rules of the audit, one module for each subject.

A rule is one function with the decorator `rule`:

    @rule("tool-description", "warning", "Say what it does, and when it is the one to call.")
    def tool_description(tool: AuditedTool) -> Iterator[Found]:
        '''The tool has no description.'''
        if tool.definition.name and not tool.definition.description.strip():
            yield Found("", "the tool has no description")

There is nothing else to do: `RULES` finds it here, and what is printed is printed from `RULES`. The
table in `docs/check.md` is written anew by `python -m benchmarks.tables`.
"""

from __future__ import annotations

from schema2model.apps.audit.findings import SEVERITIES, Rule
from schema2model.apps.audit.rules import (
    ambiguity,
    declared_values,
    headers,
    naming,
    sizes,
    strictness,
    unknown_keywords,
    usability,
)

__all__ = ["RULES"]

_MODULES = (
    usability,
    naming,
    headers,
    ambiguity,
    declared_values,
    unknown_keywords,
    sizes,
    strictness,
)
_FOUND = [each for module in _MODULES for each in vars(module).values() if isinstance(each, Rule)]

RULES = tuple(sorted(_FOUND, key=lambda rule: SEVERITIES.index(rule.severity)))
"""All rules, the most severe first, in the order in which findings are reported."""
