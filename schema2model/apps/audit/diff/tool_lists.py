"""The changes between two lists of tools."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Final

from schema2model.apps.audit.diff.changes import KINDS, ChangeKind, Comparison, ToolChange
from schema2model.apps.audit.diff.judging import (
    Judgement,
    Version,
    completed_judgements,
    judgements,
)
from schema2model.apps.audit.diff.sampling import any_values, changed_calls
from schema2model.errors import SchemaError
from schema2model.json.canonical import canonical_json
from schema2model.json.pointers import JSONPath, pointer
from schema2model.json.quoting import quoted
from schema2model.tools.example_arguments import ExampleArguments
from schema2model.tools.providers.definitions import Definition, read_definition

__all__ = ["compare_tools"]

MAX_CALLS = 40_000
"""Maximum calls that are tried for one tool."""

_KIND: Final[dict[str, ChangeKind]] = {
    "refused": "breaking",
    "ignored": "risky",
    "format": "risky",
    "default": "risky",
    "accepted": "additive",
    "declared": "additive",
}
_SIDE: Final = {"refused": "old", "accepted": "new"}
_ORDER: Final = [*_KIND]
_INDEX: Final = re.compile(r"/\d+(?=/|$)")
_CLOSED: Final = frozenset({"additionalProperties", "unevaluatedProperties"})


def compare_tools(old: Iterable[Any], new: Iterable[Any]) -> Comparison:
    """Return the changes between two versions of tools, which have their names in common.

    Args:
        old: definitions in the shape of any provider.
        new: the same, later.

    Raises:
        SchemaError: for what is not the definition of a tool, and for a tool whose schema cannot be
            compiled in either version.

    """
    before, after = _by_name(old), _by_name(new)
    changes: list[ToolChange] = []
    for name in {**before, **after}:
        if name in before and name in after:
            changes += _compared(name, before[name], after[name])
        elif name in before:
            same = next(
                (n for n in after if n not in before and _alike(before[name], after[n])), ""
            )
            words = f"the tool is called {quoted(same)} now" if same else "the tool is gone"
            changes.append(_of_tool("breaking", name, words, before[name], "old"))
        else:
            changes.append(_of_tool("additive", name, "the tool is new", after[name], "new"))
    return Comparison(tuple(changes), len({**before, **after}))


def _by_name(tools: Iterable[Any]) -> dict[str, Definition]:
    read = (tool if isinstance(tool, Definition) else read_definition(tool) for tool in tools)
    return {each.name: each for each in read}


def _alike(one: Definition, other: Definition) -> bool:
    return canonical_json(one.json_schema) == canonical_json(other.json_schema)


def _of_tool(kind: ChangeKind, name: str, words: str, tool: Definition, side: Any) -> ToolChange:
    try:
        bases = ExampleArguments(Version(tool.json_schema, tool.dialect).compiled).calls()
    except SchemaError:
        bases = []
    return ToolChange(kind, name, "", words, *((bases[0], side) if bases else ()))


def _compared(name: str, old: Definition, new: Definition) -> list[ToolChange]:
    try:
        after = Version(new.json_schema, new.dialect)
    except SchemaError as error:
        Version(old.json_schema, old.dialect)  # if it is no better, nothing can be compared
        return [ToolChange("breaking", name, "", f"the schema cannot be compiled: {error}")]
    try:
        before = Version(old.json_schema, old.dialect)
    except SchemaError as error:
        words = f"the schema can be compiled now, which it could not be: {error}"
        return [ToolChange("additive", name, "", words)]
    if _alike(old, new):
        return []
    examples = ExampleArguments(before.compiled), ExampleArguments(after.compiled)
    found: dict[str, dict[str, tuple[Judgement, Any]]] = {}
    base = next(iter(examples[1].calls()), None)
    for call in _calls(*examples):
        shown = [(each, call) for each in judgements(before, after, call)]
        for each, example in chain(shown, completed_judgements(before, after, call, base)):
            path = _INDEX.sub("/*", each.path)
            known = found.setdefault(path, {}).get(each.kind)
            if known is None or len(canonical_json(example)) < len(canonical_json(known[1])):
                found[path][each.kind] = each, example
    changes = [_change(name, path, kinds) for path, kinds in found.items()]
    changes = _with_renames(changes, *examples)
    return sorted(changes, key=lambda change: (KINDS.index(change.kind), change.path))


def _calls(*examples: ExampleArguments) -> Iterator[Any]:
    """Yield the calls that may show a change."""
    bases = [base for each in examples for base in each.calls()]
    yield from bases
    left = MAX_CALLS
    for location in dict.fromkeys(chain(*(each.locations for each in examples))):
        values = [
            *_changed_choices(location, *examples),
            *chain(*(each.values(location) for each in examples)),
            *any_values(),
        ]
        for base in bases:
            for call in changed_calls(base, location, values):
                yield call
                left -= 1
                if left <= 0:
                    return


def _changed_choices(
    location: JSONPath, old: ExampleArguments, new: ExampleArguments
) -> Iterator[Any]:
    before, after = old.choices(location), new.choices(location)
    for text in before.keys() ^ after.keys():
        yield before.get(text, after.get(text))


def _change(name: str, path: str, kinds: dict[str, tuple[Judgement, Any]]) -> ToolChange:
    """Return the change at a place, as the worst of its judgements says."""
    worst = min(kinds, key=_ORDER.index)
    judgement, call = kinds[worst]
    side: Any = _SIDE.get(worst, "both")
    return ToolChange(_KIND[worst], name, path, _words(judgement), call, side)


def _words(judgement: Judgement) -> str:
    kind, _, keyword, words = judgement
    if kind in {"refused", "accepted"} and keyword == "required":
        return "is required now" if kind == "refused" else "is optional now"
    if kind in {"refused", "accepted"} and keyword in _CLOSED:
        return "is not accepted any more" if kind == "refused" else "is a new parameter"
    return {
        "refused": f"has to be {words} now",
        "accepted": f"need not be {words} any more",
        "ignored": "is not declared any more, and may be ignored",
        "declared": "is a new parameter",
        "format": f"has to be {words} now, as far as formats are checked",
        "default": f"had the default {words}",
    }[kind]


def _with_renames(
    changes: list[ToolChange], old: ExampleArguments, new: ExampleArguments
) -> list[ToolChange]:
    """Join a parameter that is gone with a new one of the same schema: it was renamed."""
    before = {_INDEX.sub("/*", pointer(path)): nodes for path, nodes in old.locations.items()}
    after = {_INDEX.sub("/*", pointer(path)): nodes for path, nodes in new.locations.items()}
    gone = [each for each in changes if each.path in before and each.path not in after]
    fresh = [each for each in changes if each.path in after and each.path not in before]
    for one in gone:
        for other in fresh:
            same = [
                canonical_json([n.schema for n in nodes])
                for nodes in (before[one.path], after[other.path])
            ]
            beside = one.path.rpartition("/")[0] == other.path.rpartition("/")[0]
            if beside and same[0] == same[1] and one in changes and other in changes:
                worst = min((one, other), key=lambda change: KINDS.index(change.kind))
                words = f"is called {quoted(other.path.rpartition('/')[2])} now"
                changes = [each for each in changes if each not in (one, other)]
                changes.append(
                    ToolChange(worst.kind, one.tool, one.path, words, worst.call, worst.accepted_by)
                )
    return changes
