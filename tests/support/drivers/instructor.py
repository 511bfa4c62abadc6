"""Instructor, with a client that says what it is told to; what runs the tool is ours."""

from __future__ import annotations

import asyncio
from typing import Any

import instructor
from contract import ALONE, Driver, Job, Script
from openai.types.chat import ChatCompletion
from pydantic import BaseModel, ConfigDict

from schema2model.adapters import instructor as adapter


class Opts(BaseModel):
    """Options."""

    depth: int | None = None


class Search(BaseModel):
    """Find articles."""

    model_config = ConfigDict(extra="forbid")

    limit: int
    tags: list[str] = []
    active: bool = False
    page: int | None = None
    opts: Opts = Opts()


def completion(name: str, text: str) -> ChatCompletion:
    """A response of OpenAI's with one call."""
    function = {"name": name, "arguments": text}
    calls = [{"id": "call", "type": "function", "function": function}]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    head = {"id": "1", "object": "chat.completion", "created": 1, "model": "scripted"}
    return ChatCompletion.model_validate({**head, "choices": [choice]})


async def create(
    response_model: Any, script: Script, mode: instructor.Mode = instructor.Mode.TOOLS
) -> tuple[Any, list[Any]]:
    """What is made of a script's calls, each made when the one before was refused, and requests."""
    requests: list[Any] = []

    async def respond(**request: Any) -> ChatCompletion:
        call = script[len(requests)]
        requests.append(request)
        await asyncio.sleep(0)
        return completion(call.name, call.text)

    client: Any = instructor.patch(create=respond, mode=mode)
    messages = [{"role": "user", "content": "Go on."}]
    made = await client(
        response_model=response_model, messages=messages, model="x", max_retries=len(script) - 1
    )
    return made, requests


async def converse(setup: tuple[Any, Job], script: Script) -> list[str]:
    """What the model is told: of refused calls by Instructor, and of the others by the tool."""
    model, job = setup
    try:
        made, requests = await create(model, script)
    except instructor.core.InstructorRetryException as error:
        return [str(error)]
    told = [str(request["messages"][1:]) for request in requests[1:]]
    return [*told, str(job.run(made.model_dump(exclude_unset=True)))]


def coercion_of(job: Job) -> dict[str, Any]:
    """The one option that models of one's own take."""
    return {name: value for name, value in job.options.items() if name == "coercion"}


DRIVER = Driver(
    ways={
        ALONE: lambda job: (Search, job),
        "from_tool": lambda job: (adapter.from_tool(job.ours(), **job.inject), job),
        "wrap_tool": lambda job: (adapter.wrap_tool(Search, **coercion_of(job)), job),
    },
    converse=converse,
    runs_tools=False,
    differs={
        "unknown tool": "Instructor does not check the name that the model calls.",
        **dict.fromkeys(
            ["refused by `unknown_arguments`", "refused by `refuse_markup`"],
            "With your own model, `wrap_tool` takes only the option `coercion`.",
        ),
    },
)
