"""Calls with strings that look like syntax, and kinds of damage to their text."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import strategies as st

_HARD = (
    'print("a", b)\n',
    "it's {fine}: [1, 2]",
    "grep -rn 'x' . | head -5 # all",
    r"^\s*(\w+)\s*=\s*\"(.*)\"$",
    "C:\\data\\new\\x.txt",
    "# Title\n\n```json\n{\"a\": [1, 'b'],}\n```\n",
    '{"name": "x", "tags": ["a", "b"]}',
    "https://x.y/a?b=1&c=[2]#d",
    "// no comment, /* nor this */",
    "line\n\ttab\r\n",
    "",
    " ",
    ",",
    ": ",
    "}",
    "]},",
    '"',
    "'",
    "\\",
    "null",
    "007",
    "naïve 😀",
    "<a href='x'>y</a>",
)

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "content": {"type": "string"},
        "limit": {"type": "integer"},
        "ratio": {"type": "number"},
        "deep": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "edits": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"old": {"type": "string"}, "new": {"type": "string"}},
            },
        },
        "options": {"type": "object"},
    },
}
"""A tool that takes such calls."""

_strings = st.sampled_from(_HARD) | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_scalars = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | _strings
calls: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"path": _strings, "content": _strings},
    optional={
        "limit": st.integers(-1000, 1000),
        "ratio": st.floats(-1e6, 1e6, allow_nan=False),
        "deep": st.booleans(),
        "tags": st.lists(_strings, max_size=4),
        "edits": st.lists(st.fixed_dictionaries({"old": _strings, "new": _strings}), max_size=3),
        "options": st.dictionaries(st.sampled_from(["a", "b", "mode"]), _scalars, max_size=3),
    },
)
"""Valid calls of the tool."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[][{},:]|[^][{},:"\s]+|\s+')


def _tokens(call: dict[str, Any]) -> list[str]:
    return _TOKEN.findall(json.dumps(call, ensure_ascii=False))


def _places(tokens: list[str], mark: str, *, of_objects: bool = False) -> Iterator[int]:
    """Yield the indices of a mark; with `of_objects` only those in objects."""
    open_: list[str] = []
    for number, token in enumerate(tokens):
        if token == mark and (not of_objects or open_[-1] == "{"):
            yield number
        if token in {"{", "["}:
            open_.append(token)
        elif token in {"}", "]"}:
            open_.pop()


def _without(mark: str, *, of_objects: bool = False, every: bool = False) -> Callable[..., str]:
    def damage(call: dict[str, Any], rng: random.Random) -> str:
        tokens = _tokens(call)
        places = list(_places(tokens, mark, of_objects=of_objects))
        chosen = places if every else places and [rng.choice(places)]
        return "".join(token for number, token in enumerate(tokens) if number not in chosen)

    return damage


def _with(mark: str, new: str) -> Callable[..., str]:
    def damage(call: dict[str, Any], _rng: random.Random) -> str:
        return "".join(new if token == mark else token for token in _tokens(call))

    return damage


def _trailing(call: dict[str, Any], rng: random.Random) -> str:
    tokens = _tokens(call)
    place = rng.choice([n for n, t in enumerate(tokens) if t in "}]" and tokens[n - 1] not in "{["])
    return "".join([*tokens[:place], ",", *tokens[place:]])


def _bare_keys(call: dict[str, Any], _rng: random.Random) -> str:
    tokens = _tokens(call)
    return "".join(
        token[1:-1] if tokens[number + 1 : number + 2] == [":"] else token
        for number, token in enumerate(tokens)
    )


def _single(call: dict[str, Any], _rng: random.Random) -> str:
    def quoted(token: str) -> str:
        return "'" + token[1:-1].replace('\\"', '"').replace("'", "\\'") + "'"

    return "".join(quoted(token) if token[0] == '"' else token for token in _tokens(call))


def _closers(call: dict[str, Any], _rng: random.Random) -> str:
    return json.dumps(call).rstrip("}]") if json.dumps(call)[-2] == '"' else json.dumps(call)


def _bare_quotes(call: dict[str, Any], _rng: random.Random) -> str:
    return json.dumps(call, ensure_ascii=False).replace('\\"', '"')


def _bare_backslashes(call: dict[str, Any], _rng: random.Random) -> str:
    return json.dumps(call, ensure_ascii=False).replace("\\\\", "\\")


def _cut(call: dict[str, Any], rng: random.Random) -> str:
    text = json.dumps(call, ensure_ascii=False)
    return text[: rng.randrange(1, len(text))]


DAMAGES: dict[str, tuple[bool, Callable[[dict[str, Any], random.Random], str]]] = {
    "a comma missing": (True, _without(",", of_objects=True)),
    "all commas missing": (True, _without(",", of_objects=True, every=True)),
    "an opening brace missing": (False, _without("{")),
    "a closer missing": (False, _without("}")),
    "a bracket missing": (False, _without("[")),
    "a comma too many": (True, _trailing),
    "bare keys": (True, _bare_keys),
    "single quotes": (True, _single),
    "Python": (True, lambda call, _: repr(call)),
    "closers missing at the end": (True, _closers),
    "an extra closer": (True, lambda call, _: json.dumps(call) + "}"),
    "semicolons": (True, _with(",", ";")),
    "equals signs": (True, _with(":", "=")),
    "a fence": (True, lambda call, _: f"Sure:\n```json\n{json.dumps(call, indent=1)}\n```\nDone."),
    "escaped": (True, lambda call, _: json.dumps(json.dumps(call))[1:-1]),
    "bare quotes": (False, _bare_quotes),
    "bare backslashes": (False, _bare_backslashes),
    "cut off": (False, _cut),
}
"""Each kind of damage, and whether the damaged text has one careful reading: the call."""
