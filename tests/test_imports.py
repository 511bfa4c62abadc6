"""What importing the package costs, what it offers, and which module may know which."""

from __future__ import annotations

import ast
import dataclasses
import functools
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from importlib.metadata import version
from typing import Any

import pytest
from loading import COMPILE, loaded_by
from sources import MODULES, nodes, parsed

import schema2model

LATER = [
    *("json_repair", "pyjson5", "docstring_parser", "typer", "click", "black", "mcp"),
    *("datamodel_code_generator", "langchain", "daft", "jinja2", "opentelemetry", "pandas"),
    *("pyarrow", "ray"),
    *("bz2", "lzma"),
]
"""Extras, what only malformed text needs, and what comes with `importlib.abc`."""


def test_importing_the_package_imports_no_extra() -> None:
    """Nor anything else that a correct call does not need."""
    loaded = loaded_by(f"{COMPILE}\ncompiled.validate({{'a': [1]}})")
    assert {module.partition(".")[0] for module in loaded}.isdisjoint(LATER)


def test_a_correct_call_imports_nothing() -> None:
    """All that it takes was there when the schema was compiled."""
    before = loaded_by(COMPILE)
    assert loaded_by(f"{COMPILE}\nassert compiled.validate({{'a': [1]}}) == {{'a': [1]}}") == before
    assert loaded_by(f"{COMPILE}\ncompiled.validate_json(json.dumps({{'a': [1]}}))") == before


def test_a_stringified_call_needs_neither_heuristics_nor_messages() -> None:
    """What is undone exactly is undone without a guess."""
    loaded = loaded_by(f"{COMPILE}\nassert compiled.validate({{'a': '[1]'}}) == {{'a': [1]}}")
    assert not loaded & {
        "json_repair",
        "pyjson5",
        "schema2model.coerce.diagnosis.violations",
    }


def test_a_damaged_text_compiles_few_of_the_patterns() -> None:
    """Each is compiled when it is first used: all of them would take longer than hundreds of texts.

    In a process of its own, where nothing was used before.
    """
    program = f"""{COMPILE}
import gc
from schema2model.regexes import LazyPattern
compiled.validate_json('{{"a": [1],}}')
lazy = [each for each in gc.get_objects() if type(each) is LazyPattern]
used = [each for each in lazy if "match" in vars(each)]
assert len(lazy) > 100, len(lazy)
assert 0 < len(used) < 20, [each.pattern for each in used]
"""
    loaded_by(program)


def test_tools_import_what_few_calls_need_when_it_is_needed() -> None:
    """Neither pydantic's models, nor the repair of text: a tool made of a definition needs none."""
    program = "from schema2model import Tool, Toolset\n"
    program += "Toolset([{'name': 'f', 'parameters': {'type': 'object'}}]).prepare('f', '{}')"
    loaded = loaded_by(program)
    rare = {"difflib", "pickle", "pydantic.main", "schema2model.text.grammars"}
    assert loaded.isdisjoint(rare | {"schema2model.tools.signatures", "schema2model.tools.results"})


def test_dir_shows_public_names_only() -> None:
    """What a shell completes is what can be used."""
    shown = {name for name in dir(schema2model) if not name.startswith("__")}
    assert shown == {*schema2model.__all__}


def test_all_is_sorted_and_complete() -> None:
    """Every public name is listed, and every listed name is there."""
    names = schema2model.__all__
    assert list(names) == sorted(names)
    assert len(set(names)) == len(names)
    for name in names:
        assert getattr(schema2model, name).__doc__
    public = {
        name
        for name, value in vars(schema2model).items()
        if not name.startswith("_") and getattr(value, "__module__", "").startswith("schema2model")
    }
    assert public <= set(names)


def test_completion_shows_all_of_it() -> None:
    """Also what is imported only when it is asked for."""
    program = "import schema2model; assert {*schema2model.__all__} <= {*dir(schema2model)}"
    loaded = loaded_by(program)
    assert not loaded & {
        "schema2model.model.arguments_model",
        "schema2model.tools.tool",
        "schema2model.coerce.partial",
    }
    assert "__doc__" in dir(schema2model)


def test_the_version_is_that_of_the_distribution() -> None:
    """Read when it is asked for, as that takes a while."""
    assert schema2model.__version__ == version("pydantic-schema2model")
    assert "__version__" in dir(schema2model)


def test_what_public_methods_take_and_give_can_be_imported() -> None:
    """To annotate one's own code with it."""
    compiled = schema2model.compile_schema({"type": "integer"})
    explanation = compiled.explain("1")
    assert type(explanation) is schema2model.Explanation
    assert type(explanation.changes[0]) is schema2model.Change
    assert type(compiled.partial()) is schema2model.PartialArguments
    assert issubclass(compiled.model, schema2model.ArgumentsModel)
    tool = schema2model.Tool.from_schema({"name": "f", "parameters": {"type": "object"}})
    assert type(tool.prepare({})) is schema2model.Prepared


@pytest.mark.parametrize("module", ["", ".types", ".apps.audit.diff", ".apps.audit"])
def test_public_records_cannot_be_changed(module: str) -> None:
    """Whoever gets one may hand it on."""
    public = import_module(f"schema2model{module}")
    records = [
        each
        for each in (getattr(public, name) for name in public.__all__)
        if isinstance(each, type) and dataclasses.is_dataclass(each)
    ]
    assert records
    for each in records:
        made: Any = each.__new__(each)
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(made, dataclasses.fields(each)[0].name, None)


@functools.cache
def imported_by(module: str) -> frozenset[str]:
    """Our modules that a module imports: at its top, in functions, for types alone, or by name."""
    found: set[str] = set()
    for node in nodes(module):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("schema2model"):
            found |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {a.name for a in node.names if a.name.startswith("schema2model")}
        elif isinstance(node, ast.Call) and "import_module" in (
            getattr(node.func, "id", ""),
            getattr(node.func, "attr", ""),
        ):
            name = node.args[0]
            found.add(str(name.value) if isinstance(name, ast.Constant) else "")
    return frozenset(found)


def test_imports_point_one_way() -> None:
    """No module imports, in whatever way, one that imports it, however long the way around."""
    imports = {name: imported_by(name) & {*MODULES} - {name} for name in MODULES}
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        pytest.fail(f"a circle: {' <- '.join(error.args[1])}")


CORE = {
    *(
        "advice",
        "cache",
        "coerce",
        "coercions",
        "compiled",
        "documents",
        "errors",
        "extras",
        "faults",
        "json",
    ),
    *("limits", "logs", "model", "regexes", "schema", "strict", "text"),
}
"""What compiles schemas, and validates and corrects values."""
LIBRARY = {"calls", "coercing_models", "tools", "types"}
"""What makes tools, calls and users' classes of that."""
INTEGRATIONS = {"adapters", "telemetry"}
APPLICATIONS = {"__main__", "apps"}

LAYERS = {
    "core": (CORE, CORE),
    "library": (LIBRARY, CORE | LIBRARY),
    "integrations": (INTEGRATIONS, CORE | LIBRARY | INTEGRATIONS | {"face"}),
    "applications": (
        APPLICATIONS,
        (CORE - {"text", "coerce"}) | LIBRARY | INTEGRATIONS | APPLICATIONS | {"face"},
    ),
}
"""The folders and modules at the root that are in each layer, and those that it may import. The
face is what `schema2model` itself offers, for programs; applications and integrations are such."""


PROBING = "schema2model.apps.audit.diff.example_arguments"
"""The one module of an application that asks what messages ask: it probes a schema's places."""


def room_of(name: str) -> str:
    """The folder or module at the root of the package that has a module, or a name of one."""
    room = name.removeprefix("schema2model.").partition(".")[0]
    return room if f"schema2model.{room}" in MODULES else "face"


def test_every_module_at_the_root_is_in_one_layer() -> None:
    """A new folder has to say where it belongs."""
    rooms = [room for own, _ in LAYERS.values() for room in own]
    assert len(rooms) == len({*rooms})
    assert {*rooms} == {room_of(name) for name in MODULES} - {"face"}


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_imports_none_above_it(layer: str) -> None:
    """Neither at its top nor later: from the core up to what programs and people run.

    Names that `schema2model` offers are for those alone. Applications take nothing from the
    innermost folders: the library offers it to them.
    """
    own, allowed = LAYERS[layer]
    for name in MODULES:
        if room_of(name) in own:
            rooms = {room_of(each) for each in imported_by(name) - {"", "schema2model"}}
            assert not rooms - allowed - ({"coerce"} if name == PROBING else set()), name


def test_every_module_says_what_it_is_for_and_what_it_offers() -> None:
    """A docstring, and `__all__` in order, unless it has nothing to offer."""
    for module in MODULES.keys() - {"schema2model"}:
        tree = parsed(module)
        assert ast.get_docstring(tree), module
        for node in tree.body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                offered = ast.literal_eval(node.value)
                assert len(set(offered)) == len(offered), module
                constants = [name for name in offered if name.isupper()]
                assert constants == sorted(constants), module
