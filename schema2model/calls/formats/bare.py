"""Calls with no marker: JSON and Python as such, and names on a line of their own."""

from __future__ import annotations

import re
from typing import Final

from schema2model.calls.bodies import Bodies, Found
from schema2model.calls.expressions import NAME
from schema2model.calls.formats.format import TOOL, Format, Opening

__all__ = ["FORMATS"]

_ANY: Final = re.compile("")
_OBJECT: Final = re.compile(r"""(?=\s*["'][A-Za-z_]{1,40}["']\s*:)""")
_LIST: Final = re.compile(rf"""(?=\s*(?:[\[(]\s*)?(?:\{{\s*["']|["'`]?\s*{NAME}\s?\(|["']{NAME}["']\s*,\s*\{{))""")
_BEGUN: Final = re.compile(rf"""\s*(?:[\[(]\s*)?(?:\{{\s*["']?|["'`]?\s*(?:{NAME})?\s?["']?\s*,?\s*)\Z|\s*["'][A-Za-z_]{{0,40}}["']?\s*\Z""")


def _json(bodies: Bodies, opening: Opening) -> Found:
    return (yield from bodies.bare(opening.start))


def _arguments(bodies: Bodies, opening: Opening) -> Found:
    yield from bodies.arguments(opening.name, opening.start, None)


def _python(bodies: Bodies, opening: Opening) -> Found:
    return (yield from bodies.statement(opening.start, alone=opening.alone))


def _named(name: str, before: str) -> Format:
    """Arguments in JSON behind a name that stands in prose."""
    return Format(
        name, ("{",), _arguments, re.compile(r"(?=\s*(?:[\"'}]|[A-Za-z_]))"), re.compile(r"\s*\Z"), re.compile(before + r"\Z"), bare=True
    )


FORMATS = (
    _named("react", rf"\n\s*Action:\s*`?(?P<name>{TOOL})`?\s*\n\s*Action Input:\s*(?:```(?:json)?\s*)?"),
    _named("functionary_v32", rf">>>\s*(?P<name>{TOOL})\s*\n\s*"),
    _named("chatglm", rf"(?:\n\s*|```|[.!?:])(?P<name>{TOOL}?)\s*\n\s*"),
    _named("mistral_v13", rf"\n\s*(?P<name>{TOOL})[ \t]*"),
    Format("phi4_mini", ("[",), _json, _LIST, _BEGUN, re.compile(r"functools\s*\Z")),
    Format("json_object", ("{",), _json, _OBJECT, _BEGUN, bare=True),
    Format("json_list", ("[",), _json, _LIST, _BEGUN, bare=True),
    Format(
        "pythonic",
        ("(",),
        _python,
        _ANY,
        _ANY,
        re.compile(
            rf"""\n[ \t]*(?:(?:[-*>•]|\d{{1,3}}[.)])[ \t]+)?(?:[,;+|&]\s*|(?:and|or)\s+)?(?:print\(\s*|await\s+)?[\[("'`*\\]{{0,4}}(?P<name>{NAME})\s?\Z"""
        ),
        bare=True,
    ),
)
