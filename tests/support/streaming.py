"""Texts that arrive piece by piece, and what is shown of them on the way."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st
from oracle import same

from schema2model import CallReader, CompiledSchema, ToolError, Toolset


def pieces_of(text: Any, size: int) -> Iterator[Any]:
    """A text in pieces of one size."""
    return (text[at : at + size] for at in range(0, len(text), size))


def pieces(draw: st.DrawFn, text: Any) -> list[Any]:
    """A text cut anywhere, some of the pieces empty."""
    cuts = draw(st.lists(st.integers(0, len(text)), max_size=6).map(sorted))
    return [text[a:b] for a, b in itertools.pairwise((0, *cuts, len(text)))]


def steps(compiled: CompiledSchema, chunks: Iterable[Any], *, strings: bool = False) -> list[Any]:
    """What is shown after each chunk, as it was then."""
    arguments = compiled.partial(strings=strings)
    return [deepcopy(arguments.feed(chunk)) for chunk in chunks]


def is_part(one: Any, other: Any, *, strings: bool = False) -> bool:
    """Whether one value may grow into the other: by members, by items; scalars are the same.

    With `strings`, also strings grow.
    """
    if type(one) is dict and type(other) is dict:
        return all(
            name in other and is_part(one[name], other[name], strings=strings) for name in one
        )
    if type(one) is list and type(other) is list:
        pairs = zip(one, other, strict=False)
        return len(one) <= len(other) and all(is_part(a, b, strings=strings) for a, b in pairs)
    if strings and type(one) is str and type(other) is str:
        return other.startswith(one)
    return same(one, other)


def ended(way: Callable[..., Any], *given: Any) -> tuple[Any, str]:
    """What a call ends with: its result, or the words of its error."""
    try:
        return way(*given), ""
    except ToolError as error:
        return None, str(error)


def read_in_pieces(
    toolset: Toolset, text: str, size: int, format_: str | None = None
) -> CallReader:
    """The reader of calls of a text that has come in pieces of one size, and has ended."""
    reader = toolset.call_reader(format_)
    for piece in pieces_of(text, size):
        reader.feed(piece)
    reader.finish()
    return reader
