"""The text of a generated module."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from schema2model.apps.codegen.identifiers import CONVERTED, IMPORTED

__all__ = ["class_bodies", "document_registry", "module", "tools_registry"]

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


def tools_registry(tools: Mapping[str, str]) -> str:
    """Return the mapping from the names of tools to their classes."""
    return f"TOOLS: dict[str, type[CoercingModel]] = {_mapping(tools)}\n"


def document_registry(components: Mapping[str, str], document: Mapping[str, Any]) -> str:
    """Return the mapping from the names of components to their classes, and their document.

    The document has a line for each component, which formatters leave alone.
    """
    return (
        f"COMPONENTS: dict[str, type[ComponentModel]] = {_mapping(components)}\n"
        f"# fmt: off\nbind_document(COMPONENTS, {_document_literal(document)})\n# fmt: on\n"
    )


def _mapping(classes: Mapping[str, str]) -> str:
    entries = "".join(f"    {name!r}: {kind},\n" for name, kind in classes.items())
    return f"{{\n{entries}}}" if entries else "{}"


def _document_literal(value: Any, levels: int = 3) -> str:
    """Return a literal whose outer mappings have a line for each member."""
    if isinstance(value, dict) and value:
        members = (f"{_literal(k)}: {_document_literal(v, levels - 1)}" for k, v in value.items())
        if levels > 0 and any(isinstance(inner, dict) for inner in value.values()):
            return "{\n" + ",\n".join(members) + ",\n}"
        return f"{{{', '.join(members)}}}"
    return _literal(value)


def _literal(value: Any) -> str:
    """Return a literal with double quotes, as formatters write them."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_literal(k)}: {_literal(v)}' for k, v in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, str) and '"' not in value:
        return f'"{repr(value)[1:-1]}"'  # without quotes of its own, or in double ones already
    return repr(value)


def module(header: str, classes: Iterable[str], registry: str, *, converts: bool = False) -> str:
    """Return a module with these classes, and a registry of them.

    Args:
        header: what the comment at the top says.
        classes: the source texts of the classes.
        registry: the statements after the classes.
        converts: whether annotations may be types of formats.

    """
    header = header.encode("utf-8", "backslashreplace").decode()
    header = _DECLARES.sub(r"codin\\u0067", header)
    comment = "".join(f"# {line}\n" for line in header.splitlines())
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
