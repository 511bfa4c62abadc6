"""The package's own modules, each read and parsed once for all that is asked of them."""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence
from pathlib import Path

import schema2model

_PACKAGE = Path(schema2model.__file__).parent


def _name(path: Path) -> str:
    parts = path.relative_to(_PACKAGE.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


MODULES = {_name(path): path for path in sorted(_PACKAGE.rglob("*.py"))}
"""All of them by their full names, the commands and the adapters among them."""


@functools.cache
def parsed(module: str) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse(MODULES[module].read_text("utf-8"))


@functools.cache
def nodes(module: str) -> Sequence[ast.AST]:
    """All nodes of the syntax tree of a module."""
    return [*ast.walk(parsed(module))]
