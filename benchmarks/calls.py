"""How long it takes to read a call, format by format, beside `json.loads` of the same in JSON.

`python -m benchmarks.calls` prints a table. A call is short (three small parameters) or long (a
file of some kilobytes among them); reading includes finding the format and the tool, and
validation by its schema. Short calls are also read in chunks of four characters. Where the servers
can be imported (vLLM, and SGLang or the distribution `llm-router-utils`, which has its parsers
without the rest of it), their parsers read the same: one is made for each text, as they do it.
"""

from __future__ import annotations

import functools
import importlib
import json
import logging
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

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
VLLM = {
    "cohere_command": "cohere_command4",
    "internlm2": "internlm",
    "mistral_v3": "mistral",
    "phi4_mini": "phi4_mini_json",
}
"""vLLM's names of formats, where they are not ours."""
CHUNK = 4
"""Characters of a piece of a stream, about as many as a token has."""


class Peer(NamedTuple):
    """How a server's parser reads a text, as a whole and in chunks: whether it finds a call."""

    whole: Callable[[str], bool]
    chunks: Callable[[list[str]], bool]


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


def sglang(format_: str) -> Peer | None:
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

    def made() -> Any:
        return parsers.FunctionCallParser([tool], SGLANG[format_])

    def chunks(pieces: list[str]) -> bool:
        parser = made()
        found = [parser.parse_stream_chunk(piece)[1] for piece in pieces]
        return any(found)

    return Peer(lambda text: bool(made().parse_non_stream(text)[1]), chunks)


class Vocabulary(dict[str, int]):
    """A number for whatever token a parser of vLLM asks for."""

    def __missing__(self, token: str) -> int:
        """Give the token the next number."""
        self[token] = len(self) + 1
        return self[token]

    def get(self, token: str, _default: Any = None) -> int:
        """Every token is known."""
        return self[token]

    def __contains__(self, token: object) -> bool:
        """Every token is known."""
        return True


class Tokenizer:
    """As much of a tokenizer as vLLM's parsers ask for when they are made."""

    vocab = Vocabulary()
    all_special_tokens: tuple[str, ...] = ()

    def get_vocab(self) -> Vocabulary:
        """All tokens."""
        return self.vocab

    def encode(self, text: str, **_options: Any) -> list[int]:
        """Every text is one token."""
        return [self.vocab[text]]

    def decode(self, _tokens: list[int], **_options: Any) -> str:
        """The parsers have the text, too."""
        return ""


def vllm(format_: str) -> Peer | None:
    """The parser of a format that vLLM has, if it can be imported."""
    try:
        parsers = importlib.import_module("vllm.tool_parsers")
        protocol = importlib.import_module("vllm.entrypoints.openai.chat_completion.protocol")
    except Exception:  # noqa: BLE001 - without a GPU, torch and more it fails in many ways
        return None
    try:
        parser = parsers.ToolParserManager.get_tool_parser(VLLM.get(format_, format_))
    except KeyError:
        return None
    tool = protocol.ChatCompletionToolsParam(type="function", function=TOOL)
    asked = [{"role": "user", "content": "x"}]
    request = protocol.ChatCompletionRequest(
        model="m", messages=asked, tools=[tool.model_dump()], tool_choice="auto"
    )
    tokenizer = Tokenizer()

    def whole(text: str) -> bool:
        return bool(parser(tokenizer, [tool]).extract_tool_calls(text, request).tool_calls)

    def chunks(pieces: list[str]) -> bool:
        made, before, tokens, found = parser(tokenizer, [tool]), "", [0], False
        for piece in pieces:
            given = (before, before + piece, piece, tokens, [*tokens, 0], [0], request)
            delta = made.extract_tool_calls_streaming(*given)
            found = found or bool(delta and delta.tool_calls)
            before, tokens = before + piece, given[4]
        return found

    return Peer(whole, chunks)


def microseconds(function: Callable[[Any], Any] | None, given: Any) -> str:
    """The time of one reading; empty if there is no such reader, or it finds no call."""
    try:
        if function and function(given):
            return f"{seconds(functools.partial(function, given)) * 1e6:.1f}"
    except Exception:  # noqa: BLE001, S110 - whatever another parser raises
        pass
    return ""


def measured(format_: str, write: Callable[[Any], str]) -> list[str]:
    """A row of the table."""
    toolset = Toolset([TOOL])
    cells = [format_]
    peers = [peer(format_) for peer in (sglang, vllm)]
    for arguments in (SHORT, LONG):
        text = write([("write_file", arguments)])
        [call] = toolset.read_calls(text)
        assert call.arguments == arguments
        plain = json.dumps([{"name": "write_file", "arguments": arguments}])
        ours = seconds(functools.partial(toolset.read_calls, text))
        loads = seconds(functools.partial(json.loads, plain))
        cells += [f"{ours * 1e6:.1f}", f"{ours / loads:.1f}"]
        cells += [microseconds(peer and peer.whole, text) for peer in peers]
    text = write([("write_file", SHORT)])
    pieces = [text[at : at + CHUNK] for at in range(0, len(text), CHUNK)]

    def streamed(pieces: list[str]) -> bool:
        reader = toolset.call_reader()
        for piece in pieces:
            reader.feed(piece)
        reader.finish()
        return bool(reader.calls)

    readers = (streamed, *(peer and peer.chunks for peer in peers))
    return [*cells, *(microseconds(reader, pieces) for reader in readers)]


def main() -> None:
    """Measure, and print."""
    from wire import WRITERS  # noqa: PLC0415 - the tests' own, found on the path set above

    logging.disable()
    servers = ["SGLang, µs", "vLLM, µs"]
    heads = ["format", "short, µs", "/ json.loads", *servers]
    heads += [f"{len(FILE) // 1024} KiB, µs", "/ json.loads", *servers]
    heads += [f"short in chunks of {CHUNK}, µs", *servers]
    print(table(heads, [measured(name, write) for name, write in sorted(WRITERS.items())]))
    missing = [peer.__name__ for peer in (sglang, vllm) if peer("hermes") is None]
    if missing:
        print(f"\nThe parsers of {' and '.join(missing)} cannot be imported here.")


if __name__ == "__main__":
    main()
