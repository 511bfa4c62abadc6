"""Text that is encoded once more: escaped as in a JSON string, or with HTML's entities."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from schema2model.limits import MAX_ESCAPE_LEVELS

__all__ = ["DecodedText", "decoded_variants"]

_ESCAPED: Final = re.compile(r'"?[^{\["]{0,80}[{\[][\s{\[]*(?:\\+[nt][\s{\[]*)*\\+"')
_ESCAPED_AGAIN: Final = re.compile(r'[{,\[]\s*(?:\\+n\s*)*\\+"')
_ENTITIES: Final = re.compile(r"[{\[][\s{\[]*&(?:quot|#34|#x22);")
_PREFIX: Final = re.compile(r"\s*(?:<!\[CDATA\[|\x1b\[\d*m|\[[A-Z_/]+\])")


class DecodedText(NamedTuple):
    """A text after decoding."""

    text: str
    levels: int
    """Levels of encoding that were undone."""
    offset: int
    """Length of the prefix that was removed; 0 if offsets have changed otherwise."""


def decoded_variants(text: str) -> Iterator[DecodedText]:
    """Yield the text itself, or each level of its decoding if its first quote is encoded."""
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
            except ValueError:
                return
            yield DecodedText(text, level + 1, 0)
            if not _ESCAPED_AGAIN.search(text[:200]):
                return
    elif "&" in text and _ENTITIES.match(text) and '"' not in text:
        yield DecodedText(html.unescape(text), 1, 0)
    else:
        yield DecodedText(text, 0, offset)
