"""Errors of pydantic models become messages that a language model can act on."""

from __future__ import annotations

import collections
import datetime as dt
import decimal
import enum
import uuid
from collections.abc import Iterable
from typing import Annotated, Any, Literal, get_args

import pytest
from pydantic import (
    UUID4,
    AfterValidator,
    AwareDatetime,
    BaseModel,
    Field,
    FutureDate,
    FutureDatetime,
    HttpUrl,
    NaiveDatetime,
    PastDate,
    PastDatetime,
    TypeAdapter,
    ValidationError,
    field_validator,
    validate_call,
)
from pydantic_core import PydanticCustomError
from pydantic_core.core_schema import ErrorType

from schema2model import CoercingModel, Tool, ToolError, Toolset, compile_schema
from schema2model.errors import issue_words


def even(number: int) -> int:
    """Refuse odd numbers in four ways."""
    if number == 1:
        message = "it is odd\nby one"
        raise ValueError(message)
    assert number != 3, "three is odd"
    if number == 5:
        raise AssertionError
    if number == 7:
        kind = "odd"
        raise PydanticCustomError(kind, "{number} is odd", {"number": number})
    return number


Even = Annotated[int, AfterValidator(even)]
Price = Annotated[decimal.Decimal, Field(max_digits=4, decimal_places=2)]
ONCE, NEVER = "1999-01-01T10:00:00", "2999-01-01T10:00:00Z"
LATER = 'must be a value of at least 2030-01-01, not "2020-01-01"'


class Cat(BaseModel):
    """One of two that a tag tells apart."""

    kind: Literal["cat"]


class Dog(BaseModel):
    """The other."""

    kind: Literal["dog"]


Pet = Annotated[Cat | Dog, Field(discriminator="kind")]


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
        (float, [], "must be a number, not []"),
        (bool, "maybe", 'must be true or false, without quotes, not "maybe"'),
        (str, 5, "must be a string, not 5"),
        (list[int], "a", 'must be a JSON array, not "a"'),
        (collections.deque[int], "a", 'must be a JSON array, not "a"'),
        (Iterable[int], 5, "must be a JSON array, not 5"),
        (collections.Counter[str], 5, "must be a JSON object, not 5"),
        (collections.OrderedDict[str, int], [1], "must be a JSON object, not [1]"),
        (dt.date, "soon", 'must be a date (YYYY-MM-DD), not "soon"'),
        (uuid.UUID, "x", 'must be a UUID (xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx), not "x"'),
        (decimal.Decimal, "x", 'must be a decimal number, not "x"'),
        (Colour, "green", "must be one of 'red' or 'blue', not \"green\""),
        (Literal["a", "b"], "c", "must be one of 'a' or 'b', not \"c\""),
        (Annotated[int, Field(le=5)], 6, "must be a number of at most 5, not 6"),
        (Annotated[str, Field(min_length=2)], "a", "must be a string of at least 2 characters"),
        (Annotated[list[int], Field(max_length=1)], [1, 2], "must be at most 1 items, not"),
        (Price, "1.234", "must be a decimal number with at most 2 digits after the point, not"),
        (Price, "12345", "must be a decimal number of at most 4 digits, not"),
        (Price, "123.4", "must be a decimal number with at most 2 digits before the point, not"),
        (PastDate, "2999-01-01", "must be a date (YYYY-MM-DD) in the past, not"),
        (FutureDate, "1999-01-01", "must be a date (YYYY-MM-DD) in the future, not"),
        (PastDatetime, NEVER, "must be a date and time (YYYY-MM-DDThh:mm:ssZ) in the past, not"),
        (FutureDatetime, ONCE, "must be a date and time (YYYY-MM-DDThh:mm:ssZ) in the future, not"),
        (AwareDatetime, ONCE, "must be a date and time (YYYY-MM-DDThh:mm:ssZ) with a time zone"),
        (NaiveDatetime, NEVER, "must be a date and time without a time zone (YYYY-MM-DDThh:mm:ss)"),
        (dt.date, ONCE, "must be a date (YYYY-MM-DD) without a time, not"),
        (Annotated[dt.date, Field(ge=dt.date(2030, 1, 1))], "2020-01-01", LATER),
        (HttpUrl, "ftp://a.org", "must be a URL that begins with 'http' or 'https', not"),
        (UUID4, f"{uuid.UUID(int=1)}", "must be a UUID (xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx) of"),
        (Annotated[bytes, Field(max_length=1)], "ab", "must be a string of at most 1 bytes, not"),
        (Annotated[bytes, Field(min_length=3)], "ab", "must be a string of at least 3 bytes, not"),
        (Even, 1, "must be a valid value (it is odd), not 1"),
        (Even, 3, "must be a valid value (three is odd), not 3"),
        (Even, 5, "must be a valid value, not 5"),
        (Even, 7, "must be a valid value (7 is odd), not 7"),
        (Pet, {"kind": "cow"}, "must be one of 'cat', 'dog' as the discriminator, not"),
        (Pet, {}, "must be a JSON object with the discriminator 'kind', not {}"),
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


def test_an_argument_of_a_validated_function_is_missing() -> None:
    """As a field is, whatever kind of parameter it is for."""

    @validate_call
    def order(sku: str, /, amount: int, *, note: str) -> None:
        del sku, amount, note

    with pytest.raises(ValidationError) as caught:
        order()  # type: ignore[call-arg]
    lines = str(ToolError.from_validation_error(caught.value, "order")).split("\n")[1:4]
    advice = "is missing: add it, with its value from the request"
    assert lines == [f"- /0 {advice}", f"- /amount {advice}", f"- /note {advice}"]


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
        (
            ("items", 1, "count"),
            "missing",
            "is missing: add it as an integer, without quotes, with its value from the request",
        ),
        (
            ("day",),
            "date_from_datetime_parsing",
            'must be a string in the format "date" (YYYY-MM-DD), not "soon"',
        ),
    ]
    with pytest.raises(ValidationError) as outer:
        TypeAdapter(list[Order]).validate_python([{"items": [], "day": "soon"}])
    assert 'must be a string in the format "date" (YYYY-MM-DD), not "soon"' in str(outer.value)
    again = ToolError.from_validation_error(caught.value, "f")
    assert '- /items/0/count: must be an integer, without quotes, not "few"' in str(again)


def test_text_that_is_cut_off_is_called_so() -> None:
    """A model that gets the error sends the whole call again."""

    class Search(CoercingModel):
        query: str

    words = "were cut off inside a string; send the whole call again"
    with pytest.raises(ValidationError, match=words) as caught:
        Search.model_validate_json('{"query": "a')
    assert words in str(ToolError.from_validation_error(caught.value))


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


def test_an_error_that_is_kept_holds_no_frames() -> None:
    """Which would hold the arguments: that of an explanation, and that of the memory of turns."""
    tool = Tool.from_definition(
        {"name": "add", "parameters": {"properties": {"n": {"type": "integer"}}}}
    )
    call = {"id": "1", "function": {"name": "add", "arguments": '{"n": "x"}'}}
    memory: dict[str, ToolError] = {}
    Toolset([tool]).answer({"role": "assistant", "tool_calls": [call]}, memory=memory)
    for error in (memory["add"], tool.compiled.explain({"n": "x"}).error):
        assert error is not None
        assert error.__traceback__ is None
        assert error.__context__ is None
        assert error.__cause__ is None
