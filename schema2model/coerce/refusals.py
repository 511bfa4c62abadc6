"""Refusals: the issues of arguments that have no valid reading.

They are those of the best attempt of the search. But where the members of a container are
independent, a member without a valid reading cannot be compensated by another: then only the
invalid members are searched, in the one walk that finds the issues. For `{"a": "1", "b": "x"}` with
an integer for each, `a` has a reading and `b` has none. Each level of the arguments is walked once.

For weak models, the message may end in the corrected call.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from itertools import groupby
from typing import Any

from schema2model.advice import Advice
from schema2model.coerce.diagnosis.members import Location, MemberChecker
from schema2model.coerce.diagnosis.property_names import NameChecker
from schema2model.coerce.diagnosis.violations import issues
from schema2model.coerce.diagnosis.wording import Wording
from schema2model.coerce.rules.active_rules import ActiveRules
from schema2model.coerce.rules.envelopes import is_sole_envelope
from schema2model.coerce.search.argument_search import search_arguments
from schema2model.coerce.search.reader import Reader, may_be_damaged
from schema2model.coerce.search.readings import Reading
from schema2model.coercions import Coercion
from schema2model.errors import Issue
from schema2model.json.parsing import NOTHING
from schema2model.json.pointers import JSONPath, pointer_tokens
from schema2model.json.quoting import MAX_EXAMPLE
from schema2model.json.values import contains_more, finite
from schema2model.schema.nodes import Node
from schema2model.schema.undeclared import UndeclaredMember
from schema2model.schema.verdicts import Verdicts

__all__ = ["attempt_issues", "corrected_arguments", "member_issues", "undeclared_issues"]

MAX_REREAD = 100
"""Maximum members that are searched for the message after the search has reached its limit."""

MAX_CORRECTED = 200
"""Maximum values in arguments that are corrected."""

_INDEPENDENT: dict[type, tuple[str, set[str]]] = {
    dict: ("object", {"types", "properties", "additional", "required"}),
    list: ("array", {"types", "items", "sizes"}),
}
"""The type of a container, and the attributes of a `Node` under which each of its members is read
and validated by itself."""

_ENDED = Issue(
    "",
    "limit",
    "values as their schema says",
    "more values that have to be corrected than can be; correct them yourself",
)


def undeclared_issues(
    verdicts: Verdicts, value: Any, members: Iterable[UndeclaredMember]
) -> tuple[Issue, ...]:
    """Return the issues of members that are undeclared in a valid value."""
    names = NameChecker(MemberChecker(verdicts))
    words = Wording(verdicts, names.closest, value)
    found: list[Issue] = []
    for path, siblings in groupby(members, lambda member: member.path[:-1]):
        unknown = [*siblings]
        owner, parts = unknown[0].owner, unknown[0].parts
        keywords = {str(each.path[-1]): "additionalProperties" for each in unknown}
        violations = names.unknown(Location(path, owner, parts.nodes), parts, keywords)
        found += map(words.issue, violations)
    return tuple(found)


def member_issues(reader: Reader, value: Any) -> tuple[Issue, ...]:
    """Return the issues of an object whose members have no valid reading; none if others decide.

    The schema rejects the value, a plain one, not read at all yet.
    """
    root = reader.root.dereferenced()
    if (
        type(value) is not dict
        or is_sole_envelope(value)
        or (len(value) == 1 and _may_be_envelope(root, *value.items()))
        or not reader.rules.members_are_independent
        or not _has_independent_members(root, value)
    ):
        return ()

    read_by_member: dict[JSONPath, Node] = {(): root}

    def read(location: Location) -> Location | None:
        path, sent, nodes, _ = location
        owner = read_by_member.get(path[:-1])
        if owner is None:  # a part of the attempt at a member, which was read as a whole
            return location
        (node,) = nodes
        target = node.dereferenced()
        if _has_independent_members(target, sent) and not any(
            each.function(sent) is not sent for each in reader.rules.alternatives(target)
        ):
            read_by_member[path] = target
            sent = reader.read_in_bulk(target, _without_omitted(reader, target, sent))
            return Location(path, sent, nodes)
        if not (may_be_damaged(node, sent) or _may_change(reader, node, sent)):
            return location
        reading = reader.read(node, sent)
        key = path[-1]
        if reading.valid or (type(key) is str and reader.omits(owner, key, sent)):
            return None
        return Location(path, reading.attempt, nodes, invalid=True)

    made = reader.read_in_bulk(root, _without_omitted(reader, root, value))
    found = issues(reader.verdicts, reader.root, made, read, value)
    return () if reader.has_ended else found


def _may_change(reader: Reader, node: Node, value: Any) -> bool:
    """Return whether a rule may change an invalid value, or leave it out: often none does."""
    return (
        reader.reads_members(node, value)
        or (type(value) is str and len(value) > MAX_EXAMPLE)
        or node.has_in_place_subschemas()
        or reader.rules.omission(node, value) is not None
        or any(each.function(value) is not value for each in reader.rules.alternatives(node))
    )


def _has_independent_members(node: Node, value: Any) -> bool:
    """Return whether each member of a container is read and validated by itself."""
    if type(value) not in _INDEPENDENT:
        return False
    kind, attributes = _INDEPENDENT[type(value)]
    return node.has_only(attributes) and {kind, "null"}.issuperset(node.types or ())


def _without_omitted(reader: Reader, node: Node, value: Any) -> Any:
    """Return a container without omitted members, if an unknown name may mean one of those."""
    if not node.forbids_additional:
        return value
    return {name: each for name, each in value.items() if not reader.omits(node, name, each)}


def _may_be_envelope(root: Node, member: tuple[str, Any]) -> bool:
    """Return whether the only member of a call may contain its arguments."""
    name, inner = member
    is_container = type(inner) is dict or (type(inner) is str and "{" in inner)
    return is_container and name not in root.properties


def attempt_issues(
    root: Node, verdicts: Verdicts, rules: ActiveRules, reading: Reading
) -> tuple[Issue, ...]:
    """Return the issues of the attempt of a reading that is not valid."""
    left = iter(range(MAX_REREAD))

    def read(location: Location) -> Location | None:
        """Skip a member that has a reading, or may have one, but was not searched."""
        if not location.invalid:
            return location
        if next(left, None) is None:
            return None
        readers = (Reader(node, verdicts, rules) for node in location.nodes)
        is_valid = all(each.read(each.root, location.value).valid for each in readers)
        return None if is_valid else location

    found: tuple[Issue, ...] = ()
    reread = read if reading.ended else None
    # an attempt may be valid although no rule allows it as a reading: then the value has the issues
    for value in (reading.attempt, reading.value):
        judged = finite(value) if rules.coercion.allow_inf_nan else value
        found = found or issues(verdicts, root, judged, reread, reading.value)
    return (_ENDED, *found) if reading.ended else found


# -------------------------------------------------------------------------- the corrected call
def corrected_arguments(
    root: Node, verdicts: Verdicts, rules: ActiveRules, value: Any, issues: tuple[Issue, ...]
) -> Any:
    """Return valid arguments if every correction is known, and none loses a value; or `NOTHING`.

    The corrections are those of the messages: another name, place or choice. Then the rules of
    `forgiving` have to read the rest.
    """
    if contains_more(value, MAX_CORRECTED):
        return NOTHING
    value = copy.deepcopy(value)
    try:
        for issue in issues:
            _correct(value, issue)
    except (AttributeError, LookupError, TypeError, ValueError):  # it is in what a text spells
        return NOTHING
    name = rules.name
    forgiving = verdicts.memo(("forgiving", name), lambda: ActiveRules(Coercion.forgiving, name))
    reading = search_arguments(Reader(root, verdicts, forgiving), value)
    return reading.value if reading.valid else NOTHING


def _correct(value: Any, issue: Issue) -> None:
    """Change a value as the advice of an issue says."""
    if not isinstance(issue.advice, Advice):
        return
    kind, facts = issue.advice.kind, issue.advice.facts
    *tokens, last = pointer_tokens(issue.path) or [""]
    owner = value
    for token in tokens:
        owner = owner[int(token) if type(owner) is list else token]
    if kind == "rename":
        old, new = facts
        if new not in owner:
            members = [(new if name == old else name, member) for name, member in owner.items()]
            owner.clear()
            owner.update(members)
    elif kind == "unwrap":
        members = owner[facts[0]]
        if owner.keys().isdisjoint(members):
            del owner[facts[0]]
            owner.update(members)
    elif kind == "nest":
        inner = owner.setdefault(facts[1], {})
        if inner.keys().isdisjoint(facts[0]):
            inner.update({name: owner.pop(name) for name in facts[0]})
    elif kind == "choose":
        owner[int(last) if type(owner) is list else last] = facts[0]
