"""What coercing models cannot coerce ends in the errors that the models alone would raise."""

import json
import sys
import time
import types
from typing import Annotated, Any, Literal, Optional

import pydantic
import pytest
from hand_written import Plain, Search
from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    Json,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from schema2model import CoercingModel, ToolError, compile_schema
from schema2model.coercing_models.tool_models import ToolModel


@pytest.mark.parametrize(
    "text", ["", "no arguments", '{"tags": ["a'], ids=["empty", "prose", "cut off"]
)
def test_text_without_data_is_the_models_error(text: str) -> None:
    """As if we were not there."""
    with pytest.raises(ValidationError) as alone:
        Plain.model_validate_json(text)
    with pytest.raises(ValidationError) as ours:
        Search.model_validate_json(text)
    told = [error["type"] for error in ours.value.errors()]
    assert told == [error["type"] for error in alone.value.errors()] or told == ["missing"]


@pytest.mark.parametrize("sent", [5, None, [], pytest.param(memoryview(b"{}"), id="memoryview")])
def test_what_is_no_text_is_the_models_error(sent: Any) -> None:
    """As pydantic has it."""
    with pytest.raises((ValidationError, TypeError)) as alone:
        Plain.model_validate_json(sent)
    with pytest.raises(alone.type):
        Search.model_validate_json(sent)


def test_errors_are_the_models_for_what_could_not_be_coerced() -> None:
    """With its title, its locations, and only what is left."""
    with pytest.raises(ValidationError) as raised:
        Search.model_validate({"tags": "['a', 'b']", "limit": "many"})
    assert raised.value.title == "Search"
    assert [(e["loc"], e["type"]) for e in raised.value.errors()] == [(("limit",), "int_parsing")]
    with pytest.raises(ValidationError) as raised:
        pydantic.create_model("Outer", search=Search)(search={"limit": "many"})
    assert [(e["loc"], e["type"]) for e in raised.value.errors()] == [
        (("search", "tags"), "missing"),
        (("search", "limit"), "int_parsing"),
    ]


class Address(CoercingModel, extra="forbid"):
    """A part of the data below."""

    street: str
    number: Annotated[int, Field(ge=1)] = 1


class Circle(CoercingModel):
    """A part of the data below."""

    kind: Literal["circle"]
    radius: int


class Square(CoercingModel):
    """A part of the data below."""

    kind: Literal["square"]
    side: str


class Order(CoercingModel, extra="forbid"):
    """A part of the data below."""

    user_id: int = 0
    to: Address | None = None
    tags: list[str] = []
    unit: Literal["celsius", "fahrenheit"] = "celsius"
    either: int | list[int] = 0
    shape: Circle | Square | None = None


class Camel(CoercingModel, extra="forbid", alias_generator=to_camel):
    """One whose fields have other names in JSON."""

    user_name: str
    item_list: list[int] = []
    sort: str = Field("", validation_alias="orderBy")


class Both(Camel, validate_by_name=True):
    """One whose fields have two names each."""

    user_name: str = ""


_REFUSED = {
    "the name of a field with an alias": (Camel, {"user_name": "a", "itemlist": [1]}),
    "an alias that is missing": (Camel, {"orderBy": []}),
    "misspelt": (Address, {"Street_": "Elm", "number": 2}),
    "wrapped": (Address, {"request": {"street": "Elm", "number": 0}}),
    "unwrapped": (Order, {"street": "Elm", "user_id": 1}),
    "under paths": (Order, {"to.street": "Elm", "to.number": 0}),
    "likely values": (Order, {"tags": "a, b", "unit": "Celcius", "user_id": "1,000"}),
    "a union": (Order, {"either": "x"}),
    "a union of models": (Order, {"shape": 5}),
    "within": (Order, {"to": {"street": [], "numbr": 5}}),
    "a list": (Address, [1]),
}


@pytest.mark.parametrize("case", _REFUSED)
def test_a_refusal_has_the_words_of_the_compiled_schema(case: str) -> None:
    """And the types, locations and inputs of pydantic, also for text."""
    model, sent = _REFUSED[case]
    alone = types.new_class("Alone", (model,), {"coercion": "off"})
    with pytest.raises(ToolError) as told:
        compile_schema(model.model_json_schema()).validate(sent)
    with pytest.raises(ValidationError) as plain:
        alone.model_validate(sent)
    text = json.dumps(sent)
    for validate, given in ((model.model_validate, sent), (model.model_validate_json, text)):
        with pytest.raises(ValidationError) as refused:
            validate(given)
        lines = [(e["type"], e["loc"], e["input"]) for e in refused.value.errors()]
        assert lines == [(e["type"], e["loc"], e["input"]) for e in plain.value.errors()]
        issues = ToolError.from_validation_error(refused.value).issues
        assert {*map(str, issues)} == {*map(str, told.value.issues)}


def test_a_message_names_no_name_that_is_refused() -> None:
    """That of a field is valid if the configuration allows it."""
    words = []
    for model in (Camel, Both):
        with pytest.raises(ValidationError) as caught:
            model.model_validate({"userName": "a", "Item_List": [1]})
        words += [each["msg"] for each in caught.value.errors()]
    assert words[0] == 'rename "Item_List" to "itemList"'
    assert '"item_list"' in words[1]


def test_the_words_of_a_refusal_name_the_place_within_an_ordinary_model() -> None:
    """Without the branches of unions that pydantic names in a location."""
    outer = pydantic.create_model("Outer", orders=(list[Order], ...))
    with pytest.raises(ValidationError) as caught:
        outer.model_validate({"orders": [{"either": "x", "usr_id": 1}]})
    assert [
        str(each) for each in dict.fromkeys(ToolError.from_validation_error(caught.value).issues)
    ] == [
        '/orders/0/either: must be an integer or array of integers, not "x"',
        '/orders/0: rename "usr_id" to "user_id"',
    ]


def test_a_line_has_no_words_of_another_place() -> None:
    """Neither of a name that is missing elsewhere, nor of the text that a validator has split."""

    class Point(CoercingModel):
        x: int
        y: int

        @model_validator(mode="before")
        @classmethod
        def split(cls, data: Any) -> Any:
            return dict(zip("xy", data.split(","), strict=False)) if isinstance(data, str) else data

    class Map(CoercingModel):
        kind: str
        at: Point
        shape: Circle | Square

    with pytest.raises(ValidationError, match=r"(?s)x.*not \"a\".*y\n  is missing: add it"):
        Point.model_validate("a")
    with pytest.raises(ValidationError) as caught:
        Map.model_validate({"at": "1,b", "shape": {"radius": "many"}})
    words = {e["loc"]: e["msg"] for e in caught.value.errors()}
    assert words["at", "y"] == 'must be an integer, without quotes, not "b"'
    assert words["kind",].startswith("is missing: add it as a string")
    assert "as a string" not in words["shape", "Circle", "kind"]
    places = [each.path for each in ToolError.from_validation_error(caught.value).issues]
    assert places.count("/kind") == 1


def test_a_type_of_pydantics_without_words_of_ours_has_those_of_the_schema() -> None:
    """Where that refuses the value, too; otherwise pydantic's stay."""

    class Odd(CoercingModel):
        text: Json[list[int]]

    with pytest.raises(ValidationError) as caught:
        Odd.model_validate({"text": {"a": 1}})
    assert [(e["type"], e["msg"]) for e in caught.value.errors()] == [
        ("json_type", 'must be a string, not {"a": 1}')
    ]
    with pytest.raises(ValidationError) as caught:
        Odd.model_validate({"text": "[1,]"})
    assert caught.value.errors()[0]["msg"] == 'must be the JSON text of a value, not "[1,]"'


def test_a_validators_own_error_keeps_its_words() -> None:
    """Whatever its type is called, and whether the data was coerced or not."""

    def ask(kind: str) -> Any:
        def refuse(value: Any) -> Any:
            raise PydanticCustomError(kind, "Ask a human about {what}", {"what": value})  # type: ignore[arg-type]

        return Annotated[int, BeforeValidator(refuse)]

    kinds = ["int_odd", "missing", "greater_than", "of_mine"]
    model = pydantic.create_model(
        "Model", __base__=CoercingModel, **{kind: (ask(kind), ...) for kind in kinds}, n=(int, 0)
    )
    with pytest.raises(ValidationError) as caught:
        model.model_validate({**dict.fromkeys(kinds, "x"), "n": "null"})
    words = {e["type"]: e["msg"] for e in caught.value.errors()}
    assert words == dict.fromkeys(kinds, "Ask a human about x")
    assert "must be a valid value (Ask a human about x)" in str(
        ToolError.from_validation_error(caught.value)
    )


def test_data_that_is_hidden_in_errors_stays_hidden() -> None:
    """The model's configuration holds."""

    class Secret(CoercingModel):
        model_config = ConfigDict(hide_input_in_errors=True, title="hidden")
        tags: list[int]

    with pytest.raises(ValidationError) as raised:
        Secret.model_validate({"tags": "password"})
    assert "password" not in str(raised.value)
    assert raised.value.title == "hidden"
    assert "password" not in str(ToolError.from_validation_error(raised.value))

    class SecretTool(ToolModel, coercion="default"):
        model_config = ConfigDict(hide_input_in_errors=True)
        tags: list[int]

        __schema__ = Secret.model_json_schema()

    for text in ('{"tags": ["password"]}', '{"tags": "password, 1"}', '{"tags": "password'):
        for kind in (Secret, SecretTool):
            with pytest.raises(ValidationError) as raised:
                kind.model_validate_json(text)
            assert "password" not in str(raised.value)
            assert "password" not in str(ToolError.from_validation_error(raised.value))


def test_errors_of_half_a_surrogate_pair_have_json() -> None:
    """It is in the text of a string; read as JSON, no error could show it."""

    class Lists(CoercingModel):
        names: list[int]

    with pytest.raises(ValidationError) as raised:
        TypeAdapter(Lists).validate_python({"names": r'["\ud800"]'})
    assert "list_type" in raised.value.json()


def test_what_a_validator_raises_the_second_time_is_no_error_of_the_models() -> None:
    """The first refusal is."""

    class Inner(CoercingModel):
        tags: list[str]

        @model_validator(mode="before")
        @classmethod
        def pop(cls, data: Any) -> Any:
            return {"tags": data.pop("labels")}

    class Outer(CoercingModel):
        inner: Inner
        limit: int | None = None

    for read in (Outer.model_validate, TypeAdapter(Outer).validate_python, lambda d: Outer(**d)):
        with pytest.raises(ValidationError):
            read({"inner": {"labels": []}, "limit": "null"})


def test_a_type_that_cannot_be_told_is_as_without_us(caplog: pytest.LogCaptureFixture) -> None:
    """The log says so, once."""

    class Odd:
        @classmethod
        def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
            return handler(int)

        @classmethod
        def __get_pydantic_json_schema__(cls, core: Any, handler: Any) -> Any:
            raise RuntimeError(core["type"])

    class Named(CoercingModel):
        odd: Odd
        tags: list[str] = []

    assert Named.model_validate({"odd": 1}).odd == 1
    for _ in range(2):
        with pytest.raises(ValidationError, match="list_type"):
            Named.model_validate({"odd": 1, "tags": "[]"})
    assert caplog.text.count("the data of Named is not coerced") == 1


def test_nesting_does_not_multiply_the_work() -> None:
    """Hopeless data is validated at most a few times on every level, also in a foreign type."""
    seen: list[int] = []

    class Node(CoercingModel):
        value: Annotated[int, BeforeValidator(lambda v: seen.append(1) or v)]
        child: Optional["Node"] = None

    Node.model_rebuild(_types_namespace={"Node": Node})
    counts = []
    for depth in (10, 20):
        sent: Any = {"value": "hopeless"}
        for _ in range(depth):
            sent = {"value": 1, "child": sent}
        for validate in (Node.model_validate, TypeAdapter(list[Node]).validate_python):
            seen.clear()
            with pytest.raises(ValidationError):
                validate([sent] if validate != Node.model_validate else sent)
            counts.append(len(seen))
    assert counts[2] <= 5 * counts[0]
    assert counts[3] <= 5 * counts[1]


def test_deep_data_ends_in_the_models_error() -> None:
    """However little of the stack is left."""

    class Anything(CoercingModel):
        data: Any
        limit: int

    deep: Any = 1
    for _ in range(190):
        deep = [deep]

    def below(levels: int) -> None:
        if levels:
            below(levels - 1)
        else:
            with pytest.raises(ValidationError):
                Anything.model_validate({"data": deep, "limit": "many"})

    below(sys.getrecursionlimit() - 250)


def test_many_errors_take_as_long_as_they_are_many() -> None:
    """Eight times as many wrong items take about eight times as long, not 64 times."""

    class Numbers(CoercingModel):
        numbers: list[int]

    def seconds(count: int) -> float:
        data = {"numbers": ["ten"] * count}
        start = time.process_time()
        with pytest.raises(ValidationError) as caught:
            Numbers.model_validate(data)
        took = time.process_time() - start
        assert caught.value.error_count() == count
        return took

    seconds(10)  # compiles
    assert min(seconds(16_000) for _ in range(3)) < 24 * min(seconds(2_000) for _ in range(3))


def test_two_values_of_one_name_are_said_where_another_value_is_refused() -> None:
    """Pydantic took the last; what is refused may be the fault of neither."""

    class Search(CoercingModel):
        tags: list[str]
        limit: int = 1

    with pytest.raises(ValidationError, match="there are two values for `limit`"):
        Search.model_validate_json('{"tags": "[\\"a\\"]", "limit": 1, "limit": 2}')
