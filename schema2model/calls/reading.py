"""`read_calls` and `CallReader`: the calls of a whole text, and of one that streams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal

from schema2model.calls.call import Call, Written
from schema2model.calls.finding import DRAFTS, Finder, Markers
from schema2model.calls.formats import FORMATS
from schema2model.calls.formats.format import Format
from schema2model.calls.names import Names
from schema2model.calls.source import Source
from schema2model.compiled import CompiledSchema
from schema2model.errors import Issue, ToolError

__all__ = ["CallReader", "read_calls"]


@lru_cache(64)
def _markers(format_: str | None) -> Markers:
    formats = [each for each in FORMATS if format_ in (None, each.name)]
    if not formats:
        names = ", ".join(sorted({each.name for each in FORMATS}))
        message = f"unknown format {format_!r}; one of {names}"
        raise ValueError(message)
    return Markers(formats)


def read_calls(
    text: str,
    names: Names,
    format: str | None = None,
    errors: Literal["raise", "keep"] = "raise",
) -> list[Call]:
    """The calls in a text."""
    source = Source(text, ended=True)
    finder = Finder(source, names, _markers(format), lambda _: None)
    calls: list[Call] = []
    drafts: list[Call] = []
    after = 0
    for item in finder.run():
        if item is DRAFTS:
            drafts, calls, after = calls, [], source.place
        elif item is not None:
            calls.append(_called(names, *item))
    if not calls and drafts and not text[after:].strip():
        calls = drafts
    if not calls and finder.thought is not None and not text[finder.thought[0] + len(finder.thought[1]) + 20:].strip():
        offset, thought = finder.thought
        inner = Source(thought, ended=True)
        inner.offset = offset
        calls = [_called(names, *item) for item in Finder(inner, names, _markers(format), lambda _: None).run() if type(item) is tuple]
    if errors == "raise":
        for call in calls:
            if call.error is not None:
                raise call.error
    return calls


def _called(names: Names, format_: Format, written: Written) -> Call:
    name = names.find(written.name)
    error: ToolError | None = None
    arguments = None
    if name is None:
        if written.problem and not written.name:
            error = ToolError.for_text("", written.problem)
        else:
            error = names.unknown(written.name)
    elif written.problem:
        error = ToolError.for_text(name, written.problem)
    else:
        compiled = names.schema(name, untyped=written.untyped)
        try:
            if isinstance(written.arguments, str):
                arguments = compiled.validate_json(written.arguments)
            else:
                arguments = compiled.validate(written.arguments)
        except ToolError as refused:
            error = refused
    return Call(name or written.name, arguments, format_.name, written.start, written.end, error)


class CallReader:
    pass
