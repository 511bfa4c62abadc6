"""Arguments that are still arriving: as much of them as no later text can change."""

from __future__ import annotations

import codecs
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from schema2model.coerce.engine import Engine
from schema2model.coerce.node_view import NodeView
from schema2model.coerce.search.independent_members import (
    MemberReader,
    UndecidedError,
    accept_any_string,
)
from schema2model.errors import TextError
from schema2model.json.parsing import (
    BLANK,
    BRACKETS,
    LAX,
    NOTHING,
    Spellings,
    parse_json,
    spelled,
    surrogates_joined,
)
from schema2model.limits import MAX_DEPTH
from schema2model.regexes import regex
from schema2model.schema.nodes import Node
from schema2model.text.repair.scalar_spelling import respell_token
from schema2model.text.streaming import Tokenizer

__all__ = ["PartialArguments"]

_COMPLETE: Final = regex(
    r"""(?x: [^\\\ud800-\udbff]+ | [\ud800-\udbff][^\ud800-\udbff\\] | \\["\\/bfnrt]
    | \\u(?![dD][89abAB])[0-9a-fA-F]{4}
    | \\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2} )*"""
)
"""The content of a string up to half an escape, what is none, or half a surrogate pair."""

_LONGEST_ESCAPE: Final = len(r"\ud83d\ude00")


@dataclass(slots=True)
class _Container:
    """A container that is shown while it grows."""

    shown: Any
    """The dict or list."""
    closer: str
    node: Node
    """The subschema by which its members are read."""
    key: Any = 0
    """The name or index of the member that is arriving."""
    children: Sequence[Node] | None = None
    """The subschemas for that member; None if it is not to be shown."""
    after_comma: bool = False

    def show(self, value: Any) -> None:
        """Show the member that is arriving, in the place of the beginning of a string."""
        if self.closer == "}" or self.key < len(self.shown):
            self.shown[self.key] = value
        else:
            self.shown.append(value)


class _GrowingString:
    """The content of a JSON string as far as it has arrived, without its closing quote."""

    __slots__ = ("_rest", "_taken", "_value")

    def __init__(self) -> None:
        self._value = ""
        self._rest = ""  # half an escape
        self._taken = 0

    def follow(self, pieces: Sequence[str]) -> str:
        """Take what is new in the pieces of a token, and return all that is known of it."""
        new = "".join(pieces[self._taken :])
        text = self._rest + (new if self._taken else new[1:])  # without the opening quote
        self._taken = len(pieces)
        if len(self._rest) > _LONGEST_ESCAPE:  # not an escape: the end will tell what it means
            return self._value
        found = _COMPLETE.match(text)
        end = found.end() if found else 0
        self._rest = text[end:]
        if end:
            content = surrogates_joined(text[:end])
            self._value += parse_json(f'"{content}"', LAX) if "\\" in content else content
        return self._value


class PartialArguments:
    """The arguments of one call while their text arrives. Made by `CompiledSchema.partial`.

    Objects grow by members and arrays by items. A scalar is added when the text after it shows
    that it is complete. A container is added as a whole where its members cannot be read one by
    one, as below a union. What is shown is never taken back: it is a part of what `finish` returns,
    provided that `finish` succeeds, that the text is JSON or spells it otherwise (single quotes,
    bare names, a comma too many, `None`), and that no name comes twice in one object.

    With `strings`, also strings grow, where the schema accepts every string and no rule applies to
    valid ones: the shown string is a prefix of that in the result.

    Where the text stops being JSON nothing is added any more; `finish` reads it all the same.
    """

    _next: Callable[[PartialArguments, str], None]
    """The function for the next token; not a bound method, which would be a reference cycle."""

    def __init__(
        self,
        engine: Engine,
        *,
        strings: bool = False,
        shows: bool = True,
        finish: Callable[[str | bytes], Any] | None = None,
    ) -> None:
        self._engine = engine
        self._finish = engine.validate_json if finish is None else finish
        self._reader = MemberReader(engine.root, engine.verdicts, engine.rules)
        self._repairs = engine.coercion.repair_text
        self._chunks: list[Any] = []
        self._decode = codecs.getincrementaldecoder("utf-8")().decode
        self._tokens = Tokenizer()
        self._next = PartialArguments._begin_call
        self._open: list[_Container] = []
        self._complete = ""  # a value, as text, until it is seen what follows
        self._showing = shows and not engine.dynamic
        self._value: Any = None
        self._finished = False
        self._strings = strings and not engine.coercion.reads_strings
        self._growing: _GrowingString | None = None

    def __repr__(self) -> str:
        length = sum(map(len, self._chunks))
        return f"<PartialArguments {self._engine.name!r}, {length} characters so far>"

    # ------------------------------------------------------------------------- what it does
    @property
    def value(self) -> Any:
        """The arguments so far: a dict or list that grows in place, or None.

        Copy what is to stay as it is.
        """
        return self._value

    @property
    def text(self) -> str | bytes:
        """All text so far, joined when asked for."""
        nothing = self._chunks[0][:0] if self._chunks else ""
        return nothing.join(self._chunks)

    def feed(self, chunk: str | bytes) -> Any:
        """Take the next piece of the text, and return what is known by then, as `value` does.

        Args:
            chunk: any part of the text; bytes may end within a character.

        Raises:
            TypeError: for anything but text, and for bytes after str or the other way around.
            RuntimeError: after `finish`.

        """
        if self._finished:
            message = "`finish` has been called; use a new `partial()` for the next call"
            raise RuntimeError(message)
        chunk = _own(chunk)
        if self._chunks and type(chunk) is not type(self._chunks[0]):
            message = "the text is either str or bytes, not first the one and then the other"
            raise TypeError(message)
        self._chunks.append(chunk)
        if self._showing:
            try:
                text = chunk if isinstance(chunk, str) else self._decode(chunk)
                if self._next is PartialArguments._begin_call:
                    text = text.lstrip(BLANK)
                for lexeme in self._tokens.feed(text):
                    self._next(self, lexeme)
            except (UndecidedError, TextError, UnicodeDecodeError, RecursionError):
                self._showing = False
                self._tokens, self._open = Tokenizer(), []
            if self._strings and self._showing:
                self._show_early()
        return self._value

    def finish(self) -> Any:
        """Validate the whole text, as `validate_json` does.

        Raises:
            ToolError: where no reading of the text satisfies the schema.

        """
        self._finished = True
        return self._finish(self.text)

    # ---------------------------------------------------------------- what each token means
    def _begin_call(self, lexeme: str) -> None:
        """Begin the whole call: an object, or an array that cannot be read as one."""
        root = self._reader.root
        if lexeme == "[" and self._reader.coercion.listed_arguments and root.accepts("object"):
            raise UndecidedError
        if lexeme not in BRACKETS or (container := self._new_container(lexeme, (root,))) is None:
            raise UndecidedError
        self._value = container.shown
        self._open_container(container)

    def _next_member(self, lexeme: str) -> None:
        """Handle the token after an opening bracket or a comma."""
        container = self._open[-1]
        if lexeme == container.closer and (self._repairs or not container.after_comma):
            if not container.after_comma:
                self._show_opened()
            self._close_container()
        elif container.closer == "]":
            self._begin_member(lexeme)
        else:
            name = self._read_token(lexeme, is_name=True)[0]
            # of two values of a name, the last would count
            if type(name) is not str or name in container.shown:
                raise UndecidedError
            container.key = name
            self._show_opened(name)
            self._next = PartialArguments._after_name

    def _after_name(self, lexeme: str) -> None:
        if lexeme != ":":
            raise UndecidedError
        self._next = PartialArguments._begin_member

    def _begin_member(self, lexeme: str) -> None:
        """Handle a scalar, or the bracket that opens a container."""
        container = self._open[-1]
        children = container.children = self._member_schemas(container)
        if lexeme not in BRACKETS:
            self._end_member(lexeme)
        elif (
            children is not None
            and not self._reader.may_be_omitted(container.node, container.key)
            and (inner := self._new_container(lexeme, children)) is not None
        ):
            # an object may be an envelope: it has only the name again under which it is itself
            if inner.closer == "]" or not self._reader.coercion.envelope:
                container.show(inner.shown)
            self._open_container(inner)
        else:
            self._tokens.take_container()
            self._next = PartialArguments._end_member

    def _end_member(self, lexeme: str) -> None:
        """Handle a complete value, or a delimiter in its place."""
        self._complete = lexeme
        self._growing = None
        self._next = PartialArguments._after_member

    def _after_member(self, lexeme: str) -> None:
        """Handle the token after a member."""
        container = self._open[-1]
        if lexeme not in (",", container.closer):
            raise UndecidedError
        if self._complete:
            self._show_complete(container)
            self._complete = ""
        if lexeme != ",":
            self._close_container()
            return
        container.after_comma = True
        if container.closer == "]":
            container.key += 1
        self._next = PartialArguments._next_member

    def _read_token(self, lexeme: str, *, is_name: bool = False) -> tuple[Any, Spellings | None]:
        """Return the value of a token, and how it spells numbers.

        Raises:
            UndecidedError: if it is neither JSON nor another spelling of it.

        """
        lexeme = surrogates_joined(lexeme)
        if lexeme[0] == '"' and "\\" not in lexeme:
            return lexeme[1:-1], None  # without escapes, a string spells itself
        value = NOTHING if is_name and lexeme[0] != '"' else parse_json(lexeme, LAX)
        if value is NOTHING and self._repairs:
            lexeme = respell_token(lexeme, is_name=is_name)
            value = parse_json(lexeme, LAX) if lexeme else NOTHING
            is_number = type(value) is int or type(value) is float
            if is_number and NodeView(tuple(self._open[-1].children or ())).takes_text():
                raise UndecidedError  # it means its spelling
        if value is NOTHING:
            raise UndecidedError
        return spelled(lexeme) or (value, None)

    # ----------------------------------------------------------------------- what is shown
    def _new_container(self, lexeme: str, children: Sequence[Node]) -> _Container | None:
        """Return a container that can be shown while it grows; None if it has to be complete."""
        if len(self._open) == MAX_DEPTH:
            raise UndecidedError
        is_object = lexeme == "{"
        node = self._reader.container_schema(children, "object" if is_object else "array")
        if node is None:
            return None
        return _Container({}, "}", node) if is_object else _Container([], "]", node)

    def _member_schemas(self, container: _Container) -> Sequence[Node] | None:
        """Return the subschemas for the member that is arriving; None if it is not to be shown."""
        outermost = len(self._open) == 1
        is_name = type(container.key) is str and not outermost
        if is_name and self._reader.coercion.envelope and container.key == self._open[-2].key:
            return None  # it may be an envelope around itself
        if (
            outermost
            and type(container.key) is str
            and not container.after_comma
            and self._reader.may_be_proven(container.node, container.key)
        ):
            return None
        return self._reader.member_schemas(container.node, container.key, outermost=outermost)

    def _show_opened(self, name: str | None = None) -> None:
        """Show the container that is open, unless it may be an envelope around its member."""
        if len(self._open) > 1 and self._open[-2].key != name:
            self._open[-2].show(self._open[-1].shown)

    def _open_container(self, container: _Container) -> None:
        self._open.append(container)
        self._next = PartialArguments._next_member

    def _close_container(self) -> None:
        self._open.pop()
        if not self._open:
            raise UndecidedError  # what may follow is for `finish`
        self._next = PartialArguments._after_member

    def _show_complete(self, container: _Container) -> None:
        """Show the reading of a complete value, if it has one."""
        value, spellings = self._read_token(self._complete)
        if container.children is None:
            return
        value = self._reader.read_member(
            container.node, container.key, container.children, value, spellings
        )
        if value is not NOTHING:
            container.show(value)
        elif container.closer == "]":  # the index of every later item depends on it
            raise UndecidedError

    def _show_early(self) -> None:
        """Show as much of a string as is known, where the next token may only complete it."""
        if not self._open:
            return
        container = self._open[-1]
        if self._next is PartialArguments._after_member:
            if self._complete[:1] == '"' and accept_any_string(container.children):
                with contextlib.suppress(UndecidedError, TextError):  # the next chunk decides
                    container.show(self._read_token(self._complete)[0])
            return
        is_item = self._next is PartialArguments._next_member and container.closer == "]"
        pieces = self._tokens.open_string
        if not pieces or not (is_item or self._next is PartialArguments._begin_member):
            return
        if self._growing is None:
            if not accept_any_string(self._member_schemas(container)):
                return
            self._growing = _GrowingString()
        container.show(self._growing.follow(pieces))


def _own(chunk: Any) -> str | bytes:
    """Return the text of a chunk as plain text, so that no method of a subclass is called."""
    for base in (str, bytes, bytearray):
        if issubclass(type(chunk), base):
            text = base.__getitem__(chunk, slice(None))
            return text if isinstance(text, str) else bytes(text)
    message = f"a chunk is str or bytes, not {type(chunk).__name__}"
    raise TypeError(message)
