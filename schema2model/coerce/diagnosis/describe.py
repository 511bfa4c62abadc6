"""Descriptions in words of the values that subschemas accept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from schema2model.advice import ANOTHER_VALUE
from schema2model.coerce.diagnosis.unions import Leaf, closure, flatten_branches, open_unions
from schema2model.errors import NOTHING_HERE
from schema2model.json.equality import membership
from schema2model.json.quoting import list_names, quoted
from schema2model.json.values import NUMBERS
from schema2model.schema.keywords import KEYWORDS
from schema2model.schema.nodes import Node, common_types
from schema2model.schema.parts import Parts
from schema2model.schema.vocabularies.python_types import DECIMAL_OR_FLOAT, PYTHON_TYPE

__all__ = ["MAX_NAMES", "describe_branches", "describe_values", "strictest_bound"]

MAX_SHOWN = 20
"""Maximum choices that a message shows; it counts the others."""

MAX_BRANCHES = 5
"""Maximum branches of a union that a message describes; it counts the others."""

MAX_DESCRIBED = 12
"""Maximum branches that are described, to drop those with equal words."""

MAX_LEVELS = 3
"""Maximum levels of containers that are described."""

MAX_NAMES = 5
"""Maximum names of an object's properties in a message."""


_VAGUE = frozenset((NOTHING_HERE, ANOTHER_VALUE))
"""Descriptions that say nothing of the members of a container."""


def describe_values(
    nodes: Sequence[Node],
    kind: str | None = None,
    level: int = 0,
    opened: frozenset[int] = frozenset(),
    *,
    plural: bool = False,
) -> str:
    """Describe the values that all of some subschemas accept, except for unions in `opened`."""
    nodes = closure(nodes)
    if any(node.is_false for node in nodes):
        return NOTHING_HERE
    negated = (quoted(node.schema["not"]) for node in nodes if node.negated)
    extra = (f"anything but what fits {schema}" for schema in negated)
    chosen = [node.choices for node in nodes if node.choices is not None]
    if chosen:
        common = [membership(choices) for choices in chosen[1:]]
        allowed = _list_choices([c for c in chosen[0] if all(allows(c) for allows in common)])
        return ", ".join((allowed, *extra))
    types = common_types(nodes) or ()
    if not types and any(node.types for node in nodes):
        return NOTHING_HERE
    unions = [each for each in open_unions(nodes, opened) if {*nodes}.isdisjoint(each)]
    kinds = types or ([kind] if kind and not unions else [])
    merged = [name for name in kinds if not (name == "integer" and "number" in types)]
    if not types and merged == ["integer"]:
        merged = ["number"]
    words = [_describe_type(name, nodes, level, typed=bool(types)) for name in merged]
    if plural:
        named = zip(merged, words, strict=True)
        words = [word and _plural(name) + word.removeprefix(name) for name, word in named]
    text = " or ".join(dict.fromkeys(filter(None, words)))
    if unions and level < MAX_LEVELS:
        shared = kind if kind in types or not types else types[0]  # of every branch, too
        branch = describe_branches(flatten_branches(unions[0]), shared, level, plural=plural)
        text = f"{text}, namely {branch}" if text not in {"", "object", "objects"} else branch
    return ", ".join(filter(None, (text, *extra))) or ANOTHER_VALUE


def _plural(kind: str) -> str:
    return kind if kind == "null" else f"{kind}s"


def describe_branches(
    leaves: Sequence[Leaf], kind: str | None, level: int = 0, *, plural: bool = False
) -> str:
    """Describe the values that one of some branches accepts."""
    if all(len(leaf.nodes) == 1 and leaf.nodes[0].choices for leaf in leaves):
        return _list_choices([choice for leaf in leaves for choice in leaf.nodes[0].choices or ()])
    leaves = [leaf for leaf in leaves if not _is_decimal_text(leaf)] or leaves
    described = leaves[:MAX_DESCRIBED]
    texts = [
        describe_values(leaf.nodes, kind, level + 1, leaf.opened, plural=plural)
        for leaf in described
    ]
    if not level and texts.count("object") > 1:
        differing = _differing_properties(described)
        texts = [
            f"{text} (where {properties})" if text == "object" and properties else text
            for text, properties in zip(texts, differing, strict=True)
        ]
    words = dict.fromkeys(texts)
    words.pop(NOTHING_HERE, None)
    shown = list(words)[:MAX_BRANCHES]
    more = len(words) - len(shown) + max(len(leaves) - MAX_DESCRIBED, 0)
    return " or ".join(shown) + (f" or {more} more" if more else "") or NOTHING_HERE


def _differing_properties(leaves: Sequence[Leaf]) -> list[str]:
    """Return, for each branch, the optional properties that are not the same in all of them."""
    properties = []
    for leaf in leaves:
        parts = Parts(leaf.nodes)
        properties.append({name: parts.property_subschemas(name) for name in parts.names})
    differing = []
    for own in properties:
        others = [other for other in properties if other is not own]
        words = (
            f"{quoted(name)} is {text}"
            for name, nodes in own.items()
            if any(not _are_alike(nodes, other.get(name, ())) for other in others)
            if (text := describe_values(nodes, level=MAX_LEVELS)) not in _VAGUE
        )
        differing.append(" and ".join(islice(words, MAX_NAMES)))
    return differing


def _are_alike(nodes: Sequence[Node], others: Sequence[Node]) -> bool:
    """Return whether the subschemas are the same."""
    return [node.schema for node in nodes] == [other.schema for other in others]


def _is_decimal_text(leaf: Leaf) -> bool:
    """Return whether a branch is the string of a Decimal, next to which a number is accepted."""
    names = {"decimal", DECIMAL_OR_FLOAT}
    schemas = (node.schema for node in leaf.nodes)
    return any(type(each) is dict and each.get(PYTHON_TYPE) in names for each in schemas)


def _describe_type(kind: str, nodes: Sequence[Node], level: int, *, typed: bool) -> str:
    # in earlier drafts the siblings of a reference do not count
    counting = [node for node in nodes if not (node.reference and node.has_only({"reference"}))]
    schemas = [node.schema for node in counting if isinstance(node.schema, dict)]
    if kind in NUMBERS:
        return _describe_number(kind, schemas)
    if kind == "string":
        return _describe_string(schemas, typed=typed)
    if kind == "array":
        return _describe_array(nodes, schemas, level)
    if kind == "object":
        return _describe_object(nodes, schemas, level)
    return kind


def _describe_array(nodes: Sequence[Node], schemas: list[dict[str, Any]], level: int) -> str:
    sizes = _describe_size(schemas, "minItems", "maxItems", "item", "items")
    text = f"array of {sizes}" if sizes else "array"
    items = [node.items for node in nodes if node.items is not None]
    prefix = next((node.prefix for node in nodes if node.prefix), ())
    if prefix and level < MAX_LEVELS:
        parts = Parts(nodes)
        each = ", ".join(
            describe_values(parts.item_subschemas(index), level=level + 1)
            for index in range(min(len(prefix), MAX_NAMES))
        )
        text += f"{':' if sizes else ' of'} [{each}{', …' if len(prefix) > MAX_NAMES else ''}]"
    elif items and level < MAX_LEVELS:
        inner = describe_values(items, level=level + 1, plural=not sizes)
        if inner not in _VAGUE:
            text += f", each {inner}" if sizes else f" of {inner}"
    text += _keyword_phrases("array", schemas)
    for node in nodes:
        if "contains" in node.residual and level < MAX_LEVELS:
            bounds = {"minContains": 1, **node.schema}
            number = _describe_size([bounds], "minContains", "maxContains", "item", "items")
            like = describe_values((node.residual_subschemas["contains"],), level=level + 1)
            text += f" with {number} like {like}" if number else ""
    return text


def _describe_object(nodes: Sequence[Node], schemas: list[dict[str, Any]], level: int) -> str:
    required = list(dict.fromkeys(name for node in nodes for name in node.required))
    text = "object"
    if required and level < MAX_LEVELS:
        parts = Parts(nodes)
        shown = [_describe_property(name, parts, level) for name in required[:MAX_NAMES]]
        more = ", …" if len(required) > MAX_NAMES else ""
        text += f" with {', '.join(shown)}{more}"
    elif level < MAX_LEVELS:
        values = [node.additional for node in nodes if node.additional is not None]
        inner = describe_values(values, level=level + 1, plural=True) if values else ANOTHER_VALUE
        declared = any(node.properties for node in nodes)
        if not declared and inner not in _VAGUE:
            text += f" of {inner}"
    sizes = _describe_size(schemas, "minProperties", "maxProperties", "property", "properties")
    joint = " and" if " with " in text else " with"
    return f"{text}{joint} {sizes}" if sizes else text


def _describe_property(name: str, parts: Parts, level: int) -> str:
    """Return a required property with its only value, or its type."""
    subschemas = closure(parts.property_subschemas(name))
    choices = next((node.choices for node in subschemas if node.choices is not None), None)
    if choices is not None and len(choices) == 1:
        return f"{quoted(name)}: {quoted(choices[0])}"
    types = common_types(subschemas)
    return f"{quoted(name)}: {' or '.join(types)}" if types and level < 1 else quoted(name)


def _list_choices(choices: list[Any]) -> str:
    if not choices:
        return NOTHING_HERE
    shown = list_names(choices, MAX_SHOWN)
    return f"one of {shown}" if len(choices) > 1 else shown


def strictest_bound(schemas: list[dict[str, Any]], keyword: str, pick: Callable[[Any], Any]) -> Any:
    """Return the strictest of several bounds, the `max` or `min` of them; None if there is none."""
    bounds = [schema[keyword] for schema in schemas if type(schema.get(keyword)) in {int, float}]
    return pick(bounds) if bounds else None


_BOUNDS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "minimum": ("of at least", max),
    "exclusiveMinimum": ("greater than", max),
    "maximum": ("of at most", min),
    "exclusiveMaximum": ("less than", min),
}
"""The words for a bound, and which of several is the strictest."""


def _describe_number(kind: str, schemas: list[dict[str, Any]]) -> str:
    bounds = {
        keyword: strictest_bound(schemas, keyword, pick) for keyword, (_, pick) in _BOUNDS.items()
    }
    for keyword, switch in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if any(schema.get(switch) is True for schema in schemas):  # in draft 4
            bounds[switch] = bounds.pop(keyword)
    shown = {keyword: quoted(bound) for keyword, bound in bounds.items() if bound is not None}
    if shown.keys() == {"minimum", "maximum"}:
        text = " from {} to {}".format(*shown.values())
    else:
        text = " and".join(f" {_BOUNDS[keyword][0]} {bound}" for keyword, bound in shown.items())
    return kind + text + _keyword_phrases("number", schemas)


def _describe_size(
    schemas: list[dict[str, Any]], least: str, most: str, one: str, many: str
) -> str:
    """Describe a number of things; empty if any number will do."""
    low = int(strictest_bound(schemas, least, max) or 0)
    high = strictest_bound(schemas, most, min)
    if high is None:
        return f"at least {low} {one if low == 1 else many}" if low else ""
    high = int(high)
    exact = f"exactly {low}" if low == high else f"{low} to {high}"
    return f"{exact if low else f'at most {high}'} {one if high == 1 else many}"


def _describe_string(schemas: list[dict[str, Any]], *, typed: bool) -> str:
    size = _describe_size(schemas, "minLength", "maxLength", "character", "characters")
    text = f"string of {size}" if size else "string"
    phrases = _keyword_phrases("string", schemas)
    return text + phrases if typed or size or phrases else ""


_PHRASES = [(name, k.instance, k.phrase) for name, k in KEYWORDS if k.phrase is not None]


def _keyword_phrases(kind: str, schemas: list[dict[str, Any]]) -> str:
    """Return the phrases of all keywords for a type, each made of its values in the schemas."""
    text = ""
    for name, instance, phrase in _PHRASES:
        values = [schema[name] for schema in schemas if name in schema]
        if instance == kind and values:
            text += phrase(values)
    return text
