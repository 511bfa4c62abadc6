"""Calls that models write as text become calls in LiteLLM's proxy, if that is asked for."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from probe import HOPELESS
from scripted_models import Script, serving

from schema2model.extras import needs

pytest.importorskip("anthropic", reason="needs the client: pip install anthropic")
pytest.importorskip("openai", reason=needs("litellm"))
pytest.importorskip("yaml", reason="needs LiteLLM's proxy: pip install 'litellm[proxy]'")

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # LiteLLM asks for its prices otherwise

import yaml
from litellm_proxy import APIS, MODELS, PROXY, TOOLS, ask, fragments, running, values

from schema2model.adapters.litellm import Coercion

if PROXY is None:
    pytest.skip("needs LiteLLM's proxy: pip install 'litellm[proxy]'", allow_module_level=True)

pytestmark = [
    pytest.mark.adapters,
    pytest.mark.filterwarnings("ignore:Items? .* on TypedDict class:UserWarning"),  # LiteLLM's own
]

PAGE = Path(__file__).parents[2] / "docs" / "adapters" / "litellm.md"
SECTIONS = PAGE.read_text("utf-8").split("\n## ")
(CONFIG,) = re.findall(r"```yaml\n(.*?)```", "".join(SECTIONS), re.DOTALL)
(READING,) = re.findall(
    r"```python\n(.*?)```",
    next(section for section in SECTIONS if section.startswith("Calls in text")),
    re.DOTALL,
)
DONE = {"chat": "tool_calls", "messages": "tool_use", "responses": "completed"}

HERMES = '<tool_call>{"name": "search", "arguments": {"limit": "3", "tags": "[1]"}}</tool_call>'
QWEN = (
    "<tool_call>\n<function=other>\n<parameter=limit>\n4\n</parameter>\n</function>\n</tool_call>"
)
BEGUN = '<tool_call>{"name": "search", "arguments": '
BROKEN = '{"limit": "3", "tags": ["a", "'
OPEN = '{"limit": "3", "tags": "[1]"'
FOUND = [("search", {"limit": 3, "tags": ["1"]}), ("other", {"limit": 4})]


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The origin of a proxy with the callback that the documentation shows."""
    folder = tmp_path_factory.mktemp("litellm")
    (folder / "corrections.py").write_text(READING)
    config = yaml.safe_load(CONFIG)
    config["litellm_settings"]["callbacks"] = ["corrections.reading"]
    with serving() as provider, running(folder, provider, config) as origin:
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


@in_every_way
def test_calls_in_text_become_calls(proxy: str, api: str, model: str, way: str) -> None:
    """Of several formats, right; the prose stays, and the reason to stop is that of calls."""
    answer = ask(proxy, api, model, Script(say=f"Let me look. {HERMES}\n{QWEN}"), way)
    assert values(answer) == FOUND
    assert answer.text.strip() == "Let me look."
    assert answer.reason == DONE[api]


@in_every_way
def test_a_text_that_is_nothing_but_a_call_leaves_no_text(
    proxy: str, api: str, model: str, way: str
) -> None:
    """Providers refuse messages with blank texts, when they come back to them."""
    answer = ask(proxy, api, model, Script(say=f"\n\n{HERMES}\n", size=3), way)
    assert (values(answer), answer.text) == (FOUND[:1], "")
    assert answer.reason == DONE[api]


PROSE = [
    pytest.param("I could call `search(limit=3)`, but {} will do: [1].\n\nDone.", id="mentioned"),
    pytest.param("1 < 2, as the <b>last</b> tool_call said.", id="markup"),
    pytest.param('```json\n{"limit": "3"}\n```', id="json"),
    pytest.param("<think>\nShould I? <tool_call>no</tool_call>\n</think>\nNo.", id="thinking"),
    pytest.param("<think>and it never ends", id="only-thinking"),
]


@pytest.mark.parametrize("say", PROSE)
@pytest.mark.parametrize("way", ["whole", "streamed"])
@pytest.mark.parametrize("api", APIS)
def test_prose_is_the_same_as_without_tools(
    proxy: str, api: str, way: str, say: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the character; what is thought is no call."""
    model = {"chat": "openai", "messages": "claude", "responses": "openai"}[api]  # native ones
    answer = ask(proxy, api, model, Script(say=say, size=5), way)
    monkeypatch.setitem(TOOLS, api, [])
    without = ask(proxy, api, model, Script(say=say, size=5), way)
    assert answer == without


@in_every_way
def test_what_cannot_be_read_is_a_call_all_the_same(
    proxy: str, api: str, model: str, way: str
) -> None:
    """So that the agent tells the model what is wrong; a tool that is not there stays text."""
    hopeless = {"name": "search", "arguments": HOPELESS}
    answer = ask(proxy, api, model, Script(say=f"<tool_call>{json.dumps(hopeless)}"), way)
    assert values(answer) == [("search", HOPELESS)]
    unknown = '<tool_call>{"name": "find", "arguments": {}}</tool_call>'
    answer = ask(proxy, api, model, Script(say=unknown), way)
    assert answer.calls == []
    assert '{"name": "find", "arguments": {}}' in answer.text


@in_every_way
def test_a_provider_s_own_calls_are_corrected_as_ever(
    proxy: str, api: str, model: str, way: str
) -> None:
    """Where it reads them itself, text is text."""
    answer = ask(proxy, api, model, Script((("search", '{"limit": "3"}'),), say="So."), way)
    assert (values(answer), answer.text) == ([("search", {"limit": 3})], "So.")


@pytest.mark.parametrize(
    ("written", "end"),
    [
        pytest.param(BROKEN, "early", id="early"),
        pytest.param(BROKEN, "limited", id="limited"),
        pytest.param(OPEN, "limited", id="limited-before-its-brackets"),
    ],
)
@pytest.mark.parametrize(
    ("api", "model"), [pytest.param(a, m, id=f"{a}-{m}") for a in APIS for m in MODELS]
)
def test_a_call_that_is_cut_off_is_not_completed(
    proxy: str, api: str, model: str, end: str, written: str
) -> None:
    """It arrives as it was, for what misses only brackets may miss more; those before, right."""
    script = Script(say=f"{QWEN}{BEGUN}{written}", end=end)
    assert fragments(proxy, api, model, script, TOOLS[api]) == f'{{"limit":4}}{written}'


@pytest.mark.parametrize("model", ["openai", "local"])
@pytest.mark.parametrize("api", ["chat", "responses"])
def test_a_whole_answer_that_is_cut_off_is_not_completed(proxy: str, api: str, model: str) -> None:
    """The same, where arguments are text."""
    answer = ask(proxy, api, model, Script(say=f"{QWEN}{BEGUN}{OPEN}", end="limited"), "whole")
    assert answer.calls == [("other", '{"limit":4}'), ("search", OPEN)]


def test_an_unknown_format_is_refused() -> None:
    """When the callback is made, and not with the first answer."""
    with pytest.raises(ValueError, match="unknown format 'hermse'"):
        Coercion(text_calls="hermse")
    assert Coercion(text_calls="hermes").text_calls == "hermes"
