"""The words of coercing models reach the clients of a FastAPI service."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from schema2model import CoercingModel, compile_schema

fastapi = pytest.importorskip("fastapi", reason="needs fastapi: pip install fastapi")
testing = pytest.importorskip("fastapi.testclient", reason="needs httpx2: pip install httpx2")


class Order(CoercingModel):
    """Order more of an article."""

    sku: str
    amounts: list[int]
    due: date | None = None


Compiled = compile_schema(Order.model_json_schema(), formats="convert").model

app = fastapi.FastAPI()


@app.post("/typed")
def typed(order: Order) -> Any:
    """What a model of one's own made of a body."""
    return order.model_dump()


@app.post("/compiled")
def compiled(order: Compiled) -> Any:  # type: ignore[valid-type]
    """What a compiled model made of a body."""
    return order.model_dump()  # type: ignore[attr-defined]


client = testing.TestClient(app)
with_each = pytest.mark.parametrize("path", ["/typed", "/compiled"])


@with_each
def test_a_body_is_coerced(path: str) -> None:
    """As arguments of a tool are."""
    response = client.post(path, json={"sku": 4711, "amounts": "[1, 2]", "due": "null"})
    assert (response.status_code, response.json()) == (
        200,
        {"sku": "4711", "amounts": [1, 2], "due": None},
    )


@with_each
def test_a_refusal_is_422_in_words_that_a_model_can_act_on(path: str) -> None:
    """Each problem at its place, with what is expected and what was sent."""
    response = client.post(path, json={"sku": "A1", "amounts": ["many"], "due": "soon"})
    assert response.status_code == 422
    problems = {tuple(each["loc"]): each["msg"] for each in response.json()["detail"]}
    assert problems.keys() == {("body", "amounts", 0), ("body", "due")}
    for message, words in zip(
        problems.values(), ('integer, without quotes, not "many"', "date"), strict=True
    ):
        assert message.startswith("must be ")
        assert words in message
        assert "would be accepted" not in message
