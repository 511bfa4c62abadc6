"""The text of a generated module."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from typing import Final

from schema2model.apps.codegen.identifiers import CONVERTED, IMPORTED

__all__ = ["class_bodies", "module"]

_DECLARATION: Final = "# -*- coding: utf-8 -*-\n\n"
"""The declaration of the encoding, which has to be in the first two lines (PEP 263)."""

_EMPTY: Final = {"[]": "list", "{}": "dict"}
"""Factories of empty defaults, one for each instance."""

_DECLARES: Final = re.compile("coding(?=[:=])")
"""Comments that would have another meaning as the first line."""


def class_bodies(source: str) -> dict[str, str]:
    """Return the bodies of the classes in a module, by name; nothing else of it is kept."""
    lines = source.split("\n")
    classes = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    for field in (
        each for node in classes for each in node.body if isinstance(each, ast.AnnAssign)
    ):
        value = field.value
        made = _EMPTY.get(ast.unparse(value)) if value is not None else None
        if made is not None and value is not None:  # the last thing in its line
            line = lines[value.lineno - 1].encode()[: value.col_offset].decode()
            lines[value.lineno - 1] = f"{line}Field(default_factory={made})"
    return {node.name: "\n".join(lines[node.lineno : node.end_lineno]) for node in classes}


def module(
    header: str, classes: Iterable[str], tools: Mapping[str, str], *, converts: bool = False
) -> str:
    """Return a module with these classes, and the registry of those that are the tools'.

    Args:
        header: what the comment at the top says.
        classes: the source texts of the classes.
        tools: the names of classes, by the names of their tools.
        converts: whether annotations may be types of formats.

    """
    header = header.encode("utf-8", "backslashreplace").decode()
    header = _DECLARES.sub(r"codin\\u0067", header)
    comment = "".join(f"# {line}\n" for line in header.splitlines())
    entries = "".join(f"    {tool!r}: {name},\n" for tool, name in tools.items())
    registry = f"TOOLS: dict[str, type[CoercingModel]] = {{\n{entries}}}\n"
    body = "\n\n".join([*classes, registry])
    imports = _imports(body, CONVERTED if converts else {})
    return f"{_DECLARATION}{comment}\nfrom __future__ import annotations\n\n{imports}\n\n{body}"


def _imports(body: str, further: Mapping[str, tuple[str, ...]]) -> str:
    """Return the import statements that a module needs, in the order of isort."""
    used = {node.id for node in ast.walk(ast.parse(body)) if isinstance(node, ast.Name)}
    lines: dict[bool, list[str]] = {True: [], False: []}
    standard = {"typing": IMPORTED["typing"], **further}
    origins = {**dict(sorted(standard.items())), **IMPORTED}
    for origin, names in origins.items():
        needed = [name for name in names if name in used]
        if needed:
            lines[origin in standard].append(f"from {origin} import {', '.join(needed)}\n")
    return "\n".join("".join(group) for group in lines.values() if group)
