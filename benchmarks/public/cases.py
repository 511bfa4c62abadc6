"""The cases: a schema, a text, and the arguments that were meant.

They come from data that anyone may use: the Berkeley Function Calling Leaderboard in the package
`bfcl-eval` (Apache-2.0), the VCR cassettes in a source distribution such as Mirascope's (MIT), and
this project's own cases in `tests/data` (MIT).
"""

from __future__ import annotations

import gzip
import json
import tarfile
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

import jsonschema_rs

from benchmarks.corruptions import CORRUPTIONS, HOPELESS, REFUSE
from benchmarks.recovery import samples
from benchmarks.tool_calls import ToolCalls

__all__ = ["KINDS", "SOURCES", "Case", "bfcl_cases", "own_cases", "recorded_cases"]

Schema = dict[str, Any]

SOURCES: Final = {
    "bfcl": "Calls of the Berkeley Function Calling Leaderboard, each with one mistake",
    "recorded": "Calls that providers answered, as recorded",
    "own": "Cases of schema2model's tests",
}

OWN: Final = Path(__file__).parents[2] / "tests" / "data"
KINDS: Final = {
    "correct": "calls as they should be",
    "values": "JSON in which a value has the wrong type: needs the schema",
    "text": "text that is not JSON",
    "to refuse": "calls of which nobody can know what was meant: right is to refuse them",
}

_FIRST_OF_TEXT: Final = "prose and a code fence"
"""The first corruption of the text; those before it leave JSON."""
BFCL_FILES: Final = ("simple_python", "multiple", "live_simple", "live_multiple")
_TYPES: Final = {"dict": "object", "float": "number", "tuple": "array"}
_JSON_TYPES: Final = {"object", "number", "array", "integer", "string", "boolean", "null"}


class Case(NamedTuple):
    """One text that a model may send."""

    source: str
    kind: str
    """One of `KINDS`."""
    group: str
    """The single mistake, as the corruption is called."""
    schema: Schema
    text: str
    meant: Any
    """The arguments that were meant; `REFUSE` if nobody can know."""


# ------------------------------------------------------------------- Function Calling Leaderboard
def bfcl_cases(limit: int) -> Iterator[Case]:
    """Yield calls of the leaderboard, as they are and damaged.

    Args:
        limit: calls to use; they are spread evenly over all.

    Raises:
        ImportError: if `bfcl-eval` is not installed.

    """
    tools = [*_bfcl_tools()]
    some = tools[:: max(len(tools) // limit, 1)][:limit]
    for name, corruption in (CORRUPTIONS | HOPELESS).items():
        for schema, text, meant in samples(corruption, some):
            yield Case("bfcl", _kind(name), name, schema, text, meant)


def _kind(name: str) -> str:
    if name in HOPELESS:
        return "to refuse"
    names = [*CORRUPTIONS]
    if name == names[0]:
        return "correct"
    return "values" if names.index(name) < names.index(_FIRST_OF_TEXT) else "text"


def _bfcl_tools() -> Iterator[ToolCalls]:
    """Yield the tools of the leaderboard, each with the first call that it accepts."""
    package = find_spec("bfcl_eval")
    if package is None or package.origin is None:
        message = "bfcl-eval is not installed: pip install --no-deps bfcl-eval"
        raise ImportError(message)
    data = Path(package.origin).parent / "data"
    for name in BFCL_FILES:
        file = next(data.glob(f"BFCL_v*_{name}.json"))
        answers = {row["id"]: row for row in _rows(data / "possible_answer" / file.name)}
        for row in _rows(file):
            schemas = {tool["name"]: _schema(tool["parameters"]) for tool in row["function"]}
            for answer in answers[row["id"]]["ground_truth"] if row["id"] in answers else ():
                ((tool, parameters),) = answer.items()
                call = _call(parameters)
                schema = schemas.get(tool, {})
                declares = call.keys() <= schema.get("properties", {}).keys()
                if call and declares and jsonschema_rs.is_valid(schema, call):
                    yield ToolCalls(tool, schema, (call,))


def _rows(file: Path) -> Iterator[Any]:
    yield from map(json.loads, file.read_text(encoding="utf-8").splitlines())


def _schema(given: Any) -> Any:
    """Return a schema with the type names of JSON Schema, without what is not a keyword's value."""
    if not isinstance(given, dict):
        return given
    schema = {name: value for name, value in given.items() if name not in {"type", "default"}}
    kind = _TYPES.get(given.get("type", ""), given.get("type"))
    if kind in _JSON_TYPES:
        schema["type"] = kind
    if isinstance(schema.get("properties"), dict):
        schema["properties"] = {name: _schema(each) for name, each in schema["properties"].items()}
    for name in ("items", "additionalProperties"):
        if isinstance(schema.get(name), dict):
            schema[name] = _schema(schema[name])
    return schema


def _call(parameters: Mapping[str, list[Any]]) -> dict[str, Any]:
    """Return the first accepted value of each parameter; an empty string means none is needed."""
    chosen = {name: accepted[0] for name, accepted in parameters.items() if accepted}
    return {name: _value(value) for name, value in chosen.items() if value != ""}


def _value(value: Any) -> Any:
    if isinstance(value, dict):  # accepted values by name, as those of a call
        lists = all(isinstance(each, list) and each for each in value.values())
        return _call(value) if lists else value
    return [*map(_value, value)] if isinstance(value, list) else value


# ----------------------------------------------------------------------------- schema2model's own
def own_cases() -> Iterator[Case]:
    """Yield the cases of this project that hold under its default settings."""
    for file in sorted(OWN.glob("*.jsonl")):
        for row in _rows(file):
            presets = row.get("coercion", "default")
            is_default = "default" in (presets if isinstance(presets, list) else [presets])
            is_default = is_default and not {"formats", "resources"} & {*row}
            has_text = row["operation"] == "validate_json" and "text" in row
            if is_default and (has_text or row["operation"] == "validate"):
                text = row["text"] if has_text else json.dumps(row.get("input"))
                meant = row.get("result", REFUSE)
                kind = "to refuse" if meant is REFUSE else "values"
                if has_text and not _is_json(text):
                    kind = "text" if kind == "values" else kind
                yield Case("own", kind, file.stem, row["schema"], text, meant)


# --------------------------------------------------------------------------------------- recorded
def recorded_cases(archive: Path) -> Iterator[Case]:
    """Yield the tool calls in the VCR cassettes of a source distribution, each once.

    Raises:
        ImportError: if PyYAML is not installed.

    """
    import yaml  # noqa: PLC0415 - only this source needs it

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    seen: set[tuple[str, str]] = set()
    with tarfile.open(archive) as files:
        for member in files:
            if "cassettes" in member.name and member.name.endswith(".yaml"):
                content = files.extractfile(member)
                tape = yaml.load(content, loader) if content else {}  # noqa: S506 - a safe loader
                for schema, text in _recorded(tape.get("interactions", ())):
                    key = (json.dumps(schema, sort_keys=True), text)
                    if key not in seen and _is_valid(schema, text):
                        seen.add(key)
                        meant = json.loads(text)
                        yield Case("recorded", "correct", "recorded", schema, text, meant)


def _recorded(interactions: Any) -> Iterator[tuple[Schema, str]]:
    """Yield the schema and the arguments of each call in recorded answers."""
    for each in _objects(interactions):
        request, response = _objects((each.get("request"), each.get("response")))
        sent = _json(request.get("body"))
        body = response.get("body")
        answer = _json(body.get("string") if isinstance(body, dict) else body)
        if sent and answer:
            schemas = dict(_declared(sent))
            for name, text in _called(answer):
                if name in schemas:
                    yield schemas[name], text


def _json(text: Any) -> dict[str, Any]:
    """Return the object in the body of a request or answer; an empty one if there is none."""
    try:
        is_packed = isinstance(text, bytes) and text.startswith(_GZIP)
        value = json.loads(gzip.decompress(text) if is_packed else text)
    except (TypeError, ValueError, OSError):
        return {}
    return value if isinstance(value, dict) else {}


_GZIP: Final = b"\x1f\x8b"


def _declared(sent: dict[str, Any]) -> Iterator[tuple[str, Schema]]:
    for tool in sent.get("tools") or ():
        function = tool.get("function") if isinstance(tool.get("function"), dict) else tool
        schema = function.get("parameters") or function.get("input_schema")
        if isinstance(schema, dict) and "name" in function:
            yield function["name"], schema


def _called(answer: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the name and the argument text of each call, in the shapes of OpenAI and Anthropic."""
    for choice in answer.get("choices") or ():
        for call in (choice.get("message") or {}).get("tool_calls") or ():
            yield call["function"]["name"], call["function"]["arguments"]
    for block in (*_objects(answer.get("content")), *_objects(answer.get("output"))):
        if block.get("type") == "tool_use":
            yield block["name"], json.dumps(block["input"])
        elif block.get("type") == "function_call":
            yield block["name"], block["arguments"]


def _objects(values: Any) -> Iterator[dict[str, Any]]:
    yield from (each for each in islice(values or (), 100) if isinstance(each, dict))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _is_valid(schema: Schema, text: str) -> bool:
    try:
        return bool(jsonschema_rs.is_valid(schema, json.loads(text)))
    except ValueError:
        return False
