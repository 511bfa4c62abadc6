"""Recorded calls under two versions of tools, and those whose outcome changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from schema2model.coercions import Coercion, Preset
from schema2model.errors import ToolError
from schema2model.tools.providers.definitions import Definition
from schema2model.tools.tool import Tool
from schema2model.tools.tool_cache import ToolCache

__all__ = ["ChangedCall", "Replay", "ReplayOutcome", "replay"]

ReplayOutcome = Literal["accepted", "corrected", "refused", "no tool"]


@dataclass(frozen=True, slots=True)
class ChangedCall:
    """A recorded call whose outcome changes."""

    place: str
    tool: str
    before: ReplayOutcome
    after: ReplayOutcome
    error: str | None = None
    """The message to the model, if the new version refuses the call."""


@dataclass(frozen=True, slots=True)
class Replay:
    """The outcomes of recorded calls."""

    calls: int
    changed: tuple[ChangedCall, ...]


def replay(
    old: Iterable[Definition],
    new: Iterable[Definition],
    calls: Iterable[tuple[str, str, Any]],
    *,
    coercion: Preset | Coercion = "default",
) -> Replay:
    """Return the outcome of calls under both versions.

    Args:
        old: the tools as they were.
        new: the tools as they are.
        calls: the place of each call, for people, the name of its tool, and its arguments.
        coercion: how arguments are read.

    """
    before, after = (_tools(each, coercion) for each in (old, new))
    number = 0
    changed: list[ChangedCall] = []
    for place, name, arguments in calls:
        number += 1
        was, _ = _outcome(before, name, arguments)
        now, error = _outcome(after, name, arguments)
        if was != now:
            changed.append(ChangedCall(place, name, was, now, error))
    return Replay(number, tuple(changed))


def _tools(
    definitions: Iterable[Definition], coercion: Preset | Coercion
) -> dict[str, Tool | None]:
    cache = ToolCache(coercion=coercion)
    return {each.name: cache.get(each.name, each.json_schema) for each in definitions}


def _outcome(
    tools: Mapping[str, Tool | None], name: str, arguments: Any
) -> tuple[ReplayOutcome, str | None]:
    tool = tools.get(name)
    if tool is None:
        return "no tool", None
    try:
        prepared = tool.prepare(arguments)
    except ToolError as error:
        return "refused", str(error)
    return ("corrected" if prepared.changes else "accepted"), None
