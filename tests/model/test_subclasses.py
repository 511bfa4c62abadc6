"""What a subclass of a compiled model may say, and what it may not."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import pytest
from pydantic import (
    computed_field,
    create_model,
    field_serializer,
    field_validator,
    model_validator,
)

from schema2model import compile_schema

MODEL = compile_schema({"title": "Search", "properties": {"query": {"type": "string"}}}).model


class Made:
    """A mixin with a method that is not called for validated data."""

    def __init__(self, **data: Any) -> None:
        super().__init__(**data)


class Done:
    """Another, below it."""

    def model_post_init(self, context: Any, /) -> None:
        """What validation would call."""


IGNORED: dict[str, tuple[tuple[type[Any], ...], dict[str, Any], str]] = {
    "a field": ((), {"__annotations__": {"more": int}}, "the field `more`"),
    "another type": ((), {"__annotations__": {"query": int}}, "the field `query`"),
    "the field of a base": ((create_model("More", more=(int, 1)),), {}, "the field `more`"),
    "configuration": ((), {"model_config": {"frozen": True}}, "configuration"),
    "a validator": (
        (),
        {"check": field_validator("query")(lambda cls, value: value)},
        "a validator, `check`",
    ),
    "of all": (
        (),
        {"check": model_validator(mode="after")(lambda self: self)},
        "a validator, `check`",
    ),
    "a serializer": (
        (),
        {"write": field_serializer("query")(lambda self, value: value)},
        "a serializer, `write`",
    ),
    "a property to dump": ((), {"size": computed_field(lambda _: 1)}, "a computed field, `size`"),
    "what makes instances": ((), {"__new__": lambda cls: cls}, "the method `__new__`"),
    "what runs after": ((), {"model_post_init": print}, "the method `model_post_init`"),
    "what a mixin makes": ((Made,), {}, "the method `__init__`"),
    "what a mixin runs after": ((type("Deep", (Done,), {}),), {}, "the method `model_post_init`"),
    "two schemas": ((compile_schema({"title": "Two"}).model,), {}, "a second compiled model"),
}


@pytest.mark.parametrize(("bases", "namespace", "told"), IGNORED.values(), ids=IGNORED)
@pytest.mark.parametrize("first", [True, False], ids=["first", "last"])
def test_what_a_subclass_says_in_vain_is_refused(
    bases: tuple[Any, ...], namespace: dict[str, Any], told: str, *, first: bool
) -> None:
    """At once, and with the name of what would not be ignored."""
    bases = (MODEL, *bases) if first else (*bases, MODEL)
    with pytest.raises(TypeError, match=f"`Mine` declares {told}, which .*codegen.*CoercingModel"):
        type(MODEL)("Mine", bases, {"__module__": __name__, **namespace})


def test_an_abstract_subclass_takes_instances_of_those_that_are_not() -> None:
    """Of itself it has none, but what is one of its subclasses is valid as it is."""

    class Abstract(MODEL):  # type: ignore[misc, valid-type]
        @abstractmethod
        def run(self) -> str: ...

    class Concrete(Abstract):
        def run(self) -> str:
            return str(self.query)

    search = Concrete.model_validate({"query": "a"})
    assert Abstract.model_validate(search) is search
    with pytest.raises(TypeError, match="abstract"):
        Abstract.model_validate({"query": "a"})
