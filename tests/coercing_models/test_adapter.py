# ruff: noqa: D103 - the names state the promises
"""`coercing_adapter`: coercion for TypedDicts, lists and unions."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union

import pytest
from pydantic import BaseModel, Field, TypeAdapter, ValidationError
from typing_extensions import NotRequired, TypedDict

from schema2model import CoercingModel, coercing_adapter


class Item(TypedDict):
    """A typed dictionary."""

    sku: str
    amounts: NotRequired[list[int]]


class Card(BaseModel):
    """A branch of unions."""

    kind: Literal["card"]
    digits: list[int]


class Cash(BaseModel):
    """Another one."""

    kind: Literal["cash"]
    day: dt.date | None = None


class Search(CoercingModel):
    """A model that coerces by itself."""

    tags: list[str]


@dataclass
class Point:
    """A dataclass."""

    x: int


CARD = Card(kind="card", digits=[1, 2])
TAGGED = Annotated[Card | Cash, Field(discriminator="kind")]


@pytest.mark.parametrize(
    ("kind", "sent", "expected"),
    [
        (Item, {"sku": 4711, "amounts": '["1"]'}, {"sku": "4711", "amounts": [1]}),
        (list[Item], '[{"sku": "A1"}]', [{"sku": "A1"}]),
        (list[Card], [{"kind": "card", "digits": "[1, 2]"}], [CARD]),
        (
            Union[Card, Cash],  # noqa: UP007 - which is another type
            {"kind": "card", "digits": "[1, 2]"},
            CARD,
        ),
        (Card | Cash, {"kind": "cash", "day": "null"}, Cash(kind="cash")),
        (TAGGED, {"kind": "card", "digits": '["1", 2]'}, CARD),
        (list[TAGGED], [{"kind": "card", "digits": "[1, 2]"}], [CARD]),
        (dict[str, Card], '{"a": {"kind": "card", "digits": [1, 2]}}', {"a": CARD}),
        (list[Search], '[{"tags": "[\'new\']"}]', [Search(tags=["new"])]),
        (list[Point], [{"x": '"1"'}], [Point(1)]),
        (list[int], "[1, 2]", [1, 2]),
    ],
)
def test_data_of_any_type_is_coerced(kind: Any, sent: Any, expected: Any) -> None:
    adapter = coercing_adapter(kind)
    assert adapter.validate_python(sent) == expected
    assert type(adapter.validate_python(sent)) is type(expected)
    with pytest.raises(ValidationError):
        coercing_adapter(kind, coercion="off").validate_python(sent)


def test_text_is_repaired() -> None:
    text = "[{sku: 'A1', amounts: [1, 2,]}]"
    assert coercing_adapter(list[Item]).validate_json(text) == [{"sku": "A1", "amounts": [1, 2]}]
    assert coercing_adapter(Card | Cash).validate_json("{kind: 'cash'}") == Cash(kind="cash")
    with pytest.raises(ValidationError):
        coercing_adapter(list[Item]).validate_json("nothing at all")


def test_correct_data_and_the_rest_of_the_adapter_are_pydantics() -> None:
    adapter, plain = coercing_adapter(list[Card]), TypeAdapter(list[Card])
    assert adapter.validate_python([CARD])[0] is CARD
    assert adapter.validate_json('[{"kind": "card", "digits": [1, 2]}]') == [CARD]
    assert adapter.json_schema() == plain.json_schema()
    assert adapter.dump_python([CARD]) == plain.dump_python([CARD])
    with pytest.raises(ValidationError) as refused:
        adapter.validate_python([{"kind": "card", "digits": "x"}])
    assert refused.value.errors()[0]["loc"] == (0, "digits")
    assert coercing_adapter(Cash).validate_strings({"kind": "cash"}) == Cash(kind="cash")


def test_names_of_the_caller_are_found() -> None:
    class Local(BaseModel):
        inner: list[int]

    adapter = coercing_adapter(list["Local"])  # type: ignore[type-var]
    assert adapter.validate_python([{"inner": "[1]"}]) == [Local(inner=[1])]


def test_an_adapter_of_a_coercing_model_coerces_each_model_and_not_the_list() -> None:
    adapter = TypeAdapter(list[Search])
    assert adapter.validate_python([{"tags": '["new"]'}]) == [Search(tags=["new"])]
    with pytest.raises(ValidationError):
        adapter.validate_python('[{"tags": []}]')
