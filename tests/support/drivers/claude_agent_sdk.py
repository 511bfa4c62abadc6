"""The Claude Agent SDK with the Claude Code that it brings, in front of a scripted service."""

from __future__ import annotations

import contextlib
import json
import tempfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, SdkMcpTool, create_sdk_mcp_server, query
from contract import ALONE, DONE, NO_VALUES, Driver, Job, Script
from probe import DEFINITION, SCHEMA

from schema2model.adapters.claude_agent_sdk import coercion, from_tool, wrap_server


def raw(job: Job, schema: Any = SCHEMA) -> SdkMcpTool[Any]:
    """A tool of the SDK's own, of a schema."""

    async def search(arguments: dict[str, Any]) -> dict[str, Any]:
        result = job.run(arguments)
        text = await result if job.asynchronous else result
        return {"content": [{"type": "text", "text": text}]}

    return SdkMcpTool("search", "Find articles.", schema, search)


@contextlib.contextmanager
def service(script: Script, told: list[str]) -> Iterator[str]:
    """The URL of a messages API that makes the calls of a script, and what it is told of them."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            """Nothing is logged."""

        def do_HEAD(self) -> None:
            """It is there."""
            self.answer("text/plain", "")

        def do_POST(self) -> None:
            """Make the next call."""
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            contents = [message["content"] for message in request["messages"]]
            blocks = [block for content in contents for block in content if type(block) is dict]
            results = [block for block in blocks if block["type"] == "tool_result"]
            told[:] = [text_of(result["content"]) for result in results]
            events = said(script, len(results))
            lines = [f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events]
            self.answer("text/event-stream", "".join(lines))

        def answer(self, kind: str, text: str) -> None:
            body = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def text_of(content: Any) -> str:
    """The text of a result, which may be in blocks."""
    blocks = content if isinstance(content, list) else [{"text": content}]
    return "\n".join(str(block.get("text", block)) for block in blocks)


def said(script: Script, made: int) -> list[dict[str, Any]]:
    """The events of a message."""
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "1", "type": "message", "role": "assistant", "model": "m", "content": []}
    block: dict[str, Any] = {"type": "text", "text": ""}
    delta, reason = {"type": "text_delta", "text": DONE}, "end_turn"
    if made < len(script):
        call, reason = script[made], "tool_use"
        name = f"mcp__shop__{call.name}"
        block = {"type": "tool_use", "id": f"toolu_{made}", "name": name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": call.text}
    return [
        {"type": "message_start", "message": {**message, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage},
        {"type": "message_stop"},
    ]


async def converse(setup: dict[str, Any], script: Script) -> list[str]:
    """What the model is told of each call."""
    told: list[str] = []
    with tempfile.TemporaryDirectory() as home, service(script, told) as url:
        environment = {
            "HOME": home,
            "CLAUDE_CONFIG_DIR": home,
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
        options = ClaudeAgentOptions(
            allowed_tools=["mcp__shop__search"],
            tools=[],
            setting_sources=[],
            cwd=home,
            env=environment,
            **setup,
        )
        async for _ in query(prompt="Go on.", options=options):
            pass
    return told


def served(tool: SdkMcpTool[Any]) -> Any:
    """A server of one tool."""
    return create_sdk_mcp_server("shop", tools=[tool])


DRIVER = Driver(
    ways={
        ALONE: lambda job: {"mcp_servers": {"shop": served(raw(job))}},
        "from_tool": lambda job: {
            "mcp_servers": {
                "shop": wrap_server(served(from_tool(job.ours(), **job.inject)), **job.options)
            }
        },
        "wrap_server": lambda job: {
            "mcp_servers": {"shop": wrap_server(served(raw(job)), **job.options)}
        },
        "coercion": lambda job: {
            "mcp_servers": {"shop": served(raw(job))},
            "hooks": coercion({"shop": [DEFINITION]}, **job.options),
        },
    },
    converse=converse,
    has_context=False,
    at_once=2,
    differs=dict.fromkeys(
        ["malformed text", "text in a fence"],
        "Claude Code itself answers text that is not JSON.",
    )
    | {
        "encoded twice": "It takes the characters of text that is encoded twice for arguments.",
        "injected by type": NO_VALUES,
    },
)
