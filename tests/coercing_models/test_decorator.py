"""`coercing`: dataclasses and the models of others get the coercion of `CoercingModel`."""

import dataclasses
import json
import pickle
from typing import Any, Generic, TypeVar

import pydantic
import pydantic_core
import pytest
from hand_written import READ, SENT, Plain
from pydantic import BaseModel, TypeAdapter, ValidationError

from schema2model import CoercingModel, coercing

T = TypeVar("T")


@coercing
@dataclasses.dataclass
class Filter:
    """A dataclass of the standard library."""

    tags: list[str]
    limit: int | None = None


@coercing(coercion="lenient")
@pydantic.dataclasses.dataclass
class Query:
    """A dataclass of pydantic's."""

    tags: list[str]
    limit: int | None = None


@pytest.mark.parametrize("kind", [Filter, Query], ids=["dataclass", "pydantic's dataclass"])
def test_dataclasses_coerce_in_type_adapters_and_models(kind: Any) -> None:
    """And stay what they are."""
    read = kind(tags=["a"], limit=None)
    assert TypeAdapter(kind).validate_python(SENT) == read
    assert TypeAdapter(list[kind]).validate_json(json.dumps([SENT])) == [read]
    assert pydantic.create_model("Outer", inner=kind)(inner=SENT).inner == read
    assert dataclasses.asdict(read) == READ
    assert pickle.loads(pickle.dumps(read)) == read  # noqa: S301
    with pytest.raises(ValidationError, match="limit"):
        TypeAdapter(kind).validate_python({**SENT, "limit": "many"})


def test_a_dataclass_keeps_its_own_schema() -> None:
    """And its parameters, and its slots."""

    @coercing
    @dataclasses.dataclass(slots=True)
    class Positive:
        x: int

        @classmethod
        def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
            def check(value: Any) -> Any:
                assert value.x > 0
                return value

            return pydantic_core.core_schema.no_info_after_validator_function(
                check, handler(source)
            )

    assert TypeAdapter(Positive).validate_python({"x": "1.0"}).x == 1
    with pytest.raises(ValidationError, match="assertion"):
        TypeAdapter(Positive).validate_python({"x": -1})
    assert not hasattr(Positive(x=1), "__dict__")

    @coercing
    @dataclasses.dataclass
    class Box(Generic[T]):
        content: T

    assert TypeAdapter(Box[list[int]]).validate_python({"content": "[1]"}).content == [1]


def test_others_models_can_be_made_coercing() -> None:
    """They stay as they are; what is made is a subclass of the same name."""
    ours = coercing(Plain, coercion="lenient")
    assert issubclass(ours, Plain)
    assert issubclass(ours, CoercingModel)
    assert (ours.__name__, ours.__doc__) == ("Plain", "Nothing of ours.")
    assert ours.model_validate({"tags": "a, b"}).tags == ["a", "b"]
    assert ours(tags="a, b").model_dump() == {"tags": ["a", "b"], "limit": None}
    with pytest.raises(ValidationError):
        Plain.model_validate(SENT)
    again = coercing(ours, coercion="off")
    with pytest.raises(ValidationError):
        again.model_validate(SENT)


def test_a_model_keeps_its_own_ways_in() -> None:
    """What it overrides comes first."""

    @coercing
    class Own(BaseModel):
        tags: list[str]

        @classmethod
        def model_validate(cls, obj: Any, **options: Any) -> Any:
            return super().model_validate({"tags": obj}, **options)

    assert Own.model_validate('["a"]').tags == ["a"]


@pytest.mark.parametrize("kind", [int, list[int], "Search", {"type": "object"}], ids=repr)
def test_what_is_no_class_of_fields_is_refused(kind: Any) -> None:
    """With a message that says what can be made coercing."""
    with pytest.raises(TypeError, match="a pydantic model or a dataclass"):
        coercing(kind)
