"""LiteLLM's proxy, with providers that are scripted, and the official clients of its three APIs."""

from __future__ import annotations

import concurrent.futures
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from probe import EXACT, HOPELESS, STRINGS
from scripted_models import Script, serving

from schema2model.coercions import coercion_named
from schema2model.extras import needs

pytest.importorskip("anthropic", reason="needs the client: pip install anthropic")
pytest.importorskip("openai", reason=needs("litellm"))
pytest.importorskip("yaml", reason="needs LiteLLM's proxy: pip install 'litellm[proxy]'")

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # LiteLLM asks for its prices otherwise

import yaml
from litellm_proxy import APIS, KEY, MODELS, PROXY, TOOLS, ask, fragments, running, values

if PROXY is None:
    pytest.skip("needs LiteLLM's proxy: pip install 'litellm[proxy]'", allow_module_level=True)

pytestmark = pytest.mark.adapters

PAGE = Path(__file__).parents[2] / "docs" / "adapters" / "litellm.md"
SECTION = PAGE.read_text("utf-8").partition("## In the proxy")[2].partition("\n## ")[0]
(CONFIG,) = re.findall(r"```yaml\n(.*?)```", SECTION, re.DOTALL)
(CLIENT,) = re.findall(r"```py\n(.*?)```", SECTION, re.DOTALL)
(CORRECTIONS,) = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)

WRONG = json.dumps(STRINGS)
MALFORMED = "{'limit': '3', tags: [\"a\", 2,],}"
MENDED = {"limit": 3, "tags": ["a", "2"]}


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    """Where the scripted models answer."""
    with serving() as origin:
        yield origin


@pytest.fixture(scope="module")
def proxy(provider: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The origin of a proxy that is set up as the documentation says, with two more models."""
    folder = tmp_path_factory.mktemp("litellm")
    with running(folder, provider, yaml.safe_load(CONFIG)) as origin:
        yield origin


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
