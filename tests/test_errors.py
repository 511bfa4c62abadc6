"""Errors of pydantic models become messages that a language model can act on."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import uuid
from typing import Annotated, Any, Literal, get_args

import pytest
from pydantic import BaseModel, Field, TypeAdapter, ValidationError, field_validator
from pydantic_core.core_schema import ErrorType

from schema2model import CoercingModel, ToolError, compile_schema
from schema2model.errors import issue_words


class Colour(enum.Enum):
    """Two of them."""

    RED = "red"
    BLUE = "blue"


def message(kind: Any, sent: Any) -> str:
    """The line of the message for what a type refuses."""
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_python(sent)
    header, line, *end = str(ToolError.from_validation_error(caught.value, "f")).split("\n")
    assert header == "Error parsing arguments for `f`:"
    assert end == ["", "Fix the errors and try again."]
    return line


@pytest.mark.parametrize(
    ("kind", "sent", "line"),
    [
        (int, "ten", 'must be an integer, without quotes, not "ten"'),
        (float, [], "must be a number, without quotes, not []"),
        (bool, "maybe", 'must be true or false, without quotes, not "maybe"'),
        (str, 5, "must be a string, not 5"),
        (list[int], "a", 'must be a JSON array, not "a"'),
        (dt.date, "soon", 'must be a date (YYYY-MM-DD), not "soon"'),
        (uuid.UUID, "x", 'must be a UUID, not "x"'),
        (decimal.Decimal, "x", 'must be a decimal number, not "x"'),
        (Colour, "green", "must be one of 'red' or 'blue', not \"green\""),
        (Literal["a", "b"], "c", "must be one of 'a' or 'b', not \"c\""),
        (Annotated[int, Field(le=5)], 6, "must be a number of at most 5, not 6"),
        (Annotated[str, Field(min_length=2)], "a", "must be a string of at least 2 characters"),
        (Annotated[list[int], Field(max_length=1)], [1, 2], "must be at most 1 items, not"),
    ],
)
def test_an_error_says_what_is_expected(kind: Any, sent: Any, line: str) -> None:
    """In the words of our own messages."""
    assert message(kind, sent).startswith(f"- the arguments: {line}")


def test_places_missing_and_unknown_names() -> None:
    """The place is a JSON Pointer; nothing is found where nothing was sent."""

    class Item(BaseModel, extra="forbid"):
        sku: str

    class Order(BaseModel):
        items: list[Item]

    with pytest.raises(ValidationError) as caught:
        Order.model_validate({"items": [{}, {"sku": "a", "count": 1}]})
    error = ToolError.from_validation_error(caught.value)
    assert str(error) == (
        "Error parsing arguments for `Order`:\n"
        "- /items/0/sku is missing: add it, with its value from the request\n"
        '- /items/1: leave "count" out: there is no such argument\n\n'
        "Fix the errors and try again."
    )
    assert [(issue.path, issue.keyword) for issue in error.issues] == [
        ("/items/0/sku", "required"),
        ("/items/1/count", "additionalProperties"),
    ]


def test_a_compiled_model_gives_the_words_of_validate() -> None:
    """Its errors carry them."""
    compiled = compile_schema(
        {
            "type": "object",
            "properties": {"limit": {"type": "integer"}, "sort": {"enum": ["asc", "desc"]}},
            "required": ["limit"],
        },
        name="search",
    )
    sent = {"limt": 5, "sort": "ascending"}
    with pytest.raises(ToolError) as expected:
        compiled.validate(sent)
    with pytest.raises(ValidationError) as caught:
        compiled.model.model_validate(sent)
    assert str(ToolError.from_validation_error(caught.value, "search")) == str(expected.value)


def test_cut_off_text_is_called_cut_off() -> None:
    """Of a model that people write, too."""

    class Search(CoercingModel):
        query: str

    with pytest.raises(ValidationError) as caught:
        Search.model_validate_json('{"query": "once upon')
    assert "cut off" in str(ToolError.from_validation_error(caught.value))


def test_every_type_of_pydantic_has_words() -> None:
    """None raises, and none speaks of input."""
    for known in get_args(ErrorType):
        words = issue_words(known, "Input should be something else", {})
        assert words.wanted
        assert not words.wanted.startswith("input should")


def test_a_coercing_model_raises_errors_in_our_words() -> None:
    """With pydantic's type and locations, for nested models and fields of other models."""

    class Item(CoercingModel):
        count: int

    class Order(CoercingModel):
        items: list[Item]
        day: dt.date

    with pytest.raises(ValidationError) as caught:
        Order.model_validate({"items": [{"count": "few"}, {}], "day": "soon"})
    assert [(e["loc"], e["type"], e["msg"]) for e in caught.value.errors()] == [
        (
            ("items", 0, "count"),
            "int_parsing",
            'must be an integer, without quotes, not "few"',
        ),
        (("items", 1, "count"), "missing", "is missing: add it, with its value from the request"),
        (
            ("day",),
            "date_from_datetime_parsing",
            'must be a date (YYYY-MM-DD), not "soon"',
        ),
    ]
    with pytest.raises(ValidationError) as outer:
        TypeAdapter(list[Order]).validate_python([{"items": [], "day": "soon"}])
    assert 'must be a date (YYYY-MM-DD), not "soon"' in str(outer.value)
    again = ToolError.from_validation_error(caught.value, "f")
    assert '- /items/0/count: must be an integer, without quotes, not "few"' in str(again)


def test_text_that_is_cut_off_is_called_so() -> None:
    """A model that gets the error sends the whole call again."""

    class Search(CoercingModel):
        query: str

    with pytest.raises(ValidationError, match="were cut off; send the whole call again"):
        Search.model_validate_json('{"query": "a')


def test_own_validators_keep_their_words_and_hidden_values_stay_hidden() -> None:
    """Nothing of a value is quoted where the model's configuration hides input."""

    class Login(CoercingModel, hide_input_in_errors=True):
        pin: int
        user: str

        @field_validator("user")
        @classmethod
        def known(cls, user: str) -> str:
            if user != "admin":
                message = "the user is not known"
                raise ValueError(message)
            return user

    with pytest.raises(ValidationError) as caught:
        Login.model_validate({"pin": "s3cret", "user": "eve"})
    assert "s3cret" not in str(caught.value)
    first, second = caught.value.errors()
    assert first["msg"] == "must be an integer, without quotes"
    assert (second["type"], second["msg"]) == (
        "value_error",
        "Value error, the user is not known",
    )
    assert isinstance(second["ctx"]["error"], ValueError)


def test_python_objects_are_named_by_their_type() -> None:
    """They have no JSON to quote."""

    class Search(CoercingModel):
        limit: int

    loop: list[Any] = []
    loop.append(loop)
    for sent in (object(), {1, 2}, {"limit": object()}, {"limit": loop}, {"limit": b"\xff"}):
        with pytest.raises(ValidationError, match="must be"):
            Search.model_validate(sent)
