"""Rules about strict modes: what cannot be enforced, alone and in one request with all tools."""

from __future__ import annotations

from collections.abc import Iterator

from schema2model.apps.audit.audited_tools import AuditedTool
from schema2model.apps.audit.findings import Found, rule

PROVIDERS = {"openai": "OpenAI", "anthropic": "Anthropic"}
"""The providers whose strict modes the audit tries."""


@rule(
    "not-strict",
    "warning",
    "Simplify the schema, or send the tool as not strict; `schema2model strict` shows the rest.",
)
def not_strict(tool: AuditedTool) -> Iterator[Found]:
    """A provider's strict mode cannot take the schema, not even in another form."""
    for provider, title in PROVIDERS.items():
        reason = tool.why_not_strict(provider)
        if reason is not None:
            yield Found("", f"{title} cannot enforce it: {reason}")


@rule(
    "strict-budget",
    "note",
    "Require parameters, split the list, or choose the strict tools: `schema2model strict`.",
)
def strict_budget(tool: AuditedTool) -> Iterator[Found]:
    """Anthropic cannot enforce all tools of the list in one request."""
    if tool.budget is not None:
        yield Found("", tool.budget)
