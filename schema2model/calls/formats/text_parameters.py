"""Each parameter in tags of its own, and its value as text: the schema says what it is."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final

from schema2model.calls.bodies import Bodies, Found
from schema2model.calls.call import Written
from schema2model.calls.formats.format import TOOL, Format, Opening
from schema2model.calls.source import Nest

__all__ = ["FORMATS"]

_NAME: Final = r"""\s*=\s*["']?(?P<name>[^"'>\n]{0,200}?)["']?\s*>(?=\s*\S)"""
_LONGEST: Final = 60
"""Characters of a closing tag."""


@dataclass(frozen=True, slots=True)
class Tags:
    """How parameters are written."""

    parameter: str
    """What stands before a value; the group `key` is its name, `string` says that it is text."""
    value_end: str
    """What stands behind it."""
    call_end: str
    """What stands behind the last."""
    typed: bool = False
    """Whether the tags say which values are text."""


class _Parameters:
    """Reads calls whose parameters stand in tags."""

    def __init__(self, tags: Tags) -> None:
        self.typed = tags.typed
        self.tag = re.compile(rf"(?P<end>{tags.call_end})|{tags.parameter}")
        self.ends = re.compile(
            rf"(?P<closed>{tags.value_end})|(?P<next>\n\s*(?={tags.parameter}))|(?P<call>(?:\n\s*|)(?={tags.call_end}))"
        )
        self.closed = re.compile(tags.value_end)

    def __call__(self, bodies: Bodies, opening: Opening) -> Found:
        source = bodies.source
        values: dict[str, Any] = {}
        problem = ""
        while True:
            char = yield from source.blanks()
            if char == "{" and not values:
                yield from bodies.arguments(opening.name, opening.start, re.compile("<"))
                yield from source.blanks()
                yield from source.header(self.tag, _TAG_BEGUN)
                return
            tag = yield from source.header(self.tag, _TAG_BEGUN)
            if tag is None or tag["end"]:
                if not tag and not values:
                    problem = problem or "it was cut off"
                break
            key = tag["key"].strip()
            begins = source.place
            ending = yield from source.find(self.closed, _LONGEST)
            if ending is None:
                problem = f"it was cut off in `{key[:80]}`"
                break
            value = _inner(source.slice(begins, source.place - len(ending[0])))
            if self.typed and tag["string"] == "false":
                value = _typed(value)
            if key in values and values[key] != value:
                problem = problem or f"it has two values for `{key[:80]}`"
            values[key] = value
        untyped = not self.typed
        if self.typed and len(values) == 1 and (only := next(iter(values))) in {"arguments", "input"}:
            pass
        yield Written(opening.name.strip(), values, opening.start, source.place, untyped, problem)


_TAG_BEGUN: Final = re.compile(r"<[^<>]{0,300}(?:>[^<>]{0,200}(?:<[^<>]{0,40}>?\s*){0,2})?\Z")
_EDGES: Final = re.compile(r"\n([ \t]+)(.*?)\n[ \t]*", re.DOTALL)


def _inner(text: str) -> str:
    """A value without the line breaks, and the indentation, that belong to the tags."""
    if indented := _EDGES.fullmatch(text):
        return indented[2]
    text = text.removeprefix("\n")
    return text.removesuffix("\n")


def _typed(text: str) -> Any:
    """A value that is JSON, if it is."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def tagged(name: str, markers: tuple[str, ...], opening: str, tags: Tags, *around: str) -> Format:
    """A format of calls whose parameters stand in tags."""
    return Format(name, markers, _Parameters(tags), re.compile(opening), _BEGUN, around=around)


def attributes(name: str, prefix: str, *around: str, call: str = "invoke", parameter: str = "parameter", typed: bool = False) -> Format:
    """Tags with the names as attributes: `<invoke name="f"><parameter name="a">value</parameter></invoke>`."""
    string = r"""(?:\s+string\s*=\s*["'](?P<string>true|false)["'])?"""
    begin, end = re.escape("<" + prefix), re.escape("</" + prefix)
    tags = Tags(
        rf"""{begin}{parameter}\s+name\s*=\s*["']?(?P<key>[^"'>\n]{{1,200}}?)["']?{string}\s*>""",
        rf"{end}{parameter}>",
        rf"{end}{call}>",
        typed,
    )
    markers = (f"<{prefix}{call} name",)
    return tagged(name, markers, _NAME, tags, f"</{prefix}{call}>", f"</{prefix}{parameter}>", *around)


_BEGUN: Final = re.compile(r"""\s*(?:=\s*["']?)?[^<>\n]{0,200}(?:>\s*)?(?:<[a-z_/]{0,12})?\Z""")
_ANTHROPIC: Final = "antml" + ":"

FORMATS = (
    tagged(
        "qwen3_coder",
        ("<function=",),
        r"""\s*["']?(?P<name>[^"'>\n]{0,200}?)["']?\s*>(?=\s*\S)""",
        Tags(r"<parameter=(?P<key>[^>\n]{1,200})>", "</parameter>", "</function>"),
        "</function>",
        "<seed:tool_call>",
        "</seed:tool_call>",
    ),
    tagged(
        "glm45",
        ("<tool_call>",),
        rf"\s*(?P<name>{TOOL})\s*(?:<tool_sep>)?\s*(?=<arg_key>|</tool_call>)",
        Tags(r"<arg_key>\s*(?P<key>[^<\n]{1,200}?)\s*</arg_key>\s*<arg_value>", "</arg_value>", "</tool_call>"),
    ),
    attributes("minimax_m2", "", "<minimax:tool_call>", "</minimax:tool_call>"),
    attributes("anthropic_ns", _ANTHROPIC, f"<{_ANTHROPIC}function_calls>", f"</{_ANTHROPIC}function_calls>"),
    attributes(
        "step3",
        "steptml:",
        "<｜tool_calls_begin｜>",
        "<｜tool_call_begin｜>",
        "<｜tool_call_end｜>",
        "<｜tool_calls_end｜>",
        "<｜tool_sep｜>",
    ),
    attributes("minicpm5", "", call="function", parameter="param"),
    attributes(
        "deepseek_v32",
        "｜DSML｜",
        "<｜DSML｜function_calls>",
        "</｜DSML｜function_calls>",
        "<｜DSML｜tool_calls>",
        "</｜DSML｜tool_calls>",
        typed=True,
    ),
)
