"""Models that people write: what `CoercingModel` costs where there is nothing to coerce."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter

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
