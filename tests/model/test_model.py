"""The pydantic model: an ordinary BaseModel whose instances hold what was sent, typed."""

from __future__ import annotations

import copy
import inspect
import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any, Literal, Optional, Union

import annotated_types
import pytest
from corruptions import TOOLS, corrupted
from hypothesis import given, strategies as st
from oracle import same
from pydantic import (
    BaseModel,
    BeforeValidator,
    Field,
    TypeAdapter,
    ValidationError,
    create_model,
)
from pydantic_core import PydanticUndefined, to_jsonable_python

from schema2model import ToolError, compile_schema

INTEGER, STRING = {"type": "integer"}, {"type": "string"}
SCHEMA = {
    "type": "object",
    "title": "search",
    "description": "Finds things.",
    "properties": {
        "query": {"type": "string", "description": "What to look for.", "minLength": 1},
        "limit": {"type": "integer", "minimum": 1, "exclusiveMaximum": 100, "default": 10},
        "score": {"type": "number", "multipleOf": 0.5},
        "tags": {"type": "array", "items": STRING, "maxItems": 5},
        "order": {"enum": ["asc", "desc"]},
        "cursor": {"type": ["string", "null"], "default": None},
        "either": {"anyOf": [INTEGER, {"type": "array", "items": INTEGER}]},
        "inner": {"type": "object", "properties": {"a": INTEGER}},
        "counts": {"type": "object", "additionalProperties": INTEGER},
        "exact": {"type": "boolean"},
    },
    "required": ["query"],
}
SEARCH = compile_schema(SCHEMA)
MODEL = SEARCH.model

AWKWARD = [
    *("class", "from", "foo-bar", "_x", "__x", "x y", "", "1", "ä", "$ref", "a.b", "a/b", "\n"),
    *("schema", "json", "copy", "dict", "construct", "validate", "fields", "root", "self", "cls"),
    *("model_config", "model_fields", "model_dump", "model_extra", "model_validate", "__dict__"),
    *("__class__", "__init__", "__engine__", "__pydantic_fields_set__"),
    *("__pydantic_extra__", "__pydantic_validator__", "__getattr__", "_holding", "x" * 1000),
]
"""Names that Python, pydantic or the model itself give a meaning."""


# ------------------------------------------------------------------------------- description
def test_it_is_an_ordinary_model() -> None:
    """Frameworks recognise it as what it is."""
    assert isinstance(MODEL, type)
    assert issubclass(MODEL, BaseModel)
    assert MODEL.__name__ == "search"
    assert MODEL.__doc__ == "Finds things."
    assert MODEL is SEARCH.model


def test_the_fields_are_the_declared_properties() -> None:
    """All of them, in the schema's order."""
    assert list(MODEL.model_fields) == list(SCHEMA["properties"])


ANNOTATIONS = {
    "query": str,
    "limit": int,
    "score": float,
    "tags": list[str],
    "order": Literal["asc", "desc"],
    "cursor": Optional[str],  # noqa: UP045 - a union of its members, in any order
    "either": Union[int, list[int]],  # noqa: UP007 - the same
    "counts": dict[str, int],
    "exact": bool,
}


@pytest.mark.parametrize(("name", "annotation"), ANNOTATIONS.items(), ids=ANNOTATIONS)
def test_annotations_read_well(name: str, annotation: Any) -> None:
    """A field carries the Python type that says most about it."""
    assert MODEL.model_fields[name].annotation == annotation


def test_objects_with_properties_are_annotated_as_models() -> None:
    """Which have a name, and fields of their own."""
    inner = MODEL.model_fields["inner"].annotation
    assert issubclass(inner, BaseModel)
    assert inner.__name__ == "Inner"
    assert inner.model_fields["a"].annotation is int


def test_descriptions_and_defaults_are_shown() -> None:
    """The default is shown, and never dumped."""
    fields = MODEL.model_fields
    assert fields["query"].description == "What to look for."
    assert fields["query"].is_required()
    assert fields["query"].default is PydanticUndefined
    assert fields["limit"].default == 10
    assert not fields["tags"].is_required()
    assert MODEL.model_validate({"query": "x"}).model_dump() == {"query": "x"}
    assert MODEL.model_validate({"query": "x"}).model_dump_json() == '{"query":"x"}'


def test_bounds_are_shown() -> None:
    """As `annotated_types`, where pydantic keeps them."""
    fields = MODEL.model_fields
    assert {annotated_types.Ge(1), annotated_types.Lt(100)} <= set(fields["limit"].metadata[:2])
    assert annotated_types.MultipleOf(0.5) in fields["score"].metadata
    assert annotated_types.MinLen(1) in fields["query"].metadata
    assert annotated_types.MaxLen(5) in fields["tags"].metadata


BOUNDED: dict[str, tuple[Any, list[Any]]] = {
    "between integers": (
        {"type": "integer", "minimum": 0.5, "maximum": 1e300},
        [annotated_types.Ge(1), annotated_types.Le(int(1e300))],
    ),
    "exclusive": (
        {"type": "integer", "exclusiveMinimum": 0.5, "exclusiveMaximum": 2.5},
        [annotated_types.Gt(0), annotated_types.Lt(3)],
    ),
    "parts of integers": ({"type": "integer", "multipleOf": 0.5}, []),
    "too great for a float": ({"type": "number", "maximum": 10**400}, []),
    "of several types": ({"type": ["integer", "string"], "minimum": 1, "maxLength": 1}, []),
    "of another type": ({"type": "string", "minimum": 1, "minItems": 2}, []),
    "of any type": ({"minimum": 1}, []),
    "of choices": ({"enum": [1, "x"], "minimum": 1}, []),
    "or null": ({"type": ["number", "null"], "minimum": 1}, [annotated_types.Ge(1)]),
}


@pytest.mark.parametrize(("schema", "bounds"), BOUNDED.values(), ids=BOUNDED)
def test_frameworks_can_make_models_of_the_fields(schema: Any, bounds: list[Any]) -> None:
    """Bounds are such as pydantic can apply to the type; the others are for the schema to say."""
    field = compile_schema({"properties": {"a": schema}}).model.model_fields["a"]
    assert [each for each in field.metadata if not hasattr(each, "func")] == bounds
    made = create_model("Made", a=(field.annotation, field))
    assert made.model_validate({"a": "x" if schema.get("type") == "string" else 1})


def test_what_runs_before_is_shown() -> None:
    """Each rule that applies is a BeforeValidator with the rule's own function."""

    def before(name: str, preset: str = "default") -> list[str]:
        fields = compile_schema(SCHEMA, coercion=preset).model.model_fields
        found = (item for item in fields[name].metadata if isinstance(item, BeforeValidator))
        return [item.func.__name__ for item in found]

    assert "integer_text" in before("limit")
    assert "number_text" in before("score")
    assert "boolean_word" in before("exact")
    assert "scalar_text" in before("query")
    assert before("limit", "off") == []


def test_the_schema_is_the_one_given() -> None:
    """Byte for byte, and a copy: nobody's change to it is anyone else's."""
    assert MODEL.model_json_schema() == SCHEMA
    MODEL.model_json_schema()["properties"].clear()
    assert json.dumps(MODEL.model_json_schema()) == json.dumps(SCHEMA)


@pytest.mark.parametrize("title", ["a b", "", "class", "model_dump", "a\0b", "ä", "x" * 10_000])
def test_any_title_will_do(title: str) -> None:
    """A schema's title need not be a name in Python."""
    model = compile_schema({"type": "object", "title": title}).model
    assert model.model_validate({"a": 1}).model_dump() == {"a": 1}
    assert model.model_json_schema()["title"] == title


# ------------------------------------------------------------------------------------- names
@pytest.mark.parametrize("declared", [True, False], ids=["declared", "undeclared"])
@pytest.mark.parametrize("name", AWKWARD, ids=lambda name: repr(name[:30]))
def test_any_name_will_do(name: str, declared: bool) -> None:  # noqa: FBT001
    """A property of any name is validated, held, dumped and compared like every other."""
    properties = {name: INTEGER, "other": INTEGER} if declared else {"other": INTEGER}
    model = compile_schema({"type": "object", "properties": properties}).model
    assert list(model.model_fields) == list(properties)
    instance = model.model_validate({name: "5" if declared else 5, "other": "6"})
    assert instance.model_dump() == {name: 5, "other": 6}
    assert json.loads(instance.model_dump_json()) == {name: 5, "other": 6}
    assert dict(instance) == {name: 5, "other": 6}
    assert instance == model.model_validate({name: 5, "other": 6})
    assert instance != model.model_validate({name: 6, "other": 6})
    assert instance.model_fields_set == {name, "other"}
    assert "other=6" in repr(instance)
    assert isinstance(instance, model)
    assert pickle.loads(pickle.dumps(instance)) == instance  # noqa: S301 - our own bytes
    assert copy.deepcopy(instance) == instance
    assert model.model_construct(**{name: 5, "other": 6}) == instance


HIDING = ["schema", "json", "copy", "dict", "construct", "validate", "parse_obj"]


@pytest.mark.parametrize("name", ["query", "class", "foo-bar", "_x", *HIDING])
def test_properties_are_attributes(name: str) -> None:
    """Frameworks ask for `getattr(instance, field)`; pydantic's old methods stand back."""
    model = compile_schema({"type": "object", "properties": {name: STRING}}).model
    assert getattr(model.model_validate({name: "x"}), name) == "x"


def test_what_was_not_sent_is_the_default_or_none() -> None:
    """A declared property can be asked for; one that is not declared cannot."""
    instance = MODEL.model_validate({"query": "x"})
    assert instance.tags is None
    assert instance.limit == 10
    with pytest.raises(AttributeError):
        _ = instance.unheard_of


# -------------------------------------------------------------------------------- validation
def test_values_are_plain() -> None:
    """Nested objects are dumped as dicts, absent stays absent, undeclared is kept."""
    sent = {"query": "x", "inner": '{"a": "1"}', "more": {"b": [1]}}
    instance = MODEL.model_validate(sent)
    assert instance.model_dump() == {"query": "x", "inner": {"a": 1}, "more": {"b": [1]}}
    assert instance.inner.a == 1
    assert instance.model_dump() == {"query": "x", "inner": {"a": 1}, "more": {"b": [1]}}
    assert instance.model_fields_set == {"query", "inner", "more"}
    assert instance.model_extra == {"more": {"b": [1]}}


def test_text_is_repaired() -> None:
    """`model_validate_json` reads what `validate_json` reads."""
    assert MODEL.model_validate_json("{query: 'x', limit: '5',}").model_dump() == {
        "query": "x",
        "limit": 5,
    }
    assert MODEL.model_validate_json(b'```json\n{"query": "x"}\n```').query == "x"
    with pytest.raises(ValidationError, match="cut off inside a string"):
        MODEL.model_validate_json('{"query": "x')


def test_errors_have_pydantics_shape() -> None:
    """One line for each problem: where, with indices as numbers, and in the words of ToolError."""
    with pytest.raises(ValidationError) as raised:
        MODEL.model_validate({"query": 5, "limit": 0, "tags": ["a", {}], "inner": {"a": "x"}})
    assert raised.value.title == "search"
    assert [(error["loc"], error["msg"]) for error in raised.value.errors()] == [
        (
            ("limit",),
            (
                "expected integer of at least 1 and less than 100, found 0; "
                "for example 10 would be accepted"
            ),
        ),
        (("tags", 1), 'expected string, found {}; for example "text" would be accepted'),
        (("inner", "a"), 'expected integer, found "x"; for example 1 would be accepted'),
    ]
    assert {error["ctx"]["keyword"] for error in raised.value.errors()} == {"minimum", "type"}


def test_locations_are_not_escaped() -> None:
    """A location is made of keys, not of JSON Pointer tokens."""
    schema = {"properties": {"a/b": {"properties": {"c~d": INTEGER, "0": INTEGER}}}}
    with pytest.raises(ValidationError) as raised:
        compile_schema(schema).model.model_validate({"a/b": {"c~d": "x", "0": "x"}})
    assert [error["loc"] for error in raised.value.errors()] == [("a/b", "c~d"), ("a/b", "0")]


@given(st.data())
def test_one_meaning(data: st.DataObject) -> None:
    """`model_validate(x).model_dump()` is `validate(x)`, and an error where that is one."""
    tool = data.draw(st.sampled_from(TOOLS))
    compiled = compile_schema(tool.schema)
    sent = data.draw(corrupted(tool))
    try:
        result = compiled.validate(sent)
    except ToolError:
        with pytest.raises(ValidationError):
            compiled.model.model_validate(sent)
        return
    instance = compiled.model.model_validate(sent)
    assert same(instance.model_dump(), result)
    assert same(json.loads(instance.model_dump_json()), result)
    assert compiled.model.model_validate(instance.model_dump()) == instance


ROOTS: dict[str, tuple[Any, Any, Any]] = {
    "array": ({"type": "array", "items": INTEGER}, '["1"]', [1]),
    "string": (STRING, 5, "5"),
    "null": ({"type": "null"}, "None", None),
    "boolean": ({"type": "boolean"}, "no", False),
    "union": ({"anyOf": [INTEGER, {"type": "null"}]}, "5", 5),
    "union with an object": ({"anyOf": [INTEGER, {"type": "object"}]}, '{"a": 1}', {"a": 1}),
    "anything, an object": ({}, {"root": 1}, {"root": 1}),
    "anything, a list": ({}, [1], [1]),
    "anything, empty": (True, {}, {}),
    "no type": ({"properties": {"a": INTEGER}}, [1], [1]),
}


@pytest.mark.parametrize(("schema", "sent", "read"), ROOTS.values(), ids=ROOTS)
def test_any_root_will_do(schema: Any, sent: Any, read: Any) -> None:
    """Where the arguments are no object, the instance dumps what they are."""
    model = compile_schema(schema).model
    instance = model.model_validate(sent)
    assert instance.model_dump() == read
    assert json.loads(instance.model_dump_json()) == read
    assert instance == model.model_validate(read)
    for again in (
        pickle.loads(pickle.dumps(instance)),  # noqa: S301 - our own bytes
        copy.copy(instance),
        copy.deepcopy(instance),
        instance.model_copy(),
    ):
        assert again == instance
        assert again.model_dump() == read
    assert isinstance(repr(instance), str)
    if not isinstance(read, dict):
        assert instance.root == read
        assert instance.model_fields_set == set()


# ------------------------------------------------------------------------------------- dumps
FULL = {"query": "x", "cursor": None, "inner": {"a": 1, "b": None}, "more": 1}
DUMPS: dict[str, tuple[dict[str, Any], Any]] = {
    "mode": ({"mode": "json"}, FULL),
    "by_alias": ({"by_alias": True}, FULL),
    "exclude_unset": ({"exclude_unset": True}, FULL),
    "round_trip": ({"round_trip": True}, FULL),
    "warnings": ({"warnings": False}, FULL),
    "include": ({"include": {"query", "more"}}, {"query": "x", "more": 1}),
    "exclude": ({"exclude": {"inner", "more"}}, {"query": "x", "cursor": None}),
    "exclude below": (
        {"exclude": {"inner": {"b"}, "more": True, "cursor": True}},
        {"query": "x", "inner": {"a": 1}},
    ),
    "exclude_none": (
        {"exclude_none": True},
        {"query": "x", "inner": {"a": 1}, "more": 1},
    ),
    "several": ({"exclude_none": True, "include": {"cursor", "more"}}, {"more": 1}),
}


@pytest.mark.parametrize(("options", "dumped"), DUMPS.values(), ids=DUMPS)
def test_dump_options(options: dict[str, Any], dumped: Any) -> None:
    """The options of `BaseModel.model_dump` mean what they mean there."""
    instance = MODEL.model_validate(FULL)
    assert instance.model_dump(**options) == dumped
    text_options = {name: value for name, value in options.items() if name != "mode"}
    assert json.loads(instance.model_dump_json(**text_options)) == dumped


def test_dumps_are_copies() -> None:
    """A dump is the caller's own: adding to it changes no instance."""
    instance = MODEL.model_validate(FULL)
    instance.model_dump()["query"] = "y"
    assert instance.model_dump() == FULL
    assert instance.model_dump_json(indent=2).startswith('{\n  "query"')


def test_an_instance_owns_its_values() -> None:
    """What the caller does with the arguments afterwards does not reach it."""
    sent = {"query": "x", "more": {"b": [1]}}
    instance = MODEL.model_validate(sent)
    sent["more"]["b"].append(2)
    assert instance.model_dump() == {"query": "x", "more": {"b": [1]}}


# --------------------------------------------------------------------------------- instances
def test_instances_compare_and_copy() -> None:
    """Like those of any other model."""
    instance = MODEL.model_validate({"query": "x", "limit": "5"})
    assert instance == MODEL.model_validate({"query": "x", "limit": 5})
    assert instance != MODEL.model_validate({"query": "x"})
    assert repr(instance) == "search(query='x', limit=5)"
    assert instance.model_copy() == instance
    assert copy.copy(instance) == instance
    changed = instance.model_copy(update={"limit": 6})
    assert (changed.limit, instance.limit) == (6, 5)
    assert changed.model_dump() == {"query": "x", "limit": 6}


def test_instances_are_made_by_keywords_too() -> None:
    """`Model(**arguments)` coerces like `model_validate`, and raises like it."""
    assert MODEL(query="x", limit="5").model_dump() == {"query": "x", "limit": 5}
    with pytest.raises(ValidationError):
        MODEL(limit=5)


def test_instances_are_made_without_validation_too() -> None:
    """`model_construct` holds what it is given."""
    instance = MODEL.model_construct(query=5, more="x")
    assert instance.model_dump() == {"query": 5, "more": "x"}
    assert (instance.query, instance.more, instance.limit) == (5, "x", 10)
    assert instance.model_fields_set == {"query", "more"}
    assert MODEL.model_construct({"query"}, query="x").model_fields_set == {"query"}
    assert MODEL.model_construct(_fields_set={"more"}, query="x").model_dump() == {"query": "x"}
    assert MODEL.model_construct() == MODEL.model_construct()


def test_attributes_can_be_set() -> None:
    """Declared or not, what is set is dumped."""
    instance = MODEL.model_validate({"query": "x"})
    instance.limit = 5
    instance.more = 6
    assert instance.model_dump() == {"query": "x", "limit": 5, "more": 6}


def test_an_instance_is_valid() -> None:
    """Validating an instance returns it."""
    instance = MODEL.model_validate({"query": "x"})
    assert MODEL.model_validate(instance) == instance


def test_instances_can_be_pickled() -> None:
    """The schema goes along and is compiled on the other side."""
    instance = MODEL.model_validate(FULL)
    again = pickle.loads(pickle.dumps(instance))  # noqa: S301 - our own bytes
    assert again == instance
    assert again.model_dump() == FULL


def test_validation_options_are_taken() -> None:
    """Those of pydantic's methods are accepted, and change nothing where they have no place."""
    text = '{"query": "x", "limit": "5"}'
    for method, sent in (("model_validate", json.loads(text)), ("model_validate_json", text)):
        validate = getattr(MODEL, method)
        names = {*list(inspect.signature(getattr(BaseModel, method)).parameters)[1:]}
        assert {"strict", "extra"} < names
        for name in names - {"strict", "extra"}:
            assert validate(sent, **{name: True}).limit == 5
        assert validate(sent, strict=False, extra=None).limit == 5


@pytest.mark.parametrize("method", ["model_validate", "model_validate_json"])
def test_strict_validation_does_not_coerce(method: str) -> None:
    """As with `coercion="off"`: what is valid as it stands, and nothing else."""

    def validate(sent: Any) -> Any:
        given = json.dumps(sent) if method == "model_validate_json" else sent
        return getattr(MODEL, method)(given, strict=True)

    assert validate({"query": "x", "limit": 5}).limit == 5
    with pytest.raises(ValidationError) as raised:
        validate({"query": "x", "limit": "5"})
    assert [(e["loc"], e["type"]) for e in raised.value.errors()] == [(("limit",), "int_type")]
    with pytest.raises(ValidationError):
        MODEL.model_validate_json("{query: 'x'}", strict=True)


@pytest.mark.parametrize("extra", ["allow", "ignore", "forbid"])
def test_what_the_schema_says_is_not_asked_again(extra: Any) -> None:
    """`extra` would be ignored, so it is refused."""
    with pytest.raises(TypeError, match="additionalProperties"):
        MODEL.model_validate({"query": "x"}, extra=extra)
    with pytest.raises(TypeError, match="additionalProperties"):
        MODEL.model_validate_json('{"query": "x"}', extra=extra)


@pytest.mark.parametrize("options", [{"strikt": True}, {"coercion": "off"}], ids=str)
def test_unknown_options_are_refused(options: dict[str, Any]) -> None:
    """A misspelt option is a mistake that has to be seen."""
    instance = MODEL.model_validate({"query": "x"})
    for call in (
        lambda: MODEL.model_validate({"query": "x"}, **options),
        lambda: MODEL.model_validate_json('{"query": "x"}', **options),
        lambda: instance.model_dump(**options),
        lambda: instance.model_dump_json(**options),
    ):
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{next(iter(options))}'"):
            call()


class Redacting(MODEL):  # type: ignore[misc, valid-type]
    """A subclass that pickle finds by its name, and that dumps less than it holds."""

    def model_dump(self, **options: Any) -> Any:
        """All but one property."""
        return super().model_dump(exclude={"more"})

    class Inner(MODEL):  # type: ignore[misc, valid-type]
        """One within another class."""


@pytest.mark.parametrize("kind", [Redacting, Redacting.Inner])
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickled_instances_keep_their_class(kind: Any, protocol: int) -> None:
    """And all that they hold."""
    again = pickle.loads(pickle.dumps(kind.model_validate(FULL), protocol))  # noqa: S301
    assert type(again) is kind
    assert again.more == 1
    rooted = pickle.loads(pickle.dumps(Listed.model_validate("[1]"), protocol))  # noqa: S301
    assert (type(rooted), rooted.root) == (Listed, [1])


class Listed(compile_schema({"type": "array"}).model):  # type: ignore[misc]
    """One whose arguments are no object."""


def test_pickled_instances_of_a_local_class_are_of_the_compiled_model() -> None:
    """Which is what others can find."""
    model: Any = compile_schema(SCHEMA).model  # the one in the cache, which may be a newer one

    class Local(model):  # type: ignore[misc]
        pass

    again = pickle.loads(pickle.dumps(Local.model_validate(FULL)))  # noqa: S301 - our own bytes
    assert (type(again), again.model_dump()) == (model, FULL)


# -------------------------------------------------------------------------- beside other models
DEFINED_INTEGER, DEFINED_FLAG = (
    {
        "type": "object",
        "title": kind,
        "properties": {"x": {"$ref": "#/$defs/x"}},
        "$defs": {"x": {"type": kind}},
    }
    for kind in ("integer", "boolean")
)


def test_models_are_fields_of_models() -> None:
    """Two models with definitions of the same name keep them apart."""
    first, second = compile_schema(DEFINED_INTEGER).model, compile_schema(DEFINED_FLAG).model
    outer: Any = create_model("Outer", a=(first, ...), b=(second, ...), c=(first | None, None))
    instance = outer.model_validate({"a": {"x": "1"}, "b": '{"x": "1"}'})
    assert instance.model_dump() == {"a": {"x": 1}, "b": {"x": True}, "c": None}
    assert json.loads(instance.model_dump_json())["b"] == {"x": True}
    assert isinstance(instance.a, first)
    assert outer.model_validate_json('{"a": {"x": "1"}, "b": {"x": "no"}}').b.x is False
    with pytest.raises(ValidationError) as raised:
        outer.model_validate({"a": {"x": "y"}, "b": {}})
    assert raised.value.errors()[0]["loc"][0] == "a"
    assert '"integer"' in json.dumps(outer.model_json_schema())


class Account(BaseModel, extra="allow"):
    """What a person writes for the schema below."""

    user: str
    password: Optional[str] = None  # noqa: UP045 - evaluated on Python 3.10
    inner: dict[str, Any] = {}


ACCOUNT = compile_schema(
    {"properties": {"user": STRING, "password": {"type": ["string", "null"]}, "inner": {}}}
).model
SECRETIVE: dict[str, Any] = {
    "one": {"user": "x", "password": "secret", "inner": {"a": 1, "b": "secret"}, "more": None},
    "many": [{"user": "x", "password": "secret", "inner": {}}] * 2,
    "named": {"k": {"user": "x", "password": None, "inner": {}}},
    "either": {"user": "x", "password": "secret", "inner": {}},
    "below": {"account": {"user": "x", "password": "secret", "inner": {}, "more": "secret"}},
}
WITHIN: dict[str, dict[str, Any]] = {
    "nothing": {},
    "exclude": {"exclude": {"one": {"password", "more"}}},
    "exclude deeply": {"exclude": {"one": {"password": True, "inner": {"b"}}}},
    "exclude from all": {"exclude": {"many": {"__all__": {"password"}}}},
    "exclude from one": {"exclude": {"many": {0: {"password"}}}},
    "exclude by name": {"exclude": {"named": {"k": {"user"}}}},
    "exclude from a union": {"exclude": {"either": {"password": True}}},
    "exclude in a model": {"exclude": {"below": {"account": {"password", "more"}}}},
    "include": {"include": {"one": {"user"}, "many": {1: {"user"}}}},
    "include and exclude": {"include": {"one"}, "exclude": {"one": {"password"}}},
    "exclude_none": {"exclude_none": True},
    "several": {"exclude_none": True, "exclude": {"one": {"password"}}, "by_alias": True},
}


def around(account: Any) -> Any:
    """A model with accounts in all places."""
    middle = create_model("Middle", account=(account, ...))
    return create_model(
        "Outer",
        one=(account, ...),
        many=(list[account], ...),
        named=(dict[str, account], ...),
        either=(int | account, ...),
        below=(middle, ...),
    )


@pytest.mark.parametrize("options", WITHIN.values(), ids=WITHIN)
def test_dump_options_reach_models_within(options: dict[str, Any]) -> None:
    """What is excluded from a part stays out of every dump, as with a model that people write."""
    ours, theirs = around(ACCOUNT)(**SECRETIVE), around(Account)(**SECRETIVE)
    assert isinstance(ours.one, ACCOUNT)
    assert ours.model_dump(**options) == theirs.model_dump(**options)
    dumped = theirs.model_dump(mode="json", **options)
    assert ours.model_dump(mode="json", **options) == dumped
    assert json.loads(ours.model_dump_json(**options)) == dumped


def test_dump_options_reach_models_in_types() -> None:
    """Whoever dumps them."""
    adapter, listed = TypeAdapter(ACCOUNT), TypeAdapter(list[ACCOUNT])  # type: ignore[valid-type]
    account = ACCOUNT(user="x", password="secret")  # noqa: S106 - it is to stay out
    assert adapter.dump_python(account, exclude={"password"}) == {"user": "x"}
    assert adapter.dump_json(account, exclude={"password"}) == b'{"user":"x"}'
    without = {"__all__": {"password"}}
    assert listed.dump_python([account], exclude=without) == [{"user": "x"}]
    assert listed.dump_json([account], exclude=without) == b'[{"user":"x"}]'
    assert to_jsonable_python(account, exclude={"password"}) == {"user": "x"}


def test_dump_options_reach_arguments_that_are_no_object() -> None:
    """As with pydantic's RootModel."""
    instance = compile_schema({"type": "array", "items": {}}).model.model_validate([None, 1, 2])
    assert instance.model_dump(exclude={1}, exclude_none=True) == [None, 2]
    assert instance.model_dump_json(include={1}) == "[1]"


def test_what_else_is_in_a_field_is_dumped_as_pydantic_does() -> None:
    """With a warning, and with the options: a field may hold what nobody has validated."""
    outer: Any = create_model("Outer", one=(ACCOUNT, ...))
    unvalidated = outer.model_construct(one=Account(user="x", password="secret"))  # noqa: S106
    with pytest.warns(UserWarning, match="Pydantic serializer warnings"):
        dumped = unvalidated.model_dump(exclude={"one": {"password"}})
    assert dumped == {"one": {"user": "x", "inner": {}}}


def test_of_a_union_each_dumps_its_own() -> None:
    """A model beside a compiled one in a union keeps its aliases."""

    class Aliased(BaseModel):
        user: str = Field(serialization_alias="name")

    outer: Any = create_model("Outer", either=(ACCOUNT | Aliased, ...))
    dumped = outer(either=Aliased(user="x")).model_dump(by_alias=True)
    assert dumped == {"either": {"name": "x"}}


def test_models_are_types() -> None:
    """A TypeAdapter takes them, alone and in containers."""
    listed = TypeAdapter(list[MODEL])  # type: ignore[valid-type]
    (item,) = listed.validate_python([{"query": "x", "limit": "1"}])
    assert item.limit == 1
    assert listed.dump_python([item]) == [{"query": "x", "limit": 1}]
    assert json.loads(listed.dump_json([item])) == [{"query": "x", "limit": 1}]
    assert TypeAdapter(MODEL).validate_json('{"query": "x"}').query == "x"
    assert TypeAdapter(MODEL).json_schema()["properties"] == SCHEMA["properties"]


def test_rebuilding_changes_nothing() -> None:
    """Frameworks call `model_rebuild` on what they are given."""
    model = compile_schema({**SCHEMA, "title": "rebuilt"}).model
    model.model_rebuild(force=True)
    assert model.model_validate({"query": "x", "limit": "5"}).limit == 5


def test_subclasses_keep_the_schema() -> None:
    """A subclass may add methods."""

    class Search(MODEL):  # type: ignore[misc, valid-type]
        def words(self) -> list[str]:
            return str(self.query).split()

    instance = Search.model_validate({"query": "a b", "limit": "5"})
    assert isinstance(instance, Search)
    assert instance.words() == ["a", "b"]
    assert instance.model_dump() == {"query": "a b", "limit": 5}
    assert list(Search.model_fields) == list(MODEL.model_fields)


def test_threads_share_a_model() -> None:
    """The first calls may come at the same time."""
    compiled = compile_schema({**SCHEMA, "title": "shared"})

    def call(number: int) -> Any:
        return compiled.model.model_validate({"query": "x", "limit": str(number)}).limit

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(call, range(1, 99))) == list(range(1, 99))
    assert compiled.model is compiled.model


class Key(str):
    """A name that cannot be compared."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        raise RuntimeError


@pytest.mark.parametrize("strict", [False, True])
def test_a_hostile_name_is_a_validation_error(strict: bool) -> None:  # noqa: FBT001
    """Also where the error tells what stands at a place."""
    model = compile_schema({"properties": {"a": {"enum": [1]}}}).model
    with pytest.raises(ValidationError):
        model.model_validate({Key("a"): "x"}, strict=strict)


class Endless:
    """An object that is its own part, as are those of databases."""

    name = "x"

    @property
    def parent(self) -> Endless:
        """Itself."""
        return self

    @property
    def children(self) -> list[Any]:
        """Two of it, in a list that holds itself."""
        found: list[Any] = [self, self]
        return [*found, found.append(found) or found]  # type: ignore[func-returns-value]


def test_objects_without_end_are_refused() -> None:
    """And those that refer to one another again and again, in time that is bounded."""
    model = compile_schema(
        {
            "properties": {
                "name": {"type": "string"},
                "parent": {"$ref": "#"},
                "children": {"type": "array", "items": {"$ref": "#"}},
            }
        }
    ).model
    for adapted in (model, TypeAdapter(model)):
        validate = getattr(adapted, "model_validate", None) or adapted.validate_python
        with pytest.raises(ValidationError):
            validate(Endless(), from_attributes=True)
    many = [SimpleNamespace(name=f"{number}") for number in range(8)]
    for each in many:
        each.children = many
    with pytest.raises(ValidationError):
        model.model_validate(many[0], from_attributes=True)
    one = SimpleNamespace(name="a", children=[SimpleNamespace(name="b", parent=None)])
    assert model.model_validate(one, from_attributes=True).children[0].name == "b"


def test_attributes_of_unions_within_unions_are_read_once() -> None:
    """However many ways through the branches there are."""
    kinds = {
        kind: {"properties": {"kind": {"const": kind}, "next": {"$ref": "#/$defs/any"}}}
        for kind in "ab"
    }
    union = {"anyOf": [{"$ref": f"#/$defs/{kind}"} for kind in kinds]}
    model = compile_schema({"properties": {"first": union}, "$defs": {"any": union, **kinds}}).model
    chain = SimpleNamespace(kind="a")
    for _ in range(40):
        chain = SimpleNamespace(kind="b", next=chain)
    made = model.model_validate(SimpleNamespace(first=chain), from_attributes=True)
    assert made.first.next.next.kind == "b"


def test_a_branch_that_takes_anything_is_no_tag() -> None:
    """A refusal beside an `anyOf` that has `true` is told like any other."""
    model = compile_schema({"anyOf": [True], "oneOf": [{"type": "integer"}]}).model
    with pytest.raises(ValidationError, match="expected integer"):
        model.model_validate("x")
