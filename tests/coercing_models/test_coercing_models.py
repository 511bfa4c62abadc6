"""`CoercingModel` and `coercing`: models that people write, with the coercion of compiled ones."""

import copy
import dataclasses
import json
import pickle
import sys
import warnings
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Generic, Literal, Optional, TypeVar
from uuid import UUID

import pydantic
import pydantic_core
import pytest
from hypothesis import given
from oracle import same
from pydantic import (
    AfterValidator,
    AliasChoices,
    AliasPath,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    RootModel,
    TypeAdapter,
    ValidationError,
    field_validator,
    model_validator,
)
from strategies import arguments_for

from schema2model import CoercingModel, Coercion, coercing, compile_schema

T = TypeVar("T")


class Color(str, Enum):
    """Choices."""

    RED = "red"
    BLUE = "blue"


def shop(base: type[BaseModel]) -> type[BaseModel]:
    """A model with about everything, on a base."""

    class Item(base):
        sku: str
        amount: int = 1
        price: Decimal | None = None

    class Card(base):
        kind: Literal["card"]
        number: str

    class Cash(base):
        kind: Literal["cash"]
        coins: list[int]

    class Order(base):
        items: list[Item]
        tags: set[str] = set()
        since: date | None = None
        color: Color = Color.RED
        paid: Annotated[Card | Cash | None, Field(discriminator="kind")] = None
        sizes: dict[str, float] = {}
        either: int | list[int] | None = None
        limit: Annotated[int | None, Field(alias="max", le=100)] = None
        parent: Optional["Order"] = None

    Order.model_rebuild(_types_namespace={"Order": Order})
    return Order


Order, PlainOrder = shop(CoercingModel), shop(BaseModel)


class Plain(BaseModel):
    """Nothing of ours."""

    tags: list[str]
    limit: int | None = None


class Search(CoercingModel):
    """The same with coercion."""

    tags: list[str]
    limit: int | None = None


SENT = {"tags": '["a"]', "limit": "null"}
READ = {"tags": ["a"], "limit": None}


# ------------------------------------------------------------------------------ what is sent
CASES: dict[str, tuple[Any, Any]] = {
    "array in a string": ({"items": "[]"}, {"items": []}),
    "objects in strings in a string": (
        {"items": json.dumps([json.dumps({"sku": "a", "amount": "2"})])},
        {"items": [{"sku": "a", "amount": 2}]},
    ),
    "scalar for a string": ({"items": [{"sku": 4711}]}, {"items": [{"sku": "4711"}]}),
    "null word": ({"items": [], "since": "null"}, {"items": [], "since": None}),
    "null for what has a default": ({"items": [], "color": None}, {"items": []}),
    "quoted choice": ({"items": [], "color": '"blue"'}, {"items": [], "color": "blue"}),
    "set": ({"items": [], "tags": '["a", "a"]'}, {"items": [], "tags": ["a"]}),
    "discriminated union": (
        {"items": [], "paid": '{"kind": "cash", "coins": "[1, 2]"}'},
        {"items": [], "paid": {"kind": "cash", "coins": [1, 2]}},
    ),
    "mapping": ({"items": [], "sizes": "{'a': '1.5'}"}, {"items": [], "sizes": {"a": 1.5}}),
    "union": ({"items": [], "either": "[1]"}, {"items": [], "either": [1]}),
    "alias": ({"items": "[]", "max": "10.0"}, {"items": [], "max": 10}),
    "recursion": (
        {"items": [], "parent": '{"items": "[]"}'},
        {"items": [], "parent": {"items": []}},
    ),
    "everything in a string": ('{"items": "[]"}', {"items": []}),
}


@pytest.mark.parametrize(("sent", "read"), CASES.values(), ids=CASES)
def test_what_the_model_alone_refuses_is_coerced(sent: Any, read: Any) -> None:
    """By each way in."""
    with pytest.raises(ValidationError):
        PlainOrder.model_validate(sent)
    instances = [
        Order.model_validate(sent),
        Order.model_validate(sent, by_alias=True),
        Order.model_validate_json(json.dumps(sent)),
        Order.model_validate_json(json.dumps(sent), strict=False),
        TypeAdapter(Order).validate_python(sent),
        TypeAdapter(Order).validate_json(json.dumps(sent)),
        TypeAdapter(list[Order]).validate_python([sent])[0],
        pydantic.create_model("Outer", order=Order)(order=sent).order,
    ]
    if isinstance(sent, dict):
        instances.append(Order(**sent))
    for instance in instances:
        assert type(instance) is Order
        dumped = instance.model_dump(mode="json", by_alias=True, exclude_unset=True)
        assert dumped == read


SCHEMA = PlainOrder.model_json_schema()


@given(arguments_for(SCHEMA))
def test_what_the_model_accepts_is_not_touched(sent: Any) -> None:
    """Identity: the instance is what it would be without us. Soundness: so is that of the rest."""
    try:
        alone = PlainOrder.model_validate(copy.deepcopy(sent)).model_dump(exclude_unset=True)
    except ValidationError:
        alone = None
    try:
        ours = Order.model_validate(sent).model_dump(exclude_unset=True, by_alias=True)
    except ValidationError:
        assert alone is None
        return
    if alone is None:
        assert PlainOrder.model_validate(ours).model_dump(exclude_unset=True, by_alias=True) == ours
    else:
        assert Order.model_validate(sent).model_dump(exclude_unset=True) == alone


@given(arguments_for(SCHEMA))
def test_every_way_in_has_one_meaning(sent: Any) -> None:
    """Python data, its text, and a foreign type around the model."""

    def outcome(read: Callable[[Any], Any], data: Any) -> Any:
        try:
            return read(data).model_dump(exclude_unset=True)
        except ValidationError:
            return None

    expected = outcome(Order.model_validate, sent)
    assert outcome(TypeAdapter(Order).validate_python, sent) == expected
    assert (
        outcome(lambda data: TypeAdapter(list[Order]).validate_python([data])[0], sent) == expected
    )
    text = json.dumps(sent)
    assert outcome(lambda data: Order.model_validate_json(data, strict=None), text) == expected


FLAT = {
    "type": "object",
    "properties": {
        "tags": {"type": "array", "items": {"type": "string"}},
        "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    },
    "required": ["tags"],
    "additionalProperties": False,
}


class Strict(CoercingModel):
    """A model that says what `FLAT` says."""

    model_config = ConfigDict(strict=True, extra="forbid")
    tags: list[str]
    limit: int | None = None


@given(arguments_for(FLAT))
def test_a_strict_model_and_its_schema_agree(sent: Any) -> None:
    """What is coerced is what `compile_schema` makes of it, in strict mode too."""
    compiled = compile_schema(FLAT)
    explanation = compiled.explain(sent)
    try:
        instance = Strict.model_validate(sent)
    except ValidationError:
        assert explanation.error is not None
        return
    assert explanation.error is None
    assert same(instance.model_dump(exclude_unset=True), explanation.result)


# --------------------------------------------------------------------------- what models may be
def test_malformed_text_is_repaired() -> None:
    """And what is in it coerced."""
    for text in (
        "```json\n{tags: ['a'], limit: None,}\n```",
        b"{'tags': '[\"a\"]', 'limit': null}",
    ):
        with pytest.raises(ValidationError):
            Plain.model_validate_json(text)
        assert Search.model_validate_json(text).model_dump() == READ
        assert Search.model_validate_json(text, context={}).model_dump() == READ


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


def test_data_that_is_hidden_in_errors_stays_hidden() -> None:
    """The model's configuration holds."""

    class Secret(CoercingModel):
        model_config = ConfigDict(hide_input_in_errors=True, title="hidden")
        tags: list[int]

    with pytest.raises(ValidationError) as raised:
        Secret.model_validate({"tags": "password"})
    assert "password" not in str(raised.value)
    assert raised.value.title == "hidden"


def test_validators_are_never_bypassed() -> None:
    """Of fields and of models, before and after: they see the data as it is, then as coerced."""
    seen: list[Any] = []

    def not_empty(value: list[str]) -> list[str]:
        if not value:
            message = "no tags"
            raise ValueError(message)
        return value

    class Checked(CoercingModel):
        tags: Annotated[list[str], AfterValidator(not_empty)]
        parts: Annotated[
            list[str], BeforeValidator(lambda v: v.split("+") if type(v) is str else v)
        ]
        low: int = 0
        high: int = 10

        @field_validator("low")
        @classmethod
        def even(cls, value: int) -> int:
            assert value % 2 == 0
            return value

        @model_validator(mode="before")
        @classmethod
        def see(cls, data: Any) -> Any:
            seen.append(data)
            return data

        @model_validator(mode="after")
        def order(self) -> "Checked":
            assert self.low <= self.high
            return self

    read = Checked.model_validate({"tags": '["a"]', "parts": "a+b", "low": "4"})
    assert (read.tags, read.parts, read.low) == (["a"], ["a", "b"], 4)
    assert [data["tags"] for data in seen] == ['["a"]', ["a"]]
    for hopeless in ({"tags": "[]"}, {"tags": ["a"], "low": "3"}, {"tags": ["a"], "low": "12"}):
        with pytest.raises(ValidationError):
            Checked.model_validate({"parts": "a", **hopeless})


ALIASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "alias": (Field(alias="x"), {"x": "[1]"}),
    "validation alias": (Field(validation_alias="x"), {"x": "[1]"}),
    "first choice": (Field(validation_alias=AliasChoices("x", "y")), {"x": "[1]"}),
    "second choice": (Field(validation_alias=AliasChoices("x", "y")), {"y": "[1]"}),
    "path": (Field(validation_alias=AliasPath("x", "y", 1)), {"x": {"y": [0, "[1]"]}}),
    "path in a string": (
        Field(validation_alias=AliasChoices("a", AliasPath("x", "y"))),
        {"x": '{"y": "[1]"}'},
    ),
    "name": (Field(alias="x"), {"field": "[1]"}),
}


@pytest.mark.parametrize(("field", "sent"), ALIASES.values(), ids=ALIASES)
@pytest.mark.parametrize("extra", ["ignore", "forbid"])
def test_fields_are_read_under_every_name(field: Any, sent: dict[str, Any], extra: Any) -> None:
    """Under which the model takes them."""
    config = ConfigDict(validate_by_name=True, validate_by_alias=True, extra=extra)
    annotated: Any = Annotated[list[int], field]
    model = pydantic.create_model(
        "Aliased", __base__=CoercingModel, __config__=None, field=(annotated, ...)
    )
    model.model_config.update(config)
    model.model_rebuild(force=True)
    assert model.model_validate(sent).model_dump() == {"field": [1]}


def test_names_of_options_hold() -> None:
    """`by_name` may be said at run time."""

    class Named(CoercingModel):
        tags: Annotated[list[str], Field(alias="labels")]

    assert Named.model_validate({"tags": '["a"]'}, by_name=True).tags == ["a"]
    with pytest.raises(ValidationError):
        Named.model_validate({"tags": '["a"]'})


def test_root_models_coerce() -> None:
    """In either order of the bases."""

    class First(CoercingModel, RootModel[list[int]]):
        pass

    class Last(RootModel[list[int]], CoercingModel):
        pass

    for model in (First, Last):
        assert model.model_validate("[1]").root == [1]
        assert model("['1']").root == [1]
        assert model(root="[1]").root == [1]
        assert model.model_validate_json("```[1,]```").root == [1]
        assert TypeAdapter(dict[str, model]).validate_python({"a": "[1]"})["a"].root == [1]


def test_generic_models_coerce() -> None:
    """Each by its own parameters, and with the policy of the generic one."""

    class Page(CoercingModel, Generic[T], coercion="lenient"):
        rows: list[T]

    assert Page[int].model_validate({"rows": '["1"]'}).rows == [1]
    assert Page[str].model_validate({"rows": "a, b"}).rows == ["a", "b"]
    assert Page[Search].model_validate({"rows": [SENT]}).rows == [Search(**READ)]


def test_the_policy_is_a_class_keyword() -> None:
    """It is inherited, can be changed, and may be a `Coercion`."""
    sent = {"tags": "a, b"}

    class Generous(Search, coercion="lenient"):
        pass

    class Off(Generous, coercion="off"):
        pass

    class Named(Off, coercion=Coercion.lenient):
        pass

    class Inherited(Named, title="another class keyword"):
        pass

    for model in (Generous, Named, Inherited):
        assert model.model_validate(sent).tags == ["a", "b"]
    for model in (Search, Off):
        with pytest.raises(ValidationError):
            model.model_validate(sent)
    with pytest.raises(ValidationError):
        Off.model_validate(SENT)
    with pytest.raises(ValueError, match="coercion"):
        type("Wrong", (CoercingModel,), {}, coercion="everything")


def test_objects_of_the_program_are_left_as_they_are() -> None:
    """Only what is JSON is coerced around them."""

    class Event(CoercingModel):
        model_config = ConfigDict(arbitrary_types_allowed=True)
        tags: list[str]
        since: datetime
        ids: list[UUID]
        search: Search
        handle: Any = None
        call: Callable[[], int] | None = None

    since, uuid, search, handle = datetime(2026, 1, 2), UUID(int=1), Search(tags=["b"]), object()  # noqa: DTZ001
    event = Event(
        tags='["a"]', since=since, ids=[uuid, str(uuid)], search=search, handle=handle, call=int
    )
    assert (event.tags, event.since, event.ids) == (["a"], since, [uuid, uuid])
    assert (event.search, event.handle, event.call) == (search, handle, int)
    endless: list[Any] = []
    endless.append(endless)
    for hostile in (endless, {1: "a"}, {"tags": float("nan")}, object(), "\ud800", None):
        with pytest.raises(ValidationError):
            Event.model_validate(hostile)
    with pytest.raises(ValidationError):
        Search.model_validate_json('{"tags": 1, "limit": "\ud800"}')


def test_models_of_attributes_coerce() -> None:
    """`from_attributes` works as it did."""

    class Named(CoercingModel):
        model_config = ConfigDict(from_attributes=True)
        tags: list[str]

    assert Named.model_validate(Search(tags=["a"])).tags == ["a"]


def test_patterns_need_not_be_those_of_json_schema() -> None:
    """The model checks them, whatever they are written in."""

    class Named(CoercingModel):
        name: Annotated[str, Field(pattern=r"(?i)^a\z")]
        tags: list[str] = []

    assert Named.model_validate({"name": "A", "tags": '["a"]'}).tags == ["a"]
    with pytest.raises(ValidationError, match="string_pattern_mismatch"):
        Named.model_validate({"name": "B", "tags": '["a"]'})


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


def test_a_model_may_refer_to_what_comes_later() -> None:
    """It is completed when it is first used, or rebuilt."""

    class Later(CoercingModel):
        search: "Needed"

    class Needed(CoercingModel):
        tags: list[str]

    Later.model_rebuild(_types_namespace={"Needed": Needed})
    assert Later.model_validate({"search": '{"tags": "[]"}'}).search.tags == []


def test_it_is_a_model_like_any_other() -> None:
    """Its schema, signature, equality, copies, assignment and subclasses are pydantic's."""
    assert Search.model_json_schema()["properties"] == Plain.model_json_schema()["properties"]
    assert Order.model_json_schema() == SCHEMA
    instance = Search.model_validate(SENT)
    assert instance == Search(**READ)
    assert repr(instance) == "Search(tags=['a'], limit=None)"
    assert pickle.loads(pickle.dumps(instance)) == instance  # noqa: S301
    assert instance.model_copy(update={"limit": 1}).limit == 1
    assert "self" not in str(__import__("inspect").signature(Search))

    class More(Search):
        model_config = ConfigDict(validate_assignment=True)
        more: int

        def __init__(self, **data: Any) -> None:
            super().__init__(**{"more": 1, **data})

    more = More(**SENT)
    assert more.model_dump() == {**READ, "more": 1}
    assert More.model_validate(SENT) == more
    more.limit = 5
    with pytest.raises(ValidationError):
        more.limit = "many"
    strings = pydantic.create_model("Strings", __base__=CoercingModel, limit=(int, ...))
    assert strings.model_validate_strings({"limit": "5"}).limit == 5


def test_a_validator_that_returns_another_instance_is_warned_of() -> None:
    """As pydantic does."""

    class Odd(CoercingModel):
        limit: int

        @model_validator(mode="after")
        def other(self) -> "Odd":
            return self.model_copy()

    with pytest.warns(UserWarning, match="returning a value other than `self`"):
        Odd(limit=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Search(tags=["a"])


# ------------------------------------------------------------------------------- the decorator
@coercing
@dataclasses.dataclass
class Filter:
    """A dataclass of the standard library."""

    tags: list[str]
    limit: int | None = None


@coercing(coercion="lenient")
@pydantic.dataclasses.dataclass
class Query:
    """A dataclass of pydantic's."""

    tags: list[str]
    limit: int | None = None


@pytest.mark.parametrize("kind", [Filter, Query], ids=["dataclass", "pydantic's dataclass"])
def test_dataclasses_coerce_in_type_adapters_and_models(kind: Any) -> None:
    """And stay what they are."""
    read = kind(tags=["a"], limit=None)
    assert TypeAdapter(kind).validate_python(SENT) == read
    assert TypeAdapter(list[kind]).validate_json(json.dumps([SENT])) == [read]
    assert pydantic.create_model("Outer", inner=kind)(inner=SENT).inner == read
    assert dataclasses.asdict(read) == READ
    assert pickle.loads(pickle.dumps(read)) == read  # noqa: S301
    with pytest.raises(ValidationError, match="limit"):
        TypeAdapter(kind).validate_python({**SENT, "limit": "many"})


def test_others_models_can_be_made_coercing() -> None:
    """They stay as they are; what is made is a subclass of the same name."""
    ours = coercing(Plain, coercion="lenient")
    assert issubclass(ours, Plain)
    assert issubclass(ours, CoercingModel)
    assert (ours.__name__, ours.__doc__) == ("Plain", "Nothing of ours.")
    assert ours.model_validate({"tags": "a, b"}).tags == ["a", "b"]
    assert ours(tags="a, b").model_dump() == {"tags": ["a", "b"], "limit": None}
    with pytest.raises(ValidationError):
        Plain.model_validate(SENT)
    again = coercing(ours, coercion="off")
    with pytest.raises(ValidationError):
        again.model_validate(SENT)


def test_a_model_keeps_its_own_ways_in() -> None:
    """What it overrides comes first."""

    @coercing
    class Own(BaseModel):
        tags: list[str]

        @classmethod
        def model_validate(cls, obj: Any, **options: Any) -> Any:
            return super().model_validate({"tags": obj}, **options)

    assert Own.model_validate('["a"]').tags == ["a"]


@pytest.mark.parametrize("kind", [int, list[int], "Search", {"type": "object"}], ids=repr)
def test_what_is_no_class_of_fields_is_refused(kind: Any) -> None:
    """With a message that says what can be made coercing."""
    with pytest.raises(TypeError, match="a pydantic model or a dataclass"):
        coercing(kind)


# ------------------------------------------------------------------- what must not be lost or seen
def test_what_can_be_looked_at_once_is_looked_at_once() -> None:
    """An iterator is empty the second time: its items are neither lost nor passed over."""

    class Numbers(CoercingModel):
        numbers: list[int]
        limit: int | None = None

    for sent in (
        {"numbers": iter([1, 2, "bad"])},
        {"numbers": (n for n in (1, 2)), "limit": "null"},
        {"numbers": map(int, "12"), "limit": "null"},
    ):
        with pytest.raises(ValidationError):
            Numbers.model_validate(sent)
    assert Numbers.model_validate({"numbers": iter([1, 2])}).numbers == [1, 2]


def test_validators_that_change_the_data_see_it_as_it_was() -> None:
    """The second time as the first."""

    class Renamed(CoercingModel):
        full: str
        count: int = 0
        tags: list[str]

        @model_validator(mode="before")
        @classmethod
        def rename(cls, data: Any) -> Any:
            data["full"] = data.pop("name")
            data["count"] = data.get("count", 0) + 1
            return data

    assert Renamed.model_validate({"name": "x", "tags": '["a"]'}).model_dump() == {
        "full": "x",
        "count": 1,
        "tags": ["a"],
    }
    assert Renamed(name="x", tags='["a"]').count == 1
    assert TypeAdapter(Renamed).validate_python({"name": "x", "tags": '["a"]'}).count == 1


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


Lenient = Annotated[int, BeforeValidator(lambda value: 5 if value is None else value)]
ACCEPTED: dict[str, tuple[Any, Any]] = {
    "null for a validator": (Lenient, None),
    "JSON text for a validator": (Annotated[list[str], BeforeValidator(json.loads)], '["a"]'),
    "a number for a validator": (Annotated[str, BeforeValidator(lambda v: f"D{v}")], 5),
    "a string to put into a list": (
        Annotated[list[str], BeforeValidator(lambda v: [v] if type(v) is str else v)],
        '["a"]',
    ),
    "an address as a number": (pydantic.IPvAnyAddress, 16843009),
    "a boolean for a string or an integer": (str | int, True),
    "text for a float or an integer": (float | int, "1"),
    "text for a boolean or an integer": (bool | int, "1"),
}


@pytest.mark.parametrize(("kind", "sent"), ACCEPTED.values(), ids=ACCEPTED)
def test_a_field_is_as_it_was_whatever_is_wrong_beside_it(kind: Any, sent: Any) -> None:
    """Only what was refused is coerced, at any depth."""
    inner = pydantic.create_model("Inner", __base__=CoercingModel, field=(kind, 10), tags=list[str])
    outer = pydantic.create_model("Outer", __base__=CoercingModel, all=list[inner])
    right = {"field": sent, "tags": ["a"]}
    wrong = {"field": sent, "tags": '["a"]'}
    expected = inner.model_validate(right)
    assert inner.model_validate(wrong) == expected
    assert inner.model_validate_json(json.dumps(wrong)) == expected
    assert inner(**wrong) == expected
    assert TypeAdapter(inner).validate_python(wrong) == expected
    assert outer.model_validate({"all": [right, wrong]}).all == [expected] * 2


class First(CoercingModel):
    """Takes a list."""

    x: list[int]


class Second(CoercingModel):
    """Takes a string."""

    x: str


@pytest.mark.parametrize("name", ["field", "config", "metadata", "default", "members"])
def test_what_is_valid_as_it_stands_for_the_whole_is_left_alone(name: str) -> None:
    """By each way in, a plain model in between, and fields of any name."""
    sent = {name: {"x": "[1]"}}
    fields: Any = {name: (First | Second, ...)}
    direct = pydantic.create_model("Direct", __base__=CoercingModel, **fields)
    plain = pydantic.create_model("Between", **fields)
    around = pydantic.create_model("Around", __base__=CoercingModel, between=plain)
    for instance in (
        direct.model_validate(sent),
        direct(**sent),
        direct.model_validate_json(json.dumps(sent)),
        TypeAdapter(direct).validate_python(sent),
        pydantic.create_model("Foreign", direct=direct)(direct=sent).direct,
        around.model_validate({"between": sent}).between,
    ):
        assert getattr(instance, name) == Second(x="[1]")


def test_the_rules_of_the_outermost_model_hold() -> None:
    """By each way in."""

    class Off(CoercingModel, coercion="off"):
        inner: Search

    sent = {"inner": {"tags": '["a"]'}}
    for read in (Off.model_validate, TypeAdapter(Off).validate_python, lambda data: Off(**data)):
        with pytest.raises(ValidationError):
            read(sent)


def test_a_model_that_is_built_again_is_another() -> None:
    """Its validator and its schema are those of its fields."""

    class Changing(CoercingModel):
        field: int

    with pytest.raises(ValidationError):
        Changing.model_validate({"field": "a"})
    Changing.model_fields["field"].annotation = list[str]
    Changing.model_rebuild(force=True)
    assert Changing.model_validate({"field": '["a"]'}).field == ["a"]


def test_mixins_need_not_know_of_it() -> None:
    """One that keeps `__init_subclass__` to itself does no harm."""

    class Mixin:
        def __init_subclass__(cls, **kwargs: Any) -> None:
            pass

    class Mixed(Mixin, CoercingModel):
        tags: list[str]

    for instance in (Mixed(tags='["a"]'), Mixed.model_validate({"tags": '["a"]'})):
        assert type(instance) is Mixed
        assert instance.tags == ["a"]


def test_a_class_can_be_copied_before_it_is_used() -> None:
    """As libraries do that pickle classes by value."""

    class Fresh(CoercingModel):
        tags: list[str]

    assert copy.copy(vars(Fresh)["__as_it_is__"])._model is Fresh


def test_root_models_may_have_an_init_of_their_own() -> None:
    """It hands on the root by position, in either order of the bases."""

    class Root(CoercingModel, RootModel[list[int]]):
        def __init__(self, root: Any) -> None:
            super().__init__(root)

    assert Root("[1]").root == [1]
    assert Root.model_validate("[1]").root == [1]


@pytest.mark.parametrize("sent", [5, None, [], pytest.param(memoryview(b"{}"), id="memoryview")])
def test_what_is_no_text_is_the_models_error(sent: Any) -> None:
    """As pydantic has it."""
    with pytest.raises((ValidationError, TypeError)) as alone:
        Plain.model_validate_json(sent)
    with pytest.raises(alone.type):
        Search.model_validate_json(sent)


def test_objects_of_the_program_do_not_become_text() -> None:
    """No rule writes what stands in for them."""

    class Note(CoercingModel, coercion="lenient"):
        note: str

    with pytest.raises(ValidationError):
        Note.model_validate({"note": {"a": date(2026, 1, 1)}})


def test_a_dataclass_keeps_its_own_schema() -> None:
    """And its parameters, and its slots."""

    @coercing
    @dataclasses.dataclass(slots=True)
    class Positive:
        x: int

        @classmethod
        def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
            def check(value: Any) -> Any:
                assert value.x > 0
                return value

            return pydantic_core.core_schema.no_info_after_validator_function(
                check, handler(source)
            )

    assert TypeAdapter(Positive).validate_python({"x": "1.0"}).x == 1
    with pytest.raises(ValidationError, match="assertion"):
        TypeAdapter(Positive).validate_python({"x": -1})
    assert not hasattr(Positive(x=1), "__dict__")

    @coercing
    @dataclasses.dataclass
    class Box(Generic[T]):
        content: T

    assert TypeAdapter(Box[list[int]]).validate_python({"content": "[1]"}).content == [1]


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
