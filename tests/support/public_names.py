"""The lists of public names, with one line each. Running this writes them into docs/reference*."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import schema2model
from schema2model import types
from schema2model.coercions import COERCION_RULES

ROOT = Path(__file__).parents[2]
PACKAGE = Path(schema2model.__file__).parent
WIDTH = 78
"""Characters of a line of the lists, which the site shows without scrolling."""

BEGINS, ENDS = "<!-- public names -->\n", "<!-- end of public names -->\n"
CLASSES = (
    *(schema2model.CompiledSchema, schema2model.Tool, schema2model.Toolset),
    *(types.Prepared, types.Explanation, types.Change, schema2model.ToolError, types.Issue),
    *(types.PartialArguments, types.StrictSchema),
)
"""The classes whose members are listed."""
ALIASES = {"Arguments": "The arguments of a call: text, a mapping, or None."}
"""The lines of names that have no docstring."""
SUPERSEDED = {
    "Tool.from_function": "Tool(function)",
    "Tool.from_schema": "Tool.from_definition",
    "Toolset.prepare": "Toolset.prepare_call",
    "CompiledSchema.coerce_json": "CompiledSchema.explain_json",
    "CompiledSchema.is_valid_json": "CompiledSchema.is_valid",
    **dict.fromkeys(
        (
            *("CompiledSchema.validate.defaults", "CompiledSchema.validate_json.defaults"),
            "CompiledSchema.with_defaults",
        ),
        'compile_schema(..., defaults="fill")',
    ),
    "ToolError.for_arguments": "ToolError",
    "ToolError.for_text": "ToolError",
    "ToolError.for_value": "ToolError",
    "ToolError.from_validation_error": "ToolError",
    "types.AssembledCall": "types.Call",
    "types.AssembledReply": "Toolset.answer",
    **dict.fromkeys(("types.Defaults", "types.Formats", "types.Messages"), "compile_schema"),
    "types.Preset": "Coercion",
    "types.Provider": "Tool.definition",
    "types.StreamProvider": "Toolset.assembler",
    **dict.fromkeys(
        (f"types.ToolOptions.on_{event}" for event in ("prepared", "started", "finished")),
        "types.Observer",
    ),
    **{f"Coercion.{rule.name}": "Coercion.replace" for rule in COERCION_RULES},
}
"""Names that programs may go on using, but that no page has: each with what does its job.

Options have the function or class that takes them before their own names.
"""


def line(text: str | None) -> str:
    """The first paragraph of a docstring, on one line."""
    return " ".join(inspect.cleandoc(text or "").split("\n\n")[0].split())


def signature(thing: Any) -> str:
    """The parameters of a function or method, without types; "" of anything else.

    >>> def search(query, *, limit=10): ...
    >>> signature(search)
    '(query, *, limit=10)'
    """
    if isinstance(thing, (classmethod, staticmethod)):
        thing = thing.__func__
    if not inspect.isfunction(thing):
        return ""
    found = inspect.signature(thing)
    parameters = [
        each.replace(annotation=inspect.Parameter.empty)
        for name, each in found.parameters.items()
        if name not in {"self", "cls"} and f"{thing.__qualname__}.{name}" not in SUPERSEDED
    ]
    return str(found.replace(parameters=parameters, return_annotation=found.empty))


def members(kind: type) -> Iterator[tuple[str, str]]:
    """The public members of a class, and one line each: of a field, its type."""
    fields = {name: each for base in kind.__mro__[::-1] for name, each in annotations(base).items()}
    ours = [base for base in kind.__mro__ if base.__module__.startswith("schema2model")]
    own = {name for base in ours for name in vars(base)}
    for name in sorted(name for name in own | fields.keys() if not name.startswith("_")):
        if f"{kind.__name__}.{name}" in SUPERSEDED:
            continue
        found = inspect.getattr_static(kind, name, None)
        described = isinstance(found, (property, classmethod)) or callable(found)
        if described or name not in fields:
            yield name + signature(found), line(inspect.getdoc(found)) if described else ""
        else:
            yield f"{name}: {fields[name]}", ""


def annotations(kind: type) -> dict[str, Any]:
    """The annotations in the body of one of our classes."""
    ours = kind.__module__.startswith("schema2model")
    return inspect.get_annotations(kind) if ours else {}


def of_the_package() -> Iterator[str]:
    """The names of `schema2model` and `schema2model.types`, and the members of the main classes."""
    for module in (schema2model, types):
        names = (
            (name, getattr(module, name))
            for name in module.__all__
            if f"{module.__name__.removeprefix('schema2model.')}.{name}" not in SUPERSEDED
        )
        yield from listed(
            module.__name__,
            (
                (name + signature(thing), ALIASES.get(name) or line(inspect.getdoc(thing)))
                for name, thing in names
            ),
        )
    for kind in CLASSES:
        yield from listed(kind.__name__, members(kind))


def of_modules(*names: str) -> Iterator[str]:
    """The names of modules, which are not imported: they may need extras."""
    for module in names:
        found = (assigned(node, "__all__") for node in statements(module))
        public = (name for value in found if value is not None for name in ast.literal_eval(value))
        yield from listed(module, (described(module, name) for name in public))


def described(module: str, name: str) -> tuple[str, str]:
    """A name of a module with its parameters, and the first paragraph about it."""
    if source(f"{module}.{name}").exists():
        return name, line(ast.get_docstring(tree_of(f"{module}.{name}")))
    body = [*statements(module)]
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name:
            return name + parameters(node), line(ast.get_docstring(node))
        if assigned(node, name) is not None:
            is_text = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            return name, line(after.value.value) if is_text else ""
    nodes = (node for statement in body for node in ast.walk(statement))
    imports = (node for node in nodes if isinstance(node, ast.ImportFrom) and node.module)
    own = (node.module for node in imports if any(name == alias.name for alias in node.names))
    origin = next((each for each in own if each and each.startswith("schema2model")), None)
    return (name, "") if origin is None else described(origin, name)


def tree_of(module: str) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse(source(module).read_text("utf-8"))


def statements(module: str) -> Iterator[ast.stmt]:
    """The statements of a module, with those for some versions of a framework only."""
    for node in tree_of(module).body:
        yield from node.body if isinstance(node, ast.If) else (node,)


def assigned(node: ast.stmt, name: str) -> ast.expr | None:
    """The value that a statement gives to a name."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    is_its = any(isinstance(target, ast.Name) and target.id == name for target in targets)
    return getattr(node, "value", None) if is_its else None


def parameters(node: ast.FunctionDef | ast.ClassDef) -> str:
    """The parameters of a function, or of a class with a method `__init__`, without types."""
    if isinstance(node, ast.ClassDef):
        methods = [each for each in node.body if isinstance(each, ast.FunctionDef)]
        made = next((each for each in methods if each.name == "__init__"), None)
        return parameters(made).replace("(self, ", "(").replace("(self)", "()") if made else ""
    for each in ast.walk(node.args):
        if isinstance(each, ast.arg):
            each.annotation = None
    return f"({ast.unparse(node.args)})"


def source(module: str) -> Path:
    """The file of a module."""
    path = PACKAGE.joinpath(*module.split(".")[1:])
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def listed(heading: str, names: Iterable[tuple[str, str]]) -> Iterator[str]:
    """A block of Python: each name, and under it what it is."""
    yield from ("```text", f"# {heading}")
    for name, text in names:
        yield from textwrap.wrap(name, WIDTH, subsequent_indent="    ", break_long_words=False)
        yield from textwrap.wrap(text, WIDTH, initial_indent="    # ", subsequent_indent="    # ")
    yield from ("```", "")


def adapters() -> list[str]:
    """The modules of adapters, but for what they share."""
    folder = PACKAGE / "adapters"
    names = {path.stem for path in folder.glob("[!_]*") if path.name != "__pycache__"}
    return [f"schema2model.adapters.{name}" for name in sorted(names - {"common"})]


PROGRAMS = [
    f"schema2model.{name}"
    for name in (
        *("apps.audit", "apps.audit.diff", "apps.codegen", "apps.batch", "apps.batch.columns"),
        *("apps.batch.frames", "apps.batch.running", "apps.batch.report"),
        "apps.batch.report.corrected_rows",
        *("apps.batch.report.page", "telemetry"),
    )
]


def pages() -> dict[Path, str]:
    """The list of each page."""
    folder = ROOT / "docs"
    return {
        folder / "reference.md": "\n".join(of_the_package()),
        folder / "reference" / "adapters.md": "\n".join(of_modules(*adapters())),
        folder / "reference" / "programs.md": "\n".join(of_modules(*PROGRAMS)),
    }


def main() -> None:
    """Write the lists into the pages."""
    for path, text in pages().items():
        page = path.read_text("utf-8")
        before, after = page.partition(BEGINS)[0], page.partition(ENDS)[2]
        path.write_text(f"{before}{BEGINS}{text}{ENDS}{after}", "utf-8")


if __name__ == "__main__":
    main()
