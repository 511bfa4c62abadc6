"""Compiled models in a real application of FastAPI, and what it says of them to the world."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Annotated, Any, Union

import pytest
from pydantic import Field, create_model

from schema2model import compile_document, compile_schema

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

COUNTED = {"type": "object", "properties": {"n": INTEGER}, "required": ["n"]}
ELSEWHERE: dict[str, tuple[Any, dict[str, Any]]] = {
    "an anchor": (
        {"properties": {"o": {"properties": {"z": {"$ref": "#here"}}}},
         "$defs": {"q": {"$anchor": "here", **COUNTED}}},
        {},
    ),
    "an anchor of draft 7": (
        {"$schema": "http://json-schema.org/draft-07/schema#",
         "properties": {"o": {"properties": {"z": {"$ref": "#here"}}}},
         "definitions": {"q": {"$id": "#here", **COUNTED}}},
        {},
    ),
    "an identifier": (
        {"$id": "https://example.com/a", "properties": {"o": {"properties": {"z": {"$ref": "b"}}}},
         "$defs": {"q": {"$id": "b", "properties": {"n": {"$ref": "#/$defs/n"}},
                         "required": ["n"], "$defs": {"n": INTEGER}}}},
        {},
    ),
    "another document": (
        {"properties": {"o": {"$ref": "https://example.com/b#/$defs/o"}}},
        {"resources": {"https://example.com/b": {"$defs": {
            "o": {"properties": {"z": {"$ref": "#/$defs/z"}}}, "z": COUNTED}}}},
    ),
}  # fmt: skip


def document_of(*models: Any) -> Any:
    """What an application says to the world that takes and returns models, alone and in lists."""
    made = fastapi.FastAPI()
    for number, model in enumerate(models):

        def alone(sent: Any) -> Any:
            return sent

        alone.__annotations__["sent"] = model
        made.post(f"/{number}", response_model=model)(alone)
        made.post(f"/{number}/listed", response_model=list[model])(alone)  # type: ignore[valid-type]
    return json.loads(testing.TestClient(made).get("/openapi.json").text)


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


@pytest.mark.parametrize(("schema", "options"), ELSEWHERE.values(), ids=ELSEWHERE)
def test_references_of_every_kind_become_json_pointers(schema: Any, options: Any) -> None:
    """Also in models within the model, for viewers that know no anchors and no identifiers."""
    model = compile_schema(schema, **options).model
    within = type(model(o={"z": {"n": 1}}).o)
    for document in (document_of(model), document_of(within), document_of(model, within)):
        openapi.validate(document)
        found = {*references(document)}
        assert all(isinstance(resolved(document, reference), dict) for reference in found)
        assert '"$id"' not in json.dumps(document)
        assert COUNTED["required"] in [
            each.get("required") for each in document["components"]["schemas"].values()
        ]


SWAGGER = """
const document = JSON.parse(require("fs").readFileSync(0));
const client = require("swagger-client");
const url = "http://127.0.0.1:9/openapi.json";
client.resolve({ spec: document, baseDoc: url }).then(({ errors }) =>
  console.log(JSON.stringify(errors.map((error) => error.message))));
"""


def test_swagger_ui_resolves_every_reference() -> None:
    """With the resolver of its own; `npm install swagger-client` where Node.js finds it."""
    node = shutil.which("node")
    found = node and subprocess.run(  # noqa: S603 - a fixed program
        [node, "-e", 'require.resolve("swagger-client")'], capture_output=True, check=False
    )
    if not node or not found or found.returncode:
        pytest.skip("needs Node.js and swagger-client: npm install swagger-client")
    models = [compile_schema(schema, **options).model for schema, options in ELSEWHERE.values()]
    for document in (DOCUMENT, document_of(*models)):
        told = subprocess.run(  # noqa: S603 - our own program
            [node, "-e", SWAGGER], input=json.dumps(document).encode(), capture_output=True,
            check=True,
        )  # fmt: skip
        assert json.loads(told.stdout) == []


EARLIER: dict[str, Any] = {
    "a tuple": {"properties": {"a": {"items": [STRING, INTEGER], "additionalItems": False}}},
    "a tuple with others": {"properties": {"a": {"items": [STRING], "additionalItems": INTEGER}}},
    "other items than all": {"properties": {"a": {"items": STRING, "additionalItems": False}}},
    "dependencies": {"dependencies": {"a": ["b"], "b": {"required": ["c"]}}},
    "dependencies of both kinds": {"dependencies": {"a": ["b"]}, "dependentRequired": {"a": ["c"]}},
    "words of later drafts": {"properties": {"a": {"prefixItems": [STRING]}},
                              "dependentRequired": {"a": ["b"]}, "unevaluatedProperties": False},
    "annotations of later drafts": {"properties": {"a": {"deprecated": "yes", "contentSchema": 5}}},
    "what is nothing yet": {"properties": {"a": {"items": {"maxContains": [], "minContains": 0}}},
                            "dependentSchemas": {"a": {"$ref": "#/nowhere", "type": 5}}},
    "beside a reference": {"properties": {"a": {"$ref": "#/definitions/a", "maxItems": 0}},
                           "definitions": {"a": {"type": "array"}}},
}  # fmt: skip
EXCLUSIVE = {"properties": {"a": {"minimum": 0, "exclusiveMinimum": True, "maximum": 9,
                                  "exclusiveMaximum": False}}}  # fmt: skip
DRAFTS = [(name, draft) for name in EARLIER for draft in ("draft-04", "draft-06", "draft-07")]


@pytest.mark.parametrize(
    ("name", "draft"), [*DRAFTS, ("bounds", "draft-04"), ("dependencies of both kinds", "2020-12")]
)
def test_earlier_drafts_are_said_in_the_words_of_openapi(name: str, draft: str) -> None:
    """Which mean the same in 2020-12."""
    given = {"title": "Old", **(EXCLUSIVE if name == "bounds" else EARLIER[name])}
    compiled = compile_schema(given, dialect=draft)
    document = document_of(compiled.model)
    openapi.validate(document)
    today = compile_schema({**document["components"]["schemas"]["Old"],
                            "components": document["components"]})  # fmt: skip
    for value in (["x", 1], ["x", 1, 2], ["x"], [1, "x"], [], 0, 5, 9, "x", None):
        for sent in ({"a": value}, {"a": value, "b": 1}, {"b": 1, "c": 1}):
            assert today.is_valid(sent) == compiled.is_valid(sent), sent


def test_hints_to_discriminators_lead_somewhere() -> None:
    """As pydantic writes them, and whatever else the word may stand for."""
    kinds = {kind: {**schema, "title": kind} for kind, schema in (("Card", CARD), ("Cash", CASH))}
    hint = {"propertyName": "kind", "mapping": {
        "card": "#/$defs/Card", "cash": "#/$defs/Cash", "cheque": "#/$defs/Cheque",
        "coin": "http://[", "gold": 5,
    }}  # fmt: skip
    union = {"oneOf": [{"$ref": "#/$defs/Card"}, {"$ref": "#/$defs/Cash"}], "discriminator": hint}
    other = {"discriminator": "kind", "xml": 1, "externalDocs": []}
    schema = {"title": "Pay", "properties": {"by": union, "b": other}, "$defs": kinds}
    document = document_of(compile_schema(schema).model)
    openapi.validate(document)
    made = document["components"]["schemas"]["Pay"]["properties"]
    mapping = made["by"]["discriminator"]["mapping"]
    assert {tag: resolved(document, mapping[tag])["title"] for tag in mapping} == {
        "card": "Card",
        "cash": "Cash",
    }
    assert made["b"] == {}


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
    for each in addresses:
        found = resolved(DOCUMENT, each["$ref"])
        assert resolved(DOCUMENT, found.get("$ref", each["$ref"])) == DEFINITIONS["Address"]
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


def test_answers_may_be_objects_with_attributes() -> None:
    """As those of a database, which FastAPI reads for any model."""
    made = fastapi.FastAPI()
    stored = SimpleNamespace(ship=SimpleNamespace(street="Elm"), lines=[SimpleNamespace(sku="a")])
    made.get("/one", response_model=Order)(lambda: stored)
    made.get("/many", response_model=list[Order])(lambda: [stored, {"ship": {"street": "Oak"}}])  # type: ignore[valid-type]
    client, one = testing.TestClient(made), {"ship": {"street": "Elm"}, "lines": [{"sku": "a"}]}
    assert client.get("/one").json() == one
    assert client.get("/many").json() == [one, {"ship": {"street": "Oak"}}]


def test_models_of_one_name_are_told_apart_by_numbers() -> None:
    """Not by where the library keeps its classes."""
    kinds = [
        compile_schema({"title": "Same", "properties": {name: STRING}}).model for name in "abc"
    ]
    found = document_of(*kinds)["components"]["schemas"]
    assert {name for name in found if "Same" in name} == {"Same__1", "Same__2", "Same__3"}


def application(models: Any) -> Any:
    """One that takes each model, and returns it alone and in lists."""
    made = fastapi.FastAPI()
    for name, model in models.items():

        def alone(sent: Any) -> Any:
            return sent

        alone.__annotations__["sent"] = model
        made.post(f"/{name}", response_model=model)(alone)
        made.post(f"/{name}/listed", response_model=list[model])(alone)  # type: ignore[valid-type]
    return made


OWN = {"HTTPValidationError", "ValidationError"}
"""The schemas that FastAPI adds."""


def shared(count: int) -> dict[str, Any]:
    """A document in which all components refer to one another, to a shared one, and in circles."""
    at = "#/components/schemas"
    components: dict[str, Any] = {
        "Guest": {"type": "object", "properties": {"name": STRING}, "examples": [{"name": "Ada"}]},
        "Guests": {"type": "array", "items": {"$ref": f"{at}/Guest"}},
        "Status": {"type": "string", "enum": ["new", "old"]},
    }
    for number in range(count):
        components[f"Part-{number}"] = {
            "type": "object",
            "properties": {
                "guest": {"$ref": f"{at}/Guest"},
                "guests": {"$ref": f"{at}/Guests"},
                "status": {"$ref": f"{at}/Status"},
                "next": {"$ref": f"{at}/Part-{(number + 1) % count}"},
                "within": {"type": "object", "properties": {"a": {"type": "integer"}}},
            },
        }
    return {"openapi": "3.1.0", "components": {"schemas": components}}


def test_the_components_of_a_document_are_those_of_the_application() -> None:
    """Each once and as it was given, whether it is sent, returned, or both; circles included."""
    document = shared(12)
    written = application(compile_document(document)).openapi()
    openapi.validate(written)
    found = written["components"]["schemas"]
    assert {name: found[name] for name in found.keys() - OWN} == document["components"]["schemas"]


@pytest.mark.parametrize("mode", ["validation", "serialization"])
def test_a_component_is_written_alike_where_it_is_only_sent_or_returned(mode: str) -> None:
    """With all that it needs, and nothing else."""
    document = shared(3)
    model: Any = compile_document(document)["Part-0"]
    made = fastapi.FastAPI()
    if mode == "validation":

        def take(sent: Any) -> None: ...

        take.__annotations__["sent"] = model
        made.post("/", response_model=None)(take)
    else:

        def give() -> dict[str, Any]:
            return {}

        made.get("/", response_model=model)(give)
    found = made.openapi()["components"]["schemas"]
    assert {name: found[name] for name in found.keys() - OWN} == document["components"]["schemas"]


def test_the_size_of_a_document_grows_with_its_components() -> None:
    """Not with their square."""
    sizes = [
        len(json.dumps(application(compile_document(shared(count))).openapi()["components"]))
        for count in (10, 20, 30)
    ]
    assert sizes[2] - sizes[1] <= (sizes[1] - sizes[0]) * 1.1


def test_a_component_may_be_a_field_and_have_subclasses() -> None:
    """Within models that people write, and with methods of their own."""
    models: Any = compile_document(shared(2))

    class Guest(models["Guest"]):  # type: ignore[misc]
        def greeting(self) -> str:
            return f"Dear {self.name}"

    outer = create_model("Outer", guest=(Guest, ...), part=(models["Part-0"], None))
    written = application({"outer": outer, "part": models["Part-1"]}).openapi()
    found = written["components"]["schemas"]
    assert found.keys() - OWN == {"Outer", "Guest", "Guests", "Status", "Part-0", "Part-1"}
    assert outer(guest={"name": "Ada"}).guest.greeting() == "Dear Ada"


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
