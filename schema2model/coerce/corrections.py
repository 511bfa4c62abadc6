"""The corrected call for a message: for weak models, which do not do what is only described."""

from __future__ import annotations

import copy
import json
import re
from typing import Any, Final

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

_NAME: Final = r'"(?:[^"\\]|\\.)*"'
_RENAME: Final = re.compile(rf"rename ({_NAME}) to ({_NAME})")
_OUTSIDE: Final = re.compile(rf"there is no argument ({_NAME}): take .* directly into .*")
_INSIDE: Final = re.compile(rf"({_NAME}(?:, {_NAME})*) must stand inside ({_NAME}), which .*")


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
    *tokens, last = pointer_tokens(issue.path) or [""]
    advice = issue.advice or ""
    owner = value
    for token in tokens:
        owner = owner[int(token) if type(owner) is list else token]
    if found := _RENAME.fullmatch(advice):
        old, new = map(json.loads, found.groups())
        if new not in owner:
            members = [(new if name == old else name, member) for name, member in owner.items()]
            owner.clear()
            owner.update(members)
    elif found := _OUTSIDE.fullmatch(advice):
        members = owner[json.loads(found[1])]
        if owner.keys().isdisjoint(members):
            del owner[json.loads(found[1])]
            owner.update(members)
    elif found := _INSIDE.fullmatch(advice):
        names = json.loads(f"[{found[1]}]")
        inner = owner.setdefault(json.loads(found[2]), {})
        if inner.keys().isdisjoint(names):
            inner.update({name: owner.pop(name) for name in names})
    elif advice.startswith("did you mean ") and issue.example is not None:
        owner[int(last) if type(owner) is list else last] = issue.example
