"""A report in SARIF 2.1.0, the format of code review (OASIS, "Static Analysis Results")."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import metadata
from typing import Any, NamedTuple

from schema2model.apps.audit.findings import Finding, Report, Rule, Severity
from schema2model.apps.audit.rules import RULES
from schema2model.extras import DISTRIBUTION

__all__ = ["Artifact", "Result", "ToolPlace", "sarif", "sarif_log", "sarif_rule"]


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


ToolPlace = tuple[Artifact, int]
"""A file, and the index of a tool in it."""


class Result(NamedTuple):
    """A finding or a change, for a log."""

    rule: str
    severity: Severity
    tool: str
    pointer: str
    message: str
    place: ToolPlace | None
    """The tool's, if it is known."""
    in_schema: str
    """The pointer into its schema."""

    def location(self) -> dict[str, Any]:
        """Return the tool and the pointer; and a line, the first one if no other is known."""
        name = f"{self.tool}{self.pointer}"
        logical = {"name": self.tool, "fullyQualifiedName": name, "kind": "function"}
        location: dict[str, Any] = {"logicalLocations": [logical]}
        if self.place is not None and self.place[0].uri:
            artifact, index = self.place
            line = artifact.line(index, self.in_schema) or 1
            file = {"artifactLocation": {"uri": artifact.uri}, "region": {"startLine": line}}
            location["physicalLocation"] = file
        return location


def sarif(report: Report, artifacts: Sequence[Artifact] | None = None) -> dict[str, Any]:
    """Return the report as a SARIF log.

    Findings have the tool and the JSON Pointer for their logical location, and a line of the file
    for their physical one if the tools were read from files, which are in the order of the tools.
    """
    places: list[ToolPlace | None] = [
        (artifact, index) for artifact in artifacts or () for index in range(len(artifact.schemas))
    ]
    places += [None] * (len(report.tools) - len(places))
    rules = [
        {
            **sarif_rule(rule.id, rule.severity, rule.title, _message(rule.title, rule)),
            "help": {"text": rule.suggestion},
        }
        for rule in RULES
    ]
    results = [
        Result(
            each.rule,
            each.severity,
            each.tool,
            each.pointer,
            _message(each.message, each),
            place,
            each.pointer,
        )
        for tool, place in zip(report.tools, places, strict=True)
        for each in tool.findings
    ]
    return sarif_log("check", rules, results)


def sarif_rule(name: str, severity: Severity, title: str, words: str) -> dict[str, Any]:
    """Return a rule as a log describes it."""
    return {
        "id": name,
        "shortDescription": {"text": title},
        "fullDescription": {"text": words},
        "defaultConfiguration": {"level": severity},
    }


def sarif_log(
    category: str,
    rules: Sequence[dict[str, Any]],
    results: Iterable[Result],
    error: str | None = None,
) -> dict[str, Any]:
    """Return a SARIF log of one run of this program.

    Args:
        category: the command; runs of another category do not replace these results.
        rules: the rules.
        results: the results, which get fingerprints that outlive a change of lines.
        error: the reason why the run has failed, if it has.

    """
    counts: Counter[str] = Counter()
    indices = {rule["id"]: index for index, rule in enumerate(rules)}
    listed = []
    for each in results:
        content = "\0".join((each.rule, f"{each.tool}{each.pointer}", each.message))
        fingerprint = hashlib.sha256(content.encode("utf-8", "backslashreplace")).hexdigest()[:16]
        counts[fingerprint] += 1
        listed.append(
            {
                "ruleId": each.rule,
                "ruleIndex": indices[each.rule],
                "level": each.severity,
                "message": {"text": each.message},
                "locations": [each.location()],
                "partialFingerprints": {
                    "primaryLocationLineHash": f"{fingerprint}:{counts[fingerprint]}"
                },
            }
        )
    about = metadata(DISTRIBUTION)
    driver = {"name": "schema2model", "version": about["Version"], "rules": rules}
    for entry in about.get_all("Project-URL") or ():  # of a release; a checkout has none
        driver["informationUri"] = entry.partition(", ")[2]
    run: dict[str, Any] = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"schema2model/{category}/"},
        "columnKind": "unicodeCodePoints",
        "results": listed,
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


def _message(text: str, about: Finding | Rule) -> str:
    """Return a text as a sentence, and what to do."""
    return f"{text if text.endswith(('.', '?', '!')) else f'{text}.'} {about.suggestion}"
