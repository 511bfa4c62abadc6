"""The positions of a JSON document's values in its text, and their paths."""

from __future__ import annotations

import json
import re
from typing import Any

from schema2model.json.pointers import pointer

__all__ = ["lines_in", "pointers_in"]

_WORDS = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|\n|[^\s{}\[\],:"]+')


def lines_in(text: str) -> dict[str, int]:
    r"""Return the line on which each value of a JSON text begins, by its JSON Pointer.

    A member of an object begins with its name. The text has to be JSON: it is not checked.

    >>> lines_in('{"a":\n [1,\n  {"b": 2}]}')
    {'': 1, '/a': 1, '/a/0': 2, '/a/1': 3, '/a/1/b': 3}
    """
    lines: dict[str, int] = {}
    line = 1
    above: list[tuple[str, int | None]] = []  # containers that are open: pointer, next index
    name: str | None = None  # of the member whose value comes next
    for found in _WORDS.finditer(text):
        word = found[0]
        if word == "\n":
            line += 1
        elif word in ",:":
            continue
        elif word in "}]":
            above.pop()
        else:
            place, index = above[-1] if above else ("", None)
            if index is not None:
                above[-1] = place, index + 1
                place += f"/{index}"
            elif above and name is None:  # then this is the name
                name = json.loads(word)
                lines[place + pointer((name,))] = line
                continue
            elif name is not None:
                place += pointer((name,))
                name = None
            lines.setdefault(place, line)
            if word in "{[":
                above.append((place, 0 if word == "[" else None))
    return lines


def pointers_in(document: Any) -> dict[int, str]:
    """Return the JSON Pointer of each container in a document, by the container's identity.

    >>> inner = []
    >>> pointers_in({"a": [inner]})[id(inner)]
    '/a/0'
    """
    pointers: dict[int, str] = {}
    queue = [(document, "")]
    for value, place in queue:  # which grows on the way
        if isinstance(value, (dict, list)):
            pointers[id(value)] = place
            members = value.items() if isinstance(value, dict) else enumerate(value)
            queue += [(member, place + pointer((key,))) for key, member in members]
    return pointers
