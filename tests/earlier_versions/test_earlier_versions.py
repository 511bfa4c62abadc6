"""What 0.2.0 wrote is read: pickles and generated classes. Its import paths are there."""

from __future__ import annotations

import base64
import importlib.util
import json
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

import schema2model
from schema2model import Coercion, SchemaError, ToolError
from schema2model.moved import MOVED, present_name
from schema2model.types import AccountEntry, Prepared, ResultError

HERE: Final = Path(__file__).parent
LINES: Final = (HERE / "pickles_0_2_0.jsonl").read_text("ascii").splitlines()
PICKLES: Final = {row["of"]: base64.b64decode(row["pickle"]) for row in map(json.loads, LINES)}

IMPORT_PATHS: Final = [
    f"schema2model.{name}"
    for name in (
        *("types", "errors", "telemetry", "auditing", "batch", "batch.rows", "cache", "comparing"),
        *("reporting", "reporting.text", "tool_models", "adapters.jsonschema", "tools.results"),
        *("tools.tool", "coercing_models.models"),
    )
]
"""The modules of 0.2.0 that its documentation names and that need no extra."""

ORDER: Final = {"limit": "1"}


def is_answered(toolset: Any) -> bool:
    """Whether a toolset prepares a call of its tool `order`."""
    prepared: Prepared = toolset.prepare("order", {"limit": "1", "inner": None})
    return prepared.arguments == {"limit": 1}


def runs_its_hook(tool: Any) -> bool:
    """Whether a tool calls its hook, which takes only integers, and refuses unknown arguments."""
    with pytest.raises(TypeError, match="'Prepared' object cannot be interpreted as an integer"):
        tool.prepare(ORDER)
    with pytest.raises(ToolError, match="other"):
        tool.prepare({**ORDER, "other": 1})
    return True


CHECKS: Final[dict[str, Callable[[Any], bool]]] = {
    "compiled": lambda it: it.validate(ORDER) == {"limit": 1} and it.name == "Order",
    "filling": lambda it: (
        it.validate({"limit": 1, "inner": {}}) == {"limit": 1, "inner": {"a": 3}}
        and it.dialect == "http://json-schema.org/draft-07/schema"
        and it.coercion == Coercion.forgiving
    ),
    "coercion": lambda it: it == Coercion.default.replace(comma_text=True),
    "model": lambda it: it.model_validate(ORDER).model_dump() == {"limit": 1},
    "instance": lambda it: it.model_dump() == {"limit": 1, "inner": {"a": 2}},
    "nested": lambda it: it.a == 2,
    "tool_error": lambda it: type(it) is ToolError and it.issues[0].path == "/limit",
    "schema_error": lambda it: type(it) is SchemaError and it.pointer == "/type",
    "unknown_tool": lambda it: type(it) is ToolError and "`ordr`" in str(it),
    "result_error": lambda it: type(it) is ResultError and "/n: expected integer" in str(it),
    "tool": lambda it: it.prepare(ORDER).arguments == {"limit": 1} and "n" in str(it.output_schema),
    "hooked_tool": runs_its_hook,
    "function_tool": lambda it: it.call({"year": 2024}) is True,
    "prepared": lambda it: it.arguments == {"limit": 1} and it.tool.name == "order",
    "toolset": lambda it: is_answered(it) and it.call("isleap", {"year": 2023}) is False,
    "strict_toolset": lambda it: is_answered(it) and it["order"].strict is not None,
    "strict": lambda it: it.decode({"limit": 1, "inner": None}) == {"limit": 1},
    "account": lambda it: type(it[0]) is AccountEntry and it[0].status == "enforced",
    "budget": lambda it: it.strict == ("order",),
    "calls": lambda it: [(call.name, call.arguments) for call in it] == [("order", {"limit": 1})],
    "corrector": lambda it: it.correct("order", '{"limit": "1"}').status == "coerced",
    "outcome": lambda it: it.corrected == '{"limit":1}' and it.changes[0].rule == "json_text",
    "layout": lambda it: it.arguments == "arguments",
    "report": lambda it: it.tools[0].name == "find it",
    "comparison": lambda it: it.changes[0].kind == "breaking",
}
"""Something that each object still does, by the names in the file of pickles."""


@pytest.mark.parametrize("of", CHECKS)
def test_a_pickle_is_loaded_and_works(of: str) -> None:
    """Whatever modules its classes are in now."""
    assert CHECKS[of](pickle.loads(PICKLES[of]))  # noqa: S301 - our own


def test_every_pickle_is_checked() -> None:
    """None of them is left out."""
    assert PICKLES.keys() == CHECKS.keys()


def test_generated_classes_are_imported_and_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the imports that `schema2model codegen` wrote into them."""
    monkeypatch.setitem(sys.modules, "generated", module := ModuleType("generated"))
    exec((HERE / "classes_0_2_0.txt").read_text("utf-8"), vars(module))  # noqa: S102 - our own
    made = module.GetTime.model_validate({"class": "1", "when": '{"day": "2030-01-31"}'})
    assert made.class_ == 1
    assert made.when.day == "2030-01-31"


@pytest.mark.parametrize("path", IMPORT_PATHS)
def test_an_import_path_is_the_module_that_it_has_become(path: str) -> None:
    """The same module object, so that a class is known by both names."""
    assert importlib.import_module(path) is importlib.import_module(present_name(path) or path)


@pytest.mark.parametrize("path", MOVED)
def test_a_moved_module_is_there(path: str) -> None:
    """No entry leads nowhere; what needs an extra is found without being run."""
    assert importlib.util.find_spec(str(present_name(path))) is not None


def test_type_checkers_see_the_public_ones() -> None:
    """Each module that users import has a file of one line, which names where it has gone."""
    root = Path(schema2model.__file__).parent
    for path in MOVED:
        line = root.joinpath(f"{path.rpartition('.')[2]}.py")
        if line.exists():
            assert f"\nfrom {MOVED[path]} import *" in line.read_text("utf-8")
    faces = {path.stem for path in root.glob("*.py") if "import *" in path.read_text("utf-8")}
    assert faces == {
        *("auditing", "batch", "cache", "codegen", "comparing", "reporting", "tool_models"),
    }
