"""The faults of servers that send calls in pieces with an index, an id and a name."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from reply_streams import Sent

ROME = Sent("a", "get_weather", ['{"city": "Ro', 'me"}'])
OSLO = Sent("b", "set_alarm", ['{"tags": [', '"Oslo"', "]}"])
BOTH = [("get_weather", {"city": "Rome"}), ("set_alarm", {"tags": ["Oslo"]})]

Piece = dict[str, Any]
"""A piece of a call: its `index`, `id`, `name` and `arguments`, as far as it has them."""


def pieces(*calls: Sent) -> list[Piece]:
    """The pieces of calls, one call after the other, each with a head."""
    made: list[Piece] = []
    for index, call in enumerate(calls):
        made.append({"index": index, "id": call.id, "name": call.name, "arguments": ""})
        made += [{"index": index, "arguments": text} for text in call.pieces]
    return made


def without(*keys: str) -> Callable[[list[Piece]], list[Piece]]:
    """Leave out these members."""
    return lambda given: [
        {key: value for key, value in piece.items() if key not in keys} for piece in given
    ]


def repeating(*keys: str) -> Callable[[list[Piece]], list[Piece]]:
    """Repeat these members of the head in every piece."""

    def changed(given: list[Piece]) -> list[Piece]:
        heads: dict[int, Piece] = {}
        made = []
        for piece in given:
            head = heads.setdefault(piece["index"], piece)
            made.append({**{key: head[key] for key in keys}, **piece})
        return made

    return changed


def one_index(given: list[Piece]) -> list[Piece]:
    """Give all pieces the same index."""
    return [{**piece, "index": 0} for piece in given]


def then(*faults: Callable[[list[Piece]], list[Piece]]) -> Callable[[list[Piece]], list[Piece]]:
    """Make several faults, one after the other."""

    def changed(given: list[Piece]) -> list[Piece]:
        for fault in faults:
            given = fault(given)
        return given

    return changed


def with_names(*parts: str) -> Callable[[list[Piece]], list[Piece]]:
    """Send the first name in these parts, without its id again."""

    def changed(given: list[Piece]) -> list[Piece]:
        head, *rest = given
        more = [{"index": 0, "name": part, "arguments": ""} for part in parts[1:]]
        return [{**head, "name": parts[0]}, *more, *rest]

    return changed


def interleaved(given: list[Piece]) -> list[Piece]:
    """Send both heads, then the pieces by turns."""
    first = [piece for piece in given if piece["index"] == 0]
    second = [piece for piece in given if piece["index"] == 1]
    pairs = itertools.zip_longest(first, second)
    return [piece for pair in pairs for piece in pair if piece is not None]


def first_arguments(*texts: Any) -> Callable[[list[Piece]], list[Piece]]:
    """Replace the arguments of the first call."""
    made = [{"index": 0, "arguments": text} for text in texts]
    return lambda given: [given[0], *made, *(p for p in given if p["index"] == 1)]


def with_new_id(given: list[Piece]) -> list[Piece]:
    """Give a piece of the first call an id of its own."""
    return [*given[:2], {**given[2], "id": "z"}, *given[3:]]


def with_late_ids(given: list[Piece]) -> list[Piece]:
    """Give the piece after each head its id."""
    ids = [None, *(piece.pop("id", None) for piece in given)]
    return [
        {**piece, **({"id": id_} if id_ else {})} for piece, id_ in zip(given, ids, strict=False)
    ]


def with_empty(given: list[Piece]) -> list[Piece]:
    """Add pieces of nothing."""
    nothing: list[Piece] = [
        {"index": 0},
        {"index": 0, "arguments": None, "name": None, "id": None},
        {"index": 0, "arguments": "", "name": "", "id": ""},
        {},
        {"index": 7, "arguments": ""},
    ]
    return [*nothing, *(each for piece in given for each in (piece, *nothing))]


READ: list[Any] = BOTH
NONE_READ: list[Any] = []

FAULTS: dict[str, tuple[Callable[[list[Piece]], list[Piece]], list[Any]]] = {
    "none": (list, READ),
    "an index used twice": (one_index, READ),
    "no index": (without("index"), READ),
    "no id": (without("id"), READ),
    "neither index nor id": (without("index", "id"), READ),
    "no id, an index used twice": (then(without("id"), one_index), READ),
    "the id repeated": (repeating("id"), READ),
    "the id after the name": (with_late_ids, READ),
    "the name repeated": (repeating("name"), READ),
    "id and name repeated": (repeating("id", "name"), READ),
    "the name repeated, no index, no id": (then(repeating("name"), without("index", "id")), READ),
    "the name empty in later pieces": (
        lambda given: [{"name": "", **piece} for piece in given],
        READ,
    ),
    "the name in pieces": (with_names("get_", "weather"), READ),
    "the name in pieces that begin with a tool": (with_names("get", "_wea", "ther"), READ),
    "the name growing": (with_names("ge", "get_we", "get_weather"), READ),
    "another name in place of the first": (with_names("set_alarm", "get_weather"), None),
    "a leading empty object": (first_arguments("{}", '{"city": "Ro', 'me"}'), READ),
    "a leading empty object, cut": (first_arguments("{", " } ", ' {"city"', ': "Rome"}'), READ),
    "a leading empty object, glued": (first_arguments('{}{"city": "Rome"}'), READ),
    "an object in place of the text": (first_arguments({"city": "Rome"}), READ),
    "the same object twice": (first_arguments('{"city": "Rome"}', '{"city": "Rome"}'), READ),
    "empty pieces": (with_empty, READ),
    "all pieces in one chunk": (list, READ),
    "interleaved": (interleaved, READ),
    "interleaved, the id repeated, an index used twice": (
        then(repeating("id"), interleaved, one_index),
        READ,
    ),
    "interleaved, the id repeated, no index": (
        then(repeating("id"), interleaved, without("index")),
        READ,
    ),
    "interleaved, the name repeated, no id, no index": (
        then(repeating("name"), interleaved, without("index", "id")),
        NONE_READ,
    ),
    "interleaved, an index used twice": (then(interleaved, one_index), NONE_READ),
    "interleaved, no index": (then(interleaved, without("index")), NONE_READ),
    "two objects in one string": (
        first_arguments('{"city": "Rome"}{"city": "Oslo"}'),
        [None, BOTH[1]],
    ),
    "two objects in two pieces": (
        first_arguments('{"city": "Rome"}', '{"city": "Oslo"}'),
        [None, BOTH[1]],
    ),
    "a new id within the arguments": (with_new_id, [None, None, BOTH[1]]),
    "the head of the second is lost": (lambda given: [*given[:3], *given[4:]], [BOTH[0], None]),
    "the head of the first is lost": (lambda given: given[1:], [None, BOTH[1]]),
    "the index moves on without a head": (
        lambda given: [*given[:2], {**given[2], "index": 5}, *given[3:]],
        [None, None, BOTH[1]],
    ),
    "another call within the arguments": (
        lambda given: [
            given[0],
            {"index": 0, "arguments": '{"city": "Rome"'},
            {"index": 0, "id": "z", "name": "get_weather", "arguments": '"tags": ["Oslo"]}'},
            *given[3:],
        ],
        [None, None, BOTH[1]],
    ),
    "by turns at one index, with arguments before the second head": (
        lambda given: [
            {**given[0], "arguments": '{"city": "Ro'},
            {**given[3], "index": 0, "arguments": '{"tags": ["Oslo"'},
            {"index": 0, "id": "a", "arguments": 'me"}'},
            {"index": 0, "id": "b", "arguments": "]}"},
        ],
        [None, BOTH[1]],
    ),
    "the id goes on at another index": (
        lambda given: [*given[:2], {**given[2], "index": 5, "id": "a"}, *given[3:]],
        READ,
    ),
    "a blank piece after the arguments, an index used twice": (
        then(first_arguments('{"city": "Rome"}', "\n"), one_index),
        READ,
    ),
    "an array in place of the object, an index used twice": (
        then(first_arguments("[1]"), one_index),
        [None, BOTH[1]],
    ),
    "the text in a JSON string, an index used twice": (
        then(first_arguments('"{\\"city\\": \\"Rome\\"}"'), one_index),
        READ,
    ),
}
"""Faults, and what becomes of the two calls: None for one that is refused; empty if all are."""
