"""LiteLLM's proxy as a process, and the official clients of its three APIs."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anthropic
import httpx
import openai
import yaml
from forking import python
from probe import SCHEMA
from scripted_models import Script
from waiting import PATIENCE

PROXY = shutil.which("litellm", path=str(Path(sys.executable).parent))
"""The program; None if it is not installed."""

KEY = "sk-of-these-tests-only-0123456789"

MODELS = {
    "local": "hosted_vllm/scripted",
    "openai": "openai/gpt-4.1",
    "claude": "anthropic/claude-sonnet-4-5",
}
"""As LiteLLM calls those whose providers are scripted."""

APIS = ("chat", "messages", "responses")

FUNCTIONS = ("search", "other")
TOOLS: dict[str, list[dict[str, Any]]] = {
    "chat": [
        {"type": "function", "function": {"name": name, "parameters": SCHEMA}} for name in FUNCTIONS
    ],
    "messages": [{"name": name, "input_schema": SCHEMA} for name in FUNCTIONS],
    "responses": [{"type": "function", "name": name, "parameters": SCHEMA} for name in FUNCTIONS],
}


# -------------------------------------------------------------------------------- the proxy
@contextlib.contextmanager
def running(folder: Path, provider: str, config: dict[str, Any]) -> Iterator[str]:
    """The origin of a proxy that is set up in a folder, with all the models of a provider."""
    (documented,) = config["model_list"]
    documented["litellm_params"]["api_base"] = f"{provider}/v1"
    for name, model in [*MODELS.items()][1:]:
        base = provider if name == "claude" else f"{provider}/v1"
        parameters = {"model": model, "api_base": base, "api_key": "of these tests"}
        config["model_list"].append({"model_name": name, "litellm_params": parameters})
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    origin = f"http://127.0.0.1:{port}"
    assert PROXY is not None
    command = [python("litellm.proxy.proxy_server"), PROXY, "--config", str(folder / "config.yaml")]
    command += ["--host", "127.0.0.1", "--port", str(port)]
    environment = {**os.environ, "LITELLM_MASTER_KEY": KEY}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(  # noqa: S603
            command, stdout=log, stderr=log, env=environment, cwd=folder
        )
    try:
        while not _answers(origin):
            assert process.poll() is None, (folder / "log").read_text()[-5000:]
            time.sleep(0.1)
        yield origin
    finally:
        process.terminate()
        process.wait()


def _answers(origin: str) -> bool:
    """Whether a proxy is up."""
    try:
        return httpx.get(f"{origin}/health/liveliness").is_success
    except httpx.TransportError:
        return False


# ------------------------------------------------------------------------------ the clients
@dataclass(frozen=True)
class Answer:
    """What a client understood."""

    text: str
    calls: list[tuple[str, Any]]
    reason: str | None


def ask(origin: str, api: str, model: str, script: Script, way: str) -> Answer:
    """An answer through the official client of an API, read as its users do."""
    asked = {"model": model, "tools": TOOLS[api]}
    messages = [{"role": "user", "content": script.text}]
    if api == "messages":
        with anthropic.Anthropic(base_url=origin, api_key=KEY, max_retries=0) as client:
            return _from_messages(client, {**asked, "messages": messages, "max_tokens": 100}, way)
    with openai.OpenAI(base_url=f"{origin}/v1", api_key=KEY, max_retries=0) as client:
        if api == "chat":
            return _from_chat(client, {**asked, "messages": messages}, way)
        return _from_responses(client, {**asked, "input": script.text}, way)


def _from_messages(client: Any, asked: dict[str, Any], way: str) -> Answer:
    """Anthropic's client."""
    if way == "streamed":
        with client.messages.stream(**asked) as stream:
            message = stream.get_final_message()
    else:
        message = client.messages.create(**asked)
    text = "".join(block.text for block in message.content if block.type == "text")
    calls = [(b.name, b.input) for b in message.content if b.type == "tool_use"]
    return Answer(text, calls, message.stop_reason)


def _from_chat(client: Any, asked: dict[str, Any], way: str) -> Answer:
    """OpenAI's client; the events of its streams say the same as their end."""
    done = None
    if way == "streamed":
        with client.chat.completions.stream(**asked) as stream:
            done = [e for e in stream if e.type == "tool_calls.function.arguments.done"]
            choice = stream.get_final_completion().choices[0]
    else:
        choice = client.chat.completions.create(**asked).choices[0]
    functions = [call.function for call in choice.message.tool_calls or ()]
    calls = [(function.name, function.arguments) for function in functions]
    assert done is None or [(event.name, event.arguments) for event in done] == calls
    return Answer(choice.message.content or "", calls, choice.finish_reason)


def _from_responses(client: Any, asked: dict[str, Any], way: str) -> Answer:
    """The same, in its newer API."""
    done = None
    if way == "streamed":
        with client.responses.stream(**asked) as stream:
            done = [e for e in stream if e.type == "response.function_call_arguments.done"]
            response = stream.get_final_response()
    else:
        response = client.responses.create(**asked)
    items = [item for item in response.output if item.type == "function_call"]
    calls = [(item.name, item.arguments) for item in items]
    assert done is None or [event.arguments for event in done] == [text for _, text in calls]
    return Answer(response.output_text, calls, response.status)


def values(answer: Answer) -> list[tuple[str, Any]]:
    """The calls with their arguments as values."""
    calls = answer.calls
    return [(name, json.loads(a) if isinstance(a, str) else a) for name, a in calls]


def fragments(origin: str, api: str, model: str, script: Script, tools: Any) -> str:
    """All arguments that arrive in a stream, whatever comes of it."""
    path = {"chat": "chat/completions"}.get(api, api)
    body: dict[str, Any] = {"model": model, "stream": True, "max_tokens": 100}
    if tools:
        body["tools"] = tools
    body["input" if api == "responses" else "messages"] = (
        script.text if api == "responses" else [{"role": "user", "content": script.text}]
    )
    found = ""
    headers = {"Authorization": f"Bearer {KEY}"}
    asked = {"json": body, "headers": headers, "timeout": PATIENCE}
    with httpx.stream("POST", f"{origin}/v1/{path}", **asked) as response:
        for line in response.iter_lines():
            if line.startswith("data: {"):
                event = json.loads(line[6:])
                for choice in event.get("choices", ()):
                    for call in choice["delta"].get("tool_calls") or ():
                        found += call["function"].get("arguments") or ""
                delta = event.get("delta")
                if event.get("type") == "response.function_call_arguments.delta":
                    found += delta
                elif event.get("type") == "content_block_delta":
                    found += delta.get("partial_json", "")
    return found
