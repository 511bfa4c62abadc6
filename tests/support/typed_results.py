"""Functions whose results have types, for servers that publish an `outputSchema`."""

from __future__ import annotations

import datetime as dt
import types
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

if TYPE_CHECKING:
    from decimal import Decimal as OnlyForCheckers

__all__ = ["DECLARED", "FUNCTIONS", "declared", "opaque", "unresolved"]


class Guest(BaseModel):
    """A guest, whose name in JSON is another."""

    full_name: str = Field(alias="fullName")
    born: dt.date


class Room(BaseModel):
    """A room with guests in it."""

    number: int
    guests: list[Guest] = []


@dataclass
class Price:
    """A price."""

    amount: float
    currency: str = "EUR"


class Stay(TypedDict):
    """A stay."""

    nights: int


ANN = Guest(fullName="Ann", born=dt.date(1990, 2, 28))


def a_model(floor: int) -> Room:
    return Room(number=floor * 100 + 1, guests=[ANN])


def models(floor: int) -> list[Room]:
    return [a_model(floor), Room(number=floor)]


def a_dataclass(floor: int) -> Price:
    return Price(amount=floor * 10.5)


def a_typed_dict(floor: int) -> Stay:
    return {"nights": floor}


def a_mapping(floor: int) -> dict[str, int]:
    return {"floor": floor}


def a_union(floor: int) -> Room | None:
    return None if floor == 2 else a_model(floor)


def a_text(floor: int) -> str:
    return f"floor {floor}"


def a_number(floor: int) -> int:
    return floor


def nothing(floor: int) -> None:
    return None


nothing_at_all = types.FunctionType(nothing.__code__, globals(), "nothing_at_all")
nothing_at_all.__annotations__ = {"floor": int, "return": None}


def any_mapping(floor: int) -> dict[str, Any]:
    return {"guest": ANN.model_dump(mode="json"), "floor": floor}


def unannotated(floor: int):  # type: ignore[no-untyped-def]  # noqa: ANN202
    return {"floor": floor}


async def later(floor: int) -> Room:
    return a_model(floor)


FUNCTIONS = [
    pytest.param(function, id=function.__name__)
    for function in (
        a_model,
        models,
        a_dataclass,
        a_typed_dict,
        a_mapping,
        a_union,
        a_text,
        a_number,
        nothing,
        nothing_at_all,
        any_mapping,
        unannotated,
        later,
    )
]


def unresolved(floor: int) -> OnlyForCheckers:
    """Return what has a type that only type checkers import."""
    return floor  # type: ignore[return-value]


class Opaque:
    """A class that pydantic does not know."""


def opaque(floor: int) -> Opaque | None:
    """Return what has a type without a schema."""
    return floor  # type: ignore[return-value]


DECLARED = {
    "name": "declared",
    "inputSchema": {"type": "object", "properties": {"floor": {"type": "integer"}}},
    "outputSchema": {
        "type": "object",
        "properties": {"number": {"type": "integer"}},
        "required": ["number"],
    },
}


def declared(floor: int) -> Any:
    """Return what a definition's own `outputSchema` describes."""
    return Room(number=floor)
