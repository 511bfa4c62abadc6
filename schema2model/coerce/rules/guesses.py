"""Guesses about single values: the same parts in another container, or in none.

Like those of `scalars`, each function takes a plain value, and returns the same object if it does
not apply. A text that may have several values is split completely, or not at all.
"""

from __future__ import annotations

import json
import re
from typing import Any

from schema2model.coerce.rules.scalars import exact_number_text, integer_text
from schema2model.json.equality import distinct
from schema2model.json.parsing import entities_decoded
from schema2model.regexes import regex

__all__ = [
    "comma_items",
    "container_text",
    "distinct_items",
    "enveloped_item",
    "enveloped_items",
    "grouped_integer",
    "grouped_number",
    "inner_list",
    "one_item",
    "only_item",
    "only_unpaired_item",
    "xml_items",
]

_BRACKETS = {"[": "]", "(": ")", "{": "}"}
_QUOTES = "\"'`\u201c\u201d\u201e\u00ab\u00bb"
_WITHIN = frozenset("[](){}<>" + _QUOTES.replace("'", ""))
"""Characters that show that an item may contain a comma."""
_PROSE = regex(r"[.!?]$|\n|://|\d,\d{3}(?!\d)")
"""Signs that a comma does not separate two items."""
_BULLET = regex(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_SENTENCE = regex(r"[.!?:;,]$|\s{4}|\t|^[\[({<#>|]|^$")
"""Signs that a line belongs to one text of several lines."""
_GROUPS = regex(r"\s*[+-]?\d{1,3}(?:,\d{3})+(\.\d*)?\s*", re.ASCII)
_CONJUNCTION = regex(r"(?:^|\s)(?:and|or|&)\s", re.IGNORECASE)
_SEVERAL = regex(rf"^\s*[\[({{<{_QUOTES}]|[,;|\n]")
"""Signs that a text has several values: a bracket or quote before it, or separators."""

_ELEMENT = regex(r"\s*<([A-Za-z_][\w.-]*)>([^<]*)</\1>\s*")
_ROOT = regex(r"\s*<([A-Za-z_][\w.-]*)>\s*(<.*>)\s*</\1>\s*", re.DOTALL)
_LONGEST_LINE = 60
"""Maximum characters of an item on a line without a bullet."""
_TAGS = frozenset(("item", "element", "entry", "value", "string"))


def container_text(value: Any) -> Any:
    """Write an object or array as its compact JSON text.

    >>> container_text({"a": [1, 2]})
    '{"a":[1,2]}'
    """
    if type(value) is dict or type(value) is list:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return value


def one_item(value: Any) -> Any:
    """Make a list of a single value, unless it is a text that is blank or may have several.

    >>> one_item("a"), one_item(["a"]), one_item("[a, b]"), one_item("a and b"), one_item("")
    (['a'], ['a'], '[a, b]', 'a and b', '')
    """
    if type(value) is list or value is None:
        return value
    if type(value) is str and (
        not value.strip() or _SEVERAL.search(value) or _CONJUNCTION.search(value)
    ):
        return value
    return [value]


def comma_items(value: Any) -> Any:
    """Make a list of the items between commas or on lines, if none is empty.

    The items may be in brackets. Quoted items become the text of a list. Prose is not split.

    >>> comma_items("a, b"), comma_items("[a, b]"), comma_items('"a", "b, c"')
    (['a', 'b'], ['a', 'b'], '["a", "b, c"]')
    >>> comma_items("Paris, Rome and Oslo"), comma_items("1,000"), comma_items('["a, b"')
    ('Paris, Rome and Oslo', '1,000', '["a, b"')
    """
    if type(value) is not str:
        return value
    text = value.strip()
    if "\n" in text:
        return _line_items(text) or value
    if not ("," in text or text[:1] == "["):
        return value
    bracketed = _BRACKETS.get(text[0]) == text[-1]
    if bracketed:
        text = text[1:-1].strip()
    if text[:1] in _QUOTES:
        return value if bracketed else f"[{text}]"
    items = [item.strip() for item in text.split(",")]
    if not _WITHIN.isdisjoint(text) or not all(item and item[0] != "'" for item in items):
        return value
    return value if _PROSE.search(text) or _CONJUNCTION.search(items[-1]) else items


def _line_items(text: str) -> list[str]:
    r"""Return the items that a text has on its lines, each with a bullet or none; [] for prose.

    >>> _line_items("- a, b\n- c"), _line_items("milk\neggs")
    (['a, b', 'c'], ['milk', 'eggs'])
    >>> _line_items("Dear all,\nplease note.")
    []
    """
    lines = [line.strip() for line in text.splitlines()]
    bullets = [_BULLET.match(line) for line in lines]
    if all(bullets):
        items = [
            line[bullet.end() :] for line, bullet in zip(lines, bullets, strict=True) if bullet
        ]
        return items if all(items) else []
    is_prose = any(bullets) or any(
        len(line) > _LONGEST_LINE or _SENTENCE.search(line) for line in lines
    )
    return [] if is_prose else lines


def grouped_integer(value: Any) -> Any:
    """Parse an integer whose digits are in groups of three.

    >>> grouped_integer("1,000"), grouped_integer("1,234,567.0"), grouped_integer("1,00")
    (1000, 1234567, '1,00')
    """
    if type(value) is not str or not _GROUPS.fullmatch(value):
        return value
    number = integer_text(value.replace(",", ""))
    return value if type(number) is str else number


def grouped_number(value: Any) -> Any:
    """Parse a number whose digits are in groups of three.

    A single comma without a point may be a decimal one.

    >>> grouped_number("1,234.5"), grouped_number("1,234,567"), grouped_number("1,000")
    (1234.5, 1234567, '1,000')
    """
    if type(value) is not str or (match := _GROUPS.fullmatch(value)) is None:
        return value
    if match[1] is None and value.count(",") == 1:
        return value
    number = exact_number_text(value.replace(",", ""))
    return value if type(number) is str else number


def xml_items(value: Any) -> Any:
    """Make a list of the contents of tags for items, within another tag or not.

    >>> xml_items("<item>a</item><item>b &amp; c</item>"), xml_items("<b>a</b><b>c</b>")
    (['a', 'b & c'], '<b>a</b><b>c</b>')
    """
    if type(value) is not str or value.lstrip()[:1] != "<":
        return value
    outer = _ROOT.fullmatch(value)
    text, start, items, names = (outer[2] if outer else value), 0, [], set()
    while found := _ELEMENT.match(text, start):
        names.add(found[1])
        items.append(entities_decoded(found[2].strip()))
        start = found.end()
    return items if start == len(text) and len(names) == 1 and names < _TAGS else value


def enveloped_items(value: Any) -> Any:
    """Make a list of an object that represents one.

    >>> enveloped_items({"0": "a", "1": "b"}), enveloped_items({"item": [1, 2]})
    (['a', 'b'], [1, 2])
    """
    if type(value) is not dict or not value:
        return value
    if value.keys() == {"item"}:
        return value["item"] if type(value["item"]) is list else [value["item"]]
    if list(value) == [str(index) for index in range(len(value))]:
        return list(value.values())
    return value


def enveloped_item(value: Any) -> Any:
    """Take a value out of `{"item": ...}`.

    >>> enveloped_item({"item": 14})
    14
    """
    return value["item"] if type(value) is dict and value.keys() == {"item"} else value


def inner_list(value: Any) -> Any:
    """Take a list out of a list that has nothing else in it.

    >>> inner_list([[5, 6]]), inner_list([[5], [6]])
    ([5, 6], [[5], [6]])
    """
    only = only_item(value)
    return only if type(only) is list else value


def distinct_items(value: Any) -> Any:
    """Leave out the items of a list that are equal to an earlier one.

    >>> distinct_items([5, 6, 5]), distinct_items([5, 6])
    ([5, 6], [5, 6])
    """
    if type(value) is not list:
        return value
    items = [*distinct(value)]
    return items if len(items) < len(value) else value


def only_item(value: Any) -> Any:
    """Take the only item out of a list.

    >>> only_item([5]), only_item([5, 6])
    (5, [5, 6])
    """
    return value[0] if type(value) is list and len(value) == 1 else value


def only_unpaired_item(value: Any) -> Any:
    """Take the only item out of a list, unless it is the key and value of a map's member.

    >>> only_unpaired_item([{"a": 5}]), only_unpaired_item([{"key": "a", "value": 5}])
    ({'a': 5}, [{'key': 'a', 'value': 5}])
    """
    item = only_item(value)
    is_pair = type(item) is dict and item.keys() in ({"key", "value"}, {"name", "value"})
    return value if is_pair else item
