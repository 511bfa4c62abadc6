"""Objects within arguments are models to whoever asks for them, and what was sent to all others."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import assume, given, strategies as st
from oracle import same
from pydantic import TypeAdapter, ValidationError
from strategies import calls

from schema2model import ArgumentsModel, SchemaError, ToolError, compile_schema

STRING, INTEGER = {"type": "string"}, {"type": "integer"}
PLACE = {"type": "object", "properties": {"street": STRING}, "required": ["street"]}


# ------------------------------------------------------------------------------------------ laws
def models_in(value: Any) -> Iterator[ArgumentsModel]:
    """All models in a value, each of which is asked for every one of its attributes."""
    if isinstance(value, ArgumentsModel):
        yield value
        for name, below in value:
            yield from models_in(below)
            if name in type(value).model_fields and not name.startswith(("_", "model_")):
                assert getattr(value, name) is below
    elif isinstance(value, dict):
        for below in value.values():
            yield from models_in(below)
    elif isinstance(value, list):
        for below in value:
            yield from models_in(below)


@given(st.data())
def test_looking_changes_nothing(data: st.DataObject) -> None:
    """Whatever is asked for, the dump stays; a part is valid by itself, and can be pickled."""
    schema, values = data.draw(calls())
    try:
        compiled = compile_schema(schema)
    except SchemaError:
        assume(condition=False)
    for sent in values:
        try:
            result = compiled.validate(sent)
        except ToolError:
            continue
        instance = compiled.model.model_validate(sent)
        for part in models_in(instance):
            assert same(
                type(part).model_validate(part.model_dump()).model_dump(), part.model_dump()
            )
            assert pickle.loads(pickle.dumps(part)) == part  # noqa: S301 - our own bytes
            assert copy.deepcopy(part) == part
        assert same(instance.model_dump(), result)
        assert instance == compiled.model.model_validate(result)


# ------------------------------------------------------------------------------------- which class
NAMES: dict[str, tuple[Any, str]] = {
    "title": ({**PLACE, "title": "Ship To"}, "ShipTo"),
    "definition": ({"$ref": "#/$defs/postal_address"}, "PostalAddress"),
    "property": (PLACE, "TheField"),
    "items": ({"type": "array", "items": PLACE}, "TheField"),
    "a title that is no name": ({**PLACE, "title": "2nd %"}, "Model2nd"),
    "a name as it is": ({**PLACE, "title": "HTTP_Address"}, "HTTP_Address"),
    "not a word": ({**PLACE, "title": "%"}, "Model"),
}


@pytest.mark.parametrize(("schema", "name"), NAMES.values(), ids=NAMES)
def test_models_within_have_names(schema: Any, name: str) -> None:
    """By title, definition or property, in this order."""
    whole = {"properties": {"the-field": schema}, "$defs": {"postal_address": PLACE}}
    annotation = compile_schema(whole).model.model_fields["the-field"].annotation
    kind: Any = getattr(annotation, "__args__", (annotation,))[0]
    assert kind.__name__ == name
    assert issubclass(kind, ArgumentsModel)
    assert kind.model_json_schema().get("properties") == PLACE["properties"]


def branch(name: str, **more: Any) -> Any:
    """An object of which a property is required."""
    return {"type": "object", "properties": {name: STRING}, "required": [name], **more}


ALIKE: dict[str, tuple[Any, list[str]]] = {
    "untitled branches": ({"anyOf": [branch("a"), branch("b")]}, ["X", "X2"]),
    "branches of one title": (
        {"anyOf": [branch("a", title="Ship"), branch("b", title="Ship")]},
        ["Ship", "Ship2"],
    ),
    "with the number taken": (
        {"anyOf": [branch("a", title="X2"), branch("b"), branch("c", title="X")]},
        ["X2", "X", "X3"],
    ),
    "called as the whole": ({"anyOf": [branch("a", title="Whole"), branch("b")]}, ["Whole2", "X"]),
    "called as a definition": (
        {"anyOf": [{"$ref": "#/$defs/X"}, branch("b")]},
        ["X", "X2"],
    ),
}


@pytest.mark.parametrize(("schema", "names"), ALIKE.values(), ids=ALIKE)
@pytest.mark.parametrize("last_first", [False, True])
def test_different_models_have_different_names(
    schema: Any,
    names: list[str],
    last_first: bool,  # noqa: FBT001
) -> None:
    """The same ones whichever is asked for first, and after pickling."""
    listed = {"type": "array", "items": {"$ref": "#/properties/x"}}
    whole = {"title": "Whole", "properties": {"x": schema, "y": listed},
             "$defs": {"X": branch("a")}, "$comment": f"{last_first}"}  # fmt: skip
    model = compile_schema(whole).model
    sent = "abc"[: len(names)]
    made = {}
    for name in reversed(sent) if last_first else sent:
        found = model(x={name: "x"}, y=[{name: "x"}])
        made[name] = type(found.x).__name__
        assert type(found.y[0]) is type(found.x)
        assert pickle.loads(pickle.dumps(type(found.x))) is type(found.x)  # noqa: S301 - our own
    assert [made[name] for name in sent] == names


DEFINED = {"Place": PLACE, "Alias": {"$ref": "#/$defs/Place"}}
SAME: dict[str, Any] = {
    "a reference": {"$ref": "#/$defs/Place"},
    "beside a description": {"$ref": "#/$defs/Place", "description": "Where to."},
    "through another": {"$ref": "#/$defs/Alias"},
    "as older pydantic writes it": {"allOf": [{"$ref": "#/$defs/Place"}]},
    "or null": {"anyOf": [{"$ref": "#/$defs/Place"}, {"type": "null"}]},
    "to where it is used": {"$ref": "#/properties/first"},
}


@pytest.mark.parametrize("schema", SAME.values(), ids=SAME)
def test_one_definition_is_one_class(schema: Any) -> None:
    """However it is referred to."""
    whole = {"properties": {"first": {"$ref": "#/$defs/Place"}, "a": schema}, "$defs": DEFINED}
    made = compile_schema(whole).model(first={"street": "x"}, a={"street": "y"})
    assert type(made.a) is type(made.first)
    assert type(made.a).__name__ == "Place"


OPENED: dict[str, tuple[Any, Any, str]] = {
    "tagged": (
        {"oneOf": [{"properties": {"k": {"const": k}, k: INTEGER}, "required": ["k"],
                    "type": "object", "title": k.upper()} for k in "ab"]},
        {"k": "b", "b": 1},
        "B",
    ),
    "told by what is required": (
        {"anyOf": [{"title": k.upper(), "properties": {k: INTEGER}, "required": [k]} for k in "ab"]}
        | {"type": "object"},
        {"b": 1},
        "B",
    ),
    "free-form beside declared": (
        {"anyOf": [{**PLACE, "title": "P"}, {"type": "object", "additionalProperties": INTEGER}]},
        {"x": 1},
        "dict",
    ),
    "all of several": (
        {"allOf": [PLACE, {"properties": {"zip": STRING}}], "title": "Both"},
        {"street": "x", "zip": "1"},
        "Both",
    ),
    "free-form": ({"type": "object"}, {"street": "x"}, "dict"),
    "anything": ({}, {"street": "x"}, "dict"),
    "properties without a type": ({"properties": {"a": {}}, "title": "T"}, {"a": 1}, "T"),
}  # fmt: skip


@pytest.mark.parametrize(("schema", "sent", "name"), OPENED.values(), ids=OPENED)
def test_the_class_is_that_of_the_branch(schema: Any, sent: Any, name: str) -> None:
    """And a dict where nothing is declared."""
    whole = {"properties": {"a": schema, "b": {"type": "array", "items": schema}}}
    made = compile_schema(whole).model(a=sent, b=[sent])
    assert type(made.a).__name__ == type(made.b[0]).__name__ == name
    assert made.model_dump() == {"a": sent, "b": [sent]}


HIDDEN = ["copy", "json", "schema", "dict", "holding", "_x", "model_config", "class", "a b", "root"]


@pytest.mark.parametrize("name", HIDDEN)
def test_properties_of_any_name_are_models(name: str) -> None:
    """Also those that pydantic has another use for."""
    model = compile_schema({"properties": {name: PLACE, "other": INTEGER}}).model
    made = model.model_validate({name: {"street": "x"}, "other": "1"})
    if not name.startswith("model_"):
        getattr(made, name).street = "y"
        assert made.model_dump() == {name: {"street": "y"}, "other": 1}
        assert dict(made)[name].street == "y"
    assert model.model_validate({"other": 1}).model_dump() == {"other": 1}
    assert copy.deepcopy(made) == made == model.model_validate(made.model_dump())


def test_a_list_of_objects_has_models_as_well() -> None:
    """Under `root`, as pydantic's own RootModel."""
    made = compile_schema({"type": "array", "items": PLACE}).model.model_validate([{"street": 1}])
    assert made.root[0].street == "1"
    made.root[0].street = "x"
    made.root.append({"street": "y"})
    assert made.model_dump() == [{"street": "x"}, {"street": "y"}]
    assert pickle.loads(pickle.dumps(made)) == made  # noqa: S301 - our own bytes


def test_earlier_dumps_stay_as_they_are() -> None:
    """What is changed in a model is in the next one."""
    model = compile_schema(
        {"properties": {"a": PLACE, "b": {"type": "array", "items": PLACE}}}
    ).model
    made = model(a={"street": "x"}, b=[{"street": "y"}])
    before = made.model_dump()
    made.a.street = "z"
    made.b[0].street = "z"
    made.b.append(made.a)
    assert before == {"a": {"street": "x"}, "b": [{"street": "y"}]}
    after = {"a": {"street": "z"}, "b": [{"street": "z"}, {"street": "z"}]}
    assert made.model_dump() == after
    assert type(made.model_dump()["a"]) is dict


def test_threads_see_one_model() -> None:
    """Who asks first makes it for all."""
    made = compile_schema({"properties": {"a": PLACE}}).model(a={"street": "x"})
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: made.a, range(200)))
    assert all(each is made.a for each in found)


PROGRAM = """
import pickle, sys
instance, model, part = pickle.loads(sys.stdin.buffer.read())
assert type(instance) is model and type(part) is type(instance.a), (instance, model, part)
assert part.street == instance.a.street == "x"
sys.stdout.buffer.write(pickle.dumps(type(part)))
"""


def test_classes_and_instances_go_to_other_processes() -> None:
    """Where the schema is compiled again, and back, where they are what they were."""
    model = compile_schema({"properties": {"a": PLACE}}).model
    made = model(a={"street": "x"})
    sent = pickle.dumps((made, model, made.a))
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", PROGRAM], input=sent, capture_output=True, check=True
    )
    assert pickle.loads(done.stdout) is type(made.a)  # noqa: S301 - our own bytes


COUNTED = {"type": "object", "properties": {"n": INTEGER}}
INTRICATE: dict[str, tuple[Any, dict[str, Any]]] = {
    "an anchor": (
        {"properties": {"o": {"properties": {"z": {"$ref": "#here"}}}},
         "$defs": {"q": {"$anchor": "here", **COUNTED}}},
        {},
    ),
    "an old anchor": (
        {"$schema": "http://json-schema.org/draft-07/schema#",
         "properties": {"o": {"properties": {"z": {"$ref": "#here"}}}},
         "definitions": {"q": {"$id": "#here", **COUNTED}}},
        {},
    ),
    "an identifier": (
        {"$id": "https://example.com/a", "properties": {"o": {"properties": {"z": {"$ref": "b"}}}},
         "$defs": {"q": {"$id": "b", **COUNTED}}},
        {},
    ),
    "a dynamic anchor": (
        {"$dynamicAnchor": "x", **COUNTED, "properties": {
            "n": INTEGER, "o": {"type": "object", "properties": {"z": {"$dynamicRef": "#x"}}}}},
        {},
    ),
    "another document": (
        {"properties": {"o": {"$ref": "https://example.com/b#/$defs/o"}}},
        {"resources": {"https://example.com/b": {"$defs": {
            "o": {"properties": {"z": {"$ref": "#/$defs/z"}}}, "z": COUNTED}}}},
    ),
    "Gemini": (
        {"type": "OBJECT", "properties": {"o": {"type": "OBJECT", "properties": {
            "z": {"type": "OBJECT", "nullable": True, "properties": {"n": {"type": "INTEGER"}}}}}}},
        {"dialect": "gemini"},
    ),
    "a root that refers": (
        {"$ref": "#/$defs/a", "$defs": {"a": {**COUNTED, "properties": {
            "n": INTEGER, "o": {"$ref": "#/$defs/a"}, "z": {"$ref": "#"}}}}},
        {},
    ),
    "an inner part": (
        {"properties": {"o": {"properties": {"z": {"$ref": "#/properties/o/properties/y"},
                                             "y": COUNTED}}}},
        {},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("schema", "options"), INTRICATE.values(), ids=INTRICATE)
def test_parts_of_intricate_schemas_stand_by_themselves(schema: Any, options: Any) -> None:
    """Each reads arguments of its own, has a schema, and can be embedded and pickled."""
    made = compile_schema(schema, **options).model(o={"z": {"n": "1"}})
    assert made.o.z.n == 1
    for part in (made, made.o, made.o.z):
        kind: Any = type(part)
        assert kind.model_validate(part.model_dump()) == part
        assert kind.model_json_schema()
        assert pickle.loads(pickle.dumps(part)) == part  # noqa: S301 - our own bytes
        outer = TypeAdapter(list[kind]).json_schema()
        if "resources" not in options and "definitions" not in schema:
            assert compile_schema(outer).is_valid([part.model_dump()])
    assert type(made.o.z)(n="2").n == 2
    with pytest.raises(ValidationError):
        type(made.o.z)(n="two")
