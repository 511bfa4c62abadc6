"""Which of two versions of a schema accept a call, and why the other does not."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, Final, NamedTuple

from schema2model.apps.audit.diff.example_arguments import ExampleArguments, issues_of
from schema2model.compiled import CompiledSchema, compile_schema
from schema2model.json.canonical import canonical_json
from schema2model.json.pointers import JSONPath, any_item, pointer, pointer_tokens
from schema2model.json.quoting import quoted
from schema2model.schema.undeclared import DeclaredNames

__all__ = ["CLOSED", "Judgement", "Version", "completed_judgements", "judgements"]

CLOSED: Final = frozenset({"additionalProperties", "unevaluatedProperties"})
"""The keywords that close an object."""


class Judgement(NamedTuple):
    """One difference between two versions that a call shows."""

    kind: str
    """`refused`, `closed`, `ignored`, `format` or `default` by the new version; `accepted`,
    `opened` or `declared` by the new version only."""
    path: str
    keyword: str = ""
    words: str = ""


class Version:
    """One version of a schema: what it accepts, and what it declares."""

    def __init__(self, schema: Any, dialect: str | None = None) -> None:
        self.compiled: CompiledSchema = compile_schema(schema, coercion="off", dialect=dialect)
        self._strict = compile_schema(schema, coercion="off", dialect=dialect, formats="assert")
        self._names = DeclaredNames(self.compiled._engine.root)
        self._explained: tuple[Any, bool, list[tuple[str, str, str]]] = None, False, []

    def accepts(self, call: Any) -> bool:
        """Return whether a call is valid."""
        return self.compiled.is_valid(call)

    def accepts_formats(self, call: Any) -> bool:
        """Return whether a call is valid with its formats."""
        return self._strict.is_valid(call)

    def undeclared(self, call: Any) -> list[str]:
        """Return the paths of members that a valid call has, and the schema does not name.

        A name that is required without being declared is named.
        """
        return [
            pointer(each.path)
            for each in self._names.undeclared(call)
            if each.path[-1] not in self.examples.required
        ]

    def reasons(self, call: Any, *, formats: bool = False) -> list[tuple[str, str, str]]:
        """Return the paths, keywords and words of what is wrong with an invalid call."""
        known, with_formats, found = self._explained
        if known is not call or with_formats is not formats:
            listed = issues_of(self._strict if formats else self.compiled, call)
            found = [(issue.path, issue.keyword, issue.wanted) for issue in listed]
            self._explained = call, formats, found
        return found

    def completed(self, call: Any) -> tuple[Any, set[str]]:
        """Return an invalid call with the members that it lacks, and their paths."""
        added = {path for path, keyword, _ in self.reasons(call) if keyword == "required"}
        call = copy.deepcopy(call)
        for path in added:
            *around, name = pointer_tokens(path)
            location: JSONPath = ()
            holder = call
            for token in around:
                key = int(token) if isinstance(holder, list) else token
                location, holder = (*location, key), holder[key]
            location = (*(min(key, 1) if isinstance(key, int) else key for key in location), name)
            values = self.examples.values(location)
            valid = (each for each in values if self.examples.accepts(location, each))
            holder[name] = next(valid, "text")
        return call, added

    @cached_property
    def examples(self) -> ExampleArguments:
        """Its example arguments."""
        return ExampleArguments(self.compiled)

    @cached_property
    def defaults(self) -> dict[str, dict[str, Any]]:
        """The defaults of the members of each object, by its path."""
        found: dict[str, dict[str, Any]] = {}
        for location in self.examples.locations:
            name = location[-1] if location else None
            for node in self.examples.subschemas(location) if isinstance(name, str) else ():
                if isinstance(node.schema, dict) and "default" in node.schema:
                    members = found.setdefault(any_item(pointer(location[:-1])), {})
                    members.setdefault(str(name), node.schema["default"])
        return found


def judgements(
    old: Version, new: Version, call: Any, is_free: Callable[[str], bool]
) -> Iterator[Judgement]:
    """Yield the differences that a call shows, if one of the versions means it.

    A version means a call that it accepts, if it declares all of its members, or those that it does
    not declare have names that no version declares.

    Args:
        old: the old version.
        new: the new version.
        call: a call.
        is_free: returns whether no version declares the last name in a path.

    """
    before, after = old.accepts(call), new.accepts(call)
    if not (before or after):
        return
    extra_before = old.undeclared(call) if before else []
    extra_after = new.undeclared(call) if after else []
    if before and not after and all(map(is_free, extra_before)):
        yield from _of_refusal("refused", "closed", new.reasons(call), is_free)
    elif after and not before and all(map(is_free, extra_after)):
        yield from _of_refusal("accepted", "opened", old.reasons(call), is_free)
    elif before and after:
        yield from (Judgement("ignored", path) for path in extra_after if path not in extra_before)
        yield from (Judgement("declared", path) for path in extra_before if path not in extra_after)
        yield from _of_meaning(old, new, call)


def _of_refusal(
    kind: str,
    kind_of_free: str,
    reasons: Iterable[tuple[str, str, str]],
    is_free: Callable[[str], bool],
) -> Iterator[Judgement]:
    """Yield the reasons why a version refuses a call; a free name is one of its object."""
    for path, keyword, words in reasons:
        if keyword in CLOSED and is_free(path):
            yield Judgement(kind_of_free, path.rpartition("/")[0], keyword)
        else:
            yield Judgement(kind, path, keyword, words)


def completed_judgements(old: Version, new: Version, call: Any) -> Iterator[tuple[Judgement, Any]]:
    """Yield what a call shows that only lacks what the new version requires, with a completed call.

    Args:
        old: the version that means the call.
        new: the version that may refuse it.
        call: a call.

    """
    if new.accepts(call) or not old.accepts(call):
        return
    completed, added = new.completed(call)
    if not (added and old.accepts(completed) and new.accepts(completed)):
        return
    if added.issuperset(old.undeclared(completed)):
        for path in new.undeclared(completed):
            yield Judgement("ignored", path), completed
        for each in _of_meaning(old, new, completed):
            yield each, completed


def _of_meaning(old: Version, new: Version, call: Any) -> Iterator[Judgement]:
    """Yield what differs in the meaning of a call that both versions accept."""
    if old.accepts_formats(call) and not new.accepts_formats(call):
        yield from (Judgement("format", *each) for each in new.reasons(call, formats=True))
    for path, members in _objects(call):
        before, after = (version.defaults.get(any_item(path), {}) for version in (old, new))
        for name in {**before, **after}:
            pair = [canonical_json(each[name]) if name in each else "" for each in (before, after)]
            if name not in members and pair[0] != pair[1]:
                had, has = (
                    quoted(each[name]) if name in each else "none" for each in (before, after)
                )
                yield Judgement("default", path + pointer((name,)), "default", f"{had}, now {has}")


def _objects(value: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects in a value, each with its path."""
    if isinstance(value, dict):
        yield path, value
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for key, member in members:
        if isinstance(member, (dict, list)):
            yield from _objects(member, path + pointer((key,)))
