# ruff: noqa: D103 - the names state the promises
"""Functions whose schema was given apart from them: they get the types of their annotations."""

from __future__ import annotations

import datetime as dt
import enum
import uuid
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from schema2model import SchemaError, Tool, ToolError


class Order(enum.Enum):
    """A choice."""

    UP = "asc"
    DOWN = "desc"


class Place(BaseModel):
    """A model."""

    city: str
    zip: int | None = None


@dataclass
class Point:
    """A dataclass."""

    x: float
    y: float


STRING = {"type": "string"}
PLACE = {"type": "object", "properties": {"city": STRING}, "required": ["city"]}


def tool(function: Any, properties: dict[str, Any], required: tuple[str, ...] = ()) -> Tool:
    parameters = {"type": "object", "properties": properties, "required": [*required]}
    return Tool.from_schema({"name": "f", "parameters": parameters}, function)


def test_arguments_become_the_annotated_types() -> None:
    def f(  # noqa: PLR0913, PLR0917 - a type each
        when: dt.datetime,
        key: uuid.UUID,
        order: Order,
        place: Place,
        stops: list[Place],
        point: Point | None = None,
        ratio: float = 0.0,
        note: str = "",
        **others: Any,
    ) -> Any:
        return when, key, order, place, stops, point, ratio, note, others

    made = tool(
        f,
        {
            "when": {"type": "string", "format": "date-time"},
            "key": STRING,
            "order": {"enum": ["asc", "desc"]},
            "place": PLACE,
            "stops": {"type": "array", "items": PLACE},
            "point": {"type": "object"},
            "ratio": {"type": "number"},
            "note": STRING,
        },
    )
    sent = {
        "when": "2026-01-02T03:04:05Z",
        "key": "12345678-1234-5678-1234-567812345678",
        "order": "desc",
        "place": {"city": "Rome"},
        "stops": '[{"city": "Oslo", "zip": 1}]',
        "ratio": 1,
        "more": [1],
    }
    when, key, order, place, stops, point, ratio, note, others = made.call(sent)
    assert when == dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.timezone.utc)
    assert key == uuid.UUID(sent["key"])
    assert order is Order.DOWN
    assert place == Place(city="Rome")
    assert stops == [Place(city="Oslo", zip=1)]
    assert (point, ratio, note, others) == (None, 1.0, "", {"more": [1]})
    assert type(ratio) is float
    assert made.call({**sent, "point": {"x": 1, "y": 2}})[5] == Point(1, 2)
    # what is sent on, written or logged stays JSON
    assert made.prepare(sent).arguments["when"] == "2026-01-02T03:04:05Z"


def test_what_the_type_refuses_is_the_models_to_correct() -> None:
    def f(when: dt.date) -> Any:
        return when

    with pytest.raises(ToolError, match="- /when: expected"):
        tool(f, {"when": STRING}).prepare({"when": "tomorrow"})


def test_a_default_of_the_function_stays_whatever_it_is() -> None:
    marker = object()

    def f(when: dt.date = marker) -> Any:  # type: ignore[assignment]
        return when

    assert tool(f, {"when": STRING}).call({}) is marker


def test_further_arguments_become_the_annotated_type() -> None:
    def f(name: str, **days: dt.date) -> Any:
        return name, days

    day = dt.date(2026, 1, 2)
    assert tool(f, {"name": STRING}).call({"name": "2026-01-02", "d": "2026-01-02"}) == (
        "2026-01-02",
        {"d": day},
    )


def test_plain_types_stay_the_same_objects() -> None:
    def f(items: list[str], choice: Literal["a", "b"], untyped=None) -> Any:  # type: ignore[no-untyped-def] # noqa: ANN001
        return items, choice, untyped

    made = tool(f, {"items": {"type": "array"}, "choice": {"enum": ["a", "b"]}, "untyped": {}})
    prepared = made.prepare({"items": ["x"], "choice": "a", "untyped": {"a": 1}})
    assert prepared.call() == (["x"], "a", {"a": 1})
    assert prepared.kwargs["items"] is prepared.arguments["items"]


@pytest.mark.parametrize(
    ("annotation", "schema", "words"),
    [
        (int, STRING, "annotated as int, and its schema allows only string"),
        (str, {"type": "integer"}, "annotated as str, and its schema allows only number"),
        (uuid.UUID, {"type": ["integer", "boolean"]}, "allows only boolean or number"),
        (Place, STRING, "annotated as .*Place, and its schema allows only string"),
        (Order, {"enum": ["asc", "up"]}, "which does not take 'up'"),
        (object.__new__, STRING, "has no JSON form"),
        (Annotated[str, Field(alias="b")], STRING, "has an alias"),
    ],
)
def test_a_pair_that_cannot_work_is_refused_at_definition(
    annotation: Any, schema: Any, words: str
) -> None:
    def f(a: Any) -> Any:
        return a

    f.__annotations__["a"] = annotation
    with pytest.raises(SchemaError, match=words):
        tool(f, {"a": schema})


def test_all_arguments_as_one_parameter_are_a_mapping() -> None:
    def good(raw_arguments: dict[str, object]) -> Any:
        return raw_arguments

    def untyped(raw_arguments):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202
        return raw_arguments

    def bad(raw_arguments: Place) -> Any:
        return raw_arguments

    for function in (good, untyped):
        assert tool(function, PLACE["properties"]).call({"city": "Rome"}) == {"city": "Rome"}  # type: ignore[arg-type]
    with pytest.raises(SchemaError, match=r"annotate it as dict\[str, Any\]"):
        tool(bad, PLACE["properties"])  # type: ignore[arg-type]
