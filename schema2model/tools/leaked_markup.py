"""Markup of a call in a string, because a parameter was closed by a wrong tag.

A server that looks for `</parameter>` and finds `</content>` takes all that follows for text: the
tags, and with them the other parameters. Such arguments are valid, and are not what the model
meant. They are refused if that is asked for, or counted. Nothing is repaired here, because a text
may as well be about such markup.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any, Final

from schema2model.errors import Issue, ToolError
from schema2model.json.pointers import pointer
from schema2model.json.quoting import quoted
from schema2model.regexes import regex

__all__ = ["leaked_markup_offset", "refuse_leaked_markup", "swallowed_members"]

_TAGS: Final = "the tags of the call do not match; send it again, each parameter by itself"
_PREFIX: Final = r"(?:[A-Za-z]{1,20}[: ]|[|\uff5c]DSML[|\uff5c])?"
_OF_A_PARAMETER: Final = "parameter|param|arg_key|arg_value"
_OF_A_CALL: Final = "invoke|function_calls?|function|tool_calls?|tool_use"
_SPECIAL: Final = r"tool[_\u2581]calls?(?:[_\u2581]section)?[_\u2581]"
_MARK: Final = regex(
    rf"<{_PREFIX}(?P<opening>{_OF_A_PARAMETER}|{_OF_A_CALL})(?=[\s=>])"
    r"(?:(?: name)?=\s?[\"']?(?P<key>[\w.-]{1,64}))?[^<>]{0,200}>"
    rf"|</{_PREFIX}(?:(?P<parameter>{_OF_A_PARAMETER})|(?P<call>{_OF_A_CALL}))>"
    r"|</(?P<own>[\w.-]{1,64})>"
    rf"|<[|\uff5c]{_SPECIAL}(?:(?P<begin>begin|start)|(?P<end>end))[|\uff5c]>"
)
"""Tags that begin or end a parameter or a call, and any other closing tag."""
_NEXT_PARAMETER: Final = regex(
    rf"(?:</{_PREFIX}(?P<closed>[\w.-]{{1,64}})>|<[|]close[|]>\w{{1,20}}<[|]sep[|]>)\s{{0,40}}"
    rf"(?:<{_PREFIX}(?:parameter|param)(?:[ ]name)?=\s?[\"']?(?P<named>[\w.-]{{1,64}})"
    r"|<(?P<tag>[\w.-]{1,64})>|<arg_key>\s?(?P<key>[\w.-]{1,64})\s?</arg_key>"
    r"|<[|]open[|]>argument\skey=\"(?P<argument>[\w.-]{1,64})\")"
)
"""A closing tag, and the beginning of a parameter after it, whose name is in the last group."""
_BLANKS: Final = regex(r"\s*")
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
    issues = []
    for path, text in _marked_strings(arguments):
        holder = str(path[-1]) if path else ""
        start = leaked_markup_offset(text, holder, missing)
        if start is not None:
            swallowed = _swallowed_parameters(text, holder, missing)
            advice = _swallowed_advice(holder, swallowed) if swallowed else _TAGS
            wanted, found = "text without the end of a call", quoted(text[start:])
            issues.append(Issue(pointer(path), "markup", wanted, found, advice=advice))
    if issues:
        raise ToolError.for_arguments(name, tuple(issues))


def _swallowed_advice(name: str, swallowed: Collection[str]) -> str:
    """Return what to do about a parameter whose string has swallowed others."""
    others = ", ".join(map(quoted, swallowed))
    own = "arguments of their own" if len(swallowed) > 1 else "an argument of its own"
    return f"{quoted(name)} holds the text of another parameter: send {others} as {own}"


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
        (name, each) for name, text in texts for each in _swallowed_parameters(text, name, missing)
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


def _swallowed_parameters(text: str, name: str, missing: Collection[str]) -> list[str]:
    r"""Return those of some parameters whose markup is in the string of another one.

    >>> _swallowed_parameters("a</core>\n<parameter name=\"more\">b", "core", {"more", "other"})
    ['more']
    """
    start = leaked_markup_offset(text, name, missing)
    if start is None:
        return []
    keys = [mark["key"] for mark in _MARK.finditer(text, start)]
    keys += [found[str(found.lastgroup)] for found in _NEXT_PARAMETER.finditer(text, start)]
    return [key for key in dict.fromkeys(keys) if key in missing]


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
        key = found[str(found.lastgroup)]
        is_begun = found["closed"] is not None and f"<{found['closed']}" in text[: found.start()]
        if key in missing and not is_begun and text[: found.start()][-1:] not in _QUOTES:
            leaked.append(found.start())
    return min(leaked, default=None)


def _is_end(text: str, mark: re.Match[str]) -> bool:
    """Return whether a closing tag is the end of what a string should have been."""
    if text[mark.start() - 1 : mark.start()] in _QUOTES:
        return False
    after = _BLANKS.match(text, mark.end()).end()  # type: ignore[union-attr]
    if after < len(text):
        following = _MARK.match(text, after)
        return following is not None and following["own"] is None
    # a tag of the parameter's own may be the end of a document, and one of a call the whole text
    return bool(mark["parameter"]) or (not mark["own"] and bool(text[: mark.start()].strip()))
