"""Tools like those that exist, valid calls of them, and what models make of such calls."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any, NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

Path = tuple[str | int, ...]


class Tool(NamedTuple):
    """A schema, and strategies for calls that satisfy it."""

    schema: Any
    calls: SearchStrategy[Any]


# ------------------------------------------------------------------------------------ tools
_words = st.text("abc xyzÄ😀\n\"'\\{[,:", max_size=12) | st.sampled_from(
    ("10", "true", "null", '["a"]', '{"a": 1}', "[1, 2]", "None", "1.10", "")
)
_integers = st.integers(-10, 10) | st.sampled_from((2**53 + 1, 2**63, -(2**64), 10**25))
_numbers = _integers | st.floats(allow_nan=False, allow_infinity=False)
_names = st.text("abcdefg_", min_size=1, max_size=6)


def _object(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


def _closed(*required: str, **properties: Any) -> dict[str, Any]:
    return {**_object(*required, **properties), "additionalProperties": False}


def _array(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _calls(required: dict[str, Any], optional: dict[str, Any]) -> SearchStrategy[Any]:
    return st.fixed_dictionaries(required, optional=optional)


INTEGER, NUMBER, STRING, BOOLEAN, NULL = (
    {"type": name} for name in ("integer", "number", "string", "boolean", "null")
)

SEARCH = Tool(
    _closed(
        "query",
        query=STRING,
        limit={"type": "integer", "minimum": 1, "maximum": 1000, "default": 10},
        tags=_array(STRING),
        ids=_array(INTEGER),
        exact=BOOLEAN,
        order={"type": "string", "enum": ["asc", "desc"]},
        cursor={"anyOf": [STRING, NULL], "default": None},
        since={"type": ["integer", "null"]},
    ),
    _calls(
        {"query": _words},
        {
            "limit": st.integers(1, 1000),
            "tags": st.lists(_words, max_size=3),
            "ids": st.lists(_integers, max_size=3),
            "exact": st.booleans(),
            "order": st.sampled_from(("asc", "desc")),
            "cursor": st.none() | _words,
            "since": st.none() | _integers,
        },
    ),
)

_metadata = st.dictionaries(_names, _numbers, max_size=3)
PATCH = Tool(
    {
        **_object(
            "path",
            "edits",
            path=STRING,
            edits=_array(_closed("at", "text", at=INTEGER, text=STRING, all=BOOLEAN)),
            metadata={"type": "object", "additionalProperties": NUMBER},
            box={"type": "array", "prefixItems": [INTEGER, NUMBER, BOOLEAN], "items": STRING},
            dry={"type": ["boolean", "null"]},
        ),
        "patternProperties": {"^x-": _array(INTEGER)},
        "additionalProperties": False,
    },
    _calls(
        {
            "path": _words,
            "edits": st.lists(
                _calls({"at": _integers, "text": _words}, {"all": st.booleans()}), max_size=3
            ),
        },
        {
            "metadata": _metadata,
            "box": st.tuples(_integers, _numbers, st.booleans(), _words).map(list),
            "dry": st.none() | st.booleans(),
            "x-rows": st.lists(_integers, max_size=2),
        },
    ),
)

_leaf = _calls({"field": _words, "value": _integers}, {"negate": st.booleans()})
_filters = st.recursive(
    _leaf,
    lambda inner: (
        st.lists(inner, max_size=2).map(lambda parts: {"and": parts})
        | inner.map(lambda part: {"not": part})
    ),
    max_leaves=4,
)
FILTER = Tool(
    {
        **_closed("filter", filter={"$ref": "#/$defs/filter"}),
        "$defs": {
            "filter": {
                "anyOf": [
                    _closed("and", **{"and": _array({"$ref": "#/$defs/filter"})}),
                    _closed("not", **{"not": {"$ref": "#/$defs/filter"}}),
                    _closed("field", "value", field=STRING, value=INTEGER, negate=BOOLEAN),
                ]
            }
        },
    },
    _calls({"filter": _filters}, {}),
)

_shapes = (
    _calls({"kind": st.just("circle"), "radius": _numbers}, {"filled": st.booleans()})
    | _calls({"kind": st.just("box"), "corners": st.lists(_integers, max_size=3)}, {})
    | _calls({"kind": st.just("text"), "radius": _words}, {})
)
DRAW = Tool(
    _closed(
        "shapes",
        shapes=_array(
            {
                "oneOf": [
                    _closed(
                        "kind", "radius", kind={"const": "circle"}, radius=NUMBER, filled=BOOLEAN
                    ),
                    _closed("kind", "corners", kind={"const": "box"}, corners=_array(INTEGER)),
                    _closed("kind", "radius", kind={"enum": ["text", "label"]}, radius=STRING),
                ]
            }
        ),
        style={"anyOf": [_closed("width", width=INTEGER), NULL]},
    ),
    _calls(
        {"shapes": st.lists(_shapes, max_size=3)},
        {"style": st.none() | st.fixed_dictionaries({"width": _integers})},
    ),
)

BOOK = Tool(
    {
        "allOf": [
            _object("guest", guest=_object("name", name=STRING, age=INTEGER)),
            _object(nights=INTEGER, paid=BOOLEAN),
        ],
        "type": "object",
        "properties": {"method": {"enum": ["card", "cash"]}, "card": {}, "change": {}},
        "if": {"properties": {"method": {"const": "card"}}, "required": ["method"]},
        "then": {"properties": {"card": _array(INTEGER)}},
        "else": {"properties": {"change": NUMBER}},
    },
    _calls(
        {"guest": _calls({"name": _words}, {"age": _integers})},
        {"nights": _integers, "paid": st.booleans()},
    ).flatmap(
        lambda call: st.sampled_from(
            (
                call,
                {**call, "method": "card", "card": [1, 2]},
                {**call, "method": "cash", "change": 5},
            )
        )
    ),
)

TOOLS = (SEARCH, PATCH, FILTER, DRAW, BOOK)


# ------------------------------------------------------------------------------- corruptions
def places(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every value within a value, with its path."""
    yield path, value
    members: Any = ()
    if isinstance(value, dict):
        members = value.items()
    elif isinstance(value, list):
        members = enumerate(value)
    for key, item in members:
        yield from places(item, (*path, key))


def replaced(value: Any, path: Path, new: Any) -> Any:
    """A copy of a value with another one at a path."""
    if not path:
        return new
    copy = deepcopy(value)
    holder = copy
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = new
    return copy


def _containers(value: Any) -> bool:
    return isinstance(value, (dict, list))


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _literal(value: Any) -> bool:
    """Whether Python's notation of a value differs from JSON's, and is told from prose."""
    return _containers(value) and not any(
        isinstance(text, str) and set(text) & set("\\\"'\n") for _, text in places(value)
    )


EXACT = 2**53
"""Beyond it, what is written with a point may be a float that has fewer digits."""

Corruption = tuple[Callable[[Any], bool], Callable[[Any], Any]]
CORRUPTIONS: dict[str, Corruption] = {
    "text": (lambda v: not isinstance(v, str), json.dumps),
    "indented": (_containers, lambda v: json.dumps(v, indent=2, ensure_ascii=False)),
    "text in text": (_containers, lambda v: json.dumps(json.dumps(v))),
    "text in text in text": (_containers, lambda v: json.dumps(json.dumps(json.dumps(v)))),
    "Python": (_literal, repr),
    "trailing comma": (
        lambda v: _containers(v) and len(v) > 0,
        lambda v: f"{json.dumps(v)[:-1]},{json.dumps(v)[-1]}",
    ),
    "title case": (lambda v: isinstance(v, bool), str),
    "yes or no": (lambda v: isinstance(v, bool), lambda v: "yes" if v else "no"),
    "1 or 0": (lambda v: isinstance(v, bool), int),
    "None": (lambda v: v is None, str),
    "point zero": (lambda v: type(v) is int and abs(v) < EXACT, lambda v: f"{v}.0"),
    "padded": (_number, lambda v: f" {json.dumps(v)}\n"),
    "plus": (lambda v: _number(v) and math.copysign(1, v) > 0, lambda v: f"+{json.dumps(v)}"),
}
"""What models send in the place of a value: where it applies, and what it makes."""


def corruptions(value: Any) -> list[tuple[str, Path, Any]]:
    """Every single corruption of the members of a call: its name, where, and the outcome."""
    return [
        (name, path, replaced(value, path, corrupt(item)))
        for path, item in places(value)
        if path
        for name, (applies, corrupt) in CORRUPTIONS.items()
        if applies(item)
    ]


@st.composite
def corrupted(draw: st.DrawFn, tool: Tool, *, times: int = 2) -> Any:
    """A call with up to so many corruptions, one upon the other."""
    value = draw(tool.calls)
    for _ in range(draw(st.integers(0, times))):
        options = corruptions(value)
        if options:
            value = draw(st.sampled_from(options))[2]
    return value
