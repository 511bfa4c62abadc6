"""Other arrangements of a value, whose parts are not where the schema has them.

Each rule makes another value of the same parts. Nothing is dropped or invented, and the schema
judges the outcome, as it judges every reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from schema2model.coerce.rules.envelopes import ENVELOPES, THOUGHTS
from schema2model.coerce.rules.plan import Plan, spelling
from schema2model.coerce.schema_view import NodeView
from schema2model.coerce.search.readings import GUESS, WILD_GUESS, Cost, Step
from schema2model.limits import MAX_PATH_STEPS
from schema2model.schema.nodes import Node, reachable
from schema2model.schema.verdicts import Verdicts
from schema2model.text.exact import NOTHING

__all__ = ["Arrangement", "Arrangements", "Moved", "may_be_path"]


class Moved(NamedTuple):
    """A member that was put under another name only because it may fit there."""

    nodes: list[Node]
    value: Any
    similar: bool
    """Whether the names are alike; if not, it has to fit as it is."""


class Arrangement(NamedTuple):
    """Another arrangement of a value, and the step that leads to it."""

    value: Any
    step: Step
    cost: Cost = GUESS
    moved: Moved | None = None


class Arrangements:
    """The arrangements that values may have under the nodes of a schema."""

    def __init__(self, verdicts: Verdicts, plan: Plan) -> None:
        self._verdicts = verdicts
        self._coercion = plan.coercion
        self._places: dict[int, NodeView] = {}

    def of(self, node: Node, value: Any) -> Iterator[Arrangement]:
        """Other arrangements of a value that a node refuses."""
        coercion = self._coercion
        if type(value) is list and coercion.listed_pairs and node.accepts("object"):
            pairs = _pairs(value)
            names = self._place(node).names()
            if pairs and (not names or pairs.keys() <= names):
                yield Arrangement(pairs, ((), "listed_pairs", value, pairs))
        elif type(value) is dict and node.accepts("object"):
            unknown = self._unknown(node, value)
            if coercion.item_envelope and value.keys() == {"item"} == {*unknown}:
                yield Arrangement(value["item"], ((), "item_envelope", value, value["item"]))
            if coercion.flattened_keys and unknown:
                nested = _nested(value, unknown, self._place(node))
                if nested is not value:
                    yield Arrangement(nested, ((), "flattened_keys", value, nested))
            if coercion.sole_key and len(unknown) == 1 and _NAME.fullmatch(unknown[0]):
                yield from self._sole(node, value, *unknown)

    def _place(self, node: Node) -> NodeView:
        place = self._places.get(id(node))
        if place is None:
            place = self._places[id(node)] = NodeView((node,))
        return place

    def _unknown(self, node: Node, value: Mapping[str, Any]) -> list[str]:
        """The keys of an object that no subschema for it speaks of."""
        unknown = [key for key in value if key not in self._place(node).names()]
        parts = node.all_in_place() if unknown else ()
        return [key for key in unknown if not any(part.declares(key) for part in parts)]

    def _sole(self, node: Node, value: Mapping[str, Any], key: str) -> Iterator[Arrangement]:
        """The only unknown key as the only required one that is missing."""
        certain = reachable([node], _certainly)
        missing = {name for part in certain for name in part.required if name not in value}
        if len(missing) != 1:
            return
        (name,) = missing
        nodes = [part.properties[name] for part in certain if name in part.properties]
        similar = _similar(key, name)
        others = self._place(node).names() - value.keys() - missing
        rivals = key in ENVELOPES | THOUGHTS or any(_similar(key, other) for other in others)
        if nodes and (similar or not rivals):
            renamed = {name if k == key else k: member for k, member in value.items()}
            moved = Moved(nodes, value[key], similar)
            yield Arrangement(renamed, ((key,), "sole_key", key, name), WILD_GUESS, moved)


def _certainly(node: Node) -> Iterator[Node]:
    """The nodes that apply to the same object in any case."""
    yield from node.conjuncts()
    for group in (node.any_of, node.one_of):
        others = [branch for branch in group if not branch.is_null()]
        if len(others) == 1:
            yield others[0]


def _similar(one: str, other: str) -> bool:
    """Return whether one name has all words of the other, and no more specific ones.

    `citation` is like `citations`, and `user` like `user_id`; `min_price` is not like `price`.
    """
    words, others = _words(one), _words(other)
    rest = words ^ others
    within = bool(words and others) and (words <= others or others <= words)
    return within and rest.isdisjoint(_WHICH)


def _words(name: str) -> set[str]:
    return {spelling(word).removesuffix("s") for word in _WORD.findall(name)}


_WHICH = frozenset(
    (
        *("min", "max", "minimum", "maximum", "from", "to", "start", "end", "first", "last"),
        *("old", "new", "source", "target", "before", "after", "parent", "not", "no", "exclude"),
    )
)
"""Words by which names tell one thing from another of its kind."""
_NAME = re.compile(r"[\w $-]{1,64}")
_WORD = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![a-z])|\d+")


def _pairs(value: list[Any]) -> dict[str, Any] | None:
    """The object that a list of pairs spells."""
    made: dict[str, Any] = {}
    for pair in value:
        if type(pair) is not dict or pair.keys() not in ({"key", "value"}, {"name", "value"}):
            return None
        key = pair["key"] if "key" in pair else pair["name"]
        if type(key) is not str or key in made:
            return None
        made[key] = pair["value"]
    return made


# ---------------------------------------------------------------------------- flattened keys
_PATH = re.compile(r"[^.\[\]]+(?:\[\d{1,6}\]|\.[^.\[\]]+)+")
_STEP = re.compile(r"\[(\d+)\]|([^.\[\]]+)")


def _nested(value: Mapping[str, Any], unknown: list[str], place: NodeView) -> Any:
    """The object whose keys were paths into it; the same where none is, or two of them meet."""
    paths = {key: path for key in unknown if (path := _path(key, place))}
    if not paths:
        return value
    made = _assembled([(paths.get(key, [key]), member) for key, member in value.items()])
    return value if made is NOTHING else made


def _assembled(parts: list[tuple[list[str | int], Any]]) -> Any:
    """The value that has certain parts at certain paths; `NOTHING` if there can be none."""
    if len(parts) == 1 and not parts[0][0]:
        return parts[0][1]
    members: dict[str | int, list[tuple[list[str | int], Any]]] = {}
    for path, part in parts:
        if not path and type(part) is not dict:
            return NOTHING
        inner = [(path[1:], part)] if path else [([], member) for member in part.values()]
        for step, found in zip(path[:1] or part, inner, strict=True):
            members.setdefault(step, []).append(found)
    made = {step: _assembled(found) for step, found in members.items()}
    if any(member is NOTHING for member in made.values()):
        return NOTHING
    if all(type(step) is str for step in made):
        return made
    complete = made.keys() == {*range(len(made))}
    return [made[index] for index in range(len(made))] if complete else NOTHING


def may_be_path(key: str) -> bool:
    """Whether a key spells a path.

    >>> may_be_path("todos[0].id"), may_be_path("todos")
    (True, False)
    """
    return _PATH.fullmatch(key) is not None


def _path(key: str, place: NodeView) -> list[str | int] | None:
    """The path that a key spells, if the schema has it."""
    if not may_be_path(key):
        return None
    path: list[str | int] = []
    for index, name in _STEP.findall(key):
        if len(path) == MAX_PATH_STEPS:
            return None
        if not index and name in place.names():
            path.append(name)
            place = place.member(name)
        elif path and place.wants("array") and (index or (name.isascii() and name.isdigit())):
            path.append(int(index or name[:7]))
            place = place.item()
        else:
            return None
    return path
