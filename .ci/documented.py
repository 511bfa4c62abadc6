"""A griffe extension: the reference shows what is public, and examples as blocks of code."""

from __future__ import annotations

import ast
import re
from typing import Any

from griffe import Class, Extension, Module, Object

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

    def on_module(self, *, mod: Module, **kwargs: Any) -> None:
        """Fence the paragraphs of a module's docstring that are code."""
        del kwargs
        if mod.docstring is not None:
            paragraphs = mod.docstring.value.split("\n\n")
            mod.docstring.value = "\n\n".join(
                f"```python\n{text}\n```" if _is_code(text) else text for text in paragraphs
            )

    def on_class(self, *, cls: Class, **kwargs: Any) -> None:
        """Leave out bases that are private."""
        del kwargs
        cls.bases = [base for base in cls.bases if not str(base).startswith("_")]


def _is_code(text: str) -> bool:
    """Whether a paragraph is Python, and no word or example of a session."""
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return "(" in text
