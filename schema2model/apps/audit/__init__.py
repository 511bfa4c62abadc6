"""An audit of tool definitions: whether they can be used, and what misleads language models.

>>> report = audit([{"name": "find it", "inputSchema": {"type": "object"}}])
>>> [(finding.rule, finding.severity) for finding in report.findings]
[('tool-name', 'error'), ('tool-description', 'warning')]
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from schema2model.apps.audit.audited_tools import AuditedTool, fold_name
from schema2model.apps.audit.findings import (
    SEVERITIES,
    Finding,
    Report,
    Rule,
    Severity,
    ToolReport,
)
from schema2model.apps.audit.rules import RULES
from schema2model.json.quoting import list_names
from schema2model.limits import MAX_BUDGETED_TOOLS
from schema2model.schema.dialects import dialect_named
from schema2model.strict.request_cost import strict_schemas
from schema2model.tools.providers.definitions import Definition, declarations

__all__ = ["RULES", "SEVERITIES", "Finding", "Report", "Rule", "Severity", "ToolReport", "audit"]


def audit(definitions: Iterable[Any], *, dialect: str | None = None) -> Report:
    """Audit the tools of a list, each by itself and compared with the others.

    Every item gets a report: one that is not a definition is an `unusable` tool.

    Args:
        definitions: tools in the shape of any provider, or `Definition`s that were read before.
        dialect: a `$schema` URI or short name for schemas that carry none; 2020-12 if not given.

    Raises:
        SchemaError: for an unknown dialect, and for nothing else.

    """
    if dialect is not None:
        dialect_named(dialect)
    tools = [
        AuditedTool(each, dialect)
        for given in definitions
        # one item may declare several tools, as Gemini's `functionDeclarations`
        for each in ([given] if isinstance(given, Definition) else declarations(given))
    ]
    names: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for tool in tools:
        tool.namesakes = names[fold_name(tool.definition.name)]
        tool.namesakes[tool.definition.name] += 1
    _record_budget(tools)
    return Report(tuple(_report_tool(tool) for tool in tools))


def _record_budget(tools: list[AuditedTool]) -> None:
    """Record, at the first of them, the tools that one strict request has no room for."""
    engines = {
        tool.definition.name: tool.compiled._engine
        for tool in tools
        if tool.compiled is not None and tool.nodes
    }
    if len(engines) > MAX_BUDGETED_TOOLS:
        return
    _, budget = strict_schemas(engines, "anthropic")
    if not budget.over:
        return
    first = next(tool for tool in tools if tool.definition.name == budget.over[0])
    first.budget = (
        f"Anthropic can enforce {len(budget.strict)} of {len(engines)} tools in one request, "
        f"but not {list_names(budget.over)}"
    )


def _report_tool(tool: AuditedTool) -> ToolReport:
    name = tool.definition.name
    findings = tuple(
        Finding(rule.id, rule.severity, name, found.pointer, found.message, rule.suggestion)
        for rule in RULES
        for found in rule.check(tool)
    )
    compiled = tool.error is None
    return ToolReport(
        name,
        tool.size,
        tool.tokens,
        tool.dialect.uri if compiled else None,
        tool.seconds if compiled else None,
        None if compiled else str(tool.error),
        findings,
    )
