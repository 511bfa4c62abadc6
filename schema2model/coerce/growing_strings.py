"""Strings that are shown while they arrive: those that no rule and no keyword can change."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from schema2model.coerce.partial_members import sole_subschema
from schema2model.schema.nodes import Node
from schema2model.text.exact import LAX, parse_json, surrogates_joined

__all__ = ["GrowingString", "accept_any_string"]

_OF_OTHERS: Final = ("types", "properties", "additional", "required", "items", "prefix", "sizes")
"""Attributes of a `Node` that assert nothing of a string, and its types."""

_COMPLETE: Final = re.compile(
    r"(?:[^\\\ud800-\udbff]+|[\ud800-\udbff][^\ud800-\udbff\\]"
    r"|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u(?![dD][89abAB])[0-9a-fA-F]{4}|\\[^u])*",
    re.DOTALL,
)
"""The content of a string without half an escape or half a surrogate pair at its end."""

_LONGEST_ESCAPE: Final = len(r"\ud83d\ude00")


def accept_any_string(nodes: Sequence[Node]) -> bool:
    """Return whether every string is valid under all of the nodes, whatever it contains."""
    return all(map(_accepts_any_string, nodes))


def _accepts_any_string(node: Node) -> bool:
    while (inner := sole_subschema(node)) is not None:
        node = inner
    if node.is_false or not node.has_only(*_OF_OTHERS, "bounds"):
        return False
    return node.types is None or "string" in node.types


class GrowingString:
    r"""The content of a JSON string as far as it has arrived, without its closing quote.

    >>> string = GrowingString()
    >>> [string.feed(piece) for piece in (["Al"], ["ps \\u00"], ["e9\\"], ["n"])]
    ['Al', 'Alps ', 'Alps é', 'Alps é\n']
    """

    __slots__ = ("_rest", "_taken", "_value")

    def __init__(self) -> None:
        self._value = ""
        self._rest = ""  # half an escape
        self._taken = 0

    def feed(self, pieces: Sequence[str]) -> str:
        """Take the next pieces of the content, and return all that is known of it."""
        text = self._rest + "".join(pieces)
        found = _COMPLETE.match(text)
        end = found.end() if found else 0
        self._rest = text[end:]
        if end:
            content = surrogates_joined(text[:end])
            value = parse_json(f'"{content}"', LAX) if "\\" in content else content
            self._value += value if isinstance(value, str) else ""
        return self._value

    def follow(self, pieces: Sequence[str]) -> str:
        """Take what is new in the pieces of a token, which begin with its opening quote."""
        new = pieces[self._taken :]
        if new and not self._taken:
            new = [new[0][1:], *new[1:]]
        self._taken = len(pieces)
        if len(self._rest) > _LONGEST_ESCAPE:  # not an escape: the end will tell what it means
            return self._value
        return self.feed(new)
