"""Models that people write: what `CoercingModel` costs where there is nothing to coerce."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from schema2model import CoercingModel

ITEM = {"sku": "A-1", "amount": 3, "tags": ["new"]}
ORDER = {"id": 1, "name": "Ada", "items": [ITEM] * 20, "urgent": True}


def _models(base: type[BaseModel]) -> dict[str, Callable[[], Any]]:
    """Every way in, for models of a base."""

    class Item(base):
        sku: str
        amount: int
        tags: list[str] = []

    class Order(base):
        id: int
        name: str
        items: list[Item]
        note: str | None = None
        urgent: bool = False

    item, order = json.dumps(ITEM), json.dumps(ORDER)
    adapter = TypeAdapter(list[Item])
    return {
        "model_validate": lambda: Item.model_validate(ITEM),
        "model_validate, 20 models within": lambda: Order.model_validate(ORDER),
        "model_validate_json": lambda: Item.model_validate_json(item),
        "model_validate_json, 20 models within": lambda: Order.model_validate_json(order),
        "by keywords": lambda: Item(**ITEM),
        "TypeAdapter of a list of 20": lambda: adapter.validate_python(ORDER["items"]),
    }


CONTENDERS = {"BaseModel": _models(BaseModel), "CoercingModel": _models(CoercingModel)}


@pytest.mark.benchmark(group="coercing models", max_time=0.25, min_time=0.0001)
@pytest.mark.parametrize("contender", CONTENDERS)
@pytest.mark.parametrize("way", CONTENDERS["BaseModel"])
def test_correct_data(benchmark: Any, way: str, contender: str) -> None:
    """The instances are equal but for their class."""
    plain, ours = CONTENDERS["BaseModel"][way](), CONTENDERS[contender][way]()
    assert TypeAdapter(Any).dump_python(ours) == TypeAdapter(Any).dump_python(plain)
    benchmark.extra_info |= {"case": way, "contender": contender}
    benchmark(CONTENDERS[contender][way])


class Numbers(CoercingModel):
    """A list whose items are refused, each with a line of its own."""

    numbers: list[int]


class PlainNumbers(BaseModel):
    """The same for pydantic alone."""

    numbers: list[int]


@pytest.mark.benchmark(group="coercing models, wrong items")
@pytest.mark.parametrize("model", [PlainNumbers, Numbers])
@pytest.mark.parametrize("size", [4_000, 16_000])
def test_wrong_items(benchmark: Any, size: int, model: type[BaseModel]) -> None:
    """Every item is wrong, and no rule reads it: four times as many take at most 4.4 times."""

    def refused() -> int:
        try:
            model.model_validate({"numbers": ["ten"] * size})
        except ValidationError as error:
            return error.error_count()
        return 0

    assert refused() == size
    benchmark.extra_info |= {"case": f"{size} wrong items", "contender": model.__name__}
    benchmark(refused)
