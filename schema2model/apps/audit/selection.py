"""The findings of an audit that count: chosen rules, without those of a baseline."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Collection
from typing import Any, NamedTuple

from schema2model.apps.audit.findings import Finding, Report
from schema2model.apps.audit.rules import RULES
from schema2model.json.names import meant
from schema2model.json.quoting import quoted

__all__ = ["Fingerprint", "baseline_of", "baseline_text", "require_rules", "selected"]

_IDS = tuple(rule.id for rule in RULES)


class Fingerprint(NamedTuple):
    """The identity of a finding across runs: not its words, and not its line."""

    tool: str
    rule: str
    pointer: str


def require_rules(names: Collection[str]) -> None:
    """Check the names of rules.

    Raises:
        ValueError: if one is unknown.

    """
    for name in names:
        if name not in _IDS:
            close = meant(name, _IDS)
            hint = f"; did you mean {close}?" if close else ""
            message = f"unknown rule {quoted(name)}{hint}"
            raise ValueError(message)


def selected(
    report: Report,
    *,
    select: Collection[str] = (),
    ignore: Collection[str] = (),
    baseline: Counter[Fingerprint] | None = None,
) -> Report:
    """Return the report with the findings that count.

    Args:
        report: of an audit.
        select: the rules that count; all by default.
        ignore: rules that do not count.
        baseline: known findings, each as often as it is known.

    """
    known = Counter(baseline or ())

    def counts(finding: Finding) -> bool:
        if finding.rule in ignore or (select and finding.rule not in select):
            return False
        mark = _fingerprint_of(finding)
        if known[mark] > 0:
            known[mark] -= 1
            return False
        return True

    return Report(
        tuple(
            dataclasses.replace(tool, findings=tuple(filter(counts, tool.findings)))
            for tool in report.tools
        )
    )


def baseline_text(report: Report) -> str:
    """Return the text of a baseline with all findings of a report, one on a line."""
    findings = sorted(_fingerprint_of(finding) for finding in report.findings)
    lines = ",\n".join(f"  {json.dumps(each._asdict())}" for each in findings)
    return f'{{"findings": [\n{lines}\n]}}\n' if lines else '{"findings": []}\n'


def baseline_of(document: Any) -> Counter[Fingerprint]:
    """Return the findings of a baseline.

    Raises:
        ValueError: if the document is not one.

    """
    try:
        return Counter(Fingerprint(**each) for each in document["findings"])
    except (TypeError, KeyError):
        message = "it is not a baseline, as --update-baseline writes one"
        raise ValueError(message) from None


def _fingerprint_of(finding: Finding) -> Fingerprint:
    return Fingerprint(finding.tool, finding.rule, finding.pointer)
