"""Answers the cases of `tests/data` with schema2model: a line of JSON for each line of JSON.

python -m tests.conformance.own
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from schema2model import (
    Call,
    Coercion,
    CompiledSchema,
    Explanation,
    SchemaError,
    Tool,
    ToolError,
    Toolset,
    compile_schema,
)
from schema2model.apps.audit import audit
from schema2model.apps.audit.diff import compare_tools
from schema2model.types import AssembledCall

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from cases import encode, sent, spelled

__all__ = ["answer"]

Request = dict[str, Any]


def answer(request: Request) -> dict[str, Any]:
    """Return the answer to a request: a result or a refusal."""
    operation = _OPERATIONS.get(request["operation"])
    if operation is None:
        return {"id": request["id"], "error": f"unknown operation {request['operation']}"}
    try:
        return {"id": request["id"], **operation(request)}
    except ToolError as error:
        return {"id": request["id"], **_refusal(error)}


def _refusal(error: ToolError) -> dict[str, Any]:
    issues = [{"path": issue.path, "keyword": issue.keyword} for issue in error.issues]
    return {"refused": issues}


def _options(request: Request) -> Any:
    named = request["coercion"]
    rules = {"preset": named} if isinstance(named, str) else {**named}
    coercion = getattr(Coercion, rules.pop("preset")).replace(**rules)
    named = ("dialect", "formats", "resources")
    options = {name: request[name] for name in named if name in request}
    return {**options, "coercion": coercion}


def _compiled(request: Request) -> CompiledSchema:
    return compile_schema(request["schema"], **_options(request))


def _explained(explanation: Explanation) -> dict[str, Any]:
    if explanation.error is not None:
        return _refusal(explanation.error)
    changes = [encode(dataclasses.asdict(change)) for change in explanation.changes]
    return {"result": encode(explanation.result), "changes": changes}


def _validate(request: Request) -> dict[str, Any]:
    return {"result": encode(_compiled(request).validate(sent(request)))}


def _validate_json(request: Request) -> dict[str, Any]:
    return {"result": encode(_compiled(request).validate_json(sent(request)))}


def _explain(request: Request) -> dict[str, Any]:
    return _explained(_compiled(request).explain(sent(request)))


def _explain_json(request: Request) -> dict[str, Any]:
    return _explained(_compiled(request).explain_json(sent(request)))


def _called(calls: Iterable[Call | AssembledCall]) -> dict[str, Any]:
    return {
        "result": [
            {"refused": True}
            if call.error is not None
            else {"name": call.name, "arguments": encode(call.arguments)}
            for call in calls
        ]
    }


def _diff(request: Request) -> dict[str, Any]:
    old, new = ({"name": "f", "inputSchema": request[each]} for each in ("schema", "input"))
    changes = compare_tools([old], [new]).changes
    return {"result": [{"kind": each.kind, "path": each.path} for each in changes]}


def _audit(request: Request) -> dict[str, Any]:
    found = [each for each in audit([request["input"]]).findings if each.rule == request["rule"]]
    return {"result": sorted(each.pointer for each in found)}


def _read_calls(request: Request) -> dict[str, Any]:
    toolset = Toolset(request["tools"], **_options(request))
    return _called(toolset.read_calls(sent(request), format=request.get("format"), errors="keep"))


def _read_stream(request: Request) -> dict[str, Any]:
    assembler = Toolset(request["tools"], **_options(request)).assembler(request["provider"])
    for chunk in sent(request):
        assembler.feed(chunk)
    return _called(assembler.finish().calls)


def _define(request: Request) -> dict[str, Any]:
    tool = Tool.from_definition({"name": "tool", "parameters": request["schema"]})
    return {"result": tool.definition(request["provider"])["parameters"]}


def _compile(request: Request) -> dict[str, Any]:
    try:
        _compiled(request)
    except SchemaError as error:
        return {"refused": [{"path": error.pointer}]}
    return {"result": True}


def _partial(request: Request) -> dict[str, Any]:
    arguments = _compiled(request).partial()
    shown: list[Any] = [None]
    for character in sent(request):
        value = encode(arguments.feed(character))
        if spelled(value) != spelled(shown[-1]):
            shown.append(value)
    return {"result": shown}


_OPERATIONS: dict[str, Callable[[Request], dict[str, Any]]] = {
    "validate": _validate,
    "validate_json": _validate_json,
    "explain": _explain,
    "explain_json": _explain_json,
    "read_calls": _read_calls,
    "diff": _diff,
    "audit": _audit,
    "read_stream": _read_stream,
    "partial": _partial,
    "define": _define,
    "compile": _compile,
}


def main() -> None:
    """Answer each line of standard input on standard output, as soon as it is there."""
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
