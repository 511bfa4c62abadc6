"""`Spelling`: the marks with which calls are written, as text."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from schema2model.regexes import regex

__all__ = ["PLACEHOLDER", "Spelling", "mark_pattern"]

PLACEHOLDER: Final = regex(r"\{(name|key|type|is_string|index|number)\}")
_PATTERNS: Final = {
    "name": r"(?P<name>[\w.:/$@-]{1,200}?)",
    "key": r"(?P<key>[\w$@-][\w.$@*+-]{0,199}?)",
    "type": r"(?:(?P<string>string|str|true)|\w{1,20})",
    "is_string": r"(?:(?P<string>true)|\w{1,20})",
    "index": r"\d{1,9}",
    "number": r"\d{1,9}",
}
_TYPES: Final = {str: "string", bool: "boolean", list: "array", dict: "object", type(None): "null"}


@dataclass(frozen=True)
class Spelling:
    """How calls are written; the fields of a `WireFormat`, which is one that can be read alone."""

    name: str
    call: tuple[str, str]
    parameter: tuple[str, str] | None = None
    nested: bool = False
    item: str = "item"
    around: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    block: tuple[str, str] = ("", "")
    between: str = "\n"
    keys: tuple[str, str] = ("name", "arguments")
    listed: bool = False
    style: Literal["json", "python", "loose"] = "json"
    quote: str = ""

    def write(self, calls: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
        """Return the text of some calls, each a name and its arguments.

        >>> hermes = Spelling("hermes", ("<tool_call>", "</tool_call>"))
        >>> hermes.write([("now", {})])
        '<tool_call>{"name": "now", "arguments": {}}</tool_call>'
        """
        bodies = [
            (name, {"name": name, "index": str(index), "number": str(index + 1)}, arguments)
            for index, (name, arguments) in enumerate(calls)
        ]
        if self.listed:
            texts = ", ".join(self._body(name, arguments) for name, _, arguments in bodies)
            written = f"{self.call[0]}[{texts}]{self.call[1]}"
        else:
            written = self.between.join(
                _filled(self.call[0], known)
                + self._body(name, arguments)
                + _filled(self.call[1], known)
                for name, known, arguments in bodies
            )
        return f"{self.block[0]}{written}{self.block[1]}"

    def line(self, key: str) -> str:
        """A parameter as it is written, with `…` for its value."""
        begins, ends = self.parameter or ("", "")
        known = {"key": key, "type": "string", "is_string": "true"}
        return f"{_filled(begins, known).strip()}…{_filled(ends, known).strip()}"

    def _body(self, name: str, arguments: Mapping[str, Any]) -> str:
        if self.parameter:
            return "".join(self._element(*member) for member in arguments.items())
        if self.style == "python":
            return f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"
        if self.style == "loose":
            return self._loose(dict(arguments))
        if "{name}" in self.call[0]:
            return _json(arguments)
        if self.keys == ("", ""):
            return _json({name: arguments})
        return _json(dict(zip(self.keys, (name, arguments), strict=True)))

    def _element(self, key: str, value: Any) -> str:
        begins, ends = self.parameter or ("", "")
        is_string = isinstance(value, str)
        known = {
            "key": html.escape(key, quote=True) if '"{key}"' in begins else key,
            "type": _TYPES.get(type(value), "number"),
            "is_string": str(is_string).lower(),
        }
        if self.nested and isinstance(value, dict):
            text = "".join(self._element(*member) for member in value.items())
        elif self.nested and isinstance(value, list):
            text = "".join(self._element(self.item, item) for item in value)
        else:
            text = value if is_string else _json(value)
        return f"{_filled(begins, known)}{text}{_filled(ends, known)}"

    def _loose(self, value: Any) -> str:
        if isinstance(value, str):
            return f"{self.quote}{value}{self.quote}"
        if isinstance(value, dict):
            members = (f"{key}:{self._loose(item)}" for key, item in value.items())
            return f"{{{','.join(members)}}}"
        if isinstance(value, list):
            return f"[{','.join(map(self._loose, value))}]"
        return _json(value)


def mark_pattern(mark: str) -> str:
    """The source of a pattern for a mark; a blank in it matches any white space, or none."""
    parts = PLACEHOLDER.split(mark)
    return "".join(
        _PATTERNS[part] if index % 2 else r"\s{0,99}".join(map(re.escape, re.split(r"\s+", part)))
        for index, part in enumerate(parts)
    )


def _filled(mark: str, known: Mapping[str, str]) -> str:
    return PLACEHOLDER.sub(lambda found: known[found[1]], mark)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
