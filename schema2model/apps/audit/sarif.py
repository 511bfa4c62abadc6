"""A report in SARIF 2.1.0, the format of code review (OASIS, "Static Analysis Results")."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import metadata
from typing import Any

from schema2model.apps.audit.findings import Finding, Report
from schema2model.apps.audit.rules import RULES
from schema2model.extras import DISTRIBUTION

__all__ = ["Artifact", "logical_location", "physical_location", "sarif", "sarif_log"]


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
            "fullDescription": {"text": f"{_sentence(rule.title)} {_sentence(rule.suggestion)}"},
            "help": {"text": rule.suggestion},
            "defaultConfiguration": {"level": rule.severity},
        }
        for rule in RULES
    ]
    results = [
        {
            "ruleId": finding.rule,
            "ruleIndex": _INDICES[finding.rule],
            "level": finding.severity,
            "message": {"text": f"{_sentence(finding.message)} {finding.suggestion}"},
            "locations": [_sarif_location(finding, place)],
        }
        for tool, place in zip(report.tools, places, strict=True)
        for finding in tool.findings
    ]
    return sarif_log("check", rules, results)


def sarif_log(
    category: str,
    rules: list[dict[str, Any]],
    results: list[dict[str, Any]],
    error: str | None = None,
) -> dict[str, Any]:
    """Return a SARIF log of one run of this program.

    Args:
        category: the command; runs of another category do not replace these results.
        rules: the rules.
        results: the results, to which this adds fingerprints that outlive a change of lines.
        error: the reason why the run has failed, if it has.

    """
    counts: Counter[str] = Counter()
    for result in results:
        logical = result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"]
        content = "\0".join((result["ruleId"], logical, result["message"]["text"]))
        fingerprint = hashlib.sha256(content.encode("utf-8", "backslashreplace")).hexdigest()[:16]
        counts[fingerprint] += 1
        result["partialFingerprints"] = {
            "primaryLocationLineHash": f"{fingerprint}:{counts[fingerprint]}"
        }
    about = metadata(DISTRIBUTION)
    driver = {"name": "schema2model", "version": about["Version"], "rules": rules}
    for entry in about.get_all("Project-URL") or ():  # of a release; a checkout has none
        driver["informationUri"] = entry.partition(", ")[2]
    run: dict[str, Any] = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"schema2model/{category}/"},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    if error is not None:
        notice = {"level": "error", "message": {"text": error}}
        run["invocations"] = [
            {"executionSuccessful": False, "toolExecutionNotifications": [notice]}
        ]
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }


_INDICES = {rule.id: index for index, rule in enumerate(RULES)}


def _sentence(text: str) -> str:
    """Return a text that ends as a sentence does."""
    return text if text.endswith((".", "?", "!")) else f"{text}."


def logical_location(tool: str, path: str) -> dict[str, Any]:
    """Return the location of a path in a tool, without a file."""
    logical = {"name": tool, "fullyQualifiedName": f"{tool}{path}", "kind": "function"}
    return {"logicalLocations": [logical]}


def physical_location(artifact: Artifact, index: int, pointer: str) -> dict[str, Any]:
    """Return the line of a location in the schema of a tool; the first line if it is not known."""
    line = artifact.line(index, pointer)
    return {"artifactLocation": {"uri": artifact.uri}, "region": {"startLine": line or 1}}


def _sarif_location(finding: Finding, place: tuple[Artifact, int] | None) -> dict[str, Any]:
    location = logical_location(finding.tool, finding.pointer)
    if place is not None and place[0].uri:
        location["physicalLocation"] = physical_location(*place, finding.pointer)
    return location
