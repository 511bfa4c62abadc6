"""`Advice`: what to do about an issue, as facts for programs and words for a model.

The facts are the kind of the advice and what it is about. `_WORDS` has the words of each kind,
which every message takes from there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, Literal

from schema2model.json.quoting import quoted
from schema2model.regexes import regex

__all__ = ["ANOTHER_VALUE", "Advice", "AdviceKind", "form_of", "is_advice", "phrase_of"]

AdviceKind = Literal[
    "add",
    "choose",
    "cut off",
    "leave out",
    "nest",
    "rename",
    "send",
    "send JSON",
    "unwrap",
    "write",
]
"""A kind of advice: add a property, choose a value, send a call again that was cut off, leave a
property out, move some into an object, rename one, send a value, send JSON, take some out of an
object, or write a value in another form."""

ANOTHER_VALUE: Final = "another value"
"""The expectation where nothing else is known of the value."""
_ANY_VALUE: Final = ("a value", ANOTHER_VALUE)
"""Expectations that say nothing of the value."""
MAX_MOVED: Final = 10
"""Maximum names that a message asks to move."""


class Advice(str):
    """Advice in words, and the facts that the words are made of.

    >>> advice = Advice("rename", "limt", "limit")
    >>> advice, advice.kind, advice.facts
    ('rename "limt" to "limit"', 'rename', ('limt', 'limit'))
    """

    __slots__ = ("facts", "kind")

    kind: AdviceKind
    facts: tuple[Any, ...]

    def __new__(cls, kind: AdviceKind, *facts: Any) -> Advice:  # noqa: PYI034 - it is final
        """Put facts into words: those that the function of the kind in `_WORDS` takes."""
        self = super().__new__(cls, _WORDS[kind](*facts))
        self.kind, self.facts = kind, facts
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Advice, (self.kind, *self.facts)


def is_advice(advice: str | None, kind: AdviceKind) -> bool:
    """Return whether something is advice of a kind.

    >>> is_advice(Advice("cut off"), "cut off"), is_advice("send it again", "send")
    (True, False)
    """
    return isinstance(advice, Advice) and advice.kind == kind


# ------------------------------------------------------------------------------ the words
_FORMS: Final = {
    "array": "a JSON array",
    "boolean": "true or false",
    "date": "a date (YYYY-MM-DD)",
    "date and time": "a date and time (YYYY-MM-DDThh:mm:ssZ)",
    "decimal number": "a decimal number",
    "duration": "a duration (such as PT10M)",
    "integer": "an integer",
    "number": "a number",
    "object": "a JSON object",
    "string": "a string",
    "time": "a time (hh:mm:ss)",
    "URL": "a URL",
    "UUID": "a UUID (xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx)",
}
"""An expectation as part of a sentence, by the words with which it begins."""
_FORM: Final = regex(rf"(?:{'|'.join(sorted(_FORMS, key=len, reverse=True))})\b")
_UNQUOTED: Final = regex(r"(?:integer|number|boolean)\b(?!.* or (?:string|array|object)\b)")


def phrase_of(wanted: str) -> str:
    """Return an expectation as a part of a sentence.

    >>> phrase_of("integer of at least 1"), phrase_of('one of "a", "b"')
    ('an integer of at least 1', 'one of "a", "b"')
    """
    return (
        _FORM.sub(lambda found: _FORMS[found[0]], wanted, count=1)
        if _FORM.match(wanted)
        else wanted
    )


@lru_cache(1024)
def form_of(wanted: str) -> str:
    """Return an expectation as a part of a sentence, with what a model may get wrong in writing it.

    >>> form_of("integer of at least 1"), form_of("array of strings")
    ('an integer of at least 1, without quotes', 'a JSON array of strings')
    """
    text = phrase_of(wanted)
    return f"{text}, without quotes" if _UNQUOTED.match(wanted) else text


def _add(wanted: str, shape: str = "") -> str:
    """Return the words for a property that is missing, perhaps with the shape of its value.

    >>> _add("integer")
    'add it as an integer, without quotes, with its value from the request'
    >>> _add("array of strings", '["…"]')
    'add it as a JSON array of strings like ["…"], with its value from the request'
    """
    form = "" if wanted.endswith(_ANY_VALUE) else f" as {form_of(wanted)}"
    return f"add it{form}{shape and f' like {shape}'}, with its value from the request"


def _leave_out(
    name: str | int, free: Collection[str] = (), reason: Literal["", "declared"] = ""
) -> str:
    """Return the words for a name that is not declared, or that other values allow.

    >>> _leave_out("format", ['"text"'])
    'leave "format" out: there is no such argument; not yet used: "text"'
    >>> _leave_out("format", (), "declared")
    'leave "format" out: it is not allowed with these values'
    """
    what = f"the item with the index {name}" if isinstance(name, int) else quoted(name)
    if reason:
        return f"leave {what} out: it is not allowed with these values"
    if isinstance(name, int):
        return f"leave {what} out: the list is too long"
    unused = f"; not yet used: {', '.join(free)}" if free else ""
    return f"leave {what} out: there is no such argument{unused}"


def _unwrap(wrapper: str, members: Sequence[str], owner: str) -> str:
    many = "them" if len(members) > 1 else "it"
    return (
        f"there is no argument {quoted(wrapper)}: take {_listed(members)} out of {quoted(wrapper)} "
        f"and put {many} directly into {owner or 'the arguments'}"
    )


def _nest(members: Sequence[str], owner: str, call: str = "") -> str:
    words = f"{_listed(members)} must stand inside {quoted(owner)}, which is a JSON object"
    return f"{words}: send {call}" if call else words


def _write(shape: str = "") -> str:
    return f"write it{f' like {shape},' if shape else ''} with the values from the request"


def _listed(names: Sequence[str]) -> str:
    more = ", …" if len(names) > MAX_MOVED else ""
    return f"{', '.join(map(quoted, names[:MAX_MOVED]))}{more}"


_WORDS: Final[Mapping[AdviceKind, Callable[..., str]]] = {
    "add": _add,
    "choose": lambda choice: f"did you mean {quoted(choice)}?",
    "cut off": lambda: "the arguments were cut off; send the whole call again",
    "leave out": _leave_out,
    "nest": _nest,
    "rename": lambda name, other: f"rename {quoted(name)} to {quoted(other)}",
    "send": lambda text: f"send {text}",
    "send JSON": lambda: "send one JSON object and nothing else",
    "unwrap": _unwrap,
    "write": _write,
}
"""The words of each kind, by its facts."""
