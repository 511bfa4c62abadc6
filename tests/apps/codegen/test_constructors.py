"""The promises of the constructors of generated classes: what type checkers accept is held."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("datamodel_code_generator", reason="needs the extra codegen")

from generated import imported, mcp
from pydantic import BaseModel, ValidationError
from type_checkers import CHECKERS, installed

from schema2model.apps import codegen

LINE = {
    "type": "object",
    "properties": {"unit-price": {"type": "number"}, "n": {"type": "integer"}},
    "required": ["unit-price"],
}
ORDER = {
    "type": "object",
    "properties": {
        "limit": {"type": "integer"},
        "placed-at": {"type": "string"},
        "class": {"type": "string"},
        "schema": {"type": "string"},
        "_id": {"type": "integer"},
        "lines": {"type": "array", "items": LINE},
    },
    "required": ["limit"],
}
SOURCES: dict[str, Callable[..., str]] = {
    "tool": lambda **options: codegen.generate([mcp("order", ORDER)], **options),
    "document": lambda **options: codegen.generate_document({"$defs": {"Order": ORDER}}, **options),
}
"""A module with the class `Order`, as the arguments of a tool and as a component."""

ACCEPTED: dict[str, dict[str, Any]] = {
    "Order(limit=1)": {"limit": 1},
    'Order(limit=1, placed_at="noon")': {"limit": 1, "placed-at": "noon"},
    'Order(limit=1, class_="a", schema_="b")': {"limit": 1, "class": "a", "schema": "b"},
    "Order(limit=1, id=5)": {"limit": 1, "_id": 5},
    "Order(limit=1, placed_at=None, id=None)": {"limit": 1},
    "Order(limit=1, lines=[OrderLinesItem(unit_price=2)])": {
        "limit": 1,
        "lines": [{"unit-price": 2}],
    },
}
"""Calls that are right to type checkers, and what they hold."""

REFUSED = ["Order()", 'Order(limit="x")', "Order(limit=1, lines=[OrderLinesItem(n=1)])"]
"""Calls that are mistakes to type checkers, and to the classes."""


@pytest.mark.parametrize("coercion", ["default", "off"])
@pytest.mark.parametrize("kind", SOURCES)
def test_what_type_checkers_accept_is_held(kind: str, coercion: str) -> None:
    """And dumped under the names of the schema."""
    made = imported(SOURCES[kind](coercion=coercion))
    for call, expected in ACCEPTED.items():
        order = eval(call, made)  # noqa: S307 - the calls above
        assert order.model_dump(exclude_none=True) == expected, call
        assert type(order).model_validate(order.model_dump(exclude_unset=True)) == order
        assert order.model_extra == {}, call
    for call in REFUSED:
        with pytest.raises(ValidationError):
            eval(call, made)  # noqa: S307 - the calls above


@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize("kind", SOURCES)
def test_type_checkers_accept_these_calls_and_no_mistakes(
    kind: str, checker: str, tmp_path: Path
) -> None:
    """In their strict modes: the calls of the test above."""
    if not installed((checker,)):
        pytest.skip(f"needs {checker}")
    path = tmp_path / "orders.py"
    source = SOURCES[kind]()
    path.write_text("\n".join([source, *(f"print({call})" for call in ACCEPTED)]), "utf-8")
    assert not [*CHECKERS[checker]([path], tmp_path)]
    path.write_text("\n".join([source, *(f"print({call})" for call in REFUSED)]), "utf-8")
    assert len([*CHECKERS[checker]([path], tmp_path)]) == len(REFUSED)


@pytest.mark.parametrize("kind", SOURCES)
def test_the_names_of_the_schema_construct_as_well(kind: str) -> None:
    """So `Order(**data)` takes what `Order.model_validate(data)` takes."""
    order = imported(SOURCES[kind]())["Order"]
    data = {"limit": 1, "placed-at": "noon", "class": "a", "_id": 5}
    assert order(**data) == order.model_validate(data)
    assert order(**data).model_dump(exclude_none=True) == data


@pytest.mark.parametrize("kind", SOURCES)
def test_one_property_has_one_value(kind: str) -> None:
    """Two spellings of it at once are an error that has both."""
    order = imported(SOURCES[kind]())["Order"]
    with pytest.raises(ValidationError, match='is given twice: as "placed-at" and as "placed_at"'):
        order(limit=1, placed_at="noon", **{"placed-at": "noon"})


@pytest.mark.parametrize("kind", SOURCES)
def test_data_has_the_names_of_the_schema_only(kind: str) -> None:
    """There, the name of an attribute is that of an undeclared property."""
    order: type[BaseModel] = imported(SOURCES[kind]())["Order"]
    held = order.model_validate({"limit": 1, "placed_at": "noon"})
    assert held.model_extra == {"placed_at": "noon"}
    assert held.model_dump(exclude_unset=True) == {"limit": 1, "placed_at": "noon"}
