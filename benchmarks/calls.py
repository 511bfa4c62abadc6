"""How long it takes to read a call, format by format, beside `json.loads` of the same in JSON.

`python -m benchmarks.calls` prints a table. A call is short (three small parameters) or long (a
file of some kilobytes among them); reading includes finding the format and the tool, and
validation by its schema. Where SGLang can be imported, or the distribution `llm-router-utils`,
which has its parsers without the rest of it, they read the same.
"""

from __future__ import annotations

import functools
import importlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.documents import table
from schema2model import Toolset

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

FILE = "".join(
    f"def function_{number}(first, second):\n    return first + second * {number}\n\n\n"
    for number in range(120)
)
TOOL = {
    "name": "write_file",
    "parameters": {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "content": {"type": "string"},
            "mode": {"type": "integer"},
            "backup": {"type": "boolean"},
        },
        "required": ["path", "content"],
    },
}
SHORT = {"path": "notes/today.txt", "content": "Buy apples.", "mode": 420, "backup": True}
LONG = {**SHORT, "content": FILE}
SGLANG = {
    "apertus": "apertus2509",
    "cohere_command": "cohere_command4",
    "deepseek_v3": "deepseekv3",
    "deepseek_v31": "deepseekv31",
    "deepseek_v32": "deepseekv32",
    "gemma4": "gemma4",
    "gigachat3": "gigachat3",
    "glm45": "glm45",
    "glm47": "glm47",
    "hermes": "qwen25",
    "kimi_k2": "kimi_k2",
    "lfm2": "lfm2",
    "llama3_json": "llama3",
    "minicpm5": "minicpm5",
    "minimax_m2": "minimax-m2",
    "mistral_v3": "mistral",
    "pythonic": "pythonic",
    "qwen3_coder": "qwen3_coder",
    "step3": "step3",
}
"""Our names of formats, and SGLang's."""


def seconds(function: Callable[[], Any], passes: int = 7) -> float:
    """The processor time of one run, in the pass that was disturbed least."""
    function()
    number = 1
    while True:
        start = time.process_time()
        for _ in range(number):
            function()
        if (spent := time.process_time() - start) > 0.01:
            break
        number *= 4
    best = spent
    for _ in range(passes):
        start = time.process_time()
        for _ in range(number):
            function()
        best = min(best, time.process_time() - start)
    return best / number


def sglang_reader(format_: str) -> Callable[[str], Any] | None:
    """SGLang's own parser of a format, if it can be imported."""
    for package in ("sglang", "llm_router_utils.sglang"):
        try:
            parsers = importlib.import_module(f"{package}.srt.function_call.function_call_parser")
            types = importlib.import_module(f"{package}.srt.entrypoints.openai.protocol")
            break
        except Exception:  # noqa: BLE001, S112 - without a GPU, torch and more it fails in many ways
            continue
    else:
        return None
    if format_ not in SGLANG:
        return None
    tool = types.Tool(type="function", function=types.Function(**TOOL))
    return lambda text: parsers.FunctionCallParser([tool], SGLANG[format_]).parse_non_stream(text)


def measured(format_: str, write: Callable[[Any], str]) -> list[str]:
    """A row of the table."""
    toolset = Toolset([TOOL])
    cells = [format_]
    for arguments in (SHORT, LONG):
        text = write([("write_file", arguments)])
        [call] = toolset.read_calls(text)
        assert call.arguments == arguments
        plain = json.dumps([{"name": "write_file", "arguments": arguments}])
        ours = seconds(functools.partial(toolset.read_calls, text))
        loads = seconds(functools.partial(json.loads, plain))
        cells += [f"{ours * 1e6:.1f}", f"{ours / loads:.1f}"]
        theirs = sglang_reader(format_)
        cells.append(f"{seconds(functools.partial(theirs, text)) * 1e6:.1f}" if theirs else "")
    return cells


def main() -> None:
    """Measure, and print."""
    from wire import WRITERS  # noqa: PLC0415 - the tests' own, found on the path set above

    heads = ["format", "short, µs", "/ json.loads", "SGLang, µs"]
    heads += [f"{len(FILE) // 1024} KiB, µs", "/ json.loads", "SGLang, µs"]
    print(table(heads, [measured(name, write) for name, write in sorted(WRITERS.items())]))
    if sglang_reader("hermes") is None:
        print("\nSGLang's parsers cannot be imported here; neither can vLLM's without its wheel.")


if __name__ == "__main__":
    main()
