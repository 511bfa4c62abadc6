"""Markup of a call that has leaked into a string, because a parameter was closed by a wrong tag.

A server that looks for `</parameter>` and finds `</content>` takes all that follows for text: the
tags, and with them the other parameters. Such arguments are valid, and are not what the model
meant. Nothing is repaired here, because a text may as well be about such markup.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any, Final

from schema2model.errors import Issue, ToolError
from schema2model.json.pointers import pointer
from schema2model.json.quoting import quoted

__all__ = ["leaked_markup_offset", "refuse_leaked_markup"]

_PREFIX: Final = r"(?:[A-Za-z]{1,20}[: ]|[|\uff5c]DSML[|\uff5c])?"
_OF_A_PARAMETER: Final = "parameter|param|arg_key|arg_value"
_OF_A_CALL: Final = "invoke|function_calls?|function|tool_calls?|tool_use"
_SPECIAL: Final = r"tool[_\u2581]calls?(?:[_\u2581]section)?[_\u2581]"
_MARK: Final = re.compile(
    rf"<{_PREFIX}(?P<opening>{_OF_A_PARAMETER}|{_OF_A_CALL})(?=[\s=>])"
    r"(?:(?: name)?=\s?[\"']?(?P<key>[\w.-]{1,64}))?[^<>]{0,200}>"
    rf"|</{_PREFIX}(?:(?P<parameter>{_OF_A_PARAMETER})|(?P<call>{_OF_A_CALL}))>"
    r"|</(?P<own>[\w.-]{1,64})>"
    rf"|<[|\uff5c]{_SPECIAL}(?:(?P<begin>begin|start)|(?P<end>end))[|\uff5c]>"
)
"""Tags that begin or end a parameter or a call, and any other closing tag."""
_NEXT_PARAMETER: Final = re.compile(
    rf"(?:</{_PREFIX}(?P<closed>[\w.-]{{1,64}})>|<[|]close[|]>\w{{1,20}}<[|]sep[|]>)\s{{0,40}}"
    rf"(?:<{_PREFIX}(?:parameter|param)(?:[ ]name)?=\s?[\"']?(?P<named>[\w.-]{{1,64}})"
    r"|<(?P<tag>[\w.-]{1,64})>|<arg_key>\s?(?P<key>[\w.-]{1,64})\s?</arg_key>"
    r"|<[|]open[|]>argument\skey=\"(?P<argument>[\w.-]{1,64})\")"
)
"""A closing tag, and the beginning of a parameter after it."""
_BLANKS: Final = re.compile(r"\s*")
_QUOTES: Final = frozenset("`\"'")


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
    issues = [
        Issue(
            pointer(path),
            "markup",
            "text without the end of a call",
            quoted(text[start:]),
            advice="the tags of the call do not match; send it again, each parameter by itself",
        )
        for path, text in _marked_strings(arguments)
        if (start := leaked_markup_offset(text, str(path[-1]) if path else "", missing)) is not None
    ]
    if issues:
        raise ToolError.for_arguments(name, tuple(issues))


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


def leaked_markup_offset(text: str, name: str, missing: Collection[str] = ()) -> int | None:
    """Return the offset of leaked markup in a string; None if there is none.

    It ends something that does not begin in the same string, and nothing or more markup follows
    it; or it begins a parameter that is missing, and does not end it, or does so after a closing
    tag of something that did not begin. Markup in quotes is not leaked: the text is about it.

    >>> leaked_markup_offset("a</parameter>", "text")
    1
    >>> leaked_markup_offset("a</body> <tags>[1]</tags>", "text", {"tags"})
    1
    >>> leaked_markup_offset("`</parameter>` ends it", "text")
    """
    begun: dict[str, list[tuple[int, str | None]]] = {}
    for mark in _MARK.finditer(text):
        opened = mark["opening"] or (mark["begin"] and "token")
        closed = mark["parameter"] or mark["call"] or (mark["end"] and "token")
        if opened:
            begun.setdefault(opened, []).append((mark.start(), mark["key"]))
        elif begun.get(closed):
            begun[closed].pop()
        elif (closed or mark["own"] == name) and _is_end(text, mark):
            return mark.start()
    leaked = [start for each in begun.values() for start, key in each if key in missing]
    for found in _NEXT_PARAMETER.finditer(text):
        key = found["named"] or found["tag"] or found["key"] or found["argument"]
        is_begun = found["closed"] is not None and f"<{found['closed']}" in text[: found.start()]
        if key in missing and not is_begun and text[: found.start()][-1:] not in _QUOTES:
            leaked.append(found.start())
    return min(leaked, default=None)


def _is_end(text: str, mark: re.Match[str]) -> bool:
    """Return whether a closing tag is the end of what a string should have been."""
    if text[mark.start() - 1 : mark.start()] in _QUOTES:
        return False
    at = _BLANKS.match(text, mark.end())
    behind = at.end() if at else mark.end()
    if behind < len(text):
        following = _MARK.match(text, behind)
        return following is not None and following["own"] is None
    # a tag of the parameter's own may be the end of a document, and one of a call the whole text
    return bool(mark["parameter"]) or (not mark["own"] and bool(text[: mark.start()].strip()))
