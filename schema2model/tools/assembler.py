"""Assemble the calls of a reply that streams, from the raw chunks of any provider.

Providers and the servers between send a call in pieces, and number them in ways of their own: an
index may be used twice or be missing, a name may be repeated, an empty object may precede the
arguments. Joined by hand, two such calls become one. Here a piece belongs to a call only if its id,
its index or its position leaves no other choice; where it does, the calls concerned are refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic_core import to_json

from schema2model.calls.call_types import ArrivingCall, Call
from schema2model.errors import ToolError
from schema2model.json.canonical import canonical_json
from schema2model.json.parsing import NOTHING, surrogates_joined
from schema2model.json.values import NotJSONError
from schema2model.tools.answering import prepare_written, text_results
from schema2model.tools.assistant_message import (
    TRUNCATED,
    AssembledCall,
    AssembledReply,
    ended_too_soon,
)
from schema2model.tools.conversation import call_id
from schema2model.tools.preparing import parsed_json, replace_text
from schema2model.tools.providers.streams import Event, StreamShape, put_at

if TYPE_CHECKING:
    from schema2model.calls.call_reader import CallReader
    from schema2model.coerce.partial import PartialArguments

__all__ = ["Assembler", "CallPieces", "OpenCall", "StreamProvider", "text_of_object"]

StreamProvider = Literal[
    "openai", "gpt-oss", "litellm", "openai-responses", "anthropic", "gemini", "langchain"
]
"""The providers and libraries whose streams are read."""

_EMPTY_FIRST: Final = re.compile(r"(?:\s*\{\s*\}\s*(?=\{))*")
"""Empty objects before the real one: the value with which some servers begin."""
_MAY_BE_EMPTY: Final = frozenset(("", "{", "{}"))
"""The beginnings of that, without blanks."""

_LAST_CHARACTERS: Final = frozenset('}]"le')
"""Those of JSON, but for numbers."""

_MAX_DOUBTS: Final = 100
"""Maximum calls of a reply that begin while others may go on; then all are refused."""

_NAMELESS: Final = "A call without the name of a tool was sent; send the whole call again."
"""The reason for a refusal of arguments that are of no call."""

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
        self.is_cut = False
        """Set while its arguments come as paths and values, and more may follow."""
        self._pieces: list[str] = []
        self._snapshots = ""  # the last piece, if each begins with the whole of the one before
        self._begun = ""  # the same without blanks, until they are more than an empty object
        self._end = ""  # their last character, but for blanks
        self._partial: PartialArguments | None = None
        self._fed = 0

    @property
    def text(self) -> str:
        """The text of its arguments so far."""
        return _EMPTY_FIRST.sub("", self.written, count=1)

    @property
    def written(self) -> str:
        """The same with empty objects before it.

        Some servers repeat all that they have sent in every piece: then the last piece is the text,
        unless the pieces make JSON together.
        """
        joined = surrogates_joined("".join(self._pieces))  # JavaScript cuts within a character
        last = self._snapshots
        if not last or last == joined or parsed_json(joined) is not NOTHING:
            return joined
        return joined if parsed_json(last) is NOTHING else last

    @property
    def is_mixed(self) -> bool:
        """True if it is not clear that all of its arguments are here, and no others."""
        if self.is_refused or self.exact:
            return self.is_refused
        has_former = any(not each.is_empty for each in self.formers)
        return (has_former and not self.is_whole) or _has_second_object(self.text)

    def refusal(self) -> ToolError | None:
        """Return why it is refused as it came, whatever its arguments are."""
        if self.is_mixed or self.is_cut:
            return ToolError.for_text(self.name, MIXED if self.is_mixed else TRUNCATED)
        return None if self.name else ToolError(_NAMELESS)

    def add(self, piece: str) -> None:
        """Take the next piece of its arguments."""
        self.exact = False
        if piece.strip():
            is_next = not self._end or (self._snapshots and piece.startswith(self._snapshots))
            self._snapshots = piece if is_next else ""
        self._pieces.append(piece)
        self._end = piece.rstrip()[-1:] or self._end
        if self.is_empty:
            begun = self._begun + "".join(piece.split())
            self._begun = _EMPTY_FIRST.sub("", begun, count=1)
            if not self.is_empty:
                self._pieces = ["".join(self._pieces)]

    def replace(self, text: str) -> None:
        """Take the whole text of its arguments, in place of all pieces."""
        self._pieces, self._snapshots, self._begun, self._end = [], "", "", ""
        self._partial, self._fed = None, 0
        self.add(text)

    @property
    def is_empty(self) -> bool:
        """True if there is nothing of its arguments yet, or only an empty object."""
        return self._begun in _MAY_BE_EMPTY

    @property
    def is_whole(self) -> bool:
        """True if the text is JSON that cannot go on: all but a number can end only once."""
        return self._end in _LAST_CHARACTERS and parsed_json(self.text) is not NOTHING

    def end(self) -> None:
        """Note that no piece follows."""
        if not self.ended:
            self.ended, self.exact = True, self.is_whole and self._begun.startswith("{")

    def shown(self, partial: PartialArguments) -> Any:
        """The certain part of its arguments; `partial` is for the first time that this is asked."""
        if self._partial is None:
            self._partial = partial
        for piece in () if self.is_empty else self._pieces[self._fed :]:
            self._partial.feed(piece if self._fed else _EMPTY_FIRST.sub("", piece, count=1))
            self._fed += 1
        return self._partial.value


class CallPieces:
    """The calls of one reply, made of their pieces: which call a piece is of.

    Args:
        tools: those that may be called: a toolset, or what has its `get` and its `in`.

    """

    def __init__(self, tools: Any) -> None:
        self._tools = tools
        self._calls: list[OpenCall] = []
        self._open: list[OpenCall] = []  # those that have not been handed out
        self._by_key: dict[Any, OpenCall] = {}
        self._by_id: dict[str, OpenCall] = {}
        self._last: OpenCall | None = None
        self._doubts = 0

    @property
    def calls(self) -> list[OpenCall]:
        """All calls, in the order of their beginnings."""
        return self._calls

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
        ended = self._by_key.get(key) if key is not None else None
        if id_ is None and not name and ended is not None and ended.ended:
            return self._add_late(ended, arguments)
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

    def _add_late(self, call: OpenCall, arguments: Any) -> OpenCall | None:
        """Take a piece that follows the end of its call; None where that needs nothing more."""
        if call.exact or call.result is not None or not isinstance(arguments, str):
            return None
        call.add(arguments)
        call.ended = False
        call.end()
        return call

    def begin(self, *, key: Any = None, id_: Any = None, name: Any = None) -> OpenCall:
        """Begin a call that no earlier piece belongs to."""
        id_ = id_ if isinstance(id_, str) and id_ else None
        call = OpenCall(id_, name if isinstance(name, str) else "")
        former = self._at(key)
        if self._doubts < _MAX_DOUBTS:
            if id_ is None and not call.name:  # nobody knows which call it is of
                self._doubt(*filter(self._is_unfinished, self._open))
            elif former is not None:
                call.formers = [*filter(self._is_unfinished, (former, *former.formers))]
                if call.formers:
                    self._doubt(*(f for f in call.formers if not call.name or not f.is_empty))
        call.is_refused = self._doubts == _MAX_DOUBTS
        self._calls.append(call)
        self._open.append(call)
        self._last = call
        if key is not None:
            self._by_key[key] = call
        if id_ is not None:
            self._by_id[id_] = call
        return call

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
            is_new = name and key is not None and key not in self._by_key
            is_other = is_new and known.is_whole and not known.is_empty
            if is_other or (known.name not in {"", name} and self._begins(known, name, "")):
                return self.begin(key=key, id_=id_, name=name)
            here = known
        elif id_ is not None:
            if here is None or here.id is not None or self._begins(here, name, piece):
                return self.begin(key=key, id_=id_, name=name)
            here.id, self._by_id[id_] = id_, here
        elif here is None or self._begins(here, name, piece):
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
            return name != call.name or (is_object and call.is_whole)
        joined, tools = call.name + name, self._tools
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

    def _doubt(self, *calls: OpenCall) -> None:
        """Refuse calls, and all of a reply with too many doubts."""
        self._doubts += 1
        _refuse(*(self._open if self._doubts == _MAX_DOUBTS else calls))

    def _is_unfinished(self, call: OpenCall) -> bool:
        """Return whether more arguments of a call may follow."""
        if call.ended or call.exact:
            return False
        if call.is_empty:
            tool = self._tools.get(call.name)
            return tool is None or bool(tool.compiled._engine.anchors.names())
        return not call.is_whole


class Assembler(CallPieces):
    """Reads the chunks of one reply. Made by `Toolset.assembler`.

    Each call is returned once, when it is complete: prepared, or with its error.
    """

    finish_reason: str | None = None
    """Why the reply ended, as soon as the stream contains it."""

    def __init__(self, toolset: Any, shape: StreamShape, *, strings: bool) -> None:
        super().__init__(toolset)
        self._shape = shape
        self._strings = strings
        self._reader: CallReader | None = toolset.call_reader() if shape.reads_text else None
        self._taken: set[str | None] = set()  # the ids of those that have been handed out
        self._fed = 0  # how many of the pieces the reader has
        self._shown = 0
        self._prepared: list[AssembledCall] = []  # those that were written as text
        self._is_read = False
        self._finished = False
        self._had = False, False  # whether there were blocks and text before the chunk
        self._blocks: list[Any] = []  # in their order; a call as an `OpenCall`
        self.prose: list[str] = []
        self.at: dict[Any, Any] = {}
        """The blocks by their keys."""
        self.sum: Any = None
        """The sum of the chunks, where they can be added."""

    # --------------------------------------------------------------- what a message is built of
    @property
    def written(self) -> list[Any]:
        """The calls in the form that the message has."""
        return [call.result.call for call in self._calls if call.result is not None]

    def built(self, write: Callable[[OpenCall], Any] | None = None) -> list[Any]:
        """Return the blocks, with the calls among them written."""
        write = write or (lambda call: call.result and call.result.call)
        return [
            write(block) if isinstance(block, OpenCall) else block
            for block in self._blocks
            if not isinstance(block, OpenCall) or block.result is not None
        ]

    def _take(self, event: Event) -> None:
        """Take what a chunk says."""
        kind, key, content = event.kind, event.key, event.content
        if kind.startswith("late "):  # of a whole response: nothing where it has streamed
            kind = kind.removeprefix("late ")
            if self._had[kind == "text"]:
                return
        if kind in {"begin", "piece", "whole"}:
            self._take_call(kind, event)
        elif kind in {"object", "paths"}:
            self._take_object(kind, event)
        elif kind in {"grow", "block", "join"}:
            self._take_block(kind, event)
        elif kind in {"path", "end paths"}:
            self._take_path(kind, event)
        elif kind == "end":
            self.end(key)
        else:
            take = {"text": self.add_text, "add": self._add_chunk, "reason": self.end_reply}
            take[kind](content)

    def _take_path(self, kind: str, event: Event) -> None:
        """Take a piece of an object by its path, or the end of these."""
        last = self._last
        if last is None or "value" not in last.extras:
            return
        if kind == "path":
            last.is_refused |= not put_at(last.extras["value"], event.key, event.content)
        else:
            last.is_cut = False
            last.replace(text_of_object(last.extras["value"]))
            last.end()

    def _take_call(self, kind: str, event: Event) -> None:
        own: dict[str, Any] = {"key": event.key, "id_": event.id, "name": event.name}
        if kind == "piece" and isinstance(block := self.at.get(event.key), dict):
            block["pieces"] = block.get("pieces", "") + (event.content or "")
            return  # of a tool that runs on the server
        call = self.begin(**own) if kind == "begin" else None
        if kind == "begin" and event.content is not None:
            self.add_piece(event.content, key=event.key)
        elif kind != "begin":
            call = self.add_piece(None if kind == "whole" else event.content, **own)
        if call is None:
            return
        call.extras.update(event.extras)
        if kind == "whole" and isinstance(event.content, str):
            call.replace(event.content)
        if call not in self._blocks:
            self._blocks.append(call)
        if event.key is not None:
            self.at[event.key] = call

    def _take_object(self, kind: str, event: Event) -> None:
        """Take a call whose arguments are an object, whole or piece by piece."""
        last = self._last
        is_piece = last is not None and not last.ended and "value" in last.extras
        if last is None or event.name or not is_piece:
            self.end()
            last = self.begin(id_=event.id, name=event.name)
            self._blocks.append(last)
            last.extras.update(event.extras)
            if kind == "paths":
                last.extras["value"], last.is_cut = dict(event.content), True
            else:
                last.parsed = True
                last.replace(text_of_object(event.content))

    def _take_block(self, kind: str, event: Event) -> None:
        """Take a block, or a piece of one."""
        block: Any = self.at.get(event.key) if event.key is not None else None
        last = self._blocks[-1] if self._blocks and kind == "join" else None
        if isinstance(last, dict):
            thoughts = last.get("thought"), event.content.get("thought")
            if last.keys() == event.content.keys() and thoughts[0] == thoughts[1]:
                block, kind = last, "grow"
        if kind != "grow" or not isinstance(block, dict):  # its beginning may have been lost
            block = dict(event.extras) if kind == "grow" else event.content
            if event.key != "message":
                self._blocks.append(block)
            if event.key is not None:
                self.at[event.key] = block
            if kind != "grow":
                return
        for name, piece in event.content.items():
            if name != "thought":
                former = block.get(name)
                block[name] = piece if former is None else former + piece

    def _add_chunk(self, chunk: Any) -> None:
        if self.sum is None:
            self.sum = chunk
        elif isinstance(chunk, Mapping):
            self.sum = {**self.sum, "content": self.sum["content"] + chunk["content"]}
        else:
            self.sum += chunk

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
        self._had = bool(self._blocks), bool(self.prose)
        for event in self._shape.events(chunk):
            if event.reply in {None, 0}:
                self._take(event)
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
            self._shape.build(self),
            calls or self._prepared,
            self.finish_reason,
            self._truncated,
            self.text,
            text_results if self._prepared else self._shape.write(self),
        )

    @property
    def arriving(self) -> ArrivingCall | None:
        """The call of the last piece, if it is not complete and its name is known.

        Its arguments are shown as `CompiledSchema.partial` shows them.
        """
        call = self._last
        if call is None:
            return None if self._reader is None else self._reader.arriving
        tool = self._tools.get(call.name)
        if call.ended or call.is_refused or tool is None:
            return None
        return ArrivingCall(tool.name, call.shown(tool.partial(strings=self._strings)))

    @property
    def text(self) -> str:
        """The text for the user so far, without calls and thinking."""
        read = "" if self._reader is None else self._reader.text
        return read + "".join(self.prose[self._fed :])

    def new_text(self) -> str:
        """Return the text for the user that has come since this was last called."""
        read = "" if self._reader is None else self._reader.new_text()
        pieces, self._shown = self.prose[max(self._fed, self._shown) :], len(self.prose)
        return read + "".join(pieces)

    # --------------------------------------------------------- what a chunk may be made of
    def add_text(self, text: Any) -> None:
        """Take a piece of the text for the user."""
        if isinstance(text, str) and text:
            self.prose.append(text)
            if self._reader is not None and not self._is_read:
                self._reader.feed(text)
                self._fed = len(self.prose)

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

    # ------------------------------------------------------------------- what is handed out
    @property
    def _truncated(self) -> bool:
        if self.finish_reason is None:
            return self._finished and self._shape.gives_reason
        return ended_too_soon(self.finish_reason)

    def _completed(self) -> list[AssembledCall]:
        """Prepare the calls that are complete, and return them."""
        is_end = self._finished or self.finish_reason is not None
        if is_end and self._reader is not None and not self._is_read:
            self._is_read = True
            self._reader.finish()  # it holds back text that may begin a call
            if not self._calls:
                self._prepared = [self._prepare_written(call) for call in self._reader.calls]
                return self._prepared
        completed = [call for call in self._open if call.ended and (is_end or call.exact)]
        for call in [call for call in completed if not call.name and call.is_empty]:
            completed.remove(call)  # it asks for nothing
            self._open.remove(call)
        for call in completed:
            call.result = self._prepare(call)
            self._taken.add(call.id)
        if completed:
            self._open = [call for call in self._open if call.result is None]
        return [call.result for call in completed if call.result is not None]

    def _prepare(self, call: OpenCall) -> AssembledCall:
        text, name = call.text, call.name
        if self._shape.prefix and (call.id is None or call.id in self._taken):
            call.id = f"{self._shape.prefix}_{self._calls.index(call)}"
        written = self._shape.call(call, text)
        call.is_cut |= call.parsed and call is self._calls[-1] and self._truncated
        prepared, error = None, call.refusal()
        if error is not None:
            replace_text(text, written)
            return AssembledCall(name, call_id(written), None, error, written)
        try:
            prepared = self._tools._prepare_named(
                written, name, text, None, cut_off=self._truncated
            )
        except ToolError as refused:
            prepared, error = None, refused
        return AssembledCall(name, call_id(written), prepared, error, written)

    def _prepare_written(self, call: Call) -> AssembledCall:
        """Prepare a call in the text of a reply that has no others."""
        is_last = self._reader is not None and call is self._reader.calls[-1]
        prepared, error, text = None, None, "".join(self.prose)
        try:
            prepared = prepare_written(self._tools, call, text, is_cut=is_last and self._truncated)
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
