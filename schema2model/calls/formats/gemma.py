"""Gemma's own literals: bare keys, and strings between marks, without escapes."""

from __future__ import annotations

import json
import re
from typing import Final

from pydantic_core import from_json

from schema2model.calls.call_parser import CallParser, CallStart, CallSteps
from schema2model.calls.call_types import RawCall
from schema2model.calls.formats.declaration import TOOL, Format

__all__ = ["FORMATS", "requoted"]

_MARK: Final = re.compile(r"""<\|"\|>|<escape>|(?<!<\|)"|[{}\[\]]""")
_ENDS: Final = {quote: re.compile(re.escape(quote)) for quote in ('<|"|>', "<escape>", '"')}
_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<mark>[{}\[\],])
    | (?:<\|"\|>(?P<text>[^<]*(?:<(?!\|"\|>)[^<]*)*)<\|"\|>
      | <escape>(?P<escaped>[^<]*(?:<(?!escape>)[^<]*)*)<escape>
      | (?P<json>"[^"\\]*(?:\\.[^"\\]*)*") | (?P<bare>[^\s{}\[\],:<"][^{}\[\],:<"]*)
      )\s*(?P<colon>:)?)""",
    re.VERBOSE | re.DOTALL,
)
_BEGUN: Final = re.compile(r"\s{0,99}[^\s<>{}]{0,220}\s{0,9}\Z")


def requoted(text: str) -> str:
    """The JSON of one of Gemma's objects; empty if it is none.

    >>> requoted('{a:<|"|>x<|"|>,n:5,l:[<|"|>z<|"|>],o:{k:true}}')
    '{"a":"x","n":5,"l":["z"],"o":{"k":true}}'
    """
    parts: list[str] = []
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if not token:
            return ""
        at = token.end()
        kind, said = next(
            (group, token[group]) for group in _TOKEN.groupindex if token[group] is not None
        )
        is_json = kind == "bare" and not token["colon"] and _is_json(said)
        if is_json or kind in {"mark", "json"}:
            parts.append(said)
        else:
            parts.append(json.dumps(said.strip() if kind == "bare" else said))
        if token["colon"]:
            parts.append(":")
    return "".join(parts)


def _is_json(text: str) -> bool:
    try:
        from_json(text, allow_inf_nan=False)
    except (TypeError, ValueError):
        return False
    return True


def _read(parser: CallParser, opening: CallStart) -> CallSteps:
    source = parser.source
    begins, depth, ended = source.place, 0, False
    while found := (yield from source.find(_MARK, 8)):
        mark = found[0]
        if mark in _ENDS:
            if not (yield from source.find(_ENDS[mark], 8)):
                break
        elif mark in "{[":
            depth += 1
        else:
            depth -= 1
            if depth <= 0:
                ended = True
                break
    arguments = requoted(source.slice(begins, source.place)) if ended else ""
    if not _is_json(arguments):
        arguments = ""
    problem = "" if arguments else "it is malformed" if ended else "it was cut off"
    yield RawCall(opening.name, arguments, opening.start, source.place, problem=problem)


def _marked(name: str, opens: str, closes: str) -> Format:
    opening = re.compile(rf"\s{{0,99}}(?:call:)?(?P<name>{TOOL})\s{{0,9}}(?=\{{)")
    return Format(
        name,
        (opens,),
        _read,
        opening,
        _BEGUN,
        around=(closes,),
    )


FORMATS: Final[tuple[Format, ...]] = (
    _marked("gemma4", "<|tool_call>", "<tool_call|>"),
    _marked("functiongemma", "<start_function_call>", "<end_function_call>"),
    Format(
        "gemma4",
        ("{",),
        _read,
        re.compile(r"(?=\s{0,99}[\"'}A-Za-z_])"),
        re.compile(r"\s{0,99}\Z"),
        re.compile(rf"\b(?P<call>call:(?P<name>{TOOL}))\Z"),
        bare=True,
    ),
)
