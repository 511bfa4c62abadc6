"""What models are shown of results: a form for each kind, and nothing that was to be left out."""

from __future__ import annotations

import asyncio
import collections
import logging
import math
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel, Field, SecretStr, field_serializer, model_serializer

from schema2model import Tool, Toolset
from schema2model.tools.result_writing import result_text

SECRET = "4111-1111"  # noqa: S105 - of nobody


class Excluded(BaseModel):
    """A model that leaves a field out, and whose serializer fails."""

    name: str = "Ann"
    card: str = Field(SECRET, exclude=True)

    @field_serializer("name")
    def fail(self, name: str) -> str:
        """Say too much."""
        message = f"cannot write {name} with {self.card}"
        raise ValueError(message)


class Masked(BaseModel):
    """A model that masks a field, and fails as a whole."""

    card: str = SECRET

    @model_serializer
    def fail(self) -> dict[str, Any]:
        """Fail."""
        raise RuntimeError(self.card)


class MaskedInJson(BaseModel):
    """A model that masks a field in JSON alone, next to bytes that are no text."""

    card: str = SECRET
    raw: bytes = b"\xff"

    @field_serializer("card", when_used="json")
    def mask(self, card: str) -> str:
        """Show the end."""
        return f"…{card[-2:]}"


class Circular(BaseModel):
    """A model that holds itself."""

    card: SecretStr = SecretStr(SECRET)
    pin: str = Field("4111-9999", exclude=True)
    itself: Any = None


def circular() -> Circular:
    """One of them."""
    made = Circular()
    made.itself = [made]
    return made


@dataclass
class Around:
    """A dataclass around a model."""

    inner: Any


FAILING = {
    "excluded": Excluded,
    "masked": Masked,
    "masked in JSON": MaskedInJson,
    "circular": circular,
    "in a list": lambda: [1, Excluded()],
    "in a dict": lambda: {"a": {"b": Masked()}},
    "in a dataclass": lambda: Around(MaskedInJson()),
    "next to bytes": lambda: [b"\xff", Excluded()],
    "of a generator": lambda: (each for each in (Excluded(), 1)),
    "in another model": lambda: Circular(itself=Masked()),
    "by a key": lambda: {"\ud800": 1, "?": Excluded()},
}


@pytest.mark.parametrize("make", FAILING.values(), ids=FAILING)
def test_what_fails_to_be_written_shows_nothing_but_types(
    make: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither to the model nor in the log, in no way that a tool is answered."""
    caplog.set_level(logging.DEBUG)

    def give() -> Any:
        return make()

    tool = Tool(give, truncate_above=1000)
    call = {"id": "1", "type": "function", "function": {"name": "give", "arguments": "{}"}}
    message = {"role": "assistant", "tool_calls": [call]}
    texts = [
        result_text(make()),
        tool.prepare({}).call_json(),
        asyncio.run(tool.prepare({}).acall_json()),
        Toolset([tool]).answer(message)[0]["content"],
        asyncio.run(Toolset([tool]).aanswer(message))[0]["content"],
    ]
    assert len({*texts}) == 1
    for shown in (*texts, caplog.text):
        assert "4111" not in shown
    assert "cannot be written" in texts[0]


def test_others_of_a_result_are_shown() -> None:
    """What can be written is."""
    assert result_text([b"\xff", Excluded(), 1]) == '["/w==","a Excluded that cannot be written",1]'


def counted() -> Iterator[int]:
    """Yield two numbers."""
    yield from (1, 2)


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (types.MappingProxyType({"a": 1}), '{"a":1}'),
        (collections.UserDict(a=[b"x"]), '{"a":["x"]}'),
        (collections.ChainMap({"a": 1}, {"b": 2}), '{"b":2,"a":1}'),
        (range(3), "[0,1,2]"),
        ({"a": range(2)}, '{"a":[0,1]}'),
        ({"a": 1}.keys(), '["a"]'),
        ({"a": 1}.values(), "[1]"),
        ({"a": b"\xff"}.items(), '[["a","/w=="]]'),
        (collections.UserList([1]), "[1]"),
        (memoryview(b"text"), "text"),
        ([memoryview(b"text")], '["text"]'),
        ([memoryview(b"\xff")], '["/w=="]'),
        (math.nan, '"NaN"'),
        ([math.inf, -math.inf, math.nan], '["Infinity","-Infinity","NaN"]'),
        (counted(), "[1,2]"),
        ([counted()], "[[1,2]]"),
        (map(str, range(2)), '["0","1"]'),
    ],
)
def test_results_of_python_have_a_form(
    result: Any, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    """It is JSON, and nothing is logged as a warning but for bytes that are no text."""
    assert Tool(lambda: result, name="give").prepare({}).call_json() == text
    warned = [each for each in caplog.records if each.levelno >= logging.WARNING]
    assert "/w==" in text or not warned


def test_objects_of_attrs_are_written_without_what_they_hide() -> None:
    """Their own `repr` says what may be shown."""
    attrs = pytest.importorskip("attrs", reason="needs attrs: pip install attrs")
    made = attrs.make_class("Guest", {"name": attrs.field(), "card": attrs.field(repr=False)})
    guest = made("Ann", SECRET)
    assert result_text([guest]) == '[{"name":"Ann"}]'
    assert result_text({"a": guest, "b": b"\xff"}) == '{"a":{"name":"Ann"},"b":"/w=="}'
