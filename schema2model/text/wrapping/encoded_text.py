"""Text that is encoded once more: escaped, with HTML's entities, or with doubled marks.

Quotes are doubled in CSV, and braces in a template.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from schema2model.json.parsing import NOTHING, entities_decoded, parse_prefix
from schema2model.limits import MAX_ESCAPE_LEVELS
from schema2model.regexes import regex

__all__ = ["decoded_variants"]

_ESCAPED: Final = regex(r'"?[^{\["]{0,80}[{\[][\s{\[]*(?:\\+[nt][\s{\[]*)*\\+"')
_ENTITIES: Final = regex(r"[{\[][\s{\[]*&(?:quot|#34|#x22);")
_PREFIX: Final = re.compile(r"\s*(?:<!\[CDATA\[|\x1b\[\d*m|\[[A-Z_/]+\])")
_DOUBLED_KEY: Final = regex(r'[^{\["]*(?:\[\s*)?\{\s*""[^"\\\n]{1,120}""\s*:')
_STRING_MARK: Final = regex(r'(?:[{\[,:]\s*|\\)"+|(?<!")"+(?!")(?=\s*(?:[,:}\]]|\Z))')
"""Quotes where a string may begin or end, or after a backslash."""
_MIN_DOUBLED: Final = 4
"""Minimum doubled quotes: those of a single string may belong to it."""
_BRACE: Final = regex(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|\{+|\}+', re.DOTALL)
"""Braces, or a string, which may end with the text."""
_BRACKET: Final = regex(r"[{\[]")


def decoded_variants(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the text, or each level of its decoding; the level; and the length of a prefix."""
    prefix = _PREFIX.match(text)
    offset = prefix.end() if prefix else 0
    text = text[offset:].removesuffix("]]>")
    if "\\" in text and _ESCAPED.match(text):
        for level in range(MAX_ESCAPE_LEVELS):
            text = text.removeprefix('"')
            if text.endswith('"') and not text.endswith('\\"'):
                text = text[:-1]
            try:
                text = json.loads(f'"{text}"', strict=False)
            except ValueError:  # where a quote is not escaped any more
                return
            yield text, level + 1, 0
    elif single := _with_single_marks(text):
        yield single, 1, 0
    elif "&" in text and _ENTITIES.match(text) and '"' not in text:
        yield entities_decoded(text), 1, 0
    else:
        yield text, 0, offset


def _with_single_marks(text: str) -> str:
    """Return a text with single quotes and braces for doubled ones; "" if it is not JSON then.

    >>> _with_single_marks('{""a"": ""x""}'), _with_single_marks('{{"a": 1}}')
    ('{"a": "x"}', '{"a": 1}')
    """
    single = ""
    if '""' in text:
        single = _with_single_quotes(text)
    if not single and "{{" in text:
        single = _with_single_braces(text)
    begins = _BRACKET.search(single) if single else None
    is_json = begins and parse_prefix(single, begins.start())[0] is not NOTHING
    return single if is_json else ""


def _with_single_quotes(text: str) -> str:
    """Return a text whose every quote is doubled with single ones; "" if not all are.

    >>> _with_single_quotes('{"a": ""x""}'), _with_single_quotes('{""a"": 1}')
    ('', '')
    """
    bare = text.strip()
    if len(bare) > 1 and bare[0] == bare[-1] == '"' and bare[1] in "{[":
        text = bare[1:-1]  # a field of CSV
    if not _DOUBLED_KEY.match(text) or text.count('""') < _MIN_DOUBLED:
        return ""
    marks = [mark[0].count('"') for mark in _STRING_MARK.finditer(text)]
    if any(count % 2 for count in marks) or sum(marks) != text.count('"'):
        return ""
    return text.replace('""', '"')


def _with_single_braces(text: str) -> str:
    """Return a text whose outermost braces, or all, are doubled with single ones; "" if not.

    Strings may not have doubled braces as well: they may belong to them.

    >>> _with_single_braces('{{"a": {{"b": 1}}}}'), _with_single_braces('{{"a": "{{b}}"}}')
    ('{"a": {"b": 1}}', '')
    """
    end = text.index("{{")
    parts = [text[:end]]
    opened: list[int] = []  # the numbers of braces that open each object
    inner: set[int] = set()
    for found in _BRACE.finditer(text, end):
        marks = found[0]
        if marks[0] == '"':
            if "{{" in marks or "}}" in marks:
                return ""
            continue
        parts.append(text[end : found.start()])
        end = found.end()
        if marks[0] == "{":
            inner.update(() if not opened else (len(marks),))
            opened.append(len(marks))
            parts.append("{")
            continue
        left = len(marks)
        while left > 0 and opened:
            left -= opened.pop()
            parts.append("}")
        if left or not opened:
            break
    else:
        return ""
    is_uniform = inner <= {1} or inner == {2}
    if left or not is_uniform or "{{{" in text or _BRACKET.search(parts[0] + text[end:]):
        return ""
    return "".join((*parts, text[end:]))
