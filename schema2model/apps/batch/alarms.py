"""Alarms at the end of a run: it found nothing, or refused most calls for one reason."""

from __future__ import annotations

from typing import NamedTuple

from schema2model.apps.batch.corrector import Corrector
from schema2model.apps.batch.detection import FoundLayout
from schema2model.apps.batch.outcomes import Reason
from schema2model.apps.batch.summary import Summary
from schema2model.json.quoting import counted, list_names

__all__ = ["Alarm", "alarm_of"]

MOST = 0.5
"""The share of what is judged that is too much to be refused for one reason."""


class Alarm(NamedTuple):
    """A problem of a run as a whole, and the likely fix."""

    problem: str
    cure: str


def alarm_of(
    summary: Summary, corrector: Corrector, used: FoundLayout, free: FoundLayout
) -> Alarm | None:
    """Return the alarm for a run, or None.

    Args:
        summary: its counts.
        corrector: knows the tools.
        used: the layout of the run.
        free: the one that is found where nothing is prescribed.

    """
    if not summary.total:
        return Alarm("The input has no rows.", "Look at the files: they are empty, or only blank.")
    reason, count = next(iter(summary.reasons.most_common(1)), (None, 0))
    if not summary.found:
        problem = f"No call was found in {counted(summary.total, 'row')}."
        return Alarm(problem, _cure(reason, summary, corrector, used, free))
    if reason is None or count <= MOST * summary.judged:
        return None
    verb = "is" if count == 1 else "are"
    problem = f"{count:,} of {counted(summary.judged, 'call')} {verb} refused for one reason: "
    return Alarm(f"{problem}{reason.words}.", _cure(reason, summary, corrector, used, free))


def _cure(
    reason: Reason | None,
    summary: Summary,
    corrector: Corrector,
    used: FoundLayout,
    free: FoundLayout,
) -> str:
    kind = None if reason is None else reason.kind
    if kind == "line":
        return (
            "Every line has to be one JSON object, and every record of a table needs one cell for "
            "each name. If the file has another format, name it: --input-format."
        )
    if kind == "repeated_name":
        return "Give each name in an object one value: nobody knows which of two is meant."
    if kind == "tools_offered":
        return "Name the right column by --tools-column, or give the tools by --tools FILE."
    if kind == "broken_tool":
        return "Run schema2model check on the file of the tools: it names what is wrong."
    if kind == "unknown_tool":
        return _cure_of_names(summary, corrector)
    if kind in ("arguments", "unexpected"):
        return (
            "If many calls are wrong in the same place, the schema may be: is it the one that "
            "the model was given? schema2model validate --explain shows a single call."
        )
    if free.rows and free.layout != used.layout:
        return f"The rows look like {free.words}: leave --layout and the columns' options out."
    return (
        "Say where the calls are: --layout calls, chat or text, and --tool-column, "
        "--arguments-column, --messages-column or --text-column. Calls that are written within "
        "the text of messages are read from a column of that text."
    )


def _cure_of_names(summary: Summary, corrector: Corrector) -> str:
    calls: dict[str, int] = {}
    for (_, name), counts in summary.calls.items():
        if name is not None and name not in corrector:
            calls[name] = calls.get(name, 0) + counts["refused"]
    called = sorted(calls, key=lambda name: -calls[name])
    known = sorted(corrector)
    return (
        f"Called are {list_names(called)}; known are {list_names(known) or 'none'}. Give the file "
        "that defines them by --tools, or the column of the tools that were offered by "
        "--tools-column."
    )
