"""Instructor: what the contract does not say."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
from typing import Any

import pytest

from schema2model.extras import needs

pytest.importorskip(
    "instructor",
    minversion="1.17",  # CrewAI brings an older one
    reason=needs("instructor"),
)
import instructor
from contract import Call, Job
from drivers.instructor import Search, completion, create
from openai.types.chat import ChatCompletion
from probe import DEFINITION, EXACT, HOPELESS, PROBLEM, SCHEMA, STRINGS
from pydantic import BaseModel, ValidationError

from schema2model import Tool, compile_schema
from schema2model.adapters.instructor import from_tool, wrap_tool

pytestmark = [pytest.mark.adapters, pytest.mark.filterwarnings("ignore")]

MODELS = {"from_tool": from_tool(Tool.from_schema(DEFINITION)), "wrap_tool": wrap_tool(Search)}
with_each = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


def test_our_model_shows_its_schema() -> None:
    """As a function of the tool's name, whatever its schema is called."""
    titled = {**DEFINITION, "parameters": {**SCHEMA, "title": "To find articles"}}
    _, (request,) = asyncio.run(create(from_tool(Tool.from_schema(titled)), (Call(STRINGS),)))
    (shown,) = request["tools"]
    assert shown["function"] == {
        "name": "search",
        "description": "Find articles.",
        "parameters": SCHEMA,
    }


def test_a_schema_without_properties_is_shown() -> None:
    """Instructor counts on them."""
    bare = Tool.from_schema({"name": "now", "parameters": {"type": "object"}})
    made, (request,) = asyncio.run(create(from_tool(bare), (Call({}, "now"),)))
    assert request["tools"][0]["function"]["parameters"]["properties"] == {}
    assert made.model_dump() == {}


@with_each
def test_a_response_is_the_arguments(model: Any) -> None:
    """And nothing else: Instructor keeps the provider's response in it as well."""
    made, _ = asyncio.run(create(model, (Call(STRINGS),)))
    assert isinstance(made, BaseModel)
    assert made.model_dump() == EXACT
    assert isinstance(made._raw_response, ChatCompletion)
    assert (made.limit, made.tags) == (10, ["a"])
    made.limit = 11
    assert made.model_dump() == {**EXACT, "limit": 11}


@with_each
def test_what_is_refused_is_asked_for_again_in_our_words(model: Any) -> None:
    """And the second answer counts."""
    made, (_, again) = asyncio.run(create(model, (Call(HOPELESS), Call(EXACT))))
    assert PROBLEM.split(",")[0].split()[-1] in str(again["messages"])
    assert made.model_dump() == EXACT
    with pytest.raises(instructor.core.InstructorRetryException, match="limit"):
        asyncio.run(create(model, (Call(HOPELESS),)))


@with_each
@pytest.mark.parametrize("mode", [instructor.Mode.JSON, instructor.Mode.MD_JSON])
def test_text_is_read_in_other_modes(model: Any, mode: Any) -> None:
    """As models write it."""

    def respond(**_: Any) -> ChatCompletion:
        made = completion("search", "{}")
        message = made.choices[0].message
        message.tool_calls, message.content = None, f"```json\n{json.dumps(STRINGS)}\n```"
        return made

    client: Any = instructor.patch(create=respond, mode=mode)
    made = client(response_model=model, messages=[{"role": "user", "content": "Go on."}], model="x")
    assert made.model_dump() == EXACT


def test_a_model_is_of_its_own_rules() -> None:
    """Those of the tool; and by the name of a preset, or as a `Coercion`."""
    strict = Tool.from_schema(DEFINITION, coercion="off")
    for model in (from_tool(strict), wrap_tool(Search, coercion="off")):
        with pytest.raises(ValidationError):
            model.model_validate(STRINGS)
    assert issubclass(wrap_tool(Search), Search)
    assert wrap_tool(Search).__name__ == "Search"


def test_the_tool_runs_with_a_response() -> None:
    """Which is what it is for."""
    job = Job()
    tool = job.ours()
    made, _ = asyncio.run(create(from_tool(tool), (Call(STRINGS),)))
    tool.call(made.model_dump())
    assert job.got == [EXACT]


COMPILED = compile_schema({**SCHEMA, "title": "search"})


@pytest.mark.parametrize("mode", [instructor.Mode.TOOLS, instructor.Mode.JSON])
def test_a_compiled_model_coerces_although_instructor_is_strict(mode: Any) -> None:
    """Wrapped, or with `create(strict=False)`; without either, nothing is coerced."""

    def respond(**_: Any) -> ChatCompletion:
        made = completion("search", json.dumps(STRINGS))
        if mode is instructor.Mode.JSON:
            message = made.choices[0].message
            message.tool_calls, message.content = None, json.dumps(STRINGS)
        return made

    client: Any = instructor.patch(create=respond, mode=mode)
    request: Any = {"messages": [{"role": "user", "content": "Go on."}], "model": "x"}
    wrapped = wrap_tool(COMPILED.model)
    made = client(response_model=wrapped, **request)
    assert made.model_dump() == EXACT
    assert isinstance(made, COMPILED.model)
    untitled = wrap_tool(compile_schema(SCHEMA, name="search").model)
    assert client(response_model=untitled, **request).model_dump() == EXACT
    assert client(response_model=COMPILED.model, strict=False, **request).model_dump() == EXACT
    with pytest.raises(instructor.core.InstructorRetryException, match="must be an integer"):
        client(response_model=COMPILED.model, max_retries=0, **request)


def test_a_compiled_model_keeps_its_coercion() -> None:
    """Another one is a mistake that names the place for it."""
    with pytest.raises(TypeError, match="compile_schema"):
        wrap_tool(COMPILED.model, coercion="off")
    with pytest.raises(ValidationError):
        wrap_tool(compile_schema(SCHEMA, coercion="off").model).model_validate(STRINGS)


def test_a_word_for_null_is_no_date_of_a_wrapped_model() -> None:
    """The types are those of the model's annotations."""

    class Booking(BaseModel):
        day: dt.date | None

    made, _ = asyncio.run(create(wrap_tool(Booking), (Call({"day": "null"}, "Booking"),)))
    assert made.day is None
