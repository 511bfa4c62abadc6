"""`schema2model diff` without its options: read two versions, compare them, write the changes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from schema2model.apps.audit.diff import Comparison, ToolChange, compare_tools
from schema2model.apps.audit.diff.changes import KINDS, SEVERITY
from schema2model.apps.audit.diff.replaying import Replay, replay
from schema2model.apps.audit.sarif import Result, ToolPlace, sarif_log, sarif_rule
from schema2model.apps.cli.call_file import calls_in_file
from schema2model.apps.cli.check_report import located_tools
from schema2model.apps.cli.output import STDIN, InputError
from schema2model.apps.cli.printer import COLOURS, and_more, counts_line
from schema2model.apps.cli.schemas import definitions_in
from schema2model.coercions import Preset
from schema2model.errors import SchemaError
from schema2model.json.canonical import canonical_json
from schema2model.json.quoting import counted, printable
from schema2model.tools.providers.definitions import Definition

__all__ = ["Compared", "compared"]

MAX_CALL = 300
"""Maximum characters of a call that are shown."""

MAX_SHOWN = 20
"""Maximum recorded calls that are shown; the rest are counted."""

_MEANINGS = {
    "breaking": "Calls that were accepted are not any more.",
    "uncompared": "The schemas differ, and no call shows whether callers are affected.",
    "risky": "Calls are accepted as before, but mean or return something else.",
    "additive": "Calls are accepted that were not.",
}
_ACCEPTED = {
    "old": "accepted before, not now",
    "new": "accepted now, not before",
    "both": "accepted by both",
}


def compared(
    old: Path, new: Path | None, after: list[Definition], *, calls: Path | None, coercion: Preset
) -> Compared:
    """Compare the tools in a file with those in another, or of servers.

    Raises:
        InputError: if a file cannot be read, or a server does not answer.

    """
    before = definitions_in(old)
    if len(before) == len(after) == 1 and not (before[0].key and after[0].key):  # two schemas
        after = [dataclasses.replace(after[0], name=before[0].name)]
    replayed = None
    if calls is not None:
        found = (
            (call.place, call.name or before[0].name, call.arguments)
            for call in calls_in_file(calls, old, None)
        )
        replayed = replay(before, after, found, coercion=coercion)
    try:
        return Compared(compare_tools(before, after), replayed, new)
    except SchemaError as error:
        message = f"{old}: {error}"
        raise InputError(message) from None


@dataclass(frozen=True, slots=True)
class Compared:
    """The changes between two versions, to be written in one of several forms."""

    comparison: Comparison
    replayed: Replay | None
    file: Path | None
    """The file with the new version, if it is one."""

    def document(self) -> dict[str, Any]:
        """Return the changes as JSON values."""
        changes = [
            {**dataclasses.asdict(each), "severity": each.severity}
            for each in self.comparison.changes
        ]
        summary = {kind: self.comparison.count(kind) for kind in KINDS}
        document: dict[str, Any] = {"summary": summary, "changes": changes}
        if self.replayed is not None:
            document["calls"] = dataclasses.asdict(self.replayed)
        return document

    def sarif(self) -> dict[str, Any]:
        """Return the changes as a SARIF log."""
        places = _places_in(self.file)
        rules = [
            sarif_rule(kind, SEVERITY[kind], f"{kind} change of a tool", _MEANINGS[kind])
            for kind in KINDS
        ]
        results = [_sarif_result(each, places) for each in self.comparison.changes]
        return sarif_log("diff", rules, results)

    def lines(self) -> Iterator[str]:
        """Yield the changes, with a call for each."""
        names = list(dict.fromkeys(each.tool for each in self.comparison.changes))
        for name in names:
            yield click.style(printable(name), bold=True)
            for change in self.comparison.changes:
                if change.tool == name:
                    kind = click.style(change.kind.ljust(8), fg=COLOURS[change.severity])
                    yield f"  {kind}  {printable(f'{_subject(change)} {change.message}')}"
                    if change.call is not None:
                        yield f"            {printable(_example(change))}"
        if names:
            yield ""
        numbers = ((kind, self.comparison.count(kind)) for kind in KINDS)
        counts = ((number, f"{number} {kind}", SEVERITY[kind]) for kind, number in numbers)
        yield counts_line(counted(self.comparison.tools, "tool"), counts, "no change")
        if self.replayed is not None:
            changed = self.replayed.changed
            verb = "changes its outcome" if len(changed) == 1 else "change their outcome"
            yield f"{counted(self.replayed.calls, 'call')}: {len(changed)} {verb}"
            for each in changed[:MAX_SHOWN]:
                yield printable(f"  {each.place}: {each.tool}: {each.before} -> {each.after}")
            yield from and_more(len(changed), MAX_SHOWN)


def _sarif_result(change: ToolChange, places: Mapping[str, ToolPlace]) -> Result:
    message = f"{_subject(change)} {change.message}. {_example(change)}"
    names = change.path.split("/")[1:] if change.tool in places else ()
    in_schema = "".join("/items" if each == "*" else f"/properties/{each}" for each in names)
    place = places.get(change.tool) or next(iter(places.values()), None)
    return Result(change.kind, change.severity, change.tool, change.path, message, place, in_schema)


def _places_in(file: Path | None) -> dict[str, ToolPlace]:
    """Return the place of each tool in a file, by its name; standard input has no places."""
    if file is None or file == STDIN:
        return {}
    definitions, artifact = located_tools(file)
    names = [each.name if isinstance(each, Definition) else "" for each in definitions]
    return {name: (artifact, index) for index, name in enumerate(names)}


def _subject(change: ToolChange) -> str:
    return change.path or "(the tool)"


def _example(change: ToolChange) -> str:
    if change.call is None or change.accepted_by is None:
        return ""
    text = canonical_json(change.call)
    cut = text if len(text) <= MAX_CALL else f"{text[:MAX_CALL]}…"
    return f"{_ACCEPTED[change.accepted_by]}: {cut}"
