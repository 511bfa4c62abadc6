"""A schema, the models that a person writes for it, and what is done with both."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, Optional, Union

import pytest
from pydantic import BaseModel, Field, ValidationError

from schema2model import compile_schema

ADDRESS = {
    "type": "object",
    "properties": {"street": {"type": "string"}, "zip": {"type": "string", "default": "?"}},
    "required": ["street"],
    "additionalProperties": False,
}
SCHEMA: dict[str, Any] = {
    "title": "Order",
    "description": "What somebody wants.",
    "type": "object",
    "properties": {
        "ship": {"$ref": "#/$defs/Address"},
        "bill": {"anyOf": [{"$ref": "#/$defs/Address"}, {"type": "null"}], "default": None},
        "lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}, "default": []},
        "stops": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Address"}},
        "pay": {"oneOf": [{"$ref": "#/$defs/Card"}, {"$ref": "#/$defs/Cash"}]},
        "tree": {"$ref": "#/$defs/Node"},
        "count": {"type": "integer", "minimum": 1, "maximum": 9, "default": 1},
        "speed": {"enum": ["slow", "fast"], "default": "slow"},
        "note": {"type": "string", "maxLength": 20, "pattern": "^[a-z ]*$"},
        "score": {"type": "number"},
        "gift": {"type": "boolean", "default": False},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
    },
    "required": ["ship"],
    "$defs": {
        "Address": ADDRESS,
        "Line": {
            "type": "object",
            "properties": {"sku": {"type": "string"}, "amount": {"type": "integer", "default": 1}},
            "required": ["sku"],
        },
        "Card": {
            "type": "object",
            "properties": {"kind": {"const": "card"}, "number": {"type": "string"}},
            "required": ["kind", "number"],
        },
        "Cash": {
            "type": "object",
            "properties": {"kind": {"const": "cash"}},
            "required": ["kind"],
        },
        "Node": {
            "type": "object",
            "properties": {
                "value": {"type": "integer"},
                "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
            },
            "required": ["value"],
        },
    },
}


class Address(BaseModel, extra="forbid"):
    """Written by hand, as are those below."""

    street: str
    zip: str = "?"


class Line(BaseModel, extra="allow"):
    """One of the things that are ordered."""

    sku: str
    amount: int = 1


class Card(BaseModel, extra="allow"):
    """One of two ways to pay."""

    kind: Literal["card"]
    number: str


class Cash(BaseModel, extra="allow"):
    """The other one."""

    kind: Literal["cash"]


class Node(BaseModel, extra="allow"):
    """One that refers to itself."""

    value: int
    children: Optional[list[Node]] = None  # noqa: UP045 - evaluated on Python 3.10


class Order(BaseModel, extra="allow"):
    """What somebody wants."""

    ship: Address
    bill: Optional[Address] = None  # noqa: UP045 - as above
    lines: list[Line] = []
    stops: Optional[dict[str, Address]] = None  # noqa: UP045 - as above
    pay: Optional[Annotated[Union[Card, Cash], Field(discriminator="kind")]] = None  # noqa: UP007, UP045
    tree: Optional[Node] = None  # noqa: UP045 - as above
    count: int = Field(1, ge=1, le=9)
    speed: Literal["slow", "fast"] = "slow"
    note: Optional[str] = Field(None, max_length=20, pattern="^[a-z ]*$")  # noqa: UP045 - as above
    score: Optional[float] = None  # noqa: UP045 - as above
    gift: bool = False
    tags: Optional[list[str]] = Field(None, max_length=3)  # noqa: UP045 - as above


FULL: dict[str, Any] = {
    "ship": {"street": "Elm"},
    "bill": {"street": "Oak", "zip": "1"},
    "lines": [{"sku": "a"}, {"sku": "b", "amount": 2}],
    "stops": {"first": {"street": "Ash"}},
    "pay": {"kind": "card", "number": "4711"},
    "tree": {"value": 1, "children": [{"value": 2, "children": [{"value": 3}]}]},
    "count": 5,
    "speed": "fast",
    "note": "be quick",
    "score": 1.5,
    "tags": ["x"],
    "more": {"any": [1]},
}
SMALL: dict[str, Any] = {"ship": {"street": "Elm"}}
Do = Callable[[Any], Any]


DOCUMENTED = re.findall(
    r"^\| ([^|]+) \|", Path(__file__, "../../../docs/models.md").resolve().read_text(), re.MULTILINE
)
"""The differences that the documentation names."""


class Rows(dict[str, Do]):
    """What is done with a model class, by name."""

    def row(self, do: Do) -> Do:
        """One more; its name is that of the function."""
        self[do.__name__.replace("_", " ")] = do
        return do

    def compare(self, name: str, different: dict[str, tuple[Any, Any]]) -> None:
        """What a row gives for the compiled model is the same as for the one written by hand.

        Or both are what `different` says, and the documentation has it.
        """
        ours, theirs = self[name](compile_schema(SCHEMA).model), self[name](Order)
        if name in different:
            assert (ours, theirs) == different[name]
            assert name in DOCUMENTED
        else:
            assert ours == theirs

    def are_documented(self, different: dict[str, tuple[Any, Any]]) -> bool:
        """Whether the documentation has the rows that differ, and no others of these."""
        return {each for each in DOCUMENTED if each in self} == different.keys() <= self.keys()


def errors_of(model: Any, sent: Any, method: str = "model_validate", **options: Any) -> Any:
    """Where what is sent is wrong, and in which way."""
    with pytest.raises(ValidationError) as raised:
        getattr(model, method)(sent, **options)
    return [(line["loc"], line["type"]) for line in raised.value.errors()]


def kept_as(model: Any, sent: Any) -> Any:
    """The class of what a value is validated as, or the type of the error."""
    try:
        return type(model.model_validate(sent)).__name__
    except ValidationError as error:
        return error.errors()[0]["type"]


def card_and_cash(model: Any) -> Any:
    """The models of the two ways to pay."""
    pay = [{"kind": "card", "number": "1"}, {"kind": "cash"}]
    return tuple(type(model(**SMALL, pay=each).pay) for each in pay)


def subclass(model: Any, **namespace: Any) -> Any:
    """A subclass that says no more than that."""
    return type(model)("Mine", (model,), {"__module__": __name__, **namespace})
