"""`python -m benchmarks.ten_calls`: ten calls through what people use, for `docs/comparison.md`.

Each library is used as its documentation says, with its own model, tool or client; no model is
asked. Needed: pip install -e ".[dev,codegen,instructor,langchain,litellm,pydantic-ai]" baml-py
"""

from __future__ import annotations

import contextlib
import json
import os
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from benchmarks.documents import between_markers
from benchmarks.public.peers import PEERS

__all__ = ["CALLS", "WAYS", "Sent", "outcome", "rows"]

PAGE = Path(__file__).parent.parent / "docs" / "comparison.md"


class Search(BaseModel):
    """Find articles."""

    model_config = ConfigDict(extra="forbid")

    tags: list[str]
    limit: int
    order: Literal["asc", "desc"] = "asc"
    page: int | None = None


SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "tags": {"type": "array", "items": {"type": "string"}},
        "limit": {"type": "integer"},
        "order": {"enum": ["asc", "desc"], "type": "string"},
        "page": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    },
    "required": ["tags", "limit"],
    "additionalProperties": False,
}

_MEANT: Final = {"tags": ["a"], "limit": 10}


class Sent(NamedTuple):
    """The text of a call's arguments, and what is meant; None if nobody can know."""

    mistake: str
    text: str
    meant: dict[str, Any] | None = _MEANT


CALLS: Final = (
    Sent("none", json.dumps(_MEANT)),
    Sent("a list in a string", json.dumps({**_MEANT, "tags": '["a"]'})),
    Sent("a number in a string", json.dumps({**_MEANT, "limit": "10"})),
    Sent("the word for null", json.dumps({**_MEANT, "page": "null"}), {**_MEANT, "page": None}),
    Sent("null for what is optional", json.dumps({**_MEANT, "order": None})),
    Sent("Python's quotes", "{'tags': ['a'], 'limit': 10}"),
    Sent("a fence around it", f"```json\n{json.dumps(_MEANT)}\n```"),
    Sent("encoded twice", json.dumps(json.dumps(_MEANT))),
    Sent("a required value is missing", json.dumps({"tags": ["a"]}), None),
    Sent("cut off in a string", '{"limit": 10, "tags": ["a', None),
)


# ----------------------------------------------------------------------------------- the libraries
def pydantic(text: str) -> Any:
    return Search.model_validate_json(text).model_dump(exclude_unset=True)


def datamodel_code_generator(text: str) -> Any:
    from datamodel_code_generator import DataModelType, InputFileType, generate  # noqa: PLC0415

    source = generate(
        json.dumps({"title": "Search", **SCHEMA}),
        input_file_type=InputFileType.JsonSchema,
        output_model_type=DataModelType.PydanticV2BaseModel,
    )
    namespace: dict[str, Any] = {"__name__": "generated"}
    exec(str(source), namespace)  # noqa: S102 - of our schema
    model = namespace["Search"]
    model.model_rebuild(_types_namespace=namespace)
    made = model.model_validate_json(text)
    return made.model_dump(mode="json", exclude_unset=True)


def jsonschema(text: str) -> Any:
    import jsonschema as library  # noqa: PLC0415

    arguments = json.loads(text)
    library.validate(arguments, SCHEMA)
    return arguments


def _completion(text: str) -> dict[str, Any]:
    function = {"name": "Search", "arguments": text}
    call = {"id": "c1", "type": "function", "function": function}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    return {"id": "r", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}


def instructor(text: str) -> Any:
    import httpx2  # noqa: PLC0415
    import instructor as library  # noqa: PLC0415
    from openai import OpenAI  # noqa: PLC0415

    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, json=_completion(text)))
    client = OpenAI(api_key="none", http_client=httpx2.Client(transport=transport))
    made = library.from_openai(client).chat.completions.create(
        model="m",
        messages=[{"role": "user", "content": "Search."}],
        response_model=Search,
        max_retries=0,
    )
    return made.model_dump(exclude_unset=True)


def _recording(got: list[Any]) -> Callable[..., str]:
    def search(
        tags: list[str], limit: int, order: Literal["asc", "desc"] = "asc", page: int | None = -1
    ) -> str:
        """Find articles."""
        given = {"tags": tags, "limit": limit, "order": order, "page": page}
        unset = {"order": "asc", "page": -1}
        got.append({name: value for name, value in given.items() if unset.get(name) != value})
        return "found"

    return search


def _only(got: list[Any]) -> Any:
    """Return the arguments that the tool ran with.

    Raises:
        ValueError: if it did not run.

    """
    if not got:
        message = "the tool did not run"
        raise ValueError(message)
    return got[0]


def pydantic_ai(text: str) -> Any:
    from pydantic_ai import Agent  # noqa: PLC0415
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart  # noqa: PLC0415
    from pydantic_ai.models.function import FunctionModel  # noqa: PLC0415

    def reply(messages: list[Any], _: Any) -> ModelResponse:
        is_first = len(messages) == 1
        return ModelResponse([ToolCallPart("search", text) if is_first else TextPart("Done.")])

    got: list[Any] = []
    Agent(FunctionModel(reply), tools=[_recording(got)]).run_sync("Search.")
    return _only(got)


def langchain(text: str) -> Any:
    from langchain_core.output_parsers.openai_tools import parse_tool_call  # noqa: PLC0415
    from langchain_core.tools import StructuredTool  # noqa: PLC0415

    got: list[Any] = []
    raw = _completion(text)["choices"][0]["message"]["tool_calls"][0]
    parsed = parse_tool_call(raw, return_id=True)
    StructuredTool.from_function(_recording(got)).invoke(parsed["args"])
    return _only(got)


def litellm(text: str) -> Any:
    import litellm as library  # noqa: PLC0415

    calls = _completion(text)["choices"][0]["message"]["tool_calls"]
    response = library.completion(
        model="gpt-4o",
        messages=[{"role": "user", "content": "Search."}],
        mock_response="",
        mock_tool_calls=calls,
    )
    return json.loads(response.choices[0].message.tool_calls[0].function.arguments)


def strict_mode(text: str) -> Any:
    """What OpenAI's strict mode lets a model write, as llguidance enforces it.

    Raises:
        LookupError: for what a model cannot write.

    """
    import llguidance  # noqa: PLC0415

    from schema2model import compile_schema  # noqa: PLC0415

    strict = compile_schema(SCHEMA).strict("openai")
    tokens = llguidance.LLTokenizer("byte")
    grammar = llguidance.LLMatcher.grammar_from_json_schema(json.dumps(strict.schema), {})
    matcher = llguidance.LLMatcher(tokens, grammar)
    written = text
    with contextlib.suppress(ValueError, TypeError):
        sent = json.loads(text)
        optional = {name: None for name in SCHEMA["properties"] if name not in SCHEMA["required"]}
        whole = {**optional, **sent}  # which this mode makes a model send
        written = json.dumps({name: whole[name] for name in SCHEMA["properties"] if name in whole})
    data = written.encode()
    if not matcher.consume_tokens([*data]) or not matcher.is_accepting():
        raise LookupError
    return strict.decode(json.loads(written))


def _peer(name: str) -> Callable[[str], Any]:
    return lambda text: PEERS[name](SCHEMA, text)


WAYS: Final[dict[str, Callable[[str], Any]]] = {
    "schema2model": _peer("schema2model"),
    "pydantic, lax": pydantic,
    "datamodel-code-generator": datamodel_code_generator,
    "jsonschema": jsonschema,
    "json_repair": _peer("json_repair"),
    "json_repair, schema": _peer("json_repair, schema"),
    "BAML": _peer("BAML"),
    "instructor": instructor,
    "pydantic-ai": pydantic_ai,
    "LangChain": langchain,
    "LiteLLM": litellm,
    "a strict mode": strict_mode,
}
"""The ways to the arguments of a call's text; they raise to refuse it."""

_PACKAGES = (
    "baml-py",
    "datamodel-code-generator",
    "instructor",
    "json_repair",
    "jsonschema",
    "langchain-core",
    "litellm",
    "llguidance",
    "pydantic",
    "pydantic-ai-slim",
)

Outcome = Literal["✓", "-", "✗", "·"]


def outcome(way: Callable[[str], Any], sent: Sent) -> Outcome:
    """Return what becomes of a call: as meant, refused, with other arguments, or not written.

    Raises:
        ImportError: if the library is not installed.

    """
    try:
        found = way(sent.text)
    except ImportError:
        raise
    except LookupError:
        return "·"
    except Exception:  # noqa: BLE001 - every library has its own
        return "✓" if sent.meant is None else "-"
    is_same = sent.meant is not None and json.dumps(found, sort_keys=True) == json.dumps(
        sent.meant, sort_keys=True
    )
    return "✓" if is_same else "✗"


def rows() -> list[tuple[str, ...]]:
    """Return a row for each way: its outcomes in the order of the calls."""
    return [(name, *(outcome(way, sent) for sent in CALLS)) for name, way in WAYS.items()]


def block() -> str:
    """Return a block with the calls, and what becomes of them by each way."""
    lines = [
        f"{number:2} {sent.mistake:<28} {sent.text.replace(chr(10), '↵')}"
        for number, sent in enumerate(CALLS, 1)
    ]
    lines += ["", " " * 25 + "".join(f"{number:3}" for number in range(1, len(CALLS) + 1))]
    lines += [f"{name:<25}" + "".join(f"{each:>3}" for each in found) for name, *found in rows()]
    return "\n".join(["````text", *lines, "````"])


def main() -> None:
    """Write the calls and their outcomes into the page."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    warnings.simplefilter("ignore")
    versions = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    if not between_markers(PAGE, "ten calls", f"{block()}\n\nVersions: {versions}."):
        message = f"{PAGE.name} lacks the markers of the table"
        raise SystemExit(message)


if __name__ == "__main__":
    main()
