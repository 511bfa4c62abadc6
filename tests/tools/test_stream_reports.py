"""Faulty streams from public reports: each call is read right, or refused."""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import pytest
from reply_streams import chat, delta

from schema2model import Toolset


def _tool(name: str, **properties: str) -> dict[str, Any]:
    declared = {key: {"type": kind} for key, kind in properties.items()}
    return {"name": name, "parameters": {"type": "object", "properties": declared}}


TOOLS = Toolset(
    [
        _tool("web_search", query="string"),
        _tool("web_fetch", url="string"),
        _tool("add", a="integer", b="integer"),
        _tool("bash", command="string", workdir="string"),
        _tool("read_file", path="string"),
        _tool("file_write", filePath="string", content="string"),
        _tool("debug_tool"),
        _tool("create_task", title="string"),
        _tool("search_files", keywords="string", relativeTimeFrame="string"),
    ]
)


class Report(NamedTuple):
    """One report: where it is, what was sent, and what the calls are; None for a refused one."""

    source: str
    provider: str
    chunks: list[Any]
    meant: list[tuple[str, dict[str, Any]] | None]


def _piece(index: int | None, id_: str | None, name: str | None, arguments: Any) -> dict[str, Any]:
    members = {"index": index, "id": id_, "name": name, "arguments": arguments}
    return {key: value for key, value in members.items() if value is not None}


def _query(text: str) -> tuple[str, dict[str, Any]]:
    return "web_search", {"query": text}


REPORTS = {
    "parallel calls with one index": Report(
        "huggingface/smolagents#1569",
        "litellm",
        chat(
            _piece(0, "c1", "web_search", '{"query": "Emma Bull"}'),
            _piece(0, "c2", "web_search", '{"query": "Virginia Woolf"}'),
        ),
        [_query("Emma Bull"), _query("Virginia Woolf")],
    ),
    "the index is always 0": Report(
        "ollama/ollama#15457",
        "openai",
        chat(
            _piece(0, "abc", "file_write", '{"content":"print(1)","filePath":"hello.py"}'),
            _piece(0, "def", "file_write", '{"content":"print(2)","filePath":"world.py"}'),
            reason="stop",
        ),
        [
            ("file_write", {"content": "print(1)", "filePath": "hello.py"}),
            ("file_write", {"content": "print(2)", "filePath": "world.py"}),
        ],
    ),
    "no index": Report(
        "ollama/ollama#7881",
        "openai",
        chat(
            _piece(None, "c1", "add", '{"a":1,"b":2}'), _piece(None, "c2", "add", '{"a":3,"b":4}')
        ),
        [("add", {"a": 1, "b": 2}), ("add", {"a": 3, "b": 4})],
    ),
    "no index, in pieces": Report(
        "SamSaffron/term-llm#314",
        "openai",
        chat(
            _piece(None, "c1", "web_search", ""),
            _piece(None, None, None, '{"query": "a'),
            _piece(None, None, None, '"}'),
            _piece(None, "c2", "web_fetch", ""),
            _piece(None, None, None, '{"url": "b"}'),
        ),
        [_query("a"), ("web_fetch", {"url": "b"})],
    ),
    "no index on the first piece": Report(
        "openai/openai-python#2806",
        "openai",
        chat(
            _piece(None, "function-call-1", "web_search", '{"query":"x"}'),
        ),
        [_query("x")],
    ),
    "names of interleaved calls": Report(
        "maximhq/bifrost#1829",
        "openai",
        chat(
            *(_piece(n, f"c{n}", "web_search", "") for n in range(3)),
            *(_piece(n, None, None, '{"query": ') for n in range(3)),
            *(_piece(n, None, None, f'"{n}"}}') for n in range(3)),
        ),
        [_query("0"), _query("1"), _query("2")],
    ),
    "one index twice in the first chunk": Report(
        "openai/openai-python#3201",
        "openai",
        chat(
            [_piece(0, "c1", "web_search", ""), _piece(0, None, None, '{"query"')],
            _piece(0, None, None, ': "x"}'),
        ),
        [_query("x")],
    ),
    "interleaved, with an id on the first piece only": Report(
        "QwenLM/Qwen-Agent#943",
        "openai",
        chat(
            [_piece(0, "c1", "web_search", '{"query"'), _piece(1, "c2", "web_fetch", '{"url"')],
            [_piece(0, "", "", ': "a"}'), _piece(1, "", "", ': "b"}')],
        ),
        [_query("a"), ("web_fetch", {"url": "b"})],
    ),
    "only the first item of each chunk is looked at": Report(
        "endolith/open-interpreter#315",
        "litellm",
        chat(
            _piece(0, "c1", "bash", '{"command": "print(1)"}'),
            _piece(1, "c2", "bash", '{"command": "ls -la"}'),
        ),
        [("bash", {"command": "print(1)"}), ("bash", {"command": "ls -la"})],
    ),
    "the index moves on without a head": Report(
        "dirac-run/dirac#215",
        "openai",
        chat(
            _piece(0, "c1", "read_file", '{"path": '),
            _piece(1, None, None, '"src/a'),
            _piece(2, None, None, '.py"}'),
        ),
        [None, None, None],
    ),
    "arguments as an object": Report(
        "can1357/oh-my-pi#1776",
        "openai",
        chat(_piece(0, "c1", "bash", {"command": "printf '%s\\n' ok"})),
        [("bash", {"command": "printf '%s\\n' ok"})],
    ),
    "a valid beginning is not the end": Report(
        "charmbracelet/crush#3153",
        "openai",
        chat(
            _piece(0, "c1", "bash", "{}"),
            _piece(0, None, None, '{"command": "ls", "work'),
            _piece(0, None, None, 'dir": "/"}'),
        ),
        [("bash", {"command": "ls", "workdir": "/"})],
    ),
    "a leading empty object": Report(
        "llamastack/llama-stack#5464",
        "openai",
        chat(_piece(0, "c1", "web_search", None), _piece(0, None, None, '{}{"query": "Boston"}')),
        [_query("Boston")],
    ),
    "the name in every piece": Report(
        "NousResearch/hermes-agent#8259",
        "openai",
        chat(
            _piece(0, "c1", "read_file", ""),
            _piece(0, None, "read_file", '{"path"'),
            _piece(0, None, "read_file", ': "a.py"}'),
        ),
        [("read_file", {"path": "a.py"})],
    ),
    "id, type and name in every piece": Report(
        "SillyTavern/SillyTavern#5948",
        "openai",
        chat(
            *(_piece(0, "tool-aa62", "debug_tool", text) for text in ("", "{", "}")),
        ),
        [("debug_tool", {})],
    ),
    "an empty name in later pieces": Report(
        "huggingface/tau#715",
        "openai",
        chat(
            _piece(0, "c1", "read_file", ""),
            _piece(0, None, "", '{"path": "a'),
            _piece(0, None, "", '.py"}'),
        ),
        [("read_file", {"path": "a.py"})],
    ),
    "the whole object sent again": Report(
        "mudler/cogito#66",
        "openai",
        chat(_piece(0, "c1", "add", '{"a":1,"b":2}'), _piece(0, "c1", "add", '{"a":1,"b":2}')),
        [("add", {"a": 1, "b": 2})],
    ),
    "the index begins anew in each chunk": Report(
        "mozilla-ai/any-llm#1148",
        "openai",
        chat(
            [_piece(0, "call_1_0", "web_search", '{"query": "a"}')],
            [_piece(0, "call_2_0", "web_fetch", '{"url": "b"}')],
        ),
        [_query("a"), ("web_fetch", {"url": "b"})],
    ),
    "names and objects glued by a gateway": Report(
        "unslothai/unsloth#10059",
        "openai",
        chat(_piece(0, "c1", "web_fetchweb_search", '{"url": "https://a"}{"query": "b"}')),
        [None],
    ),
    "three objects on lines": Report(
        "mcowger/plexus#691",
        "openai",
        chat(
            _piece(0, "c1", "create_task", '{"title":"Sort photos"}\n'),
            _piece(0, None, None, '{"title":"Try a recipe"}\n{"title":"Take a walk"}'),
        ),
        [None],
    ),
    "a second call begins in the first": Report(
        "edison7009/EchoBird#187",
        "openai",
        chat(
            _piece(0, "c1", "bash", '{"command": "ls", "workdir": "D:\\\\Work"}'),
            _piece(0, None, None, '{"command": "'),
        ),
        [None],
    ),
    "a bare word in eager input": Report(
        "dust-tt/dust#24414",
        "anthropic",
        [
            {
                "type": "content_block_start",
                "index": 0,
                "content_block": {
                    "type": "tool_use",
                    "id": "toolu_1",
                    "name": "search_files",
                    "input": {},
                },
            },
            *(
                {
                    "type": "content_block_delta",
                    "index": 0,
                    "delta": {"type": "input_json_delta", "partial_json": text},
                }
                for text in ('{"keywords": Da', 've, "relativeTimeFrame": "1d"}')
            ),
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        ],
        [("search_files", {"keywords": "Dave", "relativeTimeFrame": "1d"})],
    ),
    "the legacy function call": Report(
        "endolith/open-interpreter#315 (b)",
        "openai",
        [
            delta(function_call={"name": "add", "arguments": ""}),
            delta(function_call={"arguments": '{"a": 1'}),
            delta(function_call={"arguments": ', "b": 2}'}),
            delta("function_call"),
        ],
        [("add", {"a": 1, "b": 2})],
    ),
}
"""The shapes of the reports; texts and names are shortened."""


@pytest.mark.parametrize("report", REPORTS)
def test_reported_streams_are_read_or_refused(report: str) -> None:
    """No argument is lost in silence, and none is in another call; every call has its answer."""
    _, provider, chunks, meant = REPORTS[report]
    assembler = TOOLS.assembler(provider)  # type: ignore[arg-type]
    fed = [call for chunk in copy.deepcopy(chunks) for call in assembler.feed(chunk)]
    reply = assembler.finish()
    assert fed == reply.calls
    assert [None if each.error else (each.name, each.arguments) for each in fed] == meant
    assert len(TOOLS.answer(reply, approve=lambda _: False)) in {1, len(meant)}


def test_every_report_has_its_source() -> None:
    """At least the seventeen that this is for."""
    sources = {report.source for report in REPORTS.values()}
    assert len(sources) == len(REPORTS) >= 17
