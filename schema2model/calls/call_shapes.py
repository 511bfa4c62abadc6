"""Which calls an expression is: the shapes in which models write a name and arguments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from schema2model.calls.call_types import RawCall, given_twice
from schema2model.calls.expressions import (
    NAME,
    Expression,
    ExpressionError,
    json_object,
    parse,
    unescaped,
)
from schema2model.calls.problems import NAMELESS
from schema2model.calls.tool_names import ToolNames
from schema2model.regexes import regex

__all__ = [
    "ARGUMENTS",
    "LABELS",
    "NAMES",
    "CallShapes",
]

NAMES: Final = (
    *("name", "tool_name", "tool", "function", "function_name", "action", "recipient_name"),
)
"""Keys of the name."""
ARGUMENTS: Final = ("arguments", "parameters", "args", "input", "params", "action_input", "kwargs")
"""Keys of the arguments."""
_OF_CALLS_ONLY: Final = frozenset({"arguments", "args", "kwargs"})
"""Those that data has next to a name much less often than a call."""
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
_SCALARS: Final = frozenset({"string", "literal"})
_TEXTS: Final = frozenset({"string", "text"})
_NO_CALL: Final = frozenset({"directly_answer", "directly-answer"})
"""The tool that Cohere's models call to call nothing."""
_PARALLEL: Final = frozenset({"multi_tool_use.parallel"})
"""The tool that GPT models call to call several."""
_QUOTED: Final = regex(rf"\s*(?:{NAME}\s?\(|\{{)")
_BETWEEN: Final = regex(r"[ \n,;]*")
_DEFINITION: Final = frozenset({"type", "properties"})
"""Keys of a tool's definition, which is not a call."""


class CallShapes:
    """Reads calls out of nodes.

    With `expects_calls`, after a marker, a node that is not a call is an error. Otherwise all of it
    has to be calls of known tools, or it is not a call. Python's spelling has tools' names as keys
    only if the node `is_whole`, all of a reply: programs have such objects, too.
    """

    __slots__ = ("expects_calls", "is_whole", "names", "offset")

    def __init__(
        self, names: ToolNames, offset: int, *, expects_calls: bool, is_whole: bool = False
    ) -> None:
        self.names = names
        self.offset = offset
        self.expects_calls = expects_calls
        self.is_whole = is_whole

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

    def _with(
        self, node: Expression, name: str, members: Iterable[tuple[str, Expression]]
    ) -> list[RawCall]:
        """A call with these arguments; with the problem, if they are not arguments."""
        try:
            return self._written(node, name, json_object(_merged(members).items()))
        except ExpressionError as error:
            return self._written(node, name, problem=str(error))

    def _refused(self, node: Expression, problem: str, name: str = "") -> list[RawCall] | None:
        return self._written(node, name, problem=problem) if self.expects_calls else None

    def _object(self, node: Expression) -> list[RawCall] | None:
        try:
            members = _merged(_members(node))
        except ExpressionError as error:
            return self._refused(node, str(error))
        inner = _inner(members)
        if inner is not None:
            calls = self.calls(inner)
            return calls if inner.kind == "[" else self._at(node, calls)
        key = next((key for key in NAMES if key in members and members[key].kind in _TEXTS), None)
        if key is None:
            return self._nameless(node, members)
        name = members.pop(key).said
        given = next((key for key in ARGUMENTS if key in members), None)
        if name in _PARALLEL and name not in self.names:
            return None if given is None else self.calls(members[given])
        if name in _NO_CALL and name not in self.names:
            return []
        if given is not None:
            kinds = "{[" if given in _OF_CALLS_ONLY else "{"
            return self._named(node, name, members.pop(given), members, kinds)
        known, others = self.names.find(name), _without_labels(members)
        if others and not (known and others.keys() <= {*self.names.parameters(known)}):
            return self._refused(node, "it has no arguments", name)
        if known is None and not self.expects_calls:
            return None
        return self._with(node, name, others.items())

    def _named(
        self,
        node: Expression,
        name: str,
        arguments: Expression,
        members: dict[str, Expression],
        kinds: str,
    ) -> list[RawCall] | None:
        """A call with other members next to its arguments: parameters are arguments, too.

        In prose, a name that no tool has is of a call only with arguments of one of some `kinds`.
        """
        known, others = self.names.find(name), _without_labels(members)
        if not self.expects_calls and (
            {key for key, _ in _members(arguments)} >= _DEFINITION
            or "description" in members
            or (known is None and (others or arguments.kind not in kinds))
        ):
            return None
        if not others or known is None:
            calls = self._written(node, name, _text(arguments))
            calls[0].beside = tuple(members)
            return calls
        stray = [key for key in others if key not in self.names.parameters(known)]
        if stray or arguments.kind != "{":
            calls = self._written(node, name, problem="it has members next to its arguments")
            calls[0].beside = (*stray, *others)[:1]
            return calls
        return self._with(node, name, (*others.items(), *_members(arguments)))

    def _nameless(self, node: Expression, members: dict[str, Expression]) -> list[RawCall] | None:
        """`{"f": {...}, "g": {...}}`: the names are keys."""
        if self.expects_calls and members.keys() & {*ARGUMENTS}:
            return self._refused(node, NAMELESS)
        if not members or not all(item.kind == "{" for item in members.values()):
            return None
        if not self.expects_calls and not (
            (node.exact or self.is_whole) and all(map(self._takes, members, members.values()))
        ):
            return None
        return [
            call
            for name, item in members.items()
            for call in self._written(node if len(members) == 1 else item, name, item.spelled)
        ]

    def _takes(self, name: str, arguments: Expression) -> bool:
        """Return whether a tool of that name declares such parameters."""
        known = self.names.find(name)
        return known is not None and {key for key, _ in _members(arguments)} <= {
            *self.names.parameters(known)
        }

    def _at(self, node: Expression, calls: list[RawCall] | None) -> list[RawCall] | None:
        for call in calls or ():
            call.start, call.end = node.start + self.offset, node.end + self.offset
        return calls

    def _list(self, node: Expression) -> list[RawCall] | None:
        if not self.expects_calls and any(
            item.kind == "{" and self.calls(item) for item in node.items
        ):
            return CallShapes(self.names, self.offset, expects_calls=True).calls(node)
        found: list[RawCall] = []
        items = iter(node.items)
        are_calls = any(each.kind == "call" and self.names.find(each.name) for each in node.items)
        for item in items:
            calls = self.calls(item)
            if calls is None and item.kind == "call" and are_calls:
                is_call = all(each.is_literal for each in item.items)  # else it explains one
                calls = self._written(item, item.name) if is_call else None
            if calls is None and item.kind == "string":
                calls = self._pair(item, items)
            if (
                calls is None
                and item.kind in _SCALARS
                and found
                and (self.expects_calls or are_calls)
            ):
                continue  # junk next to calls
            if calls is None:
                calls = self._refused(item, NAMELESS)
            if calls is None:
                return None
            found += calls
        return found

    def _pair(self, item: Expression, items: Iterator[Expression]) -> list[RawCall] | None:
        """A name and its arguments one after the other."""
        if self.names.find(item.said) is None:
            return None
        arguments = next(items, None)
        if arguments is None:
            return self._written(item, item.said, "{}")
        if arguments.kind != "{":
            return None
        calls = self._written(item, item.said, arguments.spelled)
        calls[0].end = arguments.end + self.offset
        return calls

    def _string(self, node: Expression) -> list[RawCall] | None:
        """Calls in quotes."""
        said = node.said
        if not _QUOTED.match(said):
            return None
        inside = CallShapes(self.names, 0, expects_calls=self.expects_calls)
        found: list[RawCall] = []
        at = _BETWEEN.match(said).end()  # type: ignore[union-attr]
        while at < len(said):
            try:
                inner = parse(said, at)
            except ExpressionError:
                return None
            calls = inside.calls(inner)
            if calls is None:
                return None
            found += calls
            at = _BETWEEN.match(said, inner.end).end()  # type: ignore[union-attr]
        return self._at(node, found)

    # -------------------------------------------------------------------------- Python calls
    def _call(self, node: Expression) -> list[RawCall] | None:
        if node.name == "print" and "print" not in self.names and node.items:
            return self._list(node)
        known = self.names.find(node.name)
        if known is None and not self.expects_calls:
            return None
        if "\\_" in node.name:  # as Markdown has it: so are the arguments
            inside = CallShapes(self.names, 0, expects_calls=self.expects_calls)
            return self._at(node, inside.calls(parse(unescaped(node.spelled))))
        return self._with(node, unescaped(node.name), self._arguments(node, known))

    def _arguments(self, node: Expression, known: str | None) -> Iterator[tuple[str, Expression]]:
        """Yield the arguments of a Python call; without names, they are in the declared order."""
        declared = self.names.parameters(known) if None in node.keys and known else ()
        if len(node.items) == 1 and node.keys[0] is None and node.items[0].kind == "{":
            members = [*_members(node.items[0])]
            if not members or not declared or any(key in declared for key, _ in members):
                yield from members
                return
        for index, (key, item) in enumerate(zip(node.keys, node.items, strict=True)):
            if key is None and index >= len(declared):
                message = "an argument has no name; write each as name=value"
                raise ExpressionError(message)
            yield (declared[index] if key is None else unescaped(key)), item


def _members(node: Expression) -> Iterator[tuple[str, Expression]]:
    """Yield the names and values of an object."""
    for key, item in zip(node.keys, node.items, strict=True):
        if key is not None:
            yield key, item


def _merged(members: Iterable[tuple[str, Expression]]) -> dict[str, Expression]:
    """Members by name; raises ExpressionError if one has two values."""
    merged: dict[str, Expression] = {}
    for name, item in members:
        former = merged.setdefault(name, item)
        if former is not item and former.json != item.json:
            raise ExpressionError(given_twice(name))
    return merged


def _text(arguments: Expression) -> str:
    """The text of arguments, for the one reader of them."""
    return arguments.spelled if arguments.kind == "{" else arguments.json


def _without_labels(members: dict[str, Expression]) -> dict[str, Expression]:
    return {key: item for key, item in members.items() if key not in LABELS}


def _inner(members: dict[str, Expression]) -> Expression | None:
    """The list or object in which an object has its calls, or its name and arguments."""
    for key in _LISTS:
        if key in members and members[key].kind == "[" and members.keys() <= {key, *LABELS}:
            return members[key]
    if "name" in members:
        return None
    return next((members[k] for k in _INNER if k in members and members[k].kind == "{"), None)
