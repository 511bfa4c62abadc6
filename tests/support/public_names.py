"""The public names with signatures and summaries. Running this writes docs/reference.md."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import schema2model
from schema2model import types

PAGE = Path(__file__).parents[2] / "docs" / "reference.md"
BEGINS, ENDS = "<!-- public names -->\n", "<!-- end of public names -->\n"
CLASSES = (
    *(schema2model.CompiledSchema, schema2model.Tool, schema2model.Toolset),
    *(types.Prepared, types.Explanation, types.Change, schema2model.ToolError, types.Issue),
    *(types.PartialArguments, types.StrictSchema),
)
"""The classes whose members are listed."""
ALIASES = {
    "Arguments": "The arguments of a call: text, a mapping, or None.",
    "Preset": "The names of the presets of `Coercion`.",
    "Provider": "The names of the providers that definitions are made for.",
}
"""The lines of names that have no docstring."""


def line(thing: Any) -> str:
    """The first paragraph of a docstring, as a cell of a table."""
    summary = (inspect.getdoc(thing) or "").split("\n\n")[0]
    return " ".join(summary.split()).replace("|", "\\|")


def signature(thing: Any) -> str:
    """Parameters and simple defaults of a function or method of ours; nothing for other things."""
    function = getattr(thing, "__func__", thing)
    if not inspect.isfunction(function):
        return ""
    parameters = inspect.signature(function).parameters.values()
    plain = [parameter.replace(annotation=parameter.empty) for parameter in parameters]
    shown = [
        parameter
        if isinstance(parameter.default, (type, str, int, float, type(None)))
        else parameter.replace(default=...)
        for parameter in plain
        if parameter.name not in {"self", "cls"}
    ]
    return str(inspect.Signature(shown)).replace("Ellipsis", "...")


def members(kind: type) -> Iterator[tuple[str, str]]:
    """The public members of a class: name with signature, and one line or a field's type."""
    fields = {name: each for base in kind.__mro__[::-1] for name, each in annotations(base).items()}
    ours = [base for base in kind.__mro__ if base.__module__.startswith("schema2model")]
    own = {name for base in ours for name in vars(base)}
    for name in sorted(name for name in own | fields.keys() if not name.startswith("_")):
        found = inspect.getattr_static(kind, name, None)
        described = isinstance(found, (property, classmethod)) or callable(found)
        field = f"`{fields[name]}`" if name in fields else ""
        yield name + signature(found), line(found) if described else field.replace("|", "\\|")


def annotations(kind: type) -> dict[str, Any]:
    """The annotations in the body of one of our classes."""
    ours = kind.__module__.startswith("schema2model")
    return inspect.get_annotations(kind) if ours else {}


def rows() -> Iterator[str]:
    """The lines of the list."""
    for module in (schema2model, types):
        yield f"| `{module.__name__}` |  |"
        yield "| --- | --- |"
        for name in module.__all__:
            thing = getattr(module, name)
            yield f"| `{name}{signature(thing)}` | {ALIASES.get(name) or line(thing)} |"
        yield ""
    for kind in CLASSES:
        yield f"| `{kind.__name__}` |  |"
        yield "| --- | --- |"
        yield from (f"| `.{name}` | {text} |" for name, text in members(kind))
        yield ""


def main() -> None:
    """Write the list into the page."""
    page = PAGE.read_text("utf-8")
    before, after = page.partition(BEGINS)[0], page.partition(ENDS)[2]
    listed = "\n".join(rows())
    PAGE.write_text(f"{before}{BEGINS}{listed}{ENDS}{after}", "utf-8")


if __name__ == "__main__":
    main()
