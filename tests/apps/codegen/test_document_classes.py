"""The promises of classes that are generated for the components of a document."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("datamodel_code_generator", reason="needs the extra codegen")

import generated
from generated import HOTEL
from pydantic import TypeAdapter, ValidationError

from schema2model import SchemaError, compile_document
from schema2model.apps import codegen

AT = "#/components/schemas"
STRING, INTEGER = {"type": "string"}, {"type": "integer"}
COMPONENTS: dict[str, Any] = HOTEL["components"]["schemas"]
CLASSES = '''
class Guest(ComponentModel, coercion="off"):
    """Who stays."""

    model_config = ConfigDict(
        extra="forbid",
    )
    name: str
    code: str | None = None


class Card(ComponentModel, coercion="off"):
    number: str


class BookingWishes(ObjectModel, coercion="off"):
    floor: int | None = None


class Booking(ComponentModel, coercion="off"):
    guest: Guest
    others: Annotated[list[Guest], Field(validate_default=True)] = Field(
        default_factory=list
    )
    room_kind: Annotated[
        Literal["single", "double"] | None, Field(alias="room-kind")
    ] = None
    nights: Annotated[int, Field(ge=1)] = 1
    note: str | None = None
    before: Booking | None = None
    paid_by: Card | Guest | None = None
    wishes: BookingWishes | None = None


class AVIP(ComponentModel, coercion="off"):
    model_config = ConfigDict(
        extra="forbid",
    )
    name: str
    code: str


COMPONENTS: dict[str, type[ComponentModel]] = {
    "Booking": Booking,
    "Guest": Guest,
    "Card": Card,
    "Payer": Guest,
    "a-VIP": AVIP,
}
# fmt: off
bind_document(COMPONENTS, {
"openapi": "3.0.3",
"components": {
"schemas": {
"Booking": {"type": "object", '''


def imported(source: str) -> Any:
    """What a generated module defines, as attributes."""
    return SimpleNamespace(**generated.imported(source))


@pytest.fixture(scope="module")
def source() -> str:
    """The module of the hotel."""
    return codegen.generate_document(HOTEL, coercion="off")


@pytest.fixture(scope="module")
def hotel(source: str) -> Any:
    """The same, imported."""
    return imported(source)


def test_classes_read_as_people_write_them(source: str) -> None:
    """A class for each component with properties, once; the document has a line for each."""
    assert CLASSES in source
    assert "\nfrom schema2model.coercing_models.component_models import " in source
    lines = source.splitlines()
    assert [sum(line.startswith(f'"{name}": {{') for line in lines) for name in COMPONENTS] == [
        1 for _ in COMPONENTS
    ]
    assert '"paths"' not in source


def test_the_size_of_a_module_grows_with_its_components() -> None:
    """Not with their square."""

    def size(count: int) -> int:
        schemas = {
            f"Part{number:02}": {
                "type": "object",
                "properties": {f"a{each}": {"$ref": f"{AT}/Part{each:02}"} for each in range(3)},
            }
            for number in range(count)
        }
        return len(
            codegen.generate_document({"openapi": "3.1.0", "components": {"schemas": schemas}})
        )

    small, middle, large = map(size, (10, 20, 30))
    assert large - middle == middle - small


VALUES: list[Any] = [
    {},
    {"guest": {"name": "Ada"}},
    {"guest": {"name": "Ada", "code": "X"}, "nights": 2, "note": None, "wishes": {"floor": 3}},
    {"guest": {"name": "Ada", "code": "x"}},
    {"guest": {"name": "Ada", "age": 1}},
    {"guest": {"name": "Ada"}, "nights": None},
    {"guest": {"name": "Ada"}, "nights": "2"},
    {"guest": {"name": "Ada"}, "before": {"guest": {"name": "Bob"}, "more": [1]}},
    {"guest": {"name": "Ada"}, "before": {"guest": {}}},
    {"guest": {"name": "Ada"}, "paid_by": {"number": "5"}, "room-kind": "double"},
    {"guest": {"name": "Ada"}, "paid_by": {"name": "Ada"}},
    {"guest": {"name": "Ada"}, "paid_by": {"number": 5}},
    {"number": "5"},
    {"name": "Ada", "code": "X"},
    {"name": "Ada"},
    5,
]


@pytest.mark.parametrize("preset", ["off", "default"])
def test_classes_agree_with_the_compiled_models(preset: Any) -> None:
    """They accept the same objects, and dump what these dump."""
    made = imported(codegen.generate_document(HOTEL, coercion=preset))
    compiled = compile_document(HOTEL, coercion=preset)
    for name, component in made.COMPONENTS.items():
        for value in VALUES[:-1]:
            try:
                expected = compiled[name].model_validate(value).model_dump()
            except ValidationError:
                with pytest.raises(ValidationError):
                    component.model_validate(value)
                continue
            found = component.model_validate(value)
            assert found.model_dump(by_alias=True, exclude_unset=True) == expected
            assert component.model_validate_json(json.dumps(value)) == found


def test_a_class_accepts_objects_only() -> None:
    """Also where its component has no type, which few documents mean."""
    document = {"$defs": {"A": {"properties": {"b": {"$ref": "#/$defs/B"}}},
                          "B": {"properties": {"c": INTEGER}}}}  # fmt: skip
    made = imported(codegen.generate_document(document))
    assert made.A.model_validate({"b": {"c": 1}}).b.c == 1
    with pytest.raises(ValidationError):
        made.A.model_validate({"b": 5})


def test_components_are_held_by_their_classes(hotel: Any) -> None:
    """Wherever others refer to them."""
    booking = hotel.Booking.model_validate(
        {"guest": {"name": "Ada"}, "others": [{"name": "Bob"}], "paid_by": {"number": "5"}}
    )
    assert type(booking.guest) is type(booking.others[0]) is hotel.Guest
    assert type(booking.paid_by) is hotel.Card


def test_dumps_have_no_null_for_what_was_not_sent(hotel: Any) -> None:
    """At any depth, so that they are valid; defaults stay, and so does null that was sent."""
    booking = hotel.Booking.model_validate(
        {"guest": {"name": "Ada"}, "note": None, "wishes": {}, "before": {"guest": {"name": "B"}}}
    )
    before = {"guest": {"name": "B"}, "others": [], "nights": 1}
    expected = {"guest": {"name": "Ada"}, "others": [], "nights": 1, "note": None, "wishes": {},
                "before": before}  # fmt: skip
    assert booking.model_dump(by_alias=True) == expected
    assert json.loads(booking.model_dump_json()) == expected
    assert compile_document(HOTEL, coercion="off")["Booking"].model_validate(expected)


def test_programs_may_pass_none_where_the_annotation_allows_it(hotel: Any) -> None:
    """It is the same as no argument, unless the schema allows null; data may not have it."""
    guest = hotel.Guest(name="Ada", code=None)
    assert guest.model_dump() == {"name": "Ada"}
    booking = hotel.Booking(guest=guest, before=None, note=None)
    assert booking.model_dump(exclude_unset=True) == {"guest": {"name": "Ada"}, "note": None}
    with pytest.raises(ValidationError):
        hotel.Guest.model_validate({"name": "Ada", "code": None})
    with pytest.raises(ValidationError):
        TypeAdapter(hotel.Guest).validate_python({"name": "Ada", "code": None})
    with pytest.raises(ValidationError):
        hotel.Guest(name=None)


def test_subclasses_keep_their_component(hotel: Any) -> None:
    """With methods, and with rules of their own."""

    class Friend(hotel.Guest, coercion="default"):  # type: ignore[misc]
        def greeting(self) -> str:
            return f"Dear {self.name}"

    assert Friend.model_validate({"name": 5}).greeting() == "Dear 5"


def test_a_service_has_one_schema_for_each_component(hotel: Any) -> None:
    """As the document has it, and its answers are valid under it."""
    fastapi = pytest.importorskip("fastapi", reason="needs fastapi: pip install fastapi")
    testing = pytest.importorskip("fastapi.testclient", reason="needs httpx2: pip install httpx2")
    app = fastapi.FastAPI()

    def book(booking: Any) -> Any:
        return booking

    book.__annotations__["booking"] = hotel.Booking
    app.post("/one", response_model=hotel.Booking)(book)
    app.post("/many", response_model=list[hotel.Booking])(list)
    client = testing.TestClient(app)
    found = client.get("/openapi.json").json()["components"]["schemas"]
    own = {"HTTPValidationError", "ValidationError", "BookingWishes"}
    assert found.keys() - own == {"Booking", "Guest", "RoomKind", "Payment", "Card"}
    for name in ("Guest", "RoomKind", "Payment", "Card"):
        assert found[name] == COMPONENTS[name]
    answer = client.post("/one", json={"guest": {"name": "Ada"}})
    assert answer.json() == {"guest": {"name": "Ada"}, "others": [], "nights": 1}
    assert client.post("/one", json={"guest": {"name": "Ada", "code": None}}).status_code == 422


def test_the_dialect_of_a_document_is_kept() -> None:
    """Whether the document declares it, or the option does."""
    bound = {"type": "object", "properties": {"n": {"minimum": 0, "exclusiveMinimum": True}}}
    documents: list[tuple[Any, dict[str, Any]]] = [
        ({"swagger": "2.0", "definitions": {"A": bound}}, {}),
        ({"definitions": {"A": bound}}, {"dialect": "draft-04"}),
    ]
    for document, options in documents:
        made = imported(codegen.generate_document(document, **options))
        assert made.A.model_validate({"n": 1}).n == 1
        with pytest.raises(ValidationError):
            made.A.model_validate({"n": 0})


def test_references_to_other_parts_of_a_document_are_kept() -> None:
    """Then the module holds the whole document."""
    document = {
        "openapi": "3.1.0",
        "paths": {"/": {"get": {"schema": {"type": "integer"}}}},
        "components": {"schemas": {"A": {
            "type": "object", "properties": {"n": {"$ref": "#/paths/~1/get/schema"}},
        }}},
    }  # fmt: skip
    made = imported(codegen.generate_document(document))
    assert made.A.model_validate({"n": "5"}).n == 5


REFUSED: dict[str, tuple[Any, str]] = {
    "no document": (5, "not 5"),
    "no components": ({"openapi": "3.1.0"}, "no components"),
    "no objects": ({"$defs": {"A": INTEGER}}, "no component has properties"),
    "an invalid component": ({"$defs": {"A": {"type": "x"}}}, "/\\$defs/A/type"),
}


@pytest.mark.parametrize(("document", "words"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_generated_is_an_error(document: Any, words: str) -> None:
    """With its reason."""
    with pytest.raises(SchemaError, match=words):
        codegen.generate_document(document)


def test_no_text_of_a_document_becomes_code() -> None:
    """Neither a name nor a description, whatever it contains."""
    hostile = 'x\'"]}) \\\nimport os; os.abort()  # fmt: on\n"""'
    document = {"$defs": {
        hostile: {"type": "object", "description": hostile, "properties": {hostile: STRING}},
        "Exception": {"type": "object", "properties": {"a": {"enum": [hostile]}}},
    }}  # fmt: skip
    made = imported(codegen.generate_document(document))
    assert [*made.COMPONENTS] == [hostile, "Exception"]
    assert made.COMPONENTS[hostile].model_validate({hostile: 5}).model_dump(by_alias=True) == {
        hostile: "5"
    }
    assert made.COMPONENTS["Exception"].__name__ == "ExceptionModel"
