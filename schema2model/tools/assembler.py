"""Assemble the calls of a reply that streams, from the raw chunks of any provider.

Providers and the servers between send a call in pieces, and number them in ways of their own: an
index may be used twice or be missing, a name may be repeated, an empty object may precede the
arguments. Joined by hand, two such calls become one. Here a piece belongs to a call only if its id,
its index or its position leaves no other choice; where it does, the calls concerned are refused.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from pydantic_core import to_json

from schema2model.calls.call_types import ArrivingCall, Call
from schema2model.errors import ToolError
from schema2model.json.canonical import canonical_json
from schema2model.json.values import NotJSONError
from schema2model.tools.answering import _is_complete, _text_results
from schema2model.tools.assistant_message import (
    TRUNCATED,
    AssembledCall,
    AssembledReply,
    Write,
    ended_too_soon,
    tool_messages,
)
from schema2model.tools.conversation import call_id
from schema2model.tools.preparing import parsed_json, replace_text

if TYPE_CHECKING:
    from schema2model.calls.call_reader import CallReader
    from schema2model.coerce.partial import PartialArguments

__all__ = ["Assembler", "OpenCall", "StreamProvider", "text_of_object"]

StreamProvider = Literal[
    "openai", "gpt-oss", "litellm", "openai-responses", "anthropic", "gemini", "langchain"
]
"""The providers and libraries whose streams are read."""

_EMPTY_FIRST: Final = re.compile(r"\s*\{\s*\}\s*(?=\{)")
"""An empty object before the real one: the value with which some servers begin."""
_MAY_BE_EMPTY: Final = frozenset(("", "{", "{}"))
"""The beginnings of that, without blanks."""

MIXED: Final = "the pieces of several calls could not be separated; send one call at a time"
"""The reason for a refusal of calls that a stream has interleaved without saying how."""


class OpenCall:
    """A call while its pieces arrive."""

    def __init__(self, id_: str | None, name: str) -> None:
        self.id = id_
        self.name = name
        self.formers: list[OpenCall] = []
        """The calls that its index, or none, meant before, and that are not complete."""
        self.extras: dict[str, Any] = {}
        """Other members that the provider has given it."""
        self.ended = False
        """Set when the provider says that it is complete."""
        self.exact = False
        """Set then if its text is the JSON of an object."""
        self.parsed = False
        """Set if the arguments came as an object, which may lack members at the end of a reply."""
        self.is_refused = False
        """Set if it is not clear which pieces are its own."""
        self.result: AssembledCall | None = None
        self._held: list[str] = []  # what may still be an empty object before the real one
        self._begun = ""  # the same without its blanks
        self._pieces: list[str] = []
        self._partial: PartialArguments | None = None
        self._fed = 0

    @property
    def text(self) -> str:
        """The text of its arguments so far."""
        return "".join((*self._held, *self._pieces))

    def add(self, piece: str) -> None:
        """Take the next piece of its arguments."""
        if self._pieces:
            self._pieces.append(piece)
            return
        self._held.append(piece)
        self._begun += "".join(piece.split())
        if self._begun not in _MAY_BE_EMPTY:
            text = self.text
            while found := _EMPTY_FIRST.match(text):
                text = text[found.end() :]
            self._begun = "".join(text.split())
            if self._begun in _MAY_BE_EMPTY:
                self._held = [text]
            else:
                self._pieces, self._held = [text], []

    def replace(self, text: str) -> None:
        """Take the whole text of its arguments, in place of all pieces."""
        self._held, self._begun, self._pieces = [], "", []
        self._partial, self._fed = None, 0
        self.add(text)

    @property
    def is_empty(self) -> bool:
        """True if there is nothing of its arguments yet, or only an empty object."""
        return not self._pieces

    def value(self) -> dict[str, Any] | None:
        """The object that the text is, exactly; None if it is not one, or not yet."""
        if self._pieces and not self._pieces[-1].rstrip().endswith("}"):
            return None
        value = parsed_json(self.text)
        return value if isinstance(value, dict) else None

    def end(self) -> None:
        """Note that no piece follows."""
        if not self.ended:
            self.ended, self.exact = True, self.value() is not None

    def shown(self, partial: PartialArguments) -> Any:
        """The certain part of its arguments; `partial` is for the first time that this is asked."""
        if self._partial is None:
            self._partial = partial
        for piece in self._pieces[self._fed :]:
            self._partial.feed(piece)
        self._fed = len(self._pieces)
        return self._partial.value


class Assembler:
    """Reads the chunks of one reply. Made by `Toolset.assembler`.

    Each call is returned once, when it is complete: prepared, or with its error.
    """

    reads_text: ClassVar[bool] = False
    """Whether the models of this provider may write calls as text."""
    gives_reason: ClassVar[bool] = True
    """Whether every complete stream says why it has ended."""
    prefix: ClassVar[str] = "call"
    """With what the ids begin that are given to calls without one."""

    finish_reason: str | None = None
    """Why the reply ended, as soon as the stream contains it."""

    def __init__(self, toolset: Any, *, strings: bool = False) -> None:
        self._toolset = toolset
        self._strings = strings
        self._reader: CallReader | None = toolset.call_reader() if self.reads_text else None
        self._calls: list[OpenCall] = []
        self._open: list[OpenCall] = []  # those without a result
        self._taken: set[str | None] = set()  # the ids of the others
        self._by_key: dict[Any, OpenCall] = {}
        self._by_id: dict[str, OpenCall] = {}
        self._last: OpenCall | None = None
        self._prose: list[str] = []
        self._fed = 0  # how many of the pieces the reader has
        self._shown = 0
        self._written: list[AssembledCall] = []
        self._is_read = False
        self._finished = False

    # --------------------------------------------------------------------- for each provider
    def read(self, chunk: Any) -> None:
        """Take all that a chunk holds, by the methods below.

        Raises:
            TypeError: if it is not a chunk of this provider.

        """
        raise NotImplementedError

    def message_call(self, call: OpenCall, arguments: str) -> Any:
        """Return a call as it is in the message."""
        raise NotImplementedError

    def build_messages(self) -> list[Any]:
        """Return the messages for the history, with the calls that `message_call` has made."""
        raise NotImplementedError

    def write(self) -> Write:
        """Return the function that writes the results of the calls: as messages of tools."""
        return tool_messages

    # ------------------------------------------------------------------------- what it does
    def feed(self, chunk: Any) -> list[AssembledCall]:
        """Take the next chunk, and return the calls that it completes.

        A call whose text has to be repaired is complete when it is known why the reply has ended.

        Args:
            chunk: an object of the SDK or a mapping, as the stream yields it.

        Raises:
            RuntimeError: after `finish`.
            TypeError: if it is not a chunk of this provider.

        """
        if self._finished:
            message = "`finish` has been called; use a new `assembler()` for the next reply"
            raise RuntimeError(message)
        self.read(chunk)
        return self._completed()

    def finish(self) -> AssembledReply:
        """Return the reply as a whole; it may be called again.

        Calls that no chunk has completed are in it as well. Where the provider gives a reason for
        every end and has given none, the stream has broken off, and the reply is truncated.
        """
        if not self._finished:
            self._finished = True
            self.end()
            self._completed()
        calls = [call.result for call in self._calls if call.result is not None]
        return AssembledReply(
            self.build_messages(),
            calls or self._written,
            self.finish_reason,
            self._truncated,
            self.text,
            self.write() if calls else _text_results,
        )

    @property
    def arriving(self) -> ArrivingCall | None:
        """The call of the last piece, if it is not complete and its name is known.

        Its arguments are shown as `CompiledSchema.partial` shows them.
        """
        call = self._last
        if call is None:
            return None if self._reader is None else self._reader.arriving
        tool = self._toolset.get(call.name)
        if call.ended or call.is_refused or tool is None:
            return None
        return ArrivingCall(tool.name, call.shown(tool.partial(strings=self._strings)))

    @property
    def text(self) -> str:
        """The text for the user so far, without calls and thinking."""
        read = "" if self._reader is None else self._reader.text
        return read + "".join(self._prose[self._fed :])

    def new_text(self) -> str:
        """Return the text for the user that has come since this was last called."""
        read = "" if self._reader is None else self._reader.new_text()
        pieces, self._shown = self._prose[max(self._fed, self._shown) :], len(self._prose)
        return read + "".join(pieces)

    # --------------------------------------------------------- what a chunk may be made of
    def add_text(self, text: Any) -> None:
        """Take a piece of the text for the user."""
        if isinstance(text, str) and text:
            self._prose.append(text)
            if self._reader is not None and not self._is_read:
                self._reader.feed(text)
                self._fed = len(self._prose)

    def add_piece(
        self, arguments: Any = None, *, key: Any = None, id_: Any = None, name: Any = None
    ) -> OpenCall | None:
        """Take a piece of a call, which may begin it; return the call, None for nothing.

        Args:
            arguments: the next piece of their text, or all of them as an object.
            key: the index of the call, if the provider gives one.
            id_: its id.
            name: its name, a piece of it, or the same again.

        """
        id_ = id_ if isinstance(id_, str) and id_ else None
        name = name if isinstance(name, str) else ""
        is_text = isinstance(arguments, (str, type(None)))
        piece = (arguments or "") if is_text else text_of_object(arguments)
        is_bare = id_ is None and not name
        if is_bare and not piece.strip() and self._at(key) is None:
            return None
        call = self._last = self._find(key, id_, name, piece)
        call.parsed |= not is_text
        if piece.strip() and id_ is None:
            doubtful = [each for each in call.formers if not name or name == each.name]
            if doubtful:
                _refuse(call, *doubtful)
        call.add(piece)
        return call

    def begin(self, *, key: Any = None, id_: Any = None, name: Any = None) -> OpenCall:
        """Begin a call that no earlier piece belongs to."""
        id_ = id_ if isinstance(id_, str) and id_ else None
        call = OpenCall(id_, name if isinstance(name, str) else "")
        former = self._at(key)
        if former is not None:
            call.formers = [*filter(self._is_unfinished, (former, *former.formers))]
            _refuse(*(each for each in call.formers if not call.name or not each.is_empty))
        self._calls.append(call)
        self._open.append(call)
        self._last = call
        if key is not None:
            self._by_key[key] = call
        if id_ is not None:
            self._by_id[id_] = call
        return call

    def end(self, key: Any = None) -> None:
        """Note that the call with that index is complete; without one, that all are so far."""
        for call in self._open if key is None else filter(None, [self._by_key.get(key)]):
            call.end()

    def end_reply(self, reason: Any) -> None:
        """Note why the reply has ended; None if the chunk does not say it."""
        reason = getattr(reason, "value", reason)
        if isinstance(reason, str) and reason:
            self.finish_reason = reason
            self.end()

    # ------------------------------------------------------------- which call a piece is of
    def _at(self, key: Any) -> OpenCall | None:
        """The call that an index means, or the last one if pieces have none."""
        found = self._last if key is None else self._by_key.get(key)
        return None if found is None or found.ended else found

    def _find(self, key: Any, id_: str | None, name: str, piece: str) -> OpenCall:
        """The call that a piece is of: by its id, else by its index, else the last one."""
        known = None if id_ is None else self._by_id.get(id_)
        here = self._at(key)
        if known is not None and not known.ended:
            # some servers give all calls the same id
            is_other = name and key is not None and key not in self._by_key and known.value()
            if is_other or (known.name not in {"", name} and self._begins(known, name, "")):
                return self.begin(key=key, id_=id_, name=name)
            here = known
        elif id_ is not None:
            if here is None or here.id is not None or self._begins(here, name, piece):
                return self.begin(key=key, id_=id_, name=name)
            here.id, self._by_id[id_] = id_, here
        elif here is None:
            if not name:  # nobody knows which call it is of
                _refuse(*filter(self._is_unfinished, self._open))
            return self.begin(key=key, name=name)
        elif self._begins(here, name, piece):
            return self.begin(key=key, name=name)
        here.name = here.name or name
        if key is not None:
            self._by_key[key] = here
        return here

    def _begins(self, call: OpenCall, name: str, piece: str) -> bool:
        """Return whether a piece with this name begins another call; else take its part of a name.

        A name in pieces comes before the arguments. A call is refused if it is not clear whether
        its name has gone on, or another call has begun.
        """
        if not name or not call.name:
            return bool(name) and not call.is_empty
        is_object = piece.lstrip().startswith("{")
        if name == call.name and is_object and call.is_empty and call.text.strip() == "{}":
            _refuse(call)  # an empty object before the real one, or two calls
            return False
        if not call.is_empty:
            return name != call.name or (is_object and call.value() is not None)
        joined, tools = call.name + name, self._toolset
        is_known, is_longer = call.name in tools, name.startswith(call.name)
        if joined in tools:
            if is_known and name in tools:
                _refuse(call)
            call.name = joined
        elif name in tools and name != call.name:
            if is_known and not is_longer:
                return True
            if is_known or not is_longer:
                _refuse(call)
            call.name = name
        elif not is_longer:
            call.name = joined
        else:
            call.name = name
        return False

    def _is_unfinished(self, call: OpenCall) -> bool:
        """Return whether more arguments of a call may follow."""
        if call.ended:
            return False
        if call.is_empty:
            tool = self._toolset.get(call.name)
            return tool is None or bool(tool.compiled._engine.anchors.names())
        return call.value() is None

    # ------------------------------------------------------------------- what is handed out
    @property
    def _truncated(self) -> bool:
        if self.finish_reason is None:
            return self._finished and self.gives_reason
        return ended_too_soon(self.finish_reason)

    def _completed(self) -> list[AssembledCall]:
        """Prepare the calls that are complete, and return them."""
        is_end = self._finished or self.finish_reason is not None
        if is_end and self._reader is not None and not self._is_read:
            self._is_read = True
            self._reader.finish()  # it holds back text that may begin a call
            if not self._calls:
                self._written = [self._prepare_written(call) for call in self._reader.calls]
                return self._written
        completed = [call for call in self._open if call.ended and (is_end or call.exact)]
        for call in completed:
            call.result = self._prepare(call)
            self._taken.add(call.id)
        if completed:
            self._open = [call for call in self._open if call.result is None]
        return [call.result for call in completed if call.result is not None]

    def _prepare(self, call: OpenCall) -> AssembledCall:
        text, name = call.text, call.name
        if self.prefix and (call.id is None or call.id in self._taken):
            call.id = f"{self.prefix}_{self._calls.index(call)}"
        written = self.message_call(call, text)
        prepared, error = None, None
        try:
            if call.is_refused or (not call.exact and _has_second_object(text)):
                replace_text(text, written)
                raise ToolError.for_text(name, MIXED)
            prepared = self._toolset.prepare(name, text, written)
            is_doubtful = prepared.repaired or (call.parsed and call is self._calls[-1])
            if is_doubtful and self._truncated:
                raise ToolError.for_text(name, TRUNCATED)
        except ToolError as refused:
            prepared, error = None, refused
        return AssembledCall(name, call_id(written), prepared, error, written)

    def _prepare_written(self, call: Call) -> AssembledCall:
        """Prepare a call in the text of a reply that has no others."""
        prepared, error = None, call.error
        is_last = self._reader is not None and call is self._reader.calls[-1]
        is_cut = is_last and self._truncated
        if error is None and is_cut and not _is_complete("".join(self._prose), call, None):
            error = ToolError.for_text(call.name, TRUNCATED)
        if error is None:
            try:
                prepared = self._toolset.prepare(call.name, call.arguments, call)
            except ToolError as refused:
                error = refused
        return AssembledCall(call.name, None, prepared, error, call)


def text_of_object(arguments: Any) -> str:
    """Return the text of arguments that came as an object; `prepare` refuses it if it is not JSON.

    >>> text_of_object({"a": "é"}), text_of_object({"a": float("nan")})
    ('{"a":"é"}', '{"a":NaN}')
    """
    try:
        return canonical_json(arguments, lone_surrogates=True)
    except NotJSONError:
        return to_json(arguments, inf_nan_mode="constants", fallback=str).decode()


def _has_second_object(text: str) -> bool:
    """Return whether another object, or the beginning of one, follows the object of a text.

    >>> [_has_second_object(text) for text in ('{"a": 1}{"a": ', '{"a": 1} {"a":1}', '{"a": {}}')]
    [True, False, False]
    """
    read_one, text = json.JSONDecoder().raw_decode, text.strip()
    try:
        first, end = read_one(text)
    except (ValueError, RecursionError):
        return False
    rest = text[end:].lstrip()
    if not rest.startswith("{"):
        return False
    try:
        return bool(json.loads(rest) != first)
    except (ValueError, RecursionError):
        return True


def _refuse(*calls: OpenCall) -> None:
    for call in calls:
        call.is_refused = True
