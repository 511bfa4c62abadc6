"""What coercion leaves alone: objects of the program, what validators see, and what is valid."""

import json
from collections.abc import Callable
from datetime import date, datetime
from typing import Annotated, Any
from uuid import UUID

import pydantic
import pytest
from hand_written import Search
from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    TypeAdapter,
    ValidationError,
    field_validator,
    model_validator,
)

from schema2model import CoercingModel, coercing_adapter


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


def test_objects_of_the_program_do_not_become_text() -> None:
    """No rule writes what stands in for them."""

    class Note(CoercingModel, coercion="lenient"):
        note: str

    with pytest.raises(ValidationError):
        Note.model_validate({"note": {"a": date(2026, 1, 1)}})


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


class Names(pydantic.BaseModel):
    """An ordinary model with a mapping."""

    names: dict[int, str] = {}


class Shop(CoercingModel):
    """One that coerces, with a mapping and an ordinary model."""

    prices: dict[float, int] = {}
    inner: Names | None = None


class Outer(pydantic.BaseModel):
    """An ordinary one around it."""

    shop: Shop


TWICE = {"1": 1, "1.0": 2}


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (Shop, {"prices": TWICE}),
        pytest.param(
            Shop,
            {"inner": {"names": {"1": "a", "01": "b"}}},
            marks=pytest.mark.xfail(
                pydantic.VERSION < "2.13",
                reason="models within keep their own validators in pydantic before 2.13",
            ),
        ),
        (Outer, {"shop": {"prices": TWICE}}),
    ],
)
def test_keys_that_become_equal_are_refused(kind: Any, data: Any) -> None:
    """Pydantic takes the last; in models within models, too."""
    with pytest.raises(ValidationError, match=r"keys differ, not 1(\.0)? twice"):
        kind.model_validate(data)
    with pytest.raises(ValidationError, match="must be an object whose keys differ"):
        kind.model_validate_json(json.dumps(data))


def test_keys_of_other_types_differ_too() -> None:
    """Those that differ stay."""
    with pytest.raises(ValidationError, match="keys differ"):
        coercing_adapter(dict[int, str]).validate_python({"1": "a", "01": "b"})
    made = Shop.model_validate({"prices": {"1": 1, "2.5": "2"}})
    assert made == Shop.model_validate_json(made.model_dump_json())
    assert made.prices == {1.0: 1, 2.5: 2}
