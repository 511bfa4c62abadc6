"""Which calls an expression is: the shapes in which models write a name and arguments."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from schema2model.calls.call import Written
from schema2model.calls.expressions import NAME, ExpressionError, Node, json_of, parse, text_of, unescaped
from schema2model.calls.names import Names

__all__ = ["ARGUMENTS", "NAMES", "Shapes"]

NAMES: Final = ("name", "tool_name", "tool", "function", "function_name", "action")
"""Keys of the name."""
ARGUMENTS: Final = ("arguments", "parameters", "args", "input", "params", "action_input", "kwargs")
"""Keys of the arguments."""
_ASIDE: Final = frozenset({"id", "type", "tool_call_id", "call_id", "index", "tool_call_type"})
"""Keys beside them that mean nothing here."""
_INNER: Final = ("function", "function_call", "functionCall", "tool_call", "call")
_LISTS: Final = ("tool_calls", "function_calls", "calls", "tools", "actions")
_NO_CALL: Final = frozenset({"directly_answer", "directly-answer"})
"""What Cohere's models call when they call nothing."""
_QUOTED: Final = re.compile(rf"\s*{NAME}\s?\(")
_DEFINITION: Final = frozenset({"type", "properties"})
"""Keys of a tool's definition, which is no call of it."""


class Shapes:
    """Reads calls out of nodes.

    `trusted` says that calls are expected: a marker stood before them. Else all of it has to be
    calls of tools that there are, or it is nothing.
    """

    __slots__ = ("names", "offset", "text", "trusted")

    def __init__(self, text: str, names: Names, offset: int, *, trusted: bool) -> None:
        self.text = text
        self.names = names
        self.offset = offset
        self.trusted = trusted

    def calls(self, node: Node) -> list[Written] | None:
        """The calls that a node is; None if it is none."""
        match node.kind:
            case "{":
                return self._object(node)
            case "[" | "(":
                return self._list(node)
            case "call":
                return self._call(node)
            case "string":
                return self._string(node)
        return None

    def _written(self, node: Node, name: str, arguments: str = "", problem: str = "") -> list[Written]:
        start, end = node.start + self.offset, node.end + self.offset
        return [Written(name, arguments, start, end, problem=problem)]

    def _object(self, node: Node) -> list[Written] | None:
        members = {text_of(self.text, k): v for k, v in zip(node.keys, node.items, strict=True) if k}
        for key in _LISTS:
            if key in members and members[key].kind == "[" and members.keys() <= {key, *_ASIDE, "content", "role", "tool_plan", "thought", "reasoning"}:
                return self._list(members[key])
        for key in _INNER:
            if key in members and members[key].kind == "{" and not members.keys() & {"name"}:
                inner = self._object(members[key])
                return self._at(node, inner)
        if not self.trusted and not node.exact and not members.keys() & {*NAMES}:
            return None
        name = next((key for key in NAMES if key in members and members[key].kind in {"string", "text"}), None)
        if name is None:
            if members.keys() & {*ARGUMENTS} and self.trusted:
                return self._written(node, "", problem="it names no tool")
            return self._by_name(members)
        spelled = text_of(self.text, members[name])
        if spelled in _NO_CALL and spelled not in self.names:
            return []
        given = next((key for key in ARGUMENTS if key in members), None)
        rest = members.keys() - {name, given} - _ASIDE
        known = self.names.find(spelled)
        if given is None:
            if not self.trusted and not known:
                return None
            if rest and not (known and rest <= {*self.names.parameters(known)}):
                return None if not self.trusted else self._written(node, spelled, problem="it has no arguments")
            inside = {key: members[key] for key in members if key in rest}
            return self._written(node, spelled, self._json(inside))
        arguments = members[given]
        if not self.trusted and (rest or self._defines(arguments)):
            return None
        if not self.trusted and not known and arguments.kind != "{":
            return None
        return self._written(node, spelled, json_of(self.text, arguments))

    def _defines(self, node: Node) -> bool:
        """Whether arguments are the schema of a tool's, as a definition has it."""
        keys = {text_of(self.text, key) for key in node.keys if key}
        return node.kind == "{" and keys >= _DEFINITION

    def _json(self, members: dict[str, Node]) -> str:
        inner = (f"{json.dumps(key)}: {json_of(self.text, item)}" for key, item in members.items())
        return f"{{{', '.join(inner)}}}"

    def _at(self, node: Node, calls: list[Written] | None) -> list[Written] | None:
        for call in calls or ():
            call.start, call.end = node.start + self.offset, node.end + self.offset
        return calls

    def _by_name(self, members: dict[str, Node]) -> list[Written] | None:
        """`{"f": {...}, "g": {...}}`: the names are keys."""
        if not members or not all(item.kind == "{" for item in members.values()):
            return None
        if not self.trusted and not all(self.names.find(name) for name in members):
            return None
        return [
            call
            for name, item in members.items()
            for call in self._written(item, name, json_of(self.text, item))
        ]

    def _list(self, node: Node) -> list[Written] | None:
        found: list[Written] = []
        items = iter(node.items)
        for item in items:
            calls = self._pair(item, items) if item.kind == "string" else self.calls(item)
            if calls is None:
                if not self.trusted:
                    return None
                calls = self._written(item, "", problem="it names no tool")
            found += calls
        return found

    def _pair(self, item: Node, items: Iterator[Node]) -> list[Written] | None:
        """A name and its arguments one after the other, or a call in quotes."""
        if (calls := self._string(item)) is not None:
            return calls
        name = text_of(self.text, item)
        if self.names.find(name) is None:
            return None
        arguments = next(items, None)
        if arguments is None:
            return self._written(item, name, "{}")
        if arguments.kind != "{":
            return None
        item.end = arguments.end
        return self._written(item, name, json_of(self.text, arguments))

    def _string(self, node: Node) -> list[Written] | None:
        said = text_of(self.text, node)
        if not _QUOTED.match(said) and not said.lstrip().startswith("{"):
            return None
        inside = Shapes(said, self.names, 0, trusted=self.trusted)
        found: list[Written] = []
        at = 0
        while said[at:].strip(" \n,;"):
            try:
                inner = parse(said, at + len(said[at:]) - len(said[at:].lstrip(" \n,;")))
            except ExpressionError:
                return None
            calls = inside.calls(inner)
            if calls is None:
                return None
            found += calls
            at = inner.end
        return self._at(node, found)

    # -------------------------------------------------------------------------- Python calls
    def _call(self, node: Node) -> list[Written] | None:
        if node.name == "print" and "print" not in self.names and node.items:
            return self._list(node)
        known = self.names.find(node.name)
        if known is None and not self.trusted:
            return None
        escaped = "\\_" in self.text[node.start : node.start + len(node.name)]
        try:
            arguments = self._arguments(node, known)
        except ExpressionError as error:
            return self._written(node, node.name, problem=str(error))
        return self._written(node, unescaped(node.name), unescaped(arguments) if escaped else arguments)

    def _arguments(self, node: Node, known: str | None) -> str:
        keys, items = node.keys, node.items
        declared = self.names.parameters(known) if None in keys and known else []
        if len(keys) == 1 and keys[0] is None and items[0].kind == "{":
            given = {text_of(self.text, key) for key in items[0].keys if key}
            if given & {*declared} or not given or not declared:
                return json_of(self.text, items[0])
        members: dict[str, Node] = {}
        for index, (key, item) in enumerate(zip(keys, items, strict=True)):
            if key is not None:
                name = unescaped(text_of(self.text, key))
            elif index < len(declared) and len(members) == index:
                name = declared[index]
            else:
                message = "an argument has no name; write each as name=value"
                raise ExpressionError(message)
            if name in members:
                message = f"it has two values for `{name[:80]}`"
                raise ExpressionError(message)
            members[name] = item
        return self._json(members)
