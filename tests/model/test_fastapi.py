"""Compiled models in a real application of FastAPI, and what it says of them to the world."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any, Union

import pytest
from pydantic import Field, TypeAdapter, create_model

from schema2model import compile_schema

fastapi = pytest.importorskip("fastapi", reason="needs fastapi: pip install fastapi")
testing = pytest.importorskip("fastapi.testclient", reason="needs httpx2: pip install httpx2")
openapi = pytest.importorskip(
    "openapi_spec_validator", reason="needs it: pip install openapi-spec-validator"
)

STRING, INTEGER = {"type": "string"}, {"type": "integer"}
DEFINITIONS: dict[str, Any] = {
    "Address": {"type": "object", "properties": {"street": STRING}, "required": ["street"]},
    "Line": {
        "type": "object",
        "properties": {
            "sku": STRING,
            "parts": {"type": "array", "items": {"$ref": "#/$defs/Line"}},
        },
    },
    "a/b~c %": {"type": "integer", "minimum": 1},
}
ORDER: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "https://example.com/order.json",
    "title": "Order",
    "type": "object",
    "properties": {
        "ship": {"$ref": "#/$defs/Address"},
        "lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}},
        "before": {"$ref": "#"},
        "alike": {"$ref": "#/properties/ship"},
        "absolute": {"$ref": "https://example.com/order.json#/$defs/Address"},
        "escaped": {"$ref": "#/$defs/a~1b~0c%20%25"},
        "items": {"type": "array", "prefixItems": [{"$ref": "#/$defs/Address"}]},
    },
    "required": ["ship"],
    "$defs": DEFINITIONS,
}
OTHER = {
    "title": "Other",
    "type": "object",
    "properties": {"address": {"$ref": "#/$defs/Address"}},
    "$defs": {"Address": INTEGER},
}
CARD, CASH = (
    {
        "title": kind.title(),
        "type": "object",
        "properties": {"kind": {"const": kind}, "number": STRING},
        "required": ["kind"],
    }
    for kind in ("card", "cash")
)
OLD = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "Old",
    "type": "object",
    "properties": {"at": {"$ref": "#/definitions/place", "type": "string"}},
    "definitions": {"place": {"type": "object", "properties": {"x": {"type": "number"}}}},
}
Order, Other, Card, Cash, Old = (
    compile_schema(schema).model for schema in (ORDER, OTHER, CARD, CASH, OLD)
)
Twice = compile_schema({**ORDER, "description": "Another of the same name."}).model
Outer: Any = create_model(
    "Outer",
    order=(Order, ...),
    perhaps=(Order | None, None),
    many=(list[Other], []),
    pay=(Annotated[Union[Card, Cash], Field(discriminator="kind")], ...),  # noqa: UP007 - of two
)

app = fastapi.FastAPI()


@app.post("/order")
def order(sent: Order) -> Order:  # type: ignore[valid-type]
    """What is sent comes back."""
    return sent


@app.post("/two")
def two(one: Order, two: Other) -> Other:  # type: ignore[valid-type]
    """Two in one body, with definitions of the same name."""
    return two


@app.post("/outer", response_model=Outer)
def outer(sent: Outer) -> Any:
    """Within a model that a person wrote."""
    return sent


@app.post("/list")
def listed(sent: list[Old]) -> list[Old]:  # type: ignore[valid-type]
    """In a list, and in an older dialect."""
    return sent


@app.post("/pay")
def pay(sent: Annotated[Union[Card, Cash], Field(discriminator="kind")]) -> dict[str, Any]:  # noqa: UP007
    """One of two."""
    return {"kind": type(sent).__name__}


@app.post("/twice", response_model=Twice)
def twice(sent: Twice) -> Any:  # type: ignore[valid-type]
    """A name that is taken."""
    return sent


CLIENT = testing.TestClient(app)
DOCUMENT: dict[str, Any] = CLIENT.get("/openapi.json").json()
COMPONENTS = DOCUMENT["components"]["schemas"]


def references(part: Any) -> Iterator[str]:
    """Every reference in a document in which no data is called so."""
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        for below in part.values():
            yield from references(below)
    elif isinstance(part, list):
        for below in part:
            yield from references(below)


def resolved(document: Any, reference: str) -> Any:
    """What Swagger UI's resolver finds: it knows JSON Pointers into the document, and no `$id`."""
    assert reference.startswith("#/")
    for token in reference[2:].split("/"):
        document = document[token.replace("~1", "/").replace("~0", "~")]
    return document


def test_the_document_is_valid() -> None:
    """By a validator of OpenAPI, which has its own idea of what a reference is."""
    openapi.validate(DOCUMENT)


def test_every_reference_resolves_within_the_document() -> None:
    """Without identifiers, which few viewers know."""
    found = {*references(DOCUMENT)}
    assert len(found) > 8
    for reference in found:
        assert isinstance(resolved(DOCUMENT, reference), dict)
    assert "$id" not in json.dumps(DOCUMENT)
    assert "$defs" not in json.dumps(DOCUMENT)


@pytest.mark.parametrize("name", ["Order", "Other", "Card", "Cash", "Old", "Outer"])
def test_models_are_components(name: str) -> None:
    """Under their own names, once or once for each direction."""
    assert any(name in each for each in COMPONENTS)


def test_what_is_embedded_means_the_same() -> None:
    """References lead to what they led to, and beside those of old dialects nothing else counts."""
    body = DOCUMENT["paths"]["/two"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    both = resolved(DOCUMENT, body["$ref"])["properties"]
    one, other = (resolved(DOCUMENT, both[name]["$ref"])["properties"] for name in ("one", "two"))
    assert resolved(DOCUMENT, other["address"]["$ref"]) == INTEGER
    addresses = [one["ship"], one["alike"], one["absolute"], one["items"]["prefixItems"][0]]
    found = [resolved(DOCUMENT, each["$ref"]) for each in addresses]
    assert all(each == DEFINITIONS["Address"] for each in found)
    assert resolved(DOCUMENT, one["before"]["$ref"])["title"] == "Order"
    assert resolved(DOCUMENT, one["escaped"]["$ref"]) == {"type": "integer", "minimum": 1}
    old = next(each for name, each in COMPONENTS.items() if name.startswith("Old"))
    assert [*old["properties"]["at"]] == ["$ref"]


def test_bodies_are_coerced_and_answers_are_what_was_sent() -> None:
    """No default is added, none is lost."""
    sent = {"ship": '{"street": 5}', "lines": [{"sku": 1, "parts": "[]"}]}
    answer = CLIENT.post("/order", json=sent)
    assert (answer.status_code, answer.json()) == (
        200,
        {"ship": {"street": "5"}, "lines": [{"sku": "1", "parts": []}]},
    )
    assert CLIENT.post("/pay", json={"kind": "cash"}).json() == {"kind": "Cash"}
    answer = CLIENT.post("/outer", json={"order": sent, "pay": {"kind": "card", "number": 7}})
    assert answer.json()["pay"] == {"kind": "card", "number": "7"}
    assert CLIENT.post("/list", json=[{"at": {"x": "1"}}]).json() == [{"at": {"x": 1}}]


REFUSED: dict[str, tuple[str, Any, list[tuple[list[Any], str]]]] = {
    "missing": ("/order", {"ship": {}}, [(["body", "ship", "street"], "missing")]),
    "deep": (
        "/order",
        {"ship": {"street": "x"}, "lines": [{"parts": [{"sku": {}}]}]},
        [(["body", "lines", 0, "parts", 0, "sku"], "string_type")],
    ),
    "within another model": (
        "/outer",
        {"order": {"ship": {"street": []}}, "pay": {"kind": "cash"}},
        [(["body", "order", "ship", "street"], "string_type")],
    ),
    "another tag": ("/pay", {"kind": "cheque"}, [(["body"], "union_tag_invalid")]),
}


@pytest.mark.parametrize(("path", "sent", "told"), REFUSED.values(), ids=REFUSED)
def test_a_422_points_at_the_property(path: str, sent: Any, told: Any) -> None:
    """As it does for models that a person wrote."""
    answer = CLIENT.post(path, json=sent)
    assert answer.status_code == 422
    assert [(each["loc"], each["type"]) for each in answer.json()["detail"]] == told


# ------------------------------------------------------------------------- pydantic's own schemas
DATA: dict[str, Any] = {
    "a default": {"properties": {"a": {"default": {"$ref": "#/nowhere"}}}},
    "a choice": {"properties": {"a": {"enum": [{"$ref": "x"}, {"$ref": 5}]}}},
    "a constant": {"const": {"b": [{"$ref": ""}]}},
    "an example": {"examples": [{"$ref": "#/$defs/x"}]},
    "a property": {"properties": {"$ref": {"type": "string"}}, "required": ["$ref"]},
    "a definition": {"properties": {"a": {"$ref": "#/$defs/$ref"}}, "$defs": {"$ref": INTEGER}},
}


@pytest.mark.parametrize("schema", DATA.values(), ids=DATA)
def test_data_may_be_called_as_references_are(schema: Any) -> None:
    """Nobody looks for what they lead to, and they stay as they are."""
    model = compile_schema({"title": "Data", **schema}).model
    alone, listed = TypeAdapter(model).json_schema(), TypeAdapter(list[model]).json_schema()  # type: ignore[valid-type]
    outer = create_model("Outer", a=(model, ...), b=(model | None, None)).model_json_schema()
    for made in (alone, listed["$defs"]["Data"], outer["$defs"]["Data"]):
        if "$defs" not in schema:
            assert {"title": "Data", **schema} == made or schema.items() <= made.items()
    json.dumps([alone, listed, outer])


UNUSUAL: dict[str, Any] = {
    "an anchor": {"$ref": "#here", "$defs": {"a": {"$anchor": "here", "type": "object"}}},
    "an identifier within": {
        "properties": {"a": {"$ref": "https://example.com/a"}},
        "$defs": {"a": {"$id": "https://example.com/a", "type": "integer"}},
    },
    "a dynamic reference": {
        "$dynamicAnchor": "node",
        "properties": {"next": {"$dynamicRef": "#node"}},
    },
    "everything": True,
    "nothing": False,
    "a chain": {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": INTEGER}},
    "itself": {"type": "object", "additionalProperties": {"$ref": "#"}},
}


@pytest.mark.parametrize("schema", UNUSUAL.values(), ids=UNUSUAL)
def test_unusual_schemas_are_embedded_too(schema: Any) -> None:
    """In whatever way means the same."""
    model = compile_schema(schema).model
    for made in (TypeAdapter(model).json_schema(), TypeAdapter(list[model]).json_schema()):  # type: ignore[valid-type]
        valid = compile_schema(made)
        for value in ({}, {"a": 1}, 1, {"next": {"next": {}}}, "x"):
            sent = [value] if made.get("type") == "array" else value
            assert valid.is_valid(sent) == compile_schema(schema).is_valid(value)
