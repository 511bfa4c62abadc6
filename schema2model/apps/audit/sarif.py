"""A report in SARIF 2.1.0, the format of code review (OASIS, "Static Analysis Results")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from schema2model.apps.audit.findings import Finding, Report
from schema2model.apps.audit.rules import RULES
from schema2model.extras import DISTRIBUTION

__all__ = ["Artifact", "sarif", "sarif_log"]


@dataclass(frozen=True, slots=True)
class Artifact:
    """The file that tools were read from.

    `uri` is a URI reference to it, `lines` has the line of each JSON Pointer into the file, and
    `schemas` the pointer to each tool's schema there, in the order of the report.
    """

    uri: str
    lines: Mapping[str, int] = field(default_factory=dict)
    schemas: Sequence[str] = ()

    def line(self, index: int, pointer: str) -> int | None:
        """Return the line of a place in the schema of a tool, or of the nearest place around it."""
        place = self.schemas[index] + pointer
        while place and place not in self.lines:
            place = place.rpartition("/")[0]
        return self.lines.get(place)


def sarif(report: Report, artifacts: Sequence[Artifact] | None = None) -> dict[str, Any]:
    """Return the report as a SARIF log.

    Findings have the tool and the JSON Pointer for their logical location, and a line of the file
    for their physical one if the tools were read from files, which are in the order of the tools.
    """
    places: list[tuple[Artifact, int] | None] = [
        (artifact, index) for artifact in artifacts or () for index in range(len(artifact.schemas))
    ]
    places += [None] * (len(report.tools) - len(places))
    rules = [
        {
            "id": rule.id,
            "shortDescription": {"text": rule.title},
            "help": {"text": rule.suggestion},
            "defaultConfiguration": {"level": rule.severity},
        }
        for rule in RULES
    ]
    results = [
        _sarif_result(finding, _sarif_location(finding, place))
        for tool, place in zip(report.tools, places, strict=True)
        for finding in tool.findings
    ]
    return sarif_log(rules, results)


def sarif_log(rules: list[dict[str, Any]], results: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a SARIF log of one run of this program."""
    driver = {"name": "schema2model", "version": version(DISTRIBUTION), "rules": rules}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }


_INDICES = {rule.id: index for index, rule in enumerate(RULES)}


def _sarif_result(finding: Finding, location: dict[str, Any]) -> dict[str, Any]:
    return {
        "ruleId": finding.rule,
        "ruleIndex": _INDICES[finding.rule],
        "level": finding.severity,
        "message": {"text": f"{finding.message}. {finding.suggestion}"},
        "locations": [location],
    }


def _sarif_location(finding: Finding, place: tuple[Artifact, int] | None) -> dict[str, Any]:
    name = f"{finding.tool}{finding.pointer}"
    logical = {"name": finding.tool, "fullyQualifiedName": name, "kind": "function"}
    location: dict[str, Any] = {"logicalLocations": [logical]}
    if place is not None and place[0].uri:
        artifact, index = place
        physical: dict[str, Any] = {"artifactLocation": {"uri": artifact.uri}}
        line = artifact.line(index, finding.pointer)
        if line is not None:
            physical["region"] = {"startLine": line}
        location["physicalLocation"] = physical
    return location
