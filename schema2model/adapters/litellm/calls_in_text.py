"""Calls that a model writes as text and that its server does not parse."""

from __future__ import annotations

import json
import uuid
from typing import Any, NamedTuple

from schema2model.calls.call_types import Call
from schema2model.json.canonical import canonical_json
from schema2model.limits import MAX_STREAMED_TEXT
from schema2model.text.wrapping.thinking import THINKING
from schema2model.tools.preparing import parsed_json
from schema2model.tools.toolset import Toolset

__all__ = ["ReadCall", "read_calls_in_text"]


class ReadCall(NamedTuple):
    """A call that was read, as APIs have it."""

    name: str
    text: str
    """JSON; of a call that cannot be read, its arguments as they were written."""
    number: str
    """A number that makes its id unique."""
    whole: bool
    """Whether the model came to its end."""

    @property
    def value(self) -> dict[str, Any] | None:
        """Its arguments as an object; None if they are none."""
        value = parsed_json(self.text)
        return value if isinstance(value, dict) else None


def read_calls_in_text(
    text: str, toolset: Toolset, format_: str | None, *, whole: bool, objects: bool = False
) -> tuple[str, list[ReadCall]]:
    """Return what is prose in a text of a model's, and the calls.

    A call of a tool that is not in the request stays in the text. One with invalid arguments is a
    call all the same: the agent that runs the tools answers the model. Thinking with which the text
    begins stays in it, too.

    Args:
        text: the text.
        toolset: the tools of the request.
        format_: the name of the format, if it is known.
        whole: whether the model has come to its end itself. If not, arguments that were still
            arriving are passed on as they are.
        objects: whether arguments have to be objects; a call with anything else stays in the text.

    """
    if len(text) > MAX_STREAMED_TEXT:
        return text, []

    def read(call: Call, *, is_whole: bool) -> ReadCall | None:
        if call.name not in toolset:
            return None
        arguments = canonical_json(call.arguments)
        if call.error is not None or not is_whole:
            arguments = call.written if isinstance(call.written, str) else json.dumps(call.written)
        made = ReadCall(call.name, arguments, uuid.uuid4().hex[:24], is_whole)
        return None if objects and made.value is None else made

    reader = toolset.call_reader(format_)
    reader.stays_text = lambda call: read(call, is_whole=True) is None
    complete, cut = reader.feed(text), reader.finish()
    found = [read(call, is_whole=True) for call in complete]
    found += [read(call, is_whole=whole) for call in cut]
    calls = [call for call in found if call is not None]
    return (_thinking(text) + reader.new_text(), calls) if calls else (text, [])


def _thinking(text: str) -> str:
    """Return the thinking at the beginning of a text, with the blanks after it.

    >>> _thinking("<think>What?</think> That.")
    '<think>What?</think> '
    """
    for marker, end in THINKING.items():
        if text.lstrip().startswith(marker):
            before, ended, rest = text.partition(end)
            return before + ended + rest[: len(rest) - len(rest.lstrip())]
    return ""
