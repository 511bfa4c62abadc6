"""Gemma's own literals: bare keys, and strings between marks that need no escapes."""

from __future__ import annotations

import json
import re
from typing import Final

from schema2model.calls.bodies import Bodies, Found
from schema2model.calls.call import Written
from schema2model.calls.formats.format import TOOL, Format, Opening

__all__ = ["FORMATS"]

_QUOTES: Final = '<|"|>', "<escape>"
_MARK: Final = re.compile(r'<\|"\|>|<escape>|["{}\[\]]')
_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<mark>[{}\[\],])|(?:<\|"\|>(?P<text>.*?)<\|"\|>|<escape>(?P<escaped>.*?)<escape>
    |(?P<json>"[^"\\]*(?:\\.[^"\\]*)*")|(?P<bare>[^\s{}\[\],:<][^{}\[\],:<]*))\s*(?P<colon>:)?)""",
    re.VERBOSE | re.DOTALL,
)


def respelled(text: str) -> str:
    """The JSON of one of Gemma's objects.

    >>> respelled('{a:<|"|>x "y"<|"|>,n:5,l:[<|"|>z<|"|>],o:{k:true}}')
    '{"a":"x \\\\"y\\\\"","n":5,"l":["z"],"o":{"k":true}}'
    """
    parts: list[str] = []
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if not token:
            return ""
        at = token.end()
        if mark := token["mark"]:
            parts.append(mark)
            continue
        said = next((token[group] for group in ("text", "escaped") if token[group] is not None), None)
        if said is not None:
            parts.append(json.dumps(said))
        elif token["json"]:
            parts.append(token["json"])
        else:
            bare = token["bare"].strip()
            parts.append(bare if not token["colon"] and _is_json(bare) else json.dumps(bare))
        if token["colon"]:
            parts.append(":")
    return "".join(parts)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _read(bodies: Bodies, opening: Opening) -> Found:
    source = bodies.source
    begins = source.place
    depth = 0
    problem = "it was cut off"
    while found := (yield from source.find(_MARK, 8)):
        if found[0] in _QUOTES or found[0] == '"':
            quote = found[0]
            if not (yield from source.find(re.compile(re.escape(quote)), 8)):
                break
        else:
            depth += 1 if found[0] in "{[" else -1
            if depth <= 0:
                problem = ""
                break
    text = source.slice(begins, source.place)
    arguments = respelled(text)
    yield Written(opening.name, arguments or text, opening.start, source.place, problem=problem)


def _gemma(name: str, opens: str, closes: str) -> Format:
    opening = re.compile(rf"\s*(?:call:)?\s*(?P<name>{TOOL})\s*(?=\{{)")
    begun = re.compile(r"\s*[^\s<>{}]{0,220}\s*\Z")
    return Format(name, (opens,), _read, opening, begun, around=(closes,))


FORMATS = (
    _gemma("gemma4", "<|tool_call>", "<tool_call|>"),
    _gemma("functiongemma", "<start_function_call>", "<end_function_call>"),
    Format(
        "gemma4",
        ("{",),
        _read,
        re.compile(""),
        re.compile(r"\Z"),
        re.compile(rf"call:(?P<name>{TOOL})\Z"),
        bare=True,
    ),
)
