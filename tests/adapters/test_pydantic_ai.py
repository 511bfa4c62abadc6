"""Pydantic AI's tools, in runs of an agent with a model that says what it is told to."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Annotated, Any

import pytest

from schema2model.extras import needs

pytest.importorskip("pydantic_ai", reason=needs("pydantic-ai"))
import pydantic_ai
from contract import Job
from drivers.pydantic_ai import TOOLS
from probe import DEFINITION, HOPELESS, MESSAGE, SCHEMA, STRINGS
from pydantic import AfterValidator, BaseModel
from pydantic_ai.messages import ToolReturnPart
from pydantic_ai.toolsets import FunctionToolset
from pydantic_ai_agents import converse

from schema2model import Tool, ToolError
from schema2model.adapters.pydantic_ai import CoercionCapability, from_tool, wrap_server, wrap_tool

pytestmark = pytest.mark.adapters


COERCING = {
    f"{kind} tool, {way}": lambda job, tool=tool, make=make: make(tool(job))
    for kind, tool in {"raw": TOOLS.raw, "typed": TOOLS.function}.items()
    for way, make in TOOLS.coercing.items()
}
WAYS = {"ours": TOOLS.ways["from_tool"], **COERCING}
in_every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


# ---------------------------------------------------------------------------------- with us
@in_every_way
def test_a_hopeless_call_is_refused_in_our_words(way: Any) -> None:
    """The tool does not run; the model is asked to try again."""
    job = Job()
    _, answer = converse(HOPELESS, **way(job))
    assert (answer.outcome, answer.content) == ("retried", MESSAGE)
    assert job.got == []


DATES = {
    "wrapped": lambda tool: {"tools": [wrap_tool(tool)]},
    "in a toolset": lambda tool: {"toolsets": [wrap_server(FunctionToolset([tool]))]},
    "capability": lambda tool: {"tools": [tool], "capabilities": [CoercionCapability()]},
}
"""The ways in which a tool of Pydantic AI's own coerces."""


@pytest.mark.parametrize("way", DATES.values(), ids=DATES)
def test_a_type_refuses_in_our_words(way: Any) -> None:
    """A schema accepts any text for a date; what the type refuses says what to send."""

    def book(when: dt.date) -> str:
        return f"booked for {when:%A}"

    theirs = pydantic_ai.Tool(book)
    _, told = converse({"when": "2030-01"}, name="book", **way(theirs))
    assert told.content.startswith(
        "Error parsing arguments for `book`:\n"
        '- /when: must be a string in the format "date" (YYYY-MM-DD), not "2030-01"\n'
    )
    assert converse({"when": "2030-01-31"}, name="book", **way(theirs))[1].content.endswith(
        "Thursday"
    )


@pytest.mark.parametrize("asynchronous", [False, True])
def test_what_must_not_be_tried_again_fails_for_good(asynchronous: bool) -> None:  # noqa: FBT001
    """A payment that was declined is made once: nothing asks the model to try again."""
    paid = []

    def pay(amount: int) -> str:
        paid.append(amount)
        message = "The card was declined."
        raise ToolError(message, retryable=False)

    async def apay(amount: int) -> str:
        return pay(amount)

    tool = from_tool(Tool.from_function(apay if asynchronous else pay, name="pay"))
    _, answer = converse({"amount": 5}, name="pay", tools=[tool])
    assert paid == [5]
    assert isinstance(answer, ToolReturnPart)
    assert "The card was declined." in answer.model_response_str()
    assert "try again" not in answer.model_response_str().lower()


def declined(_: int) -> int:
    """A validator of a parameter that refuses every call for good."""
    message = "This account is closed."
    raise ToolError(message, retryable=False)


@pytest.mark.parametrize("way", ["tool", "capability"])
def test_a_parameter_type_may_refuse_for_good(way: str) -> None:
    """Its `ToolError` reaches the model, and the tool does not run."""

    def pay(amount: Annotated[int, AfterValidator(declined)]) -> str:
        raise AssertionError(amount)

    ours = Tool.from_function(pay)
    options: dict[str, Any] = {"tools": [from_tool(ours)]}
    if way == "capability":
        options["capabilities"] = [CoercionCapability()]
    _, answer = converse({"amount": 5}, name="pay", **options)
    assert isinstance(answer, ToolReturnPart)
    assert "This account is closed." in answer.model_response_str()


# --------------------------------------------------------------------------- the conversation
@pytest.mark.parametrize("arguments", [STRINGS, HOPELESS], ids=["readable", "hopeless"])
def test_a_capability_mends_the_conversation(arguments: Any) -> None:
    """Malformed text is replaced, whatever comes of the call."""
    options = WAYS["raw tool, CoercionCapability"](Job())
    call, _ = converse(str(arguments), **options)
    assert json.loads(call.args) == arguments
    assert call.id is None


@pytest.mark.parametrize("arguments", [STRINGS, json.dumps(STRINGS)], ids=["object", "text"])
def test_a_capability_leaves_json_in_the_conversation(arguments: Any) -> None:
    """What a model has written is not for us to change."""
    call, _ = converse(arguments, **WAYS["raw tool, CoercionCapability"](Job()))
    assert (call.args, call.id) == (arguments, "stored")


# -------------------------------------------------------------------------------- what is kept
def test_options_are_those_of_pydantic_ai() -> None:
    """Beside name, description and schema, which are the tool's."""
    made = from_tool(Tool.from_schema(DEFINITION), max_retries=3, requires_approval=True)
    assert (made.name, made.description, made.max_retries) == ("search", "Find articles.", 3)
    assert made.tool_def.parameters_json_schema == SCHEMA
    assert made.requires_approval


@pytest.mark.parametrize("theirs", [TOOLS.raw, TOOLS.function])
def test_a_wrapped_tool_keeps_its_properties(theirs: Any) -> None:
    """What is told to the model, and all else; the tool itself is not changed."""
    tool = theirs(Job())
    tool.max_retries = 7
    before = tool.function_schema
    wrapped = wrap_tool(tool)
    assert wrapped.tool_def == tool.tool_def
    assert (wrapped.function, wrapped.max_retries) == (tool.function, 7)
    assert tool.function_schema is before


def test_a_schema_that_changes_is_compiled_again() -> None:
    """Tools may be prepared anew for every step."""
    limits: list[Any] = [{"type": "integer"}, {"type": "string"}]
    capability = CoercionCapability()
    for limit in limits:
        job = Job(schema={"type": "object", "properties": {"limit": limit}})
        converse({"limit": "1"}, tools=[TOOLS.raw(job)], capabilities=[capability])
        assert job.got == [{"limit": 1 if limit["type"] == "integer" else "1"}]


@pytest.mark.parametrize("way", ["wrapped", "in a toolset", "and capability"])
def test_a_word_for_null_is_no_date(way: str) -> None:
    """The types are those of the function's annotations, which the tool's validator has."""
    got: list[Any] = []

    def book(day: dt.date | None) -> str:
        got.append(day)
        return "booked"

    theirs = pydantic_ai.Tool(book)
    setting: dict[str, Any] = {
        "wrapped": {"tools": [wrap_tool(theirs)]},
        "in a toolset": {"toolsets": [wrap_server(FunctionToolset([theirs]))]},
        "and capability": {"tools": [theirs], "capabilities": [CoercionCapability()]},
    }[way]
    converse({"day": "null"}, name="book", **setting)
    assert got == [None]


OWN = {
    "alone": lambda tool: {"tools": [from_tool(tool)]},
    "in a toolset": lambda tool: {"toolsets": [wrap_server(FunctionToolset([from_tool(tool)]))]},
    "and capability": lambda tool: {
        "tools": [from_tool(tool)],
        "capabilities": [CoercionCapability()],
    },
}


@pytest.mark.parametrize("way", OWN.values(), ids=OWN)
@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ('{"amount": 12.10}', "12.10"),
        ('{"amount": 12345678901234567890.25}', "12345678901234567890.25"),
        ("{'amount': 12.10}", "12.10"),
        ('{"amount": "12.10"}', "12.10"),
    ],
)
def test_a_decimal_keeps_its_digits(way: Any, text: str, amount: str) -> None:
    """As for the tool without a framework."""
    got: list[Decimal] = []

    def pay(amount: Decimal) -> str:
        got.append(amount)
        return "paid"

    tool = Tool(pay)
    tool.call(text)
    converse(text, name="pay", **way(tool))
    assert list(map(repr, got)) == [repr(Decimal(amount))] * 2


class Price(BaseModel):
    """A model with a Decimal."""

    amount: Decimal


@pytest.mark.parametrize("way", OWN.values(), ids=OWN)
@pytest.mark.parametrize("sent", ['{"amount": 2.50}', '{"amount": 2.50, "currency": 3}'])
def test_a_number_of_a_union_stays_one(way: Any, sent: str) -> None:
    """Whichever branch takes it: digits are kept where the text is read by a Decimal for sure."""
    got: list[Any] = []

    def pay(price: dict[str, Any] | Price) -> str:
        got.append(price)
        return "paid"

    converse(f'{{"price": {sent}}}', name="pay", **way(Tool(pay)))
    assert got == [json.loads(sent)]
