"""A griffe extension: doctests in docstrings are blocks of code, not quotations of quotations."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

_BLOCK = re.compile(r"^( *)(>>> .*(?:\n(?! *$).*)*)", re.MULTILINE)


class Doctests(Extension):
    """Fences each example, up to the blank line after what it prints."""

    def on_object(self, *, obj: Object, **kwargs: Any) -> None:
        """Change the docstring before it is parsed."""
        del kwargs
        if obj.docstring is not None:
            fenced = r"\1```pycon\n\1\2\n\1```"
            obj.docstring.value = _BLOCK.sub(fenced, obj.docstring.value)
