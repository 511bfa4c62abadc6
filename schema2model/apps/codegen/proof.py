"""The proof that a generated module does nothing but define its classes.

The generator is given no keyword of a stranger's schema that could make it do more, and quotes
every text. Should either be wrong in some version of it, this is where it ends.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable, Iterator, Set as AbstractSet

from schema2model.apps.codegen.identifiers import CONVERTED, IMPORTED

__all__ = ["UnprovenError", "prove"]

_MODULES = {"__future__": ("annotations",), **IMPORTED, **CONVERTED}
_BASES = {"ComponentModel", "ExactModel", "ObjectModel", "ToolModel"}
_TYPES = {
    "Any",
    "bool",
    "float",
    "int",
    "str",
    *(name for names in CONVERTED.values() for name in names),
}
_FIELD = {"alias", "ge", "gt", "le", "lt", "max_length", "min_length", "validate_default"}
_LITERALS = (ast.Dict, ast.List, ast.Constant, ast.UnaryOp, ast.USub, ast.Load)
_REGISTRIES = {
    "COMPONENTS": "dict[str, type[ComponentModel]]",
    "TOOLS": "dict[str, type[CoercingModel]]",
}


class UnprovenError(ValueError):
    """A module may do more than define its classes."""


def prove(content: bytes) -> dict[str, dict[str, str]]:
    """Return the properties that each class of a module has, with the attributes that hold them.

    Args:
        content: the module as it will be in its file, which Python decodes before it reads it.

    Raises:
        UnprovenError: if the module is not UTF-8, or does anything but import names, define classes
            of annotated fields and constants, list them in `TOOLS` or `COMPONENTS`, and give those
            their document.

    """
    encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
    if encoding != "utf-8":
        message = f"the module says that its encoding is {encoding}"
        raise UnprovenError(message)
    tree = ast.parse(content)
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    names = {node.name for node in classes}
    for node in tree.body:
        if not isinstance(node, ast.ClassDef):
            _require(node, _is_import(node) or _is_registry(node, names) or _binds_document(node))
    return {node.name: dict(_class_fields(node, names)) for node in classes}


def _require(node: ast.stmt, condition: bool) -> None:  # noqa: FBT001 - what is required
    if not condition:
        message = f"line {node.lineno} is neither a class of fields nor an import that it needs"
        raise UnprovenError(message)


def _is_import(node: ast.stmt) -> bool:
    if not isinstance(node, ast.ImportFrom) or node.level or not node.module:
        return False
    known = _MODULES.get(node.module, ())
    return all(alias.name in known and alias.asname is None for alias in node.names)


def _is_registry(node: ast.stmt, names: AbstractSet[str]) -> bool:
    return (
        isinstance(node, ast.AnnAssign)
        and _REGISTRIES.get(ast.unparse(node.target)) == ast.unparse(node.annotation)
        and isinstance(node.value, ast.Dict)
        and all(isinstance(key, ast.Constant) for key in node.value.keys)
        and all(isinstance(value, ast.Name) and value.id in names for value in node.value.values)
    )


def _binds_document(node: ast.stmt) -> bool:
    """Return whether a statement gives `COMPONENTS` a literal."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    call = node.value
    return (
        ast.unparse(call.func) == "bind_document"
        and not call.keywords
        and len(call.args) == 2  # noqa: PLR2004 - the classes, and their document
        and ast.unparse(call.args[0]) == "COMPONENTS"
        and all(isinstance(inner, _LITERALS) for inner in ast.walk(call.args[1]))
    )


def _class_fields(node: ast.ClassDef, names: AbstractSet[str]) -> Iterator[tuple[str, str]]:
    """Yield the properties of a class, with their attributes."""
    _require(node, not node.decorator_list and len(node.bases) == 1)
    _require(node, isinstance(node.bases[0], ast.Name) and node.bases[0].id in _BASES)
    _require(node, _has_only(node.keywords, {"coercion", "formats", "defaults"}))
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign) and not _is_schema(statement):
            _require(statement, isinstance(statement.target, ast.Name))
            _require(statement, _is_type(statement.annotation, names))
            _require(statement, statement.value is None or _is_default(statement.value))
            attribute = ast.unparse(statement.target)
            yield _property_name(statement.annotation, attribute), attribute
        elif isinstance(statement, ast.Assign):
            _require(statement, list(map(ast.unparse, statement.targets)) == ["model_config"])
            _require(statement, _is_call(statement.value, "ConfigDict", {"extra"}))
        elif not isinstance(statement, ast.AnnAssign):
            _require(statement, isinstance(statement, ast.Expr) and _is_constant(statement.value))


def _is_schema(node: ast.AnnAssign) -> bool:
    """Return whether a statement sets `__schema__` to a literal."""
    return (
        ast.unparse(node.target) == "__schema__"
        and ast.unparse(node.annotation) == "ClassVar[Any]"
        and node.value is not None
        and all(isinstance(inner, _LITERALS) for inner in ast.walk(node.value))
    )


def _is_type(node: ast.expr, names: AbstractSet[str]) -> bool:
    """Return whether it is an annotation of known types; a string, which is evaluated, is not."""
    if isinstance(node, ast.BinOp):
        united = _is_type(node.left, names) and _is_type(node.right, names)
        return united and isinstance(node.op, ast.BitOr)
    if not isinstance(node, ast.Subscript):
        named = isinstance(node, ast.Name) and node.id in _TYPES | names
        return named or (isinstance(node, ast.Constant) and node.value is None)
    of = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    generic = ast.unparse(node.value)
    if generic == "Literal":
        return all(map(_is_constant, of))
    if generic == "Annotated":
        return len(of) == 2 and _is_type(of[0], names) and _is_call(of[1], "Field", _FIELD)  # noqa: PLR2004
    return generic in {"dict", "list"} and all(_is_type(each, names) for each in of)


def _is_call(node: ast.expr, name: str, keywords: AbstractSet[str]) -> bool:
    """Return whether it is a call of this name with constants for these keywords only."""
    return (
        isinstance(node, ast.Call)
        and ast.unparse(node.func) == name
        and not node.args
        and _has_only(node.keywords, keywords)
    )


def _has_only(keywords: Iterable[ast.keyword], names: AbstractSet[str]) -> bool:
    return all(each.arg in names and _is_constant(each.value) for each in keywords)


def _is_default(node: ast.expr) -> bool:
    """Return whether it is a constant, or makes an empty list or dict."""
    return _is_constant(node) or ast.unparse(node) in {
        "Field(default_factory=list)",
        "Field(default_factory=dict)",
    }


def _is_constant(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant)


def _property_name(annotation: ast.expr, attribute: str) -> str:
    """Return the property that a field holds."""
    keywords = (node for node in ast.walk(annotation) if isinstance(node, ast.keyword))
    aliases = (ast.literal_eval(each.value) for each in keywords if each.arg == "alias")
    return next(aliases, attribute)
