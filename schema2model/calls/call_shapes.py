"""Which calls an expression is: the shapes in which models write a name and arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from json.encoder import encode_basestring_ascii
from typing import Final

from schema2model.calls.call_types import RawCall
from schema2model.calls.expressions import (
    NAME,
    Expression,
    ExpressionError,
    json_of,
    name_or_text,
    parse,
    unescaped,
)
from schema2model.calls.tool_names import ToolNames

__all__ = ["ANY_KEY", "ARGUMENTS", "LABELS", "NAMES", "PARALLEL", "CallShapes", "may_begin_call"]

NAMES: Final = (
    *("name", "tool_name", "tool", "function", "function_name", "action", "recipient_name"),
)
"""Keys of the name."""
ARGUMENTS: Final = ("arguments", "parameters", "args", "input", "params", "action_input", "kwargs")
"""Keys of the arguments."""
LABELS: Final = frozenset(
    (
        *("id", "type", "tool_call_id", "call_id", "index", "tool_call_type", "status"),
        *("thought", "thoughts", "reason", "reasoning", "explanation", "rationale", "plan"),
        *("comment", "observation", "role", "content", "tool_plan"),
    )
)
"""Other keys of a call, which say nothing about its arguments."""
_INNER: Final = ("function", "function_call", "functionCall", "tool_call", "call")
_LISTS: Final = ("tool_calls", "function_calls", "calls", "tools", "actions", "tool_uses")
_QUOTES: Final = frozenset("'\"")
_TEXTS: Final = frozenset({"string", "text"})
_NO_CALL: Final = frozenset({"directly_answer", "directly-answer"})
"""The tool that Cohere's models call to call nothing."""
PARALLEL: Final = frozenset({"multi_tool_use.parallel"})
"""The tool that GPT models call to call several."""
_QUOTED: Final = re.compile(rf"\s*{NAME}\s?\(")
_DEFINITION: Final = frozenset({"type", "properties"})
"""Keys of a tool's definition, which is not a call."""


ANY_KEY: Final = frozenset((*NAMES, *ARGUMENTS, *_INNER, *_LISTS, *LABELS))


def may_begin_call(key: str, names: ToolNames) -> bool:
    """Whether an object whose first key this is may be a call, though nothing else says so."""
    return key in ANY_KEY or names.has_parameter(key) or names.find(key) is not None


class CallShapes:
    """Reads calls out of nodes.

    With `expects_calls`, after a marker, a node that is not a call is an error. Otherwise all of it
    has to be calls of known tools, or it is not a call.
    """

    __slots__ = ("expects_calls", "names", "offset", "text")

    def __init__(self, text: str, names: ToolNames, offset: int, *, expects_calls: bool) -> None:
        self.text = text
        self.names = names
        self.offset = offset
        self.expects_calls = expects_calls

    def calls(self, node: Expression) -> list[RawCall] | None:
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

    def _written(
        self, node: Expression, name: str, arguments: str = "", problem: str = ""
    ) -> list[RawCall]:
        start, end = node.start + self.offset, node.end + self.offset
        return [RawCall(name, arguments, start, end, problem=problem)]

    def _object(self, node: Expression) -> list[RawCall] | None:
        members = self._members(node)
        if isinstance(members, str):
            problem = f"it has two values for `{members[:80]}`"
            return self._written(node, "", problem=problem) if self.expects_calls else None
        inner = self._inner(members)
        if inner is not None:
            calls = self.calls(inner)
            return calls if inner.kind == "[" else self._at(node, calls)
        key = next((key for key in NAMES if key in members and members[key].kind in _TEXTS), None)
        if key is None:
            return self._nameless(node, members)
        name = name_or_text(self.text, members.pop(key))
        if name in PARALLEL and name not in self.names:
            parallel = next((members[key] for key in ARGUMENTS if key in members), None)
            return None if parallel is None else self.calls(parallel)
        if name in _NO_CALL and name not in self.names:
            return []
        given = next((key for key in ARGUMENTS if key in members), None)
        if given is None:
            return self._flat(node, name, members)
        arguments = members.pop(given)
        known = self.names.find(name)
        if not self.expects_calls and (
            self._defines(arguments)
            or "description" in members
            or (arguments.kind != "{" and known is None)
            or (known is None and members.keys() - LABELS)
        ):
            return None
        return self._with_others(node, name, arguments, members)

    def _members(self, node: Expression) -> dict[str, Expression] | str:
        """The members of an object; or the key of one that has two values."""
        members: dict[str, Expression] = {}
        for key, item in zip(node.keys, node.items, strict=True):
            name = "" if key is None else name_or_text(self.text, key)
            former = members.setdefault(name, item)
            if former is not item and not self._equal(former, item):
                return name
        return members

    def _equal(self, first: Expression, second: Expression) -> bool:
        return json_of(self.text, first) == json_of(self.text, second)

    def _with_others(
        self, node: Expression, name: str, arguments: Expression, others: dict[str, Expression]
    ) -> list[RawCall]:
        """A call with members next to its arguments: parameters of the tool are arguments, too."""
        known = self.names.find(name)
        others = {key: item for key, item in others.items() if key not in LABELS}
        if not others or known is None:
            return self._written(node, name, json_of(self.text, arguments))
        given = self._members(arguments) if arguments.kind == "{" else {}
        stray = [key for key in others if key not in self.names.parameters(known)]
        twice = [
            key
            for key, item in others.items()
            if not isinstance(given, str) and key in given and not self._equal(given[key], item)
        ]
        if stray or arguments.kind != "{" or isinstance(given, str):
            key = stray[0] if stray else next(iter(others))
            problem = f"`{key[:80]}` is next to the arguments; put it into them, or leave it out"
            return self._written(node, name, problem=problem)
        if twice:
            return self._written(node, name, problem=f"it has two values for `{twice[0][:80]}`")
        return self._written(node, name, self._json({**others, **given}))

    @staticmethod
    def _inner(members: dict[str, Expression]) -> Expression | None:
        """The list or object in which an object has its calls, or its name and arguments."""
        for key in _LISTS:
            if key in members and members[key].kind == "[" and members.keys() <= {key, *LABELS}:
                return members[key]
        if "name" in members:
            return None
        return next((members[k] for k in _INNER if k in members and members[k].kind == "{"), None)

    def _flat(
        self, node: Expression, name: str, members: dict[str, Expression]
    ) -> list[RawCall] | None:
        """A call without arguments, or with arguments next to the name."""
        known = self.names.find(name)
        rest = {key: item for key, item in members.items() if key not in LABELS}
        if rest and not (known and rest.keys() <= {*self.names.parameters(known)}):
            return (
                self._written(node, name, problem="it has no arguments")
                if self.expects_calls
                else None
            )
        if known is None and not self.expects_calls:
            return None
        return self._written(node, name, self._json(rest))

    def _nameless(self, node: Expression, members: dict[str, Expression]) -> list[RawCall] | None:
        """`{"f": {...}, "g": {...}}`: the names are keys."""
        if self.expects_calls and members.keys() & {*ARGUMENTS}:
            return self._written(node, "", problem="it names no tool")
        if not members or not all(item.kind == "{" for item in members.values()):
            return None
        if not self.expects_calls and not (
            node.exact and all(map(self._takes, members, members.values()))
        ):
            return None
        return [
            call
            for name, item in members.items()
            for call in self._written(item, name, json_of(self.text, item))
        ]

    def _takes(self, name: str, arguments: Expression) -> bool:
        """Return whether a tool of that name declares such parameters."""
        known = self.names.find(name)
        given = {name_or_text(self.text, key) for key in arguments.keys if key}
        return known is not None and given <= {*self.names.parameters(known)}

    def _defines(self, node: Expression) -> bool:
        """Whether arguments are the schema of a tool's, as a definition has it."""
        keys = {name_or_text(self.text, key) for key in node.keys if key}
        return node.kind == "{" and keys >= _DEFINITION

    def _json(self, members: dict[str, Expression]) -> str:
        inner = (
            f"{encode_basestring_ascii(key)}: {json_of(self.text, item)}"
            for key, item in members.items()
        )
        return f"{{{', '.join(inner)}}}"

    def _at(self, node: Expression, calls: list[RawCall] | None) -> list[RawCall] | None:
        for call in calls or ():
            call.start, call.end = node.start + self.offset, node.end + self.offset
        return calls

    def _list(self, node: Expression) -> list[RawCall] | None:
        found: list[RawCall] = []
        items = iter(node.items)
        for item in items:
            calls = self._pair(item, items) if item.kind == "string" else self.calls(item)
            if calls is None:
                if not self.expects_calls:
                    return None
                calls = self._written(item, "", problem="it names no tool")
            found += calls
        return found

    def _pair(self, item: Expression, items: Iterator[Expression]) -> list[RawCall] | None:
        """A name and its arguments one after the other, or a call in quotes."""
        if (calls := self._string(item)) is not None:
            return calls
        name = name_or_text(self.text, item)
        if self.names.find(name) is None:
            return None
        arguments = next(items, None)
        if arguments is None:
            return self._written(item, name, "{}")
        if arguments.kind != "{":
            return None
        item.end = arguments.end
        return self._written(item, name, json_of(self.text, arguments))

    def _string(self, node: Expression) -> list[RawCall] | None:
        said = name_or_text(self.text, node)
        if not _QUOTED.match(said) and not said.lstrip().startswith("{"):
            return None
        inside = CallShapes(said, self.names, 0, expects_calls=self.expects_calls)
        found: list[RawCall] = []
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
    def _call(self, node: Expression) -> list[RawCall] | None:
        if node.name == "print" and "print" not in self.names and node.items:
            return self._list(node)
        known = self.names.find(node.name)
        if known is None and not self.expects_calls:
            return None
        if "\\_" in node.name:  # as Markdown has it: so are the arguments
            said = unescaped(self.text[node.start : node.end])
            inside = CallShapes(said, self.names, 0, expects_calls=self.expects_calls)
            return self._at(node, inside.calls(parse(said)))
        try:
            arguments = self._arguments(node, known)
        except ExpressionError as error:
            return self._written(node, node.name, problem=str(error))
        return self._written(node, unescaped(node.name), arguments)

    def _arguments(self, node: Expression, known: str | None) -> str:
        keys, items = node.keys, node.items
        declared = self.names.parameters(known) if None in keys and known else []
        if len(keys) == 1 and keys[0] is None and items[0].kind == "{":
            given = {name_or_text(self.text, key) for key in items[0].keys if key}
            if given & {*declared} or not given or not declared:
                return json_of(self.text, items[0])
        members: dict[str, Expression] = {}
        for index, (key, item) in enumerate(zip(keys, items, strict=True)):
            if key is not None:
                name = unescaped(name_or_text(self.text, key))
            elif index < len(declared) and len(members) == index:
                name = declared[index]
            else:
                message = "an argument has no name; write each as name=value"
                raise ExpressionError(message)
            if item.kind == "text" and self.text[item.start : item.end].rstrip()[-1:] in _QUOTES:
                message = f"the value of `{name[:80]}` lacks a quote"
                raise ExpressionError(message)
            if name in members and not self._equal(members[name], item):
                message = f"it has two values for `{name[:80]}`"
                raise ExpressionError(message)
            members[name] = item
        return self._json(members)
