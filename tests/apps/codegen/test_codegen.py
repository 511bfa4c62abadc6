"""The promises of generated code: what its classes look like."""

from __future__ import annotations

import datetime as dt
import json
import os
import subprocess
import sys
import types
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import schemas

pytest.importorskip("datamodel_code_generator", reason="needs the extra codegen")

from generated import (
    EXAMPLE,
    HOTEL,
    changes_of_ruff,
    dumped,
    held,
    hostile_source,
    imported,
    mcp,
    model_of,
    properties,
)
from pydantic import TypeAdapter
from type_checkers import CHECKERS

from schema2model import compile_schema
from schema2model.apps import codegen

# ------------------------------------------------------------------------------- what it looks like
CLASSES = '''
class Condition(ExactModel):
    """What articles have."""

    model_config = ConfigDict(
        extra="allow",
    )
    field: str
    and_: Annotated[list[Condition] | None, Field(alias="and")] = None


class SearchArticles(ToolModel):
    """Search for articles."""

    model_config = ConfigDict(
        extra="forbid",
    )
    tags: list[str]
    """All of them."""
    limit: Annotated[int, Field(ge=1, le=100)] = 10
    sort: Literal["asc", "desc"] | None = None
    max_price: Annotated[int | float | None, Field(alias="max-price", gt=0.0)]
    where: Condition | None = None
    extra: dict[str, int] | None = None

    __schema__: ClassVar[Any] = {
        "type": "object",
'''


def test_classes_read_as_people_write_them() -> None:
    """Modern annotations, aliases, literals, docstrings; one class for each tool and definition."""
    source = codegen.generate([EXAMPLE], header="Made by: hand")
    assert CLASSES in source
    header = "# -*- coding: utf-8 -*-\n\n# Made by: hand\n\nfrom __future__ import annotations\n"
    assert source.startswith(header)
    assert source.endswith(
        "\n\n\nTOOLS: dict[str, type[CoercingModel]] = {\n"
        '    "search-articles": SearchArticles,\n}\n'
    )


ALL = [mcp(name, schema, f"The tool {name}.") for name, schema in schemas.TOOLS.items()]


@pytest.fixture(scope="module")
def zoo() -> str:
    """The module for all schemas of our own."""
    return codegen.generate(ALL)


@pytest.fixture(scope="module")
def hotel() -> str:
    """The module for a document."""
    return codegen.generate_document(HOTEL, coercion="off")


def test_output_depends_on_nothing_but_the_schemas(zoo: str, tmp_path: Path) -> None:
    """Neither on the seed of hashes, nor on what a folder says to formatters and generators."""
    (tmp_path / "pyproject.toml").write_text(
        "[tool.black]\nline-length = 20\n[tool.datamodel-codegen]\nsnake-case-field = true\n"
    )
    program = (
        "import json, sys; from schema2model.apps.codegen import generate;"
        "sys.stdout.buffer.write(generate(json.load(sys.stdin)).encode())"
    )
    seed = "1" if os.environ.get("PYTHONHASHSEED") == "0" else "0"  # another than here
    done = subprocess.run(  # noqa: S603 - this Python
        [sys.executable, "-c", program],
        input=json.dumps(ALL).encode(),
        env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode() == zoo


def test_classes_pass_mypy_in_strict_mode(zoo: str, hotel: str, tmp_path: Path) -> None:
    """And so does code that uses them as they are typed."""
    used = codegen.generate([EXAMPLE]) + (
        "\nfound = SearchArticles.model_validate({})\n"
        "tags: list[str] = found.tags\n"
        "limit: int = found.limit\n"
        "field: str | None = found.where.field if found.where else None\n"
        'made = SearchArticles(tags=["a"], where=Condition(field="b"))  # type: ignore[call-arg]\n'
    )
    document = hotel + (
        "\nbooking = Booking.model_validate({})\n"
        "name: str = booking.guest.name\n"
        "nights: int = booking.nights\n"
        "floor: int | None = booking.wishes.floor if booking.wishes else None\n"
        'made = Guest(name="Ada", code=None)\n'
        "Guest(name=5)  # type: ignore[arg-type]\n"
    )
    sources = {"zoo": zoo, "used": used, "texts": hostile_source(), "hotel": document}
    for name, source in sources.items():
        (tmp_path / f"{name}.py").write_text(source)
    assert not [*CHECKERS["mypy"]([tmp_path], tmp_path)]


def test_the_layout_is_that_of_ruff_format(zoo: str, hotel: str, tmp_path: Path) -> None:
    """So that a project's own formatter has nothing to change."""
    assert changes_of_ruff(zoo, tmp_path) == ""
    assert changes_of_ruff(hotel, tmp_path) == ""


def test_the_schema_is_that_of_the_tool() -> None:
    """It can be given to a provider again, and holds within other models too."""
    model = model_of(EXAMPLE["inputSchema"])
    assert model.model_json_schema() == EXAMPLE["inputSchema"]
    within = compile_schema(TypeAdapter(list[model]).json_schema())  # type: ignore[valid-type]
    call = {"tags": [], "max-price": 1, "where": {"field": "a", "and": [{"field": "b"}]}}
    assert within.is_valid([call])
    assert not within.is_valid([{**call, "where": {"and": []}}])


def test_fields_are_the_properties(zoo: str) -> None:
    """Every declared property is held, under its own name as an alias."""
    tools = imported(zoo)["TOOLS"]
    assert tools.keys() == schemas.TOOLS.keys()
    for name, model in tools.items():
        assert {*held(model)} >= {*schemas.TOOLS[name].get("properties", {})}


ANNOTATIONS: dict[str, tuple[Any, str]] = {
    "string": ({"type": "string", "minLength": 1}, "Annotated[str | None, Field(min_length=1)]"),
    "number": ({"type": "number"}, "int | float | None"),
    "null": ({"type": "null"}, "None"),
    "no type": ({}, "Any | None"),
    "never": (False, "Any | None"),
    "const": ({"const": "a"}, "Literal['a'] | None"),
    "choices of several types": ({"enum": [1, "a", True, None]}, "Literal[1, 'a', True] | None"),
    "choices that no Literal takes": ({"enum": [1.5, {}]}, "Any | None"),
    "an integer that mypy does not take": ({"const": 2**63}, "Any | None"),
    "array": ({"type": "array"}, "list[Any] | None"),
    "bounded array": (
        {"type": "array", "maxItems": 3},
        "Annotated[list[Any] | None, Field(max_length=3)]",
    ),
    "tuple": ({"type": "array", "prefixItems": [{}], "items": False}, "list[Any] | None"),
    "object": ({"type": "object"}, "dict[str, Any] | None"),
    "closed object": (properties(a={}) | {"additionalProperties": False}, "ToolP | None"),
    "map of objects": (
        {"type": "object", "additionalProperties": properties(a={})},
        "dict[str, ToolPValue] | None",
    ),
    "types": ({"type": ["array", "string", "null"]}, "list[Any] | str | None"),
    "alternatives": (
        {"anyOf": [{"type": "integer"}, {"const": "all"}]},
        "Literal['all'] | int | None",
    ),
    "all of": ({"allOf": [{"type": "string"}, {"pattern": "a"}]}, "str | None"),
    "a default of another type": ({"type": "integer", "default": "many"}, "int | None"),
    "a bound that is no float": ({"type": "number", "maximum": 2**70 + 1}, "int | float | None"),
    "a bound that is no integer": ({"type": "integer", "maximum": 1.5}, "int | None"),
}  # fmt: skip


@pytest.mark.parametrize("name", ANNOTATIONS)
def test_annotations_say_what_they_can(name: str) -> None:
    """The types of JSON are those of Python, and what has none is `Any`."""
    schema, annotation = ANNOTATIONS[name]
    assert f"\n    p: {annotation} = None\n" in codegen.generate(
        [mcp("tool", properties(p=schema))]
    ).replace('"', "'")


EMPTY: dict[str, tuple[Any, str]] = {
    "list": ({"type": "array", "default": []}, "list[Any] = Field(default_factory=list)"),
    "dict": ({"type": "object", "default": {}}, "dict[str, Any] = Field(default_factory=dict)"),
    "bounded list": (
        {"type": "array", "items": {"type": "string"}, "maxItems": 3, "default": []},
        "Annotated[list[str], Field(max_length=3)] = Field(default_factory=list)",
    ),
    "not empty": ({"type": "array", "default": [1]}, "list[Any] | None = None"),
    "of another type": ({"type": "array", "default": {}}, "list[Any] | None = None"),
    "of a class": (properties(a={}) | {"default": {}}, "ToolP | None = None"),
}


@pytest.mark.parametrize(("schema", "written"), EMPTY.values(), ids=EMPTY)
def test_empty_defaults_are_kept(schema: Any, written: str) -> None:
    """Each instance has its own."""
    whole = properties(p=schema)
    assert f"\n    p: {written}\n" in codegen.generate([mcp("tool", whole)])
    model: Any = model_of(whole)
    first, second = model.model_validate({}), model.model_validate({})
    if "factory" in written:
        assert first.p == second.p == schema["default"]
        assert first.p is not second.p
        assert model.model_validate({}).model_dump(exclude_unset=True) == {}


def test_imports_are_in_order(tmp_path: Path) -> None:
    """As isort, and ruff after it, have them in a project that schema2model is no part of."""
    module = tmp_path / "generated.py"
    module.write_text(codegen.generate([EXAMPLE]))
    check = ["ruff", "check", "--isolated", "--select", "I", str(module)]
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", *check], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stdout


def test_alternatives_of_a_tool_are_offered_together() -> None:
    """A property that every alternative knows has their types; one that some do may be anything."""
    branches = [
        {**properties(kind={"const": "a"}, size={"type": "integer"}), "required": ["kind"]},
        {**properties(kind={"const": "b"}, name={"type": "string"}), "required": ["kind"]},
    ]
    source = codegen.generate([mcp("tool", {"oneOf": branches})])
    assert '    kind: Literal["a"] | Literal["b"]\n' in source
    assert "    size: Any | None = None\n" in source
    closed = [{**branch, "additionalProperties": False} for branch in branches]
    source = codegen.generate([mcp("tool", {"oneOf": closed})])
    assert "    size: int | None = None\n" in source


def test_a_property_may_have_the_name_of_a_class() -> None:
    """Its attribute has another, as the class could not be named in its annotation."""
    definitions = {"Address": properties(street={"type": "string"})}
    schema = properties(Address={"$ref": "#/$defs/Address"}) | {"$defs": definitions}
    written = '    Address_: Annotated[Address | None, Field(alias="Address")] = None\n'
    assert written in codegen.generate([mcp("tool", schema)])


@pytest.mark.parametrize("name", ["register", "mro"])
def test_names_of_the_metaclass_are_no_attributes(name: str) -> None:
    """The generator would change them."""
    model = model_of(properties(**{name: {"type": "integer"}}))
    assert dumped(model.model_validate({name: 1})) == {name: 1}


def test_there_is_no_class_without_a_use() -> None:
    """What is only part of `Any` has none."""
    schema = properties(p={"anyOf": [properties(a=properties(b={})), {}]})
    assert codegen.generate([mcp("tool", schema)]).count("\nclass ") == 1


def test_formats_are_python_types_and_defaults_are_filled_in() -> None:
    """Where that is asked for; a property of the name of a type is an attribute of another."""
    text = {"type": "string"}
    schema = properties(
        at={**text, "format": "date-time"},
        date={**text, "format": "date"},
        days={"type": "array", "items": {**text, "format": "date"}},
        ids={"type": "object", "properties": {"id": {**text, "format": "uuid"}}},
        route={"default": {"via": ["Rome"]}},
    )
    source = codegen.generate([mcp("trip", schema)], formats="convert", defaults="fill")
    assert "from datetime import date, datetime\n" in source
    assert "class Trip(ToolModel, formats='convert', defaults='fill')" in source.replace('"', "'")
    assert "    at: datetime | None = None\n" in source
    assert "    days: list[date] | None = None\n" in source
    sys.modules["trips"] = types.ModuleType("trips")
    try:
        exec(source, vars(sys.modules["trips"]))  # noqa: S102 - our own
        model = vars(sys.modules["trips"])["Trip"]
        sent = {"at": "2030-01-31T10:00:00Z", "date": "2030-01-31", "ids": {"id": str(UUID(int=1))}}
        trip = model.model_validate({**sent, "days": '["2030-01-31"]'})
    finally:
        del sys.modules["trips"]
    assert (trip.at.year, trip.date_, trip.days) == (2030, dt.date(2030, 1, 31), [trip.date_])
    assert trip.ids.id == UUID(int=1)
    assert trip.route == {"via": ["Rome"]}
    assert json.loads(trip.model_dump_json(by_alias=True, exclude_none=True)) == {
        **sent,
        "days": ["2030-01-31"],
        "route": {"via": ["Rome"]},
    }
    assert "datetime" not in codegen.generate([mcp("trip", schema)]).partition("__schema__")[0]
