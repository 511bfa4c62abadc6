"""Arguments whose strings hold markup of their call: refused if that is asked for, or counted."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final

from schema2model.errors import Issue, ToolError
from schema2model.json.pointers import pointer
from schema2model.json.quoting import quoted
from schema2model.text.leaked_markup import (
    leaked_markup_offset,
    swallowed_advice,
    swallowed_parameters,
)

__all__ = ["refuse_leaked_markup", "swallowed_members"]

_TAGS: Final = "the tags of the call do not match; send it again, each parameter by itself"


def refuse_leaked_markup(name: str, arguments: Any, declared: Collection[str]) -> None:
    r"""Refuse arguments in which a string contains the end of another parameter's markup.

    Args:
        name: the tool's name.
        arguments: JSON values.
        declared: the names of the tool's parameters.

    Raises:
        ToolError: if one does.

    >>> arguments = {"text": 'Hello.</text>\n<parameter name="path">a.txt'}
    >>> refuse_leaked_markup("write", arguments, {"text", "path"})
    Traceback (most recent call last):
        ...
    schema2model.errors.ToolError: Error parsing arguments for `write`:
    - /text: must be text without the end of a call, not ...

    """
    missing = {each for each in declared if type(arguments) is dict and each not in arguments}
    issues = []
    for path, text in _marked_strings(arguments):
        holder = str(path[-1]) if path else ""
        start = leaked_markup_offset(text, holder, missing)
        if start is not None:
            swallowed = swallowed_parameters(text, holder, missing)
            advice = swallowed_advice(holder, swallowed) if swallowed else _TAGS
            wanted, found = "text without the end of a call", quoted(text[start:])
            issues.append(Issue(pointer(path), "markup", wanted, found, advice=advice))
    if issues:
        raise ToolError.for_arguments(name, tuple(issues))


def swallowed_members(arguments: Any, declared: Collection[str]) -> list[tuple[str, str]]:
    r"""Return the parameters that are missing, each after the one whose string has its markup.

    >>> swallowed_members({"text": 'Hello.</text>\n<parameter name="path">a.txt'}, {"text", "path"})
    [('text', 'path')]
    """
    if type(arguments) is not dict:
        return []
    texts = [each for each in arguments.items() if type(each[1]) is str and "<" in each[1]]
    missing = [each for each in declared if each not in arguments] if texts else ()
    return [
        (name, each) for name, text in texts for each in swallowed_parameters(text, name, missing)
    ]


def _marked_strings(value: Any) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield the strings that may contain markup, with their paths."""
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    while waiting:
        path, part = waiting.pop()
        if type(part) is str:
            if "<" in part and ">" in part:
                yield path, part
        elif type(part) is dict or type(part) is list:
            members = [*(part.items() if type(part) is dict else enumerate(part))]
            waiting += [((*path, key), member) for key, member in reversed(members)]
