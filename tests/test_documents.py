"""`compile_document`: all components of a document as models that share their classes."""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping
from typing import Any, get_args
from urllib.parse import quote

import pytest
from hypothesis import given, strategies as st
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter, ValidationError

from schema2model import SchemaError, compile_document, compile_schema
from schema2model.coerce import engine

CORE = engine.validator_of
STRING, INTEGER = {"type": "string"}, {"type": "integer"}


def shop(keyword: str) -> dict[str, Any]:
    """Components that share others, and lead back to themselves."""
    at = keyword.rstrip("/")
    components: dict[str, Any] = {
        "Guest": {"type": "object", "properties": {"name": STRING}, "required": ["name"]},
        "Line": {
            "title": "One of several lines",
            "type": "object",
            "properties": {
                "sku": STRING,
                "note": {"type": "object", "properties": {"text": STRING}},
                "parts": {"type": "array", "items": {"$ref": f"#/{at}/Line"}},
            },
        },
        "Order": {
            "type": "object",
            "properties": {
                "guest": {"$ref": f"#/{at}/Guest"},
                "payer": {"$ref": f"#/{at}/Payer"},
                "lines": {"$ref": f"#/{at}/order-lines"},
                "status": {"$ref": f"#/{at}/Status"},
                "note": {"type": "object", "properties": {"by": STRING}},
            },
            "required": ["guest"],
        },
        "Payer": {"$ref": f"#/{at}/Guest"},
        "order-lines": {"type": "array", "items": {"$ref": f"#/{at}/Line"}},
        "Status": {"enum": ["placed", "sent"]},
    }
    document: dict[str, Any] = components
    for name in reversed(at.split("/")):
        document = {name: document}
    return document


PLACES = ("components/schemas", "$defs", "definitions")
SHOP = {"openapi": "3.1.0", "info": {}, "paths": {}, **shop("components/schemas")}
ORDER = {"guest": {"name": "Ada"}, "payer": {"name": "Bob"}, "lines": [{"sku": "a", "parts": []}]}


@pytest.mark.parametrize("place", PLACES)
def test_every_component_is_one_class(place: str) -> None:
    """Named like it, wherever others refer to it, and whatever its title is."""
    models = compile_document(shop(place))
    assert [*models] == ["Guest", "Line", "Order", "Payer", "order-lines", "Status"]
    order = models["Order"].model_validate(ORDER)
    assert type(order.guest) is models["Guest"] is type(order.payer)
    (part,) = get_args(models["Line"].model_fields["parts"].annotation)
    assert type(order.lines[0]) is models["Line"] is part
    names = [models[name].__name__ for name in models if name != "Payer"]
    assert names == [name for name in models if name != "Payer"]
    assert order.model_dump() == ORDER


def test_a_component_that_only_refers_to_another_is_that_ones_class() -> None:
    """A value of one is then a value of the other."""
    models = compile_document(SHOP)
    assert models["Payer"] is models["Guest"]


def test_components_that_are_no_objects_are_models_too() -> None:
    """They hold their value under `root`, as other compiled models do."""
    models = compile_document(SHOP)
    assert models["Status"].model_validate("sent").root == "sent"
    (line,) = models["order-lines"].model_validate('[{"sku": 5}]').root
    assert (type(line), line.sku) == (models["Line"], "5")
    with pytest.raises(ValidationError):
        models["Status"].model_validate("lost")


def test_objects_within_components_have_names_of_their_own() -> None:
    """A number tells those apart that would be called the same, or as a component is."""
    models = compile_document(SHOP)
    order = models["Order"].model_validate({**ORDER, "note": {"by": "Eve"}})
    line = models["Line"].model_validate({"note": {"text": "x"}})
    assert {type(order.note).__name__, type(line.note).__name__} == {"Note", "Note2"}
    document = {
        "$defs": {"Note": INTEGER, "A": {"properties": {"note": {"properties": {"b": {}}}}}}
    }
    within = compile_document(document)["A"].model_validate({"note": {"b": 1}}).note
    assert type(within).__name__ == "Note2"


def test_the_mapping_cannot_be_changed() -> None:
    """So that all may share it."""
    models: Any = compile_document(SHOP)
    assert isinstance(models, Mapping)
    with pytest.raises(TypeError):
        models["Other"] = models["Order"]


def test_equal_documents_give_the_same_classes() -> None:
    """With equal options, as schemas do; with others, other classes."""
    assert compile_document(SHOP)["Order"] is compile_document(SHOP)["Order"]
    assert compile_document(SHOP, coercion="off")["Order"] is not compile_document(SHOP)["Order"]


def test_a_model_has_the_schema_of_its_component() -> None:
    """With the definitions that it needs, and no others."""
    schema = compile_document(SHOP)["Line"].model_json_schema()
    assert schema["title"] == "One of several lines"
    assert [*schema["$defs"]] == ["Line"]
    assert compile_schema(schema).is_valid({"parts": [{"sku": "a"}]})


def test_models_and_instances_can_be_pickled() -> None:
    """They are the same again, since the document is compiled where they are loaded."""
    models = compile_document(SHOP)
    order = models["Order"].model_validate(ORDER)
    assert pickle.loads(pickle.dumps(models["Line"])) is models["Line"]  # noqa: S301
    again = pickle.loads(pickle.dumps(order))  # noqa: S301
    assert (type(again), again) == (models["Order"], order)


def test_options_are_those_of_compile_schema() -> None:
    """They apply to every component."""
    document = {"$defs": {"Day": {"properties": {
        "at": {"type": "string", "format": "date"}, "open": {"default": True}, "n": INTEGER,
    }}}}  # fmt: skip
    day = compile_document(document, coercion="off", formats="convert", defaults="fill")["Day"]
    made = day.model_validate({"at": "2030-01-31"})
    assert (made.at.year, made.model_dump()) == (2030, {"at": "2030-01-31", "open": True})
    with pytest.raises(ValidationError):
        day.model_validate({"n": "1"})


def test_programs_may_pass_on_the_none_of_a_property_that_was_not_sent() -> None:
    """It is the same as no argument, unless the schema allows null; data may not have it."""
    note = {"type": ["string", "null"]}
    models = compile_document(
        {"$defs": {"A": {"type": "object", "properties": {"n": INTEGER, "note": note},
                         "required": ["n"]},
                   "B": {"properties": {"a": {"$ref": "#/$defs/A"}, "m": INTEGER}}}},
        coercion="off",
    )  # fmt: skip
    empty = models["B"]()
    assert models["B"](a=empty.a, m=5).model_dump() == {"m": 5}
    assert models["A"](n=1, note=None).model_dump() == {"n": 1, "note": None}
    with pytest.raises(ValidationError, match="not null"):
        models["A"](n=None)
    with pytest.raises(ValidationError):
        models["B"].model_validate({"a": None})


NULLABLE = {"type": "string", "nullable": True}
TYPES = {"type": ["string", "null"]}
BOUND = {"minimum": 0, "exclusiveMinimum": True}
DIALECTS: dict[str, tuple[dict[str, Any], Any, Any]] = {
    "OpenAPI 3.0": ({"openapi": "3.0.3", "components": {"schemas": {"A": NULLABLE}}}, None, 5),
    "OpenAPI 3.1": ({"openapi": "3.1.1", "components": {"schemas": {"A": TYPES}}}, None, 5),
    "OpenAPI 3.2": ({"openapi": "3.2.0", "components": {"schemas": {"A": TYPES}}}, None, 5),
    "its own dialect": ({"openapi": "3.1.0", "components": {"schemas": {"A": TYPES}},
                         "jsonSchemaDialect": "https://spec.openapis.org/oas/3.1/dialect/base"},
                        None, 5),
    "another dialect": ({"openapi": "3.1.0", "components": {"schemas": {"A": BOUND}},
                         "jsonSchemaDialect": "http://json-schema.org/draft-04/schema#"}, 1, 0),
    "a schema for OpenAPI": ({"$schema": "https://spec.openapis.org/oas/3.1/schema/2022-10-07",
                              "openapi": "3.1.0", "components": {"schemas": {"A": TYPES}}},
                             None, 5),
    "Swagger 2.0": ({"swagger": "2.0", "definitions": {"A": BOUND}}, 1, 0),
    "$schema": ({"$schema": "http://json-schema.org/draft-04/schema#", "definitions": {"A": BOUND}},
                1, 0),
}  # fmt: skip


@pytest.mark.parametrize(("document", "valid", "invalid"), DIALECTS.values(), ids=DIALECTS)
def test_a_document_declares_its_dialect(document: Any, valid: Any, invalid: Any) -> None:
    """By its version, so that no option is needed."""
    model = compile_document(document, coercion="off")["A"]
    assert model.model_validate(valid).root == valid
    with pytest.raises(ValidationError):
        model.model_validate(invalid)


def test_the_option_dialect_is_for_documents_that_declare_none() -> None:
    """As it is for schemas."""
    model = compile_document({"$defs": {"A": NULLABLE}}, dialect="openapi-3.0")["A"]
    assert model.model_validate(None).root is None


def test_references_may_lead_anywhere_that_the_schema_knows() -> None:
    """By the document's own identifier, an anchor, into a component, or to a resource."""
    document = {
        "$id": "https://example.com/shop",
        "$defs": {
            "A": {"properties": {
                "own": {"$ref": "https://example.com/shop#/$defs/B"},
                "anchor": {"$ref": "#b"},
                "within": {"$ref": "#/$defs/B/properties/n"},
                "other": {"$ref": "https://example.com/other#/$defs/C"},
            }},
            "B": {"$anchor": "b", "properties": {"n": INTEGER}},
        },
    }  # fmt: skip
    other = {"https://example.com/other": {"$defs": {"C": {"properties": {"m": INTEGER}}}}}
    models = compile_document(document, resources=other)
    made = models["A"].model_validate(
        {"own": {"n": "1"}, "anchor": {"n": "2"}, "within": "3", "other": {"m": "4"}}
    )
    assert type(made.own) is models["B"] is type(made.anchor)
    assert made.model_dump() == {
        "own": {"n": 1}, "anchor": {"n": 2}, "within": 3, "other": {"m": 4},
    }  # fmt: skip


@pytest.mark.parametrize(
    "name", ["x y", 'x"y', "x\ny", "a%b", "a#b", "a/b~c", "List[Int]", "a|b", "é"]
)
def test_names_may_have_characters_that_a_uri_may_not(name: str) -> None:
    """References quote them, also those in the schema of a component alone."""
    part = {"properties": {"n": INTEGER, "p": {"pattern": "^(?=a)"}}}
    reference = {"$ref": "#/$defs/" + quote(name.replace("~", "~0").replace("/", "~1"))}
    document = {"$defs": {"A": {"properties": {"part": reference}}, name: part}}
    model = compile_document(document)["A"]
    assert model.model_validate({"part": {"n": "1"}}).model_dump() == {"part": {"n": 1}}
    alone = compile_schema(model.model_json_schema())
    assert alone.is_valid({"part": {"n": 1, "p": "a"}})
    assert not alone.is_valid({"part": {"n": "x"}})


def test_dynamic_references_keep_their_meaning() -> None:
    """A component is then compiled with its whole document."""
    document = {"$defs": {
        "T": {"$dynamicAnchor": "t",
              "properties": {"next": {"$dynamicRef": "#t"}, "n": {"$ref": "#/$defs/N"}}},
        "N": INTEGER,
    }}  # fmt: skip
    models = compile_document(document)
    assert models["T"].model_validate({"next": {"n": "1"}}).model_dump() == {"next": {"n": 1}}
    tree: Any = models["T"]
    embedded = compile_schema(TypeAdapter(list[tree]).json_schema())
    assert embedded.is_valid([{"next": {"n": 1}}])
    assert not embedded.is_valid([{"next": {"n": "x"}}])


def test_a_document_is_lowered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many of its components are used, and reach each other."""
    made: list[object] = []
    monkeypatch.setattr(engine, "validator_of", lambda each: made.append(each) or CORE(each))
    names = "abcdefgh"
    document = {"title": "once", "$defs": {
        name: {"type": "object", "properties": {"n": INTEGER, "p": {"pattern": f"^{name}"},
                                                "next": {"$ref": f"#/$defs/{after}"}}}
        for name, after in zip(names, names[1:] + names[0], strict=True)
    }}  # fmt: skip
    for model in compile_document(document).values():
        assert model.model_validate({"n": 1, "next": {"n": 2}}).n == 1
        assert model.model_validate({"n": "1", "next": {"n": "2"}}).next.n == 2
        with pytest.raises(ValidationError, match="must be an integer"):
            model.model_validate({"next": {"n": "x"}})
        with pytest.raises(ValidationError, match="matches the pattern"):
            model.model_validate_json('{"p": "?"}')
    assert len(made) == 2  # with and without coercion


TEXTS = [
    *('{"n": NaN}', '{"n": 1e400}', f'{{"i": {"9" * 30}}}', f'{{"i": {"9" * 5000}}}', '{"i": 1.0}'),
    *('{"s": "\\ud800"}', '{"n": 12345678901234567890.5}', '{"n": 1, "n": 2}', "{'n': 1,}"),
    *('{"next": {"n": 1, "n": 2}}', '"{\\"n\\": 1}"', "5", "", b'{"s": "a"}', b'{"s": 1}', b"\xff"),
    *('{"next": ' * levels + "{}" + "}" * levels for levels in (150, 198, 199, 200)),
]


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: repr(text)[:30])
def test_a_component_reads_texts_as_a_schema_of_its_own_does(text: Any) -> None:
    """Though one validator reads those of all components."""
    node = {"type": "object", "properties": {"n": {"type": "number"}, "i": INTEGER, "s": STRING,
                                             "next": {"$ref": "#/$defs/A"}}}  # fmt: skip
    definitions = {"$defs": {"A": node}}
    model = compile_document(definitions)["A"]
    alone = compile_schema({"$ref": "#/$defs/A", **definitions}).explain_json(text)
    if alone.error is None:
        assert model.model_validate_json(text).model_dump() == alone.result
        return
    with pytest.raises(ValidationError) as caught:
        model.model_validate_json(text)
    said = [each["msg"] for each in caught.value.errors(include_url=False)]
    assert said == [issue.message for issue in alone.error.issues]


def test_components_and_the_models_within_may_do_without_coercion() -> None:
    """A strict one takes what its own schema allows, as it is published."""
    note = {"type": "object", "properties": {"n": {"type": "integer", "nullable": True}}}
    document = {"$defs": {"A": {"properties": {"note": note}}, "B": {"$ref": "#/$defs/A"}}}
    component = compile_document(document)["A"]
    within = type(component.model_validate({"note": {"n": None}}).note)
    for model, valid in ((component, {"note": {"n": 1}}), (within, {"n": 1})):
        assert model.model_validate(valid, strict=True).model_dump() == valid
        for refused in (
            json.loads(json.dumps(valid).replace("1", each)) for each in ('"1"', "null")
        ):
            model.model_validate(refused)
            with pytest.raises(ValidationError):
                model.model_validate(refused, strict=True)


REFUSED: dict[str, tuple[Any, str]] = {
    "no mapping": (5, "not 5"),
    "text": ('{"$defs": {}}', "json.loads"),
    "no components": ({"openapi": "3.1.0", "paths": {}}, "no components"),
    "an invalid component": ({"$defs": {"A": {"type": "text"}}}, "/$defs/A/type"),
    "an unknown type": (
        {"openapi": "3.1.0", "components": {"schemas": {"A": {"type": "objct"}}}},
        '/components/schemas/A/type: unknown type "objct"; known are "null"',
    ),
    "a lost component": (
        {
            "openapi": "3.1.0",
            "components": {
                "schemas": {"A": {"properties": {"b": {"$ref": "#/components/schemas/B"}}}}
            },
        },
        '/components/schemas/A/properties/b/$ref: the reference to "#/components/schemas/B"',
    ),
    "no schema": ({"definitions": {"A": 5}}, "/definitions/A"),
    "a reference to nothing": ({"$defs": {"A": {"$ref": "#/$defs/B"}}}, "leads nowhere"),
    "a remote reference": ({"$defs": {"A": {"$ref": "https://a.example"}}}, "nothing is fetched"),
    "a reference to itself": ({"$defs": {"A": {"not": {"$ref": "#/$defs/A"}}}}, "back to itself"),
    "two of one name": ({"$defs": {"A": {}}, "definitions": {"A": {}}}, "/definitions/A"),
    "an unknown version": ({"openapi": "9.0", "components": {"schemas": {}}}, "9.0"),
    "a number as a name": ({"$defs": {5: {}}}, "5"),
    "half a surrogate pair": ({"$defs": {"\ud800": {}}}, "not text"),
}  # fmt: skip


@pytest.mark.parametrize(("document", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_document_is_refused_at_once(document: Any, words: str) -> None:
    """With the place, before anything is validated."""
    with pytest.raises(SchemaError, match=words.replace("$", r"\$")):
        compile_document(document)


def test_a_document_may_have_no_components_yet() -> None:
    """If it has the place for them."""
    assert dict(compile_document({"openapi": "3.1.0", "components": {"schemas": {}}})) == {}


# ---------------------------------------------------------------------- compared with an oracle
NAMES = "ABCDE"
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "bc"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner),
    max_leaves=8,
)
LEAVES: Any = st.sampled_from([STRING, INTEGER, {}, {"type": ["string", "null"]}, {"minLength": 1},
                               {"enum": ["a", 1, None]}, {"type": "integer", "minimum": 1}, True,
                               {"type": "boolean"}])  # fmt: skip


def component(number: int) -> Any:
    """A strategy for a component: it may refer to any below itself, to later ones in its place."""
    below = LEAVES | st.sampled_from([{"$ref": f"#/components/schemas/{name}"} for name in NAMES])
    objects = st.fixed_dictionaries(
        {"type": st.just("object"), "properties": st.dictionaries(st.sampled_from("xyz"), below)},
        optional={
            "required": st.lists(st.sampled_from("xyz"), max_size=2, unique=True),
            "additionalProperties": below,
        },
    )
    arrays = st.fixed_dictionaries({"type": st.just("array"), "items": below})
    own = LEAVES | objects | arrays
    later = [{"$ref": f"#/components/schemas/{name}"} for name in NAMES[number + 1 :]]
    if not later:
        return own
    members = st.lists(own | st.sampled_from(later), min_size=1, max_size=3)
    unions = st.sampled_from(["anyOf", "allOf", "oneOf"])
    return own | st.sampled_from(later) | st.builds(lambda k, m: {k: m}, unions, members)


DOCUMENTS = st.fixed_dictionaries(
    {name: component(number) for number, name in enumerate(NAMES)}
).map(lambda schemas: {"openapi": "3.1.0", "components": {"schemas": schemas}})


@given(DOCUMENTS, st.lists(VALUES, min_size=1, max_size=4))
def test_models_agree_with_an_oracle(document: Any, values: list[Any]) -> None:
    """They accept what jsonschema accepts; with coercion, all that they make is valid."""
    exact, lenient = compile_document(document, coercion="off"), compile_document(document)
    first: Any = exact["A"]
    written = TypeAdapter(dict[str, first]).json_schema()
    for name in NAMES:
        oracle = Draft202012Validator({"$ref": f"#/components/schemas/{name}", **document})
        for value in values:
            expected = oracle.is_valid(value)
            assert accepts(exact[name], value) == expected, (name, value)
            if name == "A":
                assert Draft202012Validator(written).is_valid({"x": value}) == expected
            try:
                made = lenient[name].model_validate(value).model_dump()
            except ValidationError:
                assert not expected
                continue
            assert oracle.is_valid(made)
            assert not expected or made == value


def accepts(model: Any, value: Any) -> bool:
    """Return whether a model accepts a value."""
    try:
        model.model_validate(value)
    except ValidationError:
        return False
    return True
