"""Text that is encoded once more: escaped, as in CSV or a template, or with HTML's entities."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from schema2model.json.parsing import entities_decoded
from schema2model.limits import MAX_ESCAPE_LEVELS
from schema2model.text.wrapping.doubled_marks import with_single_marks

__all__ = ["decoded_variants"]

_ESCAPED: Final = re.compile(r'"?[^{\["]{0,80}[{\[][\s{\[]*(?:\\+[nt][\s{\[]*)*\\+"')
_ESCAPED_AGAIN: Final = re.compile(r'[{,\[]\s*(?:\\+n\s*)*\\+"')
_ENTITIES: Final = re.compile(r"[{\[][\s{\[]*&(?:quot|#34|#x22);")
_PREFIX: Final = re.compile(r"\s*(?:<!\[CDATA\[|\x1b\[\d*m|\[[A-Z_/]+\])")


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
            except ValueError:
                return
            yield text, level + 1, 0
            if not _ESCAPED_AGAIN.search(text[:200]):
                return
    elif single := with_single_marks(text):
        yield single, 1, 0
    elif "&" in text and _ENTITIES.match(text) and '"' not in text:
        yield entities_decoded(text), 1, 0
    else:
        yield text, 0, offset
