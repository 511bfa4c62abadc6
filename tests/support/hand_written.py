"""Models that a person writes, with coercion and without, and what is sent to them."""

from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Annotated, Literal, Optional

from pydantic import BaseModel, Field

from schema2model import CoercingModel


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

SCHEMA = PlainOrder.model_json_schema()


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
