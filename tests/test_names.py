"""Who may use which name of the package."""

from __future__ import annotations

import ast
import functools
from collections import Counter
from collections.abc import Iterable

from sources import MODULES, nodes, parsed

OF_EVERY_ADAPTER = {
    *("from_tool", "wrap_server", "wrap_tool"),
    *("CoercionHook", "CoercionMiddleware", "coercion"),
}
"""What is called the same for every framework, because it does the same."""

TWICE = {
    "validate": "the command, and python-jsonschema's function in its drop-in",
    "SchemaError": "the error of the package, and python-jsonschema's in its drop-in",
    "Call": "read out of text, and recorded in a batch, where the name is public",
    "Coercion": "the rules, and the callback of LiteLLM that applies them",
}
"""Names that have two meanings still, and which; the list may only become shorter."""


PUBLIC = {"_asdict", "_exit", "_fields", "_make", "_replace"}
"""What named tuples and `os` document, in spite of the underscore."""


def is_private(name: str) -> bool:
    """Whether a name begins with an underscore to say that it is private."""
    return name.startswith("_") and not name.endswith("__") and name not in PUBLIC


def is_name(node: ast.AST, *names: str) -> bool:
    """Whether a node is one of these names."""
    return isinstance(node, ast.Name) and node.id in names


def names_made_by(nodes: Iterable[ast.AST]) -> set[str]:
    """All that nodes define: functions, classes, variables, attributes, slots."""
    made = set()
    for node in nodes:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            made.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            made.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            made |= {node.attr} if is_name(node.value, "self", "cls") else set()
    return made


@functools.cache
def names_made_in(module: str) -> set[str]:
    """All that a module defines, at any depth."""
    return names_made_by(nodes(module))


def offered_by(module: str) -> set[str]:
    """The names in a module's `__all__` that it defines itself."""
    offered: set[str] = set()
    for node in parsed(module).body:
        if isinstance(node, ast.Assign) and is_name(node.targets[0], "__all__"):
            offered = set(ast.literal_eval(node.value))
    return offered & names_made_in(module)


@functools.cache
def offered() -> dict[str, set[str]]:
    """The names that each module defines and offers."""
    return {module: offered_by(module) for module in MODULES}


def folder_of(module: str) -> str:
    """The folder that a module is in; a package is its own."""
    return module if MODULES[module].name == "__init__.py" else module.rpartition(".")[0]


def is_within(folder: str, other: str) -> bool:
    """Whether a folder is the other one or below it."""
    return f"{folder}.".startswith(f"{other}.")


@functools.cache
def owners() -> dict[str, set[str]]:
    """The folders in which each private name is defined."""
    found: dict[str, set[str]] = {}
    for module in MODULES:
        for name in filter(is_private, names_made_in(module)):
            found.setdefault(name, set()).add(folder_of(module))
    return found


def test_a_private_name_is_used_within_its_folder_only() -> None:
    """Imported or as an attribute: in the folder that defines it, and in those below."""
    for module in MODULES:
        folder = folder_of(module)
        for node in nodes(module):
            if isinstance(node, ast.ImportFrom) and (node.module or "") in MODULES:
                names = [alias.name for alias in node.names if is_private(alias.name)]
                assert not names or is_within(folder, folder_of(str(node.module))), (
                    f"{module}, line {node.lineno}: {names}"
                )
            elif isinstance(node, ast.Attribute) and is_private(node.attr):
                of = node.value.func if isinstance(node.value, ast.Call) else node.value
                is_own = is_name(of, "self", "cls", "super") or any(
                    is_within(folder, owner) for owner in owners().get(node.attr, ())
                )
                assert is_own, f"{module}, line {node.lineno}: {ast.unparse(node)}"


def test_every_private_name_at_the_top_of_a_module_is_used() -> None:
    """Nothing stays behind when the code that needed it goes."""
    for module in MODULES:
        names = [node for node in nodes(module) if isinstance(node, ast.Name)]
        read = {node.id for node in names if isinstance(node.ctx, ast.Load)}
        body = parsed(module).body
        made = {getattr(statement, "name", "") for statement in body}
        for statement in body:
            if isinstance(statement, (ast.Assign, ast.AnnAssign)):
                made |= names_made_by(ast.walk(statement))
        unused = {name for name in made if is_private(name)} - read - {"_"}
        assert not unused, module


def test_a_public_name_has_one_meaning() -> None:
    """No two modules define and offer the same one."""
    found = Counter(name for names in offered().values() for name in names)
    assert {name for name, times in found.items() if times > 1} == {
        *TWICE,
        *OF_EVERY_ADAPTER,
    }


def test_what_every_adapter_has_is_only_theirs() -> None:
    """Elsewhere these names would be confused with it."""
    for module, names in offered().items():
        if not module.startswith("schema2model.adapters."):
            assert not names & OF_EVERY_ADAPTER, module
