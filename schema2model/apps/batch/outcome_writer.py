"""Writes outcomes as the members that are added to a line of JSON."""

from __future__ import annotations

from pydantic_core import to_json

from schema2model.apps.batch.outcomes import Call, Outcome, document, json_bytes, speakable

__all__ = ["OutcomeWriter"]

_UNCHANGED = Outcome(None, "unchanged")
_REST = b',"status":"unchanged","changes":[],"doubts":[],"error":null}'
"""The members of an unchanged call that follow its `id`."""


class OutcomeWriter:
    """Writes the members that `document` lists, and the end of the object that gets them.

    Those of rows without changes and doubts, which most are, are put together from texts: it takes
    half the time.

    Args:
        names: of the members, as in `Layout.added`.

    >>> OutcomeWriter(("corrected", "status")).write(Outcome({"a": 1}, "unchanged"))
    b'"corrected":{"a":1},"status":"unchanged"}'

    """

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names
        self._before = json_bytes(names[0]) + b":"
        self._after = self._members(_UNCHANGED).removeprefix(self._before + b"null")
        others = b"".join([b",%b:[]" % json_bytes(name) for name in names[6:]])
        self._after_calls = b"]%b}" % others
        self._before_calls = self._after.removesuffix(self._after_calls)

    def write(self, outcome: Outcome) -> bytes:
        """Return the members as JSON text.

        Raises:
            Exception: if the corrected value has no JSON text.

        """
        corrected, status, _, _, calls, _, doubts, results = outcome
        if status != "unchanged" or doubts or results:
            return self._members(outcome)
        if not calls:
            return self._before + json_bytes(corrected) + self._after
        try:
            text = to_json({self._names[0]: corrected})
        except ValueError:  # half a surrogate pair: then everything is written in ASCII
            return self._members(outcome)
        written = b",".join([_unchanged(call) for call in calls])
        return b"".join((text[1:-1], self._before_calls, written, self._after_calls))

    def _members(self, outcome: Outcome) -> bytes:
        return json_bytes(dict(zip(self._names, document(outcome), strict=False)))[1:]


def _unchanged(call: Call) -> bytes:
    path, tool, call_id, *_ = call
    members = {"path": speakable(path), "tool": speakable(tool), "id": speakable(call_id)}
    return to_json(members)[:-1] + _REST
