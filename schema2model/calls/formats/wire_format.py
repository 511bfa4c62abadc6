"""`WireFormat`: a format of calls, declared by its marks alone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from schema2model.calls.formats.records import Record
from schema2model.calls.formats.response_template import template_marks
from schema2model.calls.formats.spelling import PLACEHOLDER, Spelling, mark_pattern
from schema2model.json.quoting import abridged_repr
from schema2model.regexes import regex

__all__ = ["WireFormat", "record_of"]

_ANY_PLACEHOLDER: Final = regex(r"\{(\w+)\}")
_WORD: Final = r"[\w$@-][\w.$@*+-]*"
"""The name of a parameter."""
_SHORTEST: Final = 2
"""Minimum characters of the mark with which a call begins: one bracket is any text."""


@dataclass(frozen=True)
class WireFormat(Spelling):
    r"""A format in which a model writes calls, for `Toolset(wire_formats=[...])`.

    A blank in a mark matches any white space, or none.

    Args:
        name: the name of the format, as `Call.format` has it.
        call: the marks before and after a call. Without `{name}` in the first one, the tool's name
            is in the JSON between them. The second may be empty if that is JSON. `{index}` matches
            a number.
        parameter: the marks before and after the value of a parameter, with `{key}` for its name.
            `{type}` matches a word that is `string`, `str` or `true` if the value is text.
            Without these marks, what follows the name is JSON.
        nested: whether objects and lists are written with the same marks within a value.
        item: the key of the items of a list, if values are nested.
        around: other marks between and around calls.
        aliases: other names of the format.

    Raises:
        TypeError: for marks that are not strings.
        ValueError: for marks by which calls cannot be read, with the reason.

    >>> from schema2model import Toolset
    >>> add = {"name": "add", "parameters": {"properties": {"a": {"type": "integer"}}}}
    >>> mine = WireFormat("mine", call=("[[call {name}]]", "[[end]]"), parameter=("{key}=", ";"))
    Traceback (most recent call last):
    ValueError: the format 'mine': parameter begins with {key}; a mark has to be before it
    >>> mine = WireFormat("mine", call=("[[{name}]]", "[[end]]"), parameter=("[[{key}=", "]]"))
    >>> tools = Toolset([add], wire_formats=[mine])
    >>> [(call.name, call.arguments) for call in tools.read_calls("[[add]] [[a=1]] [[end]]")]
    [('add', {'a': 1})]

    """

    @classmethod
    def from_response_template(cls, name: str, template: Mapping[str, Any]) -> WireFormat:
        r"""Return the format of the calls in a `response_template` of a tokenizer_config.json.

        Its patterns are never compiled: what matches them has to be marks.

        Raises:
            TypeError: if it is not a template.
            ValueError: for what marks cannot express.

        >>> calls = {"open": "<x>", "close": "</x>", "content": "json"}
        >>> template = {"start_anchor": "<|bot|>", "fields": {"tool_calls": calls}}
        >>> WireFormat.from_response_template("mine", template).call
        ('<x>', '</x>')
        >>> calls["content"] = "text"
        >>> WireFormat.from_response_template("mine", template)
        Traceback (most recent call last):
        ValueError: tool_calls.content is 'text' between '<x>' and '</x>': marks cannot express it

        """
        return cls(name, **template_marks(template))

    def __post_init__(self) -> None:
        for field in ("call", "parameter", "around", "aliases"):
            marks = getattr(self, field)
            if isinstance(marks, list):
                object.__setattr__(self, field, tuple(marks))
            elif not (isinstance(marks, tuple) or (marks is None and field == "parameter")):
                self._refuse(
                    f"{field} is a tuple of strings, not {abridged_repr(marks)}", TypeError
                )
        for field in ("call", "parameter"):
            marks = getattr(self, field)
            if marks is not None and len(marks) != 2:  # noqa: PLR2004 - a pair
                self._refuse(f"{field} is two marks, not {abridged_repr(marks)}", TypeError)
        strings = (self.name, self.item, *self.call, *(self.parameter or ()))
        for each in (*strings, *self.around, *self.aliases):
            if not isinstance(each, str):
                self._refuse(f"{abridged_repr(each)} is not a string", TypeError)
        if reason := self._fault():
            self._refuse(reason)

    def _refuse(self, reason: str, error: type[Exception] = ValueError) -> None:
        message = f"the format {abridged_repr(self.name)}: {reason}"
        raise error(message)

    def _fault(self) -> str:
        """The reason why calls cannot be read by these marks, or an empty string."""
        opens, closes = self.call
        begins, ends = self.parameter or ("", "")
        marker = _marker(opens)
        faults = (
            _placeholder_fault(opens, "name", "index"),
            _placeholder_fault(closes),
            _placeholder_fault(begins, "key", "type"),
            _placeholder_fault(ends, "key"),
        )
        checks = (
            (not self.name.strip(), "it has no name"),
            *((fault != "", fault) for fault in faults),
            (
                len(marker) < _SHORTEST or marker.isalnum(),
                f"a call begins with {abridged_repr(marker)}, which any text has; use another mark",
            ),
            (
                marker.startswith("{"),
                f"a call begins with {abridged_repr(marker)}, as an object does",
            ),
            (self.nested and not begins, "values are nested, but `parameter` is missing"),
            (
                self.nested and not self.item,
                "values are nested, but the items of a list have no key",
            ),
            (
                begins and "{name}" not in opens,
                "with a parameter, the first mark of call needs {name}",
            ),
            (self.parameter and "{key}" not in begins, "the first mark of parameter needs {key}"),
            (
                self.parameter and not (closes.strip() and ends.strip()),
                "the marks after a call and after a parameter may not be blank",
            ),
            (
                self.parameter and mark_pattern(closes.strip()) == mark_pattern(ends.strip()),
                "the marks after a call and after a parameter are the same",
            ),
            (
                self.parameter and not _marker(begins),
                "parameter begins with {key}; a mark has to be before it",
            ),
            (
                self.nested and "{key}" not in ends,
                "values are nested: the second mark of parameter needs {key}",
            ),
        )
        found = next((reason for is_fault, reason in checks if is_fault), "")
        return found or self._ambiguity()

    def _ambiguity(self) -> str:
        """The reason why one mark may be taken for another, or an empty string."""
        marks = dict.fromkeys(
            mark.strip() for mark in (*self.call, *(self.parameter or ()), *self.around) if mark
        )
        for mark in marks:
            for other in marks:
                sample = PLACEHOLDER.sub("string", other)
                found = re.match(mark_pattern(mark), sample)
                if mark != other and found and found.end() < len(sample):
                    return f"{abridged_repr(mark)} is the beginning of {abridged_repr(other)}"
        begins = self.parameter[0].strip() if self.parameter else ""
        head, key, _ = begins.partition("{key}")
        for mark in marks:
            if key and re.fullmatch(mark_pattern(head) + _WORD, mark):
                return f"{abridged_repr(mark)} may be the beginning of {abridged_repr(begins)}"
        return ""


def _placeholder_fault(mark: str, *allowed: str) -> str:
    """The reason why a mark cannot have its placeholders, or an empty string."""
    found = _ANY_PLACEHOLDER.findall(mark)
    for name in found:
        if name not in allowed:
            known = " and ".join(f"{{{each}}}" for each in allowed) or "none"
            return f"{{{name}}} in {abridged_repr(mark)}; there may be {known}"
        if found.count(name) > 1:
            return f"{{{name}}} is twice in {abridged_repr(mark)}"
    return ""


def _marker(mark: str) -> str:
    """The beginning of a mark, up to its first blank or placeholder."""
    return re.split(r"\s|\{(?:name|key|type)\}", mark.strip())[0]


@cache
def record_of(declared: Spelling) -> Record:
    """The record that reads what is declared."""
    opens, closes = (mark_pattern(mark.strip()) for mark in declared.call)
    around = "|".join(map(mark_pattern, declared.around))
    record = Record(
        declared.name,
        opens,
        closes,
        "calls",
        around=around,
        family=declared.name,
        spelling=declared,
        aliases=declared.aliases,
    )
    if declared.parameter is None:
        if "{name}" not in declared.call[0]:
            return record
        if declared.style == "loose":
            return replace(record, opens=rf"{opens}\s*(?=[{{(])", body="loose")
        return replace(record, opens=rf"{opens}\s*(?:```(?:json)?\s*)?(?=\{{)", body="object")
    begins, ends = declared.parameter
    key = mark_pattern(begins.strip()) + (r"[ \t]{0,99}" if begins.endswith((" ", "\t")) else "")
    value = mark_pattern(ends.strip())
    for tag in re.findall(r"<([\w:.-]+)[^<>]*>", declared.call[0]):
        if f"</{tag}" not in declared.call[1]:
            closes = rf"(?:</{re.escape(tag)}>\s*)?{closes}"
    record = replace(record, closes=closes)
    first = re.escape(_marker(declared.parameter[0]))
    opens += rf"(?=\s*(?:{first}|{closes}|\{{))"
    if declared.nested:
        value = value.replace("(?P<key>", "(?P<closed>")
        return replace(record, opens=opens, body="nested", key=key, value=value, item=declared.item)
    if "{key}" in declared.parameter[1]:
        value = "@k".join(map(mark_pattern, declared.parameter[1].strip().split("{key}")))
    return replace(record, opens=opens, body="tags", key=key, value=value)
