"""A griffe extension: the reference shows what is public, and examples as blocks of code."""

from __future__ import annotations

import re
from typing import Any

from griffe import Class, Extension, Object

_BLOCK = re.compile(r"^( *)(>>> .*(?:\n(?! *$).*)*)", re.MULTILINE)


class Documented(Extension):
    """Leaves out names that begin with an underscore, and fences each example of a docstring."""

    def on_object(self, *, obj: Object, **kwargs: Any) -> None:
        """Change an object before its docstring is parsed: an example ends at a blank line."""
        del kwargs
        if obj.name.startswith("_") and obj.name != "__call__":
            obj.public = False
        if obj.docstring is not None:
            fenced = r"\1```pycon\n\1\2\n\1```"
            obj.docstring.value = _BLOCK.sub(fenced, obj.docstring.value)

    def on_class(self, *, cls: Class, **kwargs: Any) -> None:
        """Leave out bases that are private."""
        del kwargs
        cls.bases = [base for base in cls.bases if not str(base).startswith("_")]
