"""The ways in which calls go wrong, each with its models and examples."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from schema2model.apps.batch.bounded_names import shortened, without_indices
from schema2model.limits import MAX_COUNTED_MODELS, MAX_COUNTED_NAME

__all__ = ["Mistake", "Mistakes", "cut", "is_of_unknown_tool", "issues_in"]

CAPACITY = 5_000
"""Minimum number of mistakes that are counted apart; see `Mistakes`."""

MAX_EXAMPLES = 4
"""Examples of each that are kept: the first ones that differ."""

MAX_TEXT = MAX_COUNTED_NAME
"""Characters of a value or a message that are kept."""

_ISSUE = re.compile(
    r"^- (?:the arguments|(?P<path>/.*?))"
    r"(?:: must be (?P<value>.*?), not |: .* is not accepted; .* It must be (?P<choice>.*)"
    r"| is missing: add it(?: as (?P<missing>.*?))?(?: like .*)?, with its value from the request$"
    r"|: expected (?P<result>.*?), found )",
    re.MULTILINE,
)
_NAMES = re.compile(
    r"^- (?:(?P<path>/.*?): )?(?P<advice>(?:rename|leave|there is no argument) \".*"
    r"|\".* must stand inside .*)",
    re.MULTILINE,
)
"""A line about names, for the object that they are in."""
_UNKNOWN = re.compile(
    r"There is no tool `|(?:Error parsing arguments for `.*`:\n- )?there is no tool of th"
)
_HEAD = re.compile(
    r"(?:Error parsing arguments for `.*`|The result of `.*` does not match its schema):\n- "
)
_END = re.compile(r"\n+(?:Fix the errors and try again\.|Write the whole call of `.*` again.*)\Z")


class Mistake(NamedTuple):
    """A way to go wrong. `what` is the rule that undid it, or what the schema expects."""

    tool: str | None
    path: str
    what: str


@dataclass(slots=True)
class _Count:
    """The count of a mistake, and the maximum that was forgotten before."""

    missed: int
    count: int = 0
    models: dict[str | None, int] = field(default_factory=dict)
    examples: list[dict[str, Any]] = field(default_factory=list)

    @property
    def at_most(self) -> int:
        """As often as this it can have been; `count` if none was missed."""
        return self.count + self.missed


class Mistakes:
    """Counts mistakes, with details of each; where they are too many, forgets the rarer half.

    What is counted again after that has `missed` some, so that the true number is always from
    `count` to `at_most`; what is not there was counted `missed` times at most. (This is the
    Space-Saving algorithm of Metwally et al., 2005, with many places made free at a time.)
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._counts: dict[Mistake, _Count] = {}
        self.missed = 0

    def add(
        self, mistake: Mistake, model: str | None, example: dict[str, Any], source: str
    ) -> None:
        """Count a mistake once more; `source` is where the example stood."""
        found = self._counts.get(mistake)
        if found is None:
            if len(self._counts) >= 2 * self._capacity:
                self._forget()
            found = self._counts[mistake] = _Count(self.missed)
        found.count += 1
        if model not in found.models and len(found.models) >= MAX_COUNTED_MODELS:
            model = None
        found.models[model] = found.models.get(model, 0) + 1
        if len(found.examples) < MAX_EXAMPLES and not any(
            example.items() <= kept.items() for kept in found.examples
        ):
            found.examples.append({**example, "model": model, "source": source})

    def _forget(self) -> None:
        ordered = sorted(self._counts.items(), key=lambda item: -item[1].at_most)
        self._counts = dict(ordered[: self._capacity])
        self.missed = ordered[self._capacity][1].at_most

    def documents(self) -> list[dict[str, Any]]:
        """Return each mistake as JSON values, the most frequent first."""
        return [
            {
                **mistake._asdict(),
                "calls": found.count,
                "at_most": found.at_most,
                "models": [
                    {"model": model, "calls": calls}
                    for model, calls in sorted(found.models.items(), key=lambda item: -item[1])
                ],
                "examples": found.examples,
            }
            for mistake, found in sorted(self._counts.items(), key=lambda item: -item[1].count)
        ]


def cut(text: str) -> str:
    """Return the beginning of a text, if it is long."""
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…"


def is_of_unknown_tool(error: str) -> bool:
    """Return whether a call was refused because no tool has its name.

    >>> is_of_unknown_tool("There is no tool `f`; call `g`"), is_of_unknown_tool("- /a: expected")
    (True, False)
    """
    return _UNKNOWN.match(error) is not None


def issues_in(error: str) -> Iterator[tuple[str, str]]:
    r"""Yield the paths in the message of a refusal, each with what is expected there.

    A message of another kind is an issue of the whole.

    >>> list(issues_in("Error parsing arguments for `f`:\n- /a/3: must be a string, not []"))
    [('/a/*', 'a string')]
    >>> list(issues_in('Error parsing arguments for `f`:\n- /a: rename "b" to "c"'))
    [('/a', 'rename "b" to "c"')]
    >>> list(issues_in("Error parsing arguments for `f`:\n- no JSON")), list(issues_in("no tool"))
    ([('', 'no JSON')], [('', 'no tool')])
    """
    found = {
        (without_indices(issue["path"] or ""), shortened(_expectation(issue)))
        for issue in _ISSUE.finditer(error)
    }
    found |= {
        (without_indices(issue["path"] or ""), shortened(issue["advice"]))
        for issue in _NAMES.finditer(error)
    }
    whole = _END.sub("", _HEAD.sub("", error, count=1))
    yield from sorted(found) or [("", shortened(whole))]


def _expectation(issue: re.Match[str]) -> str:
    expected = issue["value"] or issue["choice"] or issue["result"]
    return expected or f"{issue['missing'] or 'a value'} (required)"
