"""Instructor: response models of tools, and of a person's own classes."""

import instructor
from openai import OpenAI
from pydantic import BaseModel

from schema2model import Coercion, Tool
from schema2model.adapters.instructor import from_tool, wrap_tool


def restock(sku: str, amounts: list[int]) -> str:
    """Order more of an article."""
    return f"{sum(amounts)} of {sku}"


class Restock(BaseModel):
    """An order."""

    sku: str
    amounts: list[int]


made: type[BaseModel] = from_tool(Tool(restock))
wrapped: type[Restock] = wrap_tool(Restock, coercion=Coercion.default.replace(json_text=False))


def ask(client: OpenAI) -> int:
    """The response is an instance of the class."""
    order = instructor.from_openai(client).chat.completions.create(
        model="m", messages=[{"role": "user", "content": "two"}], response_model=wrapped
    )
    return sum(order.amounts)
