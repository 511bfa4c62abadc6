"""LiteLLM's proxy, with providers that are scripted, and the official clients of its three APIs."""

from __future__ import annotations

import concurrent.futures
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from probe import EXACT, HOPELESS, SCHEMA, STRINGS
from scripted_models import Script, serving

from schema2model.coercions import coercion_named
from schema2model.extras import needs

anthropic = pytest.importorskip("anthropic", reason="needs the client: pip install anthropic")
httpx = pytest.importorskip("httpx", reason=needs("litellm"))
openai = pytest.importorskip("openai", reason=needs("litellm"))
yaml = pytest.importorskip("yaml", reason="needs LiteLLM's proxy: pip install 'litellm[proxy]'")

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # LiteLLM asks for its prices otherwise

PROXY = shutil.which("litellm", path=str(Path(sys.executable).parent))
if PROXY is None:
    pytest.skip("needs LiteLLM's proxy: pip install 'litellm[proxy]'", allow_module_level=True)

pytestmark = pytest.mark.adapters

KEY = "sk-of-these-tests-only-0123456789"
PAGE = Path(__file__).parents[2] / "docs" / "adapters" / "litellm.md"
SECTION = PAGE.read_text("utf-8").partition("## In the proxy")[2].partition("\n## ")[0]
(CONFIG,) = re.findall(r"```yaml\n(.*?)```", SECTION, re.DOTALL)
(CLIENT,) = re.findall(r"```py\n(.*?)```", SECTION, re.DOTALL)
(CORRECTIONS,) = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)

MODELS = {
    "local": "hosted_vllm/scripted",
    "openai": "openai/gpt-4.1",
    "claude": "anthropic/claude-sonnet-4-5",
}
APIS = ("chat", "messages", "responses")
WRONG = json.dumps(STRINGS)
MALFORMED = "{'limit': '3', tags: [\"a\", 2,],}"
MENDED = {"limit": 3, "tags": ["a", "2"]}


# -------------------------------------------------------------------------------- the proxy
@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    """Where the scripted models answer."""
    with serving() as origin:
        yield origin


@pytest.fixture(scope="module")
def proxy(provider: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The origin of a proxy that is set up as the documentation says, with two more models."""
    folder = tmp_path_factory.mktemp("litellm")
    config = yaml.safe_load(CONFIG)
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
    command = [PROXY, "--config", str(folder / "config.yaml")]
    command += ["--host", "127.0.0.1", "--port", str(port)]
    environment = {**os.environ, "LITELLM_MASTER_KEY": KEY}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(  # noqa: S603
            command, stdout=log, stderr=log, env=environment, cwd=folder
        )
    try:
        while not answers(origin):
            assert process.poll() is None, (folder / "log").read_text()[-5000:]
            time.sleep(0.1)
        yield origin
    finally:
        process.terminate()
        process.wait()


def answers(origin: str) -> bool:
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
            return from_messages(client, {**asked, "messages": messages, "max_tokens": 100}, way)
    with openai.OpenAI(base_url=f"{origin}/v1", api_key=KEY, max_retries=0) as client:
        if api == "chat":
            return from_chat(client, {**asked, "messages": messages}, way)
        return from_responses(client, {**asked, "input": script.text}, way)


def from_messages(client: Any, asked: dict[str, Any], way: str) -> Answer:
    """Anthropic's client."""
    if way == "streamed":
        with client.messages.stream(**asked) as stream:
            message = stream.get_final_message()
    else:
        message = client.messages.create(**asked)
    text = "".join(block.text for block in message.content if block.type == "text")
    calls = [(b.name, b.input) for b in message.content if b.type == "tool_use"]
    return Answer(text, calls, message.stop_reason)


def from_chat(client: Any, asked: dict[str, Any], way: str) -> Answer:
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


def from_responses(client: Any, asked: dict[str, Any], way: str) -> Answer:
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


FUNCTIONS = ("search", "other")
TOOLS: dict[str, list[dict[str, Any]]] = {
    "chat": [
        {"type": "function", "function": {"name": name, "parameters": SCHEMA}} for name in FUNCTIONS
    ],
    "messages": [{"name": name, "input_schema": SCHEMA} for name in FUNCTIONS],
    "responses": [{"type": "function", "name": name, "parameters": SCHEMA} for name in FUNCTIONS],
}

in_every_way = pytest.mark.parametrize(
    ("api", "model", "way"),
    [
        pytest.param(api, model, way, id=f"{api}-{model}-{way}")
        for api in APIS
        for model in MODELS
        for way in ("whole", "streamed")
    ],
)
in_every_stream = pytest.mark.parametrize(
    ("api", "model"), [pytest.param(a, m, id=f"{a}-{m}") for a in APIS for m in MODELS]
)


def values(answer: Answer) -> list[tuple[str, Any]]:
    """The calls with their arguments as values."""
    calls = answer.calls
    return [(name, json.loads(a) if isinstance(a, str) else a) for name, a in calls]


@in_every_way
def test_wrong_arguments_arrive_right(proxy: str, api: str, model: str, way: str) -> None:
    """Of all calls in an answer; and what is said beside them arrives, too."""
    wrong = Script((("search", WRONG), ("other", '{"limit": "3"}')), say="Let me look.")
    answer = ask(proxy, api, model, wrong, way)
    assert answer.text == "Let me look."
    assert values(answer) == [("search", EXACT), ("other", {"limit": 3})]
    assert answer.reason in {"tool_calls", "tool_use", "completed"}


@in_every_way
def test_right_and_hopeless_arguments_arrive_as_they_are(
    proxy: str, api: str, model: str, way: str
) -> None:
    """To the character, where LiteLLM has them as text; so do those of tools not in the request."""
    right = '{"tags":  ["a"], "limit": 1}'
    calls = (("search", right), ("other", json.dumps(HOPELESS)), ("unknown", '{"limit": "1"}'))
    answer = ask(proxy, api, model, Script(calls), way)
    assert values(answer) == [(name, json.loads(text)) for name, text in calls]
    is_text = api != "messages" and (way == "streamed" or model != "claude")
    assert not is_text or answer.calls == [*calls]


@pytest.mark.parametrize(
    ("api", "model", "way"),
    [given for given in in_every_way.args[1] if given.values[1:] != ("claude", "whole")],
)
def test_malformed_arguments_arrive_right(proxy: str, api: str, model: str, way: str) -> None:
    """Wherever a provider can send them: Anthropic's whole answers hold objects."""
    answer = ask(proxy, api, model, Script((("search", MALFORMED),)), way)
    assert values(answer) == [("search", MENDED)]


@in_every_way
def test_without_tools_nothing_is_changed(
    proxy: str, api: str, model: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: the same proxy, asked without `tools`."""
    monkeypatch.setitem(TOOLS, api, [])
    answer = ask(proxy, api, model, Script((("search", WRONG),)), way)
    assert values(answer) == [("search", STRINGS)]


def test_answers_at_once_are_kept_apart(proxy: str) -> None:
    """Each has its own arguments, however they are mixed."""

    def one(number: int) -> Any:
        api, model = APIS[number % 3], [*MODELS][number // 3 % 3]
        script = Script((("search", json.dumps({"limit": str(number)})),), size=1 + number % 5)
        return values(ask(proxy, api, model, script, ("whole", "streamed")[number % 2]))

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        numbers = range(36)
        for number, got in zip(numbers, pool.map(one, numbers), strict=True):
            assert got == [("search", {"limit": number})]


# ----------------------------------------------------------------------- what ends too early
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
    with httpx.stream("POST", f"{origin}/v1/{path}", json=body, headers=headers) as response:
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


@pytest.mark.parametrize("end", ["early", "limited"])
@in_every_stream
def test_what_is_cut_off_arrives_as_it_was(proxy: str, api: str, model: str, end: str) -> None:
    """As much of it as without us, and never as a call that the model did not write to its end."""
    cut_off = Script((("search", '{"limit": "1", "tags": ["a", "'),), end=end)
    got = fragments(proxy, api, model, cut_off, TOOLS[api])
    assert got == fragments(proxy, api, model, cut_off, None)
    assert got == cut_off.calls[0][1]


@in_every_stream
def test_calls_before_one_that_is_cut_off_arrive_right(proxy: str, api: str, model: str) -> None:
    """They were complete."""
    cut_off = Script((("search", '{"limit": "1"}'), ("other", '{"limit": "2')), end="limited")
    assert fragments(proxy, api, model, cut_off, TOOLS[api]) == '{"limit":1}{"limit": "2'


def test_an_answer_that_is_cut_off_is_not_completed(proxy: str) -> None:
    """What misses nothing but brackets may miss more."""
    cut_off = Script((("search", '{"limit": "1", "tags": ["a"'),), end="limited")
    for api in ("chat", "responses"):
        answer = ask(proxy, api, "openai", cut_off, "whole")
        assert answer.calls == [*cut_off.calls]
    ended = replace(cut_off, end=None)
    assert values(ask(proxy, "chat", "openai", ended, "whole")) == [
        ("search", {"limit": 1, "tags": ["a"]})
    ]


# -------------------------------------------------------------------------- the documentation
def test_the_documented_client_gets_exact_arguments(proxy: str) -> None:
    """As it stands, but for the places of the proxy and of the model."""
    script = Script((("restock", '{"sku": 4711, "amounts": "[1, 2]"}'),))
    asked = "Restock article 4711 with 1, then 2."
    assert asked in CLIENT
    assert "http://127.0.0.1:4000" in CLIENT
    program = CLIENT.replace(f'"{asked}"', repr(script.text))
    program = program.replace("http://127.0.0.1:4000", proxy)
    environment = {**os.environ, "LITELLM_MASTER_KEY": KEY}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)  # noqa: S603


def test_the_documented_module_has_a_callback() -> None:
    """With the preset that it names."""
    module: dict[str, Any] = {}
    exec(CORRECTIONS, module)  # noqa: S102
    assert module["untyped"].coercion == coercion_named("untyped")
