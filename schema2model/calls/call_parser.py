"""Parses calls after a marker or in prose: JSON or Python, one or several."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Final

from schema2model.calls.call_shapes import (
    ANY_KEY,
    ARGUMENTS,
    LABELS,
    NAMES,
    NO_TOOLS,
    may_become_key,
    may_begin_call,
)
from schema2model.calls.call_texts import (
    ARGUMENTS_KEY,
    CALL_CUT_OFF,
    HEAD,
    MALFORMED,
    NO_CALL,
    RUNS_OVER,
    CallSteps,
    broken,
    calls_in_expression,
    calls_within,
    has_end,
    repaired_calls,
    why_unclosed,
)
from schema2model.calls.call_types import RawCall
from schema2model.calls.expressions import NAME, NAME_BEGUN, PYTHON_CALL
from schema2model.calls.mentions import is_definition
from schema2model.calls.text_source import (
    CONTEXT,
    HEADER,
    IN_LINE,
    BracketScanner,
    Ending,
    Steps,
    TextSource,
)
from schema2model.calls.tool_names import ToolNames
from schema2model.json.quoting import quoted
from schema2model.limits import MAX_CALL_IN_PROSE
from schema2model.text.wrapping.prose import find_trailing

__all__ = ["CALL_HEAD", "DEFINED", "PROSE", "Arriving", "CallParser", "CallStart", "CallSteps"]

_PYTHON_BEGUN: Final = re.compile(rf"{NAME_BEGUN}\s?\Z")
_NAMES: Final = "|".join(NAMES)
_ARGUMENTS: Final = "|".join(ARGUMENTS)
_ASIDE: Final = r"""(?:["'](?:id|type|tool_call_id|index)["']\s*:\s*
    (?:["'][^"'\\{}\[\]]*["']|\d+)\s*,\s*){0,3}"""
CALL_HEAD: Final = re.compile(
    rf"""\{{\s*(?:{_ASIDE}(?P<inner>["']function["']\s*:\s*\{{\s*{_ASIDE})?
    ["'](?:{_NAMES})["']\s*:\s*(?P<quote>["'])(?P<name>[^"'\\\n{{}}\[\]]+)(?P=quote)\s*,\s*
    ["'](?:{_ARGUMENTS})["']\s*:\s*(?=[{{\["'])
    | "(?!(?:{"|".join(sorted(ANY_KEY))})")(?P<key>[^"\\\n{{}}\[\]]+)"\s*:\s*(?=\{{))""",
    re.VERBOSE,
)
"""An object that is a call, up to its arguments; the key may be the tool's name."""
_LIST_OF: Final = re.compile(
    r"""\{\s*["'](?:tool_calls|function_calls|tool_uses)["']\s*:\s*(?=\[)"""
)
_LIST_OF_BEGUN: Final = re.compile(r"""\{\s*(?:["'][a-z_]{0,20}["']?\s*:?\s*)?\Z""")
_FLAT: Final = r"\{[^{}\[\]]{0,400}"
_HEAD_BEGUN: Final = re.compile(rf"{_FLAT}(?:{_FLAT})?\Z")
_FIRST_HEAD: Final = re.compile(
    rf"(?:\[\s*|{_LIST_OF.pattern}\[\s*)?{CALL_HEAD.pattern}", re.VERBOSE
)
"""The first call of a value in prose."""
_FIRST_HEAD_BEGUN: Final = re.compile(
    rf"(?:{_FLAT}(?:{_FLAT}|\[\s*(?:{_FLAT}(?:{_FLAT})?)?)?|\[\s*(?:{_FLAT}(?:{_FLAT})?)?)\Z"
)
DEFINED: Final = re.compile(r"""\{\s*["']type["']\s*:\s*["']object["']""")
"""The member of a tool's definition where a call has arguments."""
_KEY_OF_A_CALL: Final = re.compile(rf"\b(?:{'|'.join(sorted(ANY_KEY))})\b|\\")
"""One of the keys of calls, or an escape that may hide one."""
_FIRST_KEY: Final = re.compile(r"""(?:[\[(]\s*)?\{\s*["']([A-Za-z_]{1,40})["']\s*:""")
_FIRST_KEY_BEGUN: Final = re.compile(
    r"""(?:[\[(]\s*)?(?:\{\s*(?:["'](?:[A-Za-z_]{1,40}(?:["']\s*)?)?)?)?\Z"""
)

_MEMBER: Final = re.compile(
    r"""[{,]\s{0,99}["']([^"'\\\n]{1,80})["']\s{0,99}:\s{0,99}(?:\[\s{0,99})?\Z"""
)
"""The key of an object whose value is next, or is a list whose first item is."""

_OF_A_MESSAGE: Final = frozenset(("choices", "delta", "message", "messages", "response"))
"""Keys around a call in the messages of providers."""
_IN_A_MESSAGE: Final = "it is in the whole message of an API, under {}; send the call alone"
_UNDER_A_KEY: Final = "it is under {}, which is no key of a call; send it alone"

_REST: Final = 4_000
"""Characters after JSON arguments that may belong to them."""
_LINE_OF_PROSE: Final = r"""[^\W\d_a-z]|[a-z]\w{0,80}[ \t]{0,9}[^\w \t:="']|[-*#>]\s|>>>"""
_LINES: Final = (
    rf"""\n[ \t]*\n(?=\s{{0,40}}[^\s\[{{"'}}\]:,])|\n(?={_LINE_OF_PROSE})"""
    rf"|\n(?=[\s\[]{{0,99}}(?:{HEAD}|{_LIST_OF.pattern}\[))"
)
PROSE: Final = Ending(
    rf"""```(?!\s{{0,9}}["',}}\]\\])|{_LINES}|(?<=[\n}}])\[/?[A-Z_]{{4}}"""
    r"""|(?<=[\n})\]`])</?[|｜a-zA-Z][^<>\n]{0,60}>(?!\s{0,9}["',:}\]\\])""",
    _LINES,
)
"""The end of a call without a mark of its own."""
_SAYS_ANYTHING: Final = re.compile(r"[\w\"'{]")
_BETWEEN: Final = frozenset((",", ";", "}"))
"""Characters between the calls of a list."""
_OPENERS: Final = frozenset(("{", "["))
_CLOSERS: Final = frozenset((",", ";", "]", ")"))
_ALL_CLOSERS: Final = _CLOSERS | {"}"}
_HEAD: Final = re.compile(HEAD)
_ANOTHER: Final = re.compile(
    rf"""\s{{0,99}}(?:(?<=\s)[\[(]\s{{0,99}}|[\[(])?
    (?:\{{\s{{0,99}}["']?(?P<key>[^"'\\\n{{}}:]{{1,200}})["']?\s{{0,9}}:|{NAME}\s?\()""",
    re.VERBOSE,
)
"""The first key of another call, or its name in Python.

A bracket right after a call, and apart from what follows, is a wrong closer.
"""
_ANOTHER_BEGUN: Final = re.compile(
    rf"""\s{{0,99}}(?:[\[(]\s{{0,99}})?
    (?:\{{\s{{0,99}}(?:["']?[^"'\\\n{{}}:]{{0,200}}["']?\s{{0,9}})?|{NAME_BEGUN}\s?)?\Z""",
    re.VERBOSE,
)
_NAMED_ARGUMENT: Final = re.compile(r"([^\W\d]\w*)=[^=]")
_ARGUMENT_BEGUN: Final = re.compile(r"(?:[^\W\d]\w*=?)?\Z")
_KEY_BEGUN: Final = re.compile(r"""\s*[\[(]?\s*\{\s*["']?([a-z_]*)["']?\s*\Z""")
_NO_MARKER: Final = re.compile("(?!)")
_MARKER_BEGUN: Final = re.compile(
    r"\s{0,99}(?:<[^<>]{0,62}(?:>\s{0,9})?|\[[A-Z_]{0,40}(?:\]\s{0,9})?|`{1,3}\s{0,9}"
    r"|>{1,2}|[-*#]|[a-z]\w{0,80}[ \t]{0,9}"
    r"|[\s\[]{0,99}\{[^{}]{0,380}(?:\{[^{}]{0,380})?)?\Z"
)


@dataclass(slots=True)
class CallStart:
    """The beginning of a call."""

    start: int
    name: str = ""
    """The tool's, as it is spelled."""
    alone: bool = False
    """True if only calls are before it."""
    fenced: bool = False
    """Whether a code fence is part of what was passed."""


@dataclass(slots=True)
class Arriving:
    """The call that is being read, as far as its name and arguments are known."""

    name: str
    begins: int | None
    """The offset of its arguments, if they are JSON."""
    values: list[tuple[str, str]] = field(default_factory=list)
    """Its parameters that are complete, if each is text."""
    strings: Collection[str] = ()
    """The parameters that the format marks as strings."""
    undecided: set[str] = field(default_factory=set)
    """Those whose values depend on whether others are valid."""
    partial: Any = None
    """The arguments as far as they are known."""
    fed: int = 0
    """How many characters or parameters it has been fed."""


class CallParser:
    """Reads calls from a source, one after the other."""

    def __init__(
        self, source: TextSource, names: ToolNames, marker: re.Pattern[str] = _NO_MARKER
    ) -> None:
        self.source = source
        self.names = names
        self.marker = marker
        """The pattern of the markers with which calls begin."""
        self.arriving: Arriving | None = None
        self._in_prose = False
        self._found = False
        """True if a value in prose holds a call, so that the rest of it is not content."""
        self._broken_end = -1
        """The offset of the end of the last value that was not complete: that of its block."""

    def parameters(self, spelled: str) -> tuple[str, ...]:
        """The parameters of the tool that a name means, if it means one."""
        name = self.names.find(spelled)
        return () if name is None else self.names.parameters(name)

    # ------------------------------------------------------------------------------ after a marker
    def after_marker(self, until: Ending) -> CallSteps:
        """Parse the calls after a marker, up to the first text that is not a call."""
        source, more = self.source, True
        while more:
            char = yield from source.blanks()
            if char == "{":
                more = yield from self.container(until)
            elif char == "[":
                more = not (yield from self._at(until)) and (yield from self.list(until))
            elif char.isalpha() or char == "_":
                more = yield from self._python(until)
            else:
                more = char in {";", ","}
                source.at += more

    def _python(self, until: Ending) -> Steps[bool]:
        """A call in Python; False if it is none, or does not end."""
        source = self.source
        start = source.place
        if not (yield from source.header(PYTHON_CALL, _PYTHON_BEGUN)):
            return False
        closed = yield from source.nested(BracketScanner((source.place - 1,)))
        closed = closed and (yield from self.emit(start, until))
        return closed or (yield from self.emit_broken(start, until))

    def _at(self, until: Ending) -> Steps[bool]:
        """Return whether the mark that ends the block is here."""
        found = yield from self.source.header(until.after_value, _MARKER_BEGUN)
        if found:
            self.source.at -= len(found[0])
        return bool(found)

    def container(self, until: Ending) -> Steps[bool]:
        """An object that is a call, or holds some; False if it does not end."""
        source = self.source
        start = source.place
        good = yield from self.object(start, until)
        if good is None and (yield from source.header(_LIST_OF, _LIST_OF_BEGUN)):
            if not (yield from self.list(until)):
                return False
            char = yield from source.blanks()
            if char == ",":
                return (yield from source.nested(BracketScanner((start,))))
            source.at += char == "}"
            return True
        if good is None:
            good = yield from self.whole(start, until)
        return good or (yield from self.emit_broken(start, until))

    def arguments(self, opening: CallStart, until: Ending = PROSE) -> CallSteps:
        """The JSON arguments of a call whose name was read.

        If they are not JSON, or the block does not end after them, the reader of arguments gets all
        of its text: only that knows where their value ends. What follows JSON is read on from
        there, as it may also be another call.
        """
        source = self.source
        begins = source.place
        closed = yield from self._value(opening.name)
        is_exact, ends = closed and source.is_exact, source.place
        text_ends, is_cut = ends, False
        if not (is_exact and (yield from self._ends_here(until))):
            is_cut = yield from self._up_to(until, ends if is_exact else begins)
            text_ends = source.place
        if is_exact:
            source.again(ends)
            text_ends = min(text_ends, ends + _REST)
        text = source.slice(begins, text_ends).rstrip()
        if opening.fenced:
            text = text.removesuffix("```")
        yield RawCall(opening.name, text, opening.start, source.place, is_cut=is_cut)

    def _ends_here(self, until: Ending) -> Steps[bool]:
        """Return whether the block, or the text, ends after the value that was passed."""
        source = self.source
        place = source.place
        ends = (yield from source.blanks()) == ""
        source.again(place)
        if not ends:
            ends = bool((yield from source.header(until.after_value, _MARKER_BEGUN)))
            source.again(place)
        return ends

    def _is_over(self, until: Ending, closers: frozenset[str]) -> Steps[bool]:
        """Return whether the text after a call is not part of it, and go back to its end.

        That is some closers, the end of the block or text, the beginning of another call, or prose
        by the judgement of the reader of arguments.
        """
        source = self.source
        place = begins = source.place
        while (char := (yield from source.blanks())) in closers:
            source.at += 1
            begins = source.place
        is_over = char == ""
        if char not in _OPENERS:
            source.again(begins)
            is_over = is_over or bool((yield from source.header(until.after_value, _MARKER_BEGUN)))
        if not is_over and (another := (yield from source.header(_ANOTHER, _ANOTHER_BEGUN))):
            is_over = self._is_call_key(another["key"])
        elif source.ended and (begun := _KEY_BEGUN.match(source.text, source.at)):
            is_over = may_become_key(begun[1])
        if not is_over and char != "}":
            yield from self._up_to(until, begins)
            rest = source.slice(place, source.place)
            head = _HEAD.search(rest)
            is_over = find_trailing(rest[: head.start()] if head else rest, 0) is not None
        source.again(place)
        return is_over

    def _next_argument(self) -> Steps[str]:
        """Return the name of an argument that follows a call in Python, and go back to its end."""
        source = self.source
        place = source.place
        while (yield from source.blanks()) in _CLOSERS:
            source.at += 1
        found = yield from source.header(_NAMED_ARGUMENT, _ARGUMENT_BEGUN)
        source.again(place)
        return found[1] if found else ""

    def _is_call_key(self, key: str | None) -> bool:
        """Return whether an object with this first key is another call, as is one in Python."""
        is_word = key in ANY_KEY - LABELS and key not in self.names.declared
        return key is None or is_word or self.names.find(key) is not None

    def _value(self, name: str) -> Steps[bool]:
        """Pass the arguments of a tool; False if they do not end."""
        self.arriving = None if self.source.ended else Arriving(name, self.source.place)
        closed = yield from self.source.value()
        self.arriving = None
        return closed

    def _up_to(self, until: Ending, start: int) -> Steps[bool]:
        """Pass the text from `start` up to the end of the block, if there is one, or all of it."""
        self.source.again(start)
        return (yield from self.source.ending(until))

    def object(self, start: int, until: Ending) -> Steps[bool | None]:
        """A JSON object that begins like a call; None if it does not, False if it does not end."""
        source = self.source
        head = yield from source.header(CALL_HEAD, _HEAD_BEGUN)
        if not head:
            return None
        name = head["name"] or head["key"]
        is_call = name not in NO_TOOLS and (
            head["name"] or not (self._in_prose or self.names.find(name) is None)
        )
        begins = source.place
        closed = is_call and (yield from self._value(name))
        ends = source.place
        if closed and self._in_prose:
            is_call = not DEFINED.match(source.slice(begins, min(ends, begins + 99)))
        if not is_call or (closed and not source.is_exact):
            source.again(start)
            return None
        if not closed:
            return False
        unclosed = [start]
        if head["inner"]:
            unclosed.append(start + head[0].index("{", head.start("inner") - head.start()))
        while unclosed and (yield from source.blanks()) == "}":
            source.at += 1
            unclosed.pop()
        if not unclosed:
            self._found = True
            end = source.place
            if not (yield from self._is_over(until, _ALL_CLOSERS)):
                return False
            yield RawCall(name, source.slice(begins, ends), start, end)
            return True
        closed = yield from source.nested(BracketScanner(unclosed))
        if closed:
            self._found |= self.names.find(name) is not None
        return closed and (yield from self.emit(start, until))

    def list(self, until: Ending) -> Steps[bool]:
        """A list of calls, each as soon as it is complete; False if one does not end."""
        source = self.source
        start = source.place
        source.at += 1
        if (yield from source.blanks()) != "{":
            source.again(start)
            good = yield from self.whole(start, until)
            return good or (yield from self.emit_broken(start, until))
        is_over = False
        while (char := (yield from source.blanks())) == "{":
            if not (yield from self.container(until)):
                return False
            is_over = source.place == self._broken_end
            while (yield from source.blanks()) in _BETWEEN:
                source.at += 1
        if char in "])":
            source.at += len(char)
            return True
        if is_over or (yield from self._at(until)):
            return True  # only the bracket is missing
        rest = source.place
        is_cut = yield from source.ending(until)
        text = source.slice(rest, source.place)
        nameless = MALFORMED if has_end(text, is_cut=is_cut) else CALL_CUT_OFF
        if is_cut and not _SAYS_ANYTHING.search(text):
            return True
        yield from repaired_calls(text, self.names, rest, nameless, is_cut=is_cut)
        return False

    def whole(self, start: int, until: Ending) -> Steps[bool]:
        """A value that is read when it is complete."""
        closed = yield from self.source.value()
        return closed and (yield from self.emit(start, until))

    def emit(self, start: int, until: Ending) -> Steps[bool]:
        """Yield the calls in the text from `start` on; False if more than that belongs to it."""
        text = self.source.slice(start, self.source.place)
        runs_over = not self._in_prose and until.begins_in(text)
        runs_over = runs_over or (text[0] != "{" and (yield from self._next_argument()) != "")
        if runs_over or not (yield from self._is_over(until, _CLOSERS)):
            return False  # what is next to the arguments may belong to them
        if self._in_prose:
            calls = calls_in_expression(text, self.names, start)
            head = CALL_HEAD.match(text) if calls is None else None
            if head and self.names.find(head["name"] or "") and not DEFINED.match(text, head.end()):
                return False
            if calls is None and self._found and not is_definition(text):
                name = self.names.mentioned(text)
                calls = [RawCall(name, "", start, self.source.place, problem=MALFORMED)]
            self._found |= bool(calls)
        else:
            calls = calls_within(text, self.names, start)
            if calls is None and not (
                ARGUMENTS_KEY.search(text) or self.names.mentioned(text) or self.names.keys_in(text)
            ):
                calls = [RawCall("", "", start, self.source.place, problem=NO_CALL)]
        if calls is None and not self._in_prose:
            return False
        yield from calls or ()
        return True

    def emit_broken(self, start: int, until: Ending) -> Steps[bool]:
        """Yield a value that is not complete, up to the end of the block."""
        found = yield from self._up_to(until, start)
        text = self.source.slice(start, self.source.place)
        self._broken_end = self.source.place
        yield from broken(text, self.names, start, is_cut=found)
        return found

    # ------------------------------------------------------------------------------ in prose
    def json_in_prose(self, _: CallStart) -> CallSteps:
        """Parse an object or list in prose; what is under a key that no call has is refused."""
        source = self.source
        start = source.place
        for item in self._json_in_prose(start):
            if item is not None and (key := self._foreign_key(start)):
                problem = _IN_A_MESSAGE if key in _OF_A_MESSAGE else _UNDER_A_KEY
                problem = problem.format(quoted(key[:80]))
                item = RawCall(item.name, "", item.start, item.end, problem=problem)  # noqa: PLW2901
            yield item

    def _foreign_key(self, start: int) -> str:
        """The key that no call has, if its value begins at an offset."""
        member = _MEMBER.search(self.source.slice(max(start - CONTEXT, 0), start))
        key = member[1] if member else ""
        return "" if key in ANY_KEY or self.names.find(key) is not None else key

    def _json_in_prose(self, start: int) -> CallSteps:
        source = self.source
        key = yield from source.header(_FIRST_KEY, _FIRST_KEY_BEGUN)
        source.at = start - source.offset
        if key and not may_begin_call(key[1], self.names):
            return
        head = yield from source.header(_FIRST_HEAD, _FIRST_HEAD_BEGUN)
        source.at = start - source.offset
        if head and head["name"] and self.names.find(head["name"]):
            self._in_prose, self._found = True, False
            is_list = source.text[source.at] == "["
            yield from self.list(PROSE) if is_list else self.container(PROSE)
            self._in_prose = False
        elif (yield from source.value(MAX_CALL_IN_PROSE)):
            text = source.slice(start, source.place)
            # to parse an object takes as long again as all else that is done for it
            if not key or _KEY_OF_A_CALL.search(text) or self.names.find(key[1]):
                yield from calls_in_expression(text, self.names, start) or ()

    def never_ends(self) -> bool:
        """Return whether a value in prose is here that has no end, and does not begin like a call.

        That is known of the brackets around another one that has no end.
        """
        source = self.source
        if not source.never_closes(source.place):
            return False
        head = _FIRST_HEAD.match(source.text, source.at, source.at + HEADER)
        return head is None or not head["name"]

    def python_statement(self, opening: CallStart) -> CallSteps:
        """A call in Python on a line of its own."""
        source = self.source
        begins = source.place
        closed = yield from source.value(MAX_CALL_IN_PROSE)
        if not closed:
            if opening.alone and source.ended and source.at == len(source.text):
                source.again(begins)
                yield from source.find(_LINE, 1)
                problem = why_unclosed(source.slice(opening.start, source.place))
                yield RawCall(opening.name, "", opening.start, source.place, problem=problem)
            return
        end = source.place
        char = yield from source.blanks(IN_LINE)
        following = (yield from self._next_argument()) if char == "," else ""
        if char not in _BEHIND:
            return
        if char == "`":
            yield from source.blanks(_CLOSED)
            if source.text[source.at : source.at + 1].isalnum():
                return  # a sentence goes on behind it
            source.again(end)
        text = source.slice(opening.start, end)
        if opening.alone or not _OBJECT_ONLY.match(text):
            literal = not opening.alone
            calls = calls_in_expression(text, self.names, opening.start, literal=literal) or ()
            if calls and following in self.parameters(opening.name):
                yield from source.find(_LINE, 1)
                calls = [RawCall(opening.name, "", opening.start, source.place, problem=RUNS_OVER)]
            yield from calls


_LINE: Final = re.compile("\n")
_CLOSED: Final = re.compile(r"[`*\"'\\]*[ \t]*")
_BEHIND: Final = frozenset({"", *"\n\r,;)]`*#+|&'\"\\"})
_OBJECT_ONLY: Final = re.compile(rf"{NAME}\s?\(\s*\{{")
