"""The corrected call for a message: for weak models, which do not do what is only described."""

from __future__ import annotations

import copy
from typing import Any

from schema2model.advice import Advice
from schema2model.coerce.rules.active_rules import ActiveRules
from schema2model.coerce.search.argument_search import search_arguments
from schema2model.coerce.search.reader import Reader
from schema2model.coercions import Coercion
from schema2model.errors import Issue
from schema2model.json.parsing import NOTHING
from schema2model.json.pointers import pointer_tokens
from schema2model.json.values import contains_more
from schema2model.schema.nodes import Node
from schema2model.schema.verdicts import Verdicts

__all__ = ["corrected_arguments"]

MAX_CORRECTED = 200
"""Maximum values in arguments that are corrected."""


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
    except (LookupError, TypeError, ValueError):  # it is in what a text spells
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
