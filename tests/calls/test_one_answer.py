"""One text, one answer: arguments mean the same, by whichever way their text comes in."""

from __future__ import annotations

import asyncio
import copy
import json
import random
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from searching import is_search
from wire import TEXT, WRITERS, is_json

from schema2model import Tool, ToolError, Toolset, compile_schema
from schema2model.apps.batch import Corrector
from schema2model.apps.proxy.calls import CallPolicy, ListedTools
from schema2model.calls.formats.spelling import Spelling
from schema2model.calls.formats.spellings import SPELLINGS
from schema2model.json.parsing import exact_json

SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "note": {"type": "string"},
        "limit": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "filter": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "limit": {"type": "integer"}},
        },
        "next": {"type": ["string", "null"]},
    },
}
DEFINITION = {"name": "save", "parameters": SCHEMA}
SAVED: list[Any] = []


def save(**arguments: Any) -> str:
    """Save the arguments, so that a test sees with which the tool ran."""
    SAVED.append(arguments)
    return "saved"


COMPILED = compile_schema(SCHEMA, name="save")
TOOL = Tool.from_definition(DEFINITION, function=save)
TOOLS = Toolset([TOOL])
CORRECTOR = Corrector([DEFINITION])
LISTED = ListedTools(CallPolicy())
LISTED.add({"tools": [{"name": "save", "inputSchema": SCHEMA}]})

VALUES: tuple[dict[str, Any], ...] = (
    {"path": "a.txt", "limit": 3},
    {"path": 'the "final" report.txt', "note": "keep it", "tags": ["x", "y"]},
    {"filter": {"a": 1, "limit": 5}, "note": "{} [] () : , ' `"},
    {"tags": [], "next": None},
    {"note": "first\nsecond: 3, (4)", "path": "C:\\new"},
)
TEXTS = (
    '{"thought": " "] "next": null}',
    '{"path": "tmp.txt", "note"]: "keep it"}',
    '{"filter": {"a": 1, "limit": 5}',
    '{"filter": {"a": 1, "note": "x"}',
    '{"path": "a", "path": "b"}',
    '{"path": "a", "path": "a"}',
    '{"path": "a", "path": "b",}',
    '{"filter": {"limit": 1, "limit": 2}}',
    '{"path": "a"}{"path": "',
    '{"path": "a"}{"path": "a"}',
    '{"path": "a"} {"path": "b"}',
    '{"path": "a"}{',
    '{"path": "a"}{}',
    "[]{}",
    '{"path": "a"}, {"limit": 2}',
    '{"path": "a"}\n\n{"limit": 2}',
    '{"path": "a"}\nlimit: 2',
    '{"path": "a"}\n"limit": 2}',
    '{"path": "a"} "next": null}',
    '{"path": "a"}:',
    '{"path": "a"}}',
    '{"path": "a"} is what I want',
    "{'path': 'a', 'limit': 3}",
    '{path: "a", limit: "3",}',
    '{"path": "a" "limit": 3}',
    '{"path": "a", "limit": 3',
    '{"path": "a',
    '{"path": a", "limit": 3}',
    '{"path": "a, "limit": 3}',
    '{"limit": "many"}',
    '{"path": "see }} and ]"}',
    '{"path": 3.10, "tags": [1E5, 9007199254740993.0]}',
    '{"limit": 1.50, "path": 2.50}',
)
"""Texts by themselves that one way in or another once read otherwise."""

MARKS = "\"'{}[]/:,=()\\"
OWN_BRACKETS = frozenset({"hermes", "mistral_v3", "json_fenced", "json_object"})
"""Formats whose own brackets are around the arguments and may belong to them."""


def _object(text: str) -> str:
    return f'{{"name": "save", "arguments": {text}}}'


def _written(spelling: Spelling) -> Callable[[str], str]:
    before, after = spelling.write([("save", {})]).split("{}")
    return lambda text: f"{before}{text}{after}"


FORMS: dict[str, Callable[[str], str]] = {
    **{
        each.name: _written(each)
        for each in SPELLINGS
        if "{name}" in each.call[0] and not each.parameter and each.style == "json"
    },
    "hermes": lambda text: f"<tool_call>\n{_object(text)}\n</tool_call>",
    "mistral_v3": lambda text: f"[TOOL_CALLS] [{_object(text)}]",
    "json_fenced": lambda text: f"```json\n{_object(text)}\n```",
    "json_object": _object,
    "react": lambda text: f"Action: save\nAction Input: {text}\nObservation: done",
}
"""Each format with arguments in JSON after a name, and some that have them beside it."""


def outcome(read: Callable[[], Any]) -> str | None:
    """The arguments that a way in makes of a text, in one spelling; None if it refuses it."""
    try:
        return json.dumps(read(), sort_keys=True)
    except ToolError:
        return None


def called(calls: list[Any]) -> str | None:
    """The same of the calls that were read, of which at most one has arguments."""
    assert calls, "silence"
    runs = [json.dumps(call.arguments, sort_keys=True) for call in calls if call.error is None]
    assert len(runs) < 2, runs
    return runs[0] if runs else None


def streamed(text: str, sizes: random.Random) -> list[Any]:
    """The calls of a text that comes in pieces of any size."""
    reader, at = TOOLS.call_reader(), 0
    while at < len(text):
        size = sizes.randint(1, 40)
        reader.feed(text[at : at + size])
        at += size
    reader.finish()
    return reader.calls


def answered(message: Any) -> str | None:
    """The same of a call that was answered: with which arguments its tool ran."""
    SAVED.clear()
    TOOLS.answer(message)
    return json.dumps(SAVED[0], sort_keys=True) if SAVED else None


def _explained(text: str) -> Any:
    explanation = COMPILED.explain_json(text)
    if explanation.error is not None:
        raise explanation.error
    return explanation.result


def _corrected(text: str) -> Any:
    done = CORRECTOR.correct("save", text)
    if done.error is not None:
        raise ToolError(done.error)
    return COMPILED.validate_json(done.corrected)


def _proxied(arguments: str) -> Any:
    """Send a call whose arguments have that JSON text through the proxy."""
    params = f'{{"name": "save", "arguments": {arguments}}}'
    line = f'{{"id": 1, "method": "tools/call", "params": {params}}}'
    read = LISTED.read(json.loads(line), line)
    if read.error is not None:
        raise read.error
    return read.message["params"]["arguments"]


def ways(text: str) -> Iterator[tuple[str, str | None]]:
    """Yield each way in that takes the text of arguments by itself, and its outcome."""
    function = {"name": "save", "arguments": text}
    call = {"id": "1", "type": "function", "function": function}
    yield "validate_json", outcome(lambda: COMPILED.validate_json(text))
    yield "bytes", outcome(lambda: COMPILED.validate_json(text.encode()))
    yield "partial", outcome(lambda: _arrived(text))
    yield "explain_json", outcome(lambda: _explained(text))
    yield "prepare_call", outcome(lambda: TOOLS.prepare_call(copy.deepcopy(call)).arguments)
    yield "batch", outcome(lambda: _corrected(text))
    yield "proxy", outcome(lambda: _proxied(json.dumps(text)))
    if isinstance(exact_json(text), dict):
        yield "proxy, of an object", outcome(lambda: _proxied(text))
    yield "chat completions", answered({"role": "assistant", "tool_calls": [copy.deepcopy(call)]})
    item = {"type": "function_call", "call_id": "1", **function}
    yield "responses", answered({"output": [item]})


def _arrived(text: str) -> Any:
    arguments = COMPILED.partial()
    for at in range(0, len(text), 3):
        arguments.feed(text[at : at + 3])
    return arguments.finish()


def damaged(text: str, chance: random.Random) -> str:
    """A text with one mark lost, doubled, exchanged, or put in."""
    places = [at for at, char in enumerate(text) if char in MARKS]
    at = chance.choice(places)
    lost, doubled = text[:at] + text[at + 1 :], text[:at] + text[at] + text[at:]
    put = text[:at] + chance.choice(MARKS) + text[at:]
    exchanged = text[:at] + chance.choice(MARKS) + text[at + 1 :]
    return chance.choice((lost, doubled, put, exchanged))


def _samples() -> list[str]:
    chance = random.Random(48)  # noqa: S311 - a seed, no secret
    exact = [json.dumps(value, ensure_ascii=False) for value in VALUES]
    count = 2_000 if is_search() else 45
    return [*exact, *TEXTS, *(damaged(chance.choice(exact), chance) for _ in range(count))]


SAMPLES = _samples()


@pytest.mark.search
@pytest.mark.parametrize("text", SAMPLES)
def test_every_way_in_has_one_outcome(text: str) -> None:
    """By itself and in every format; one whose brackets may belong to it may refuse more."""
    own = outcome(lambda: TOOL.prepare(text).arguments)
    assert dict(ways(text)) == dict.fromkeys(dict(ways(text)), own)
    sizes = random.Random(text)  # noqa: S311 - the same
    for name, write in FORMS.items():
        whole = write(text)
        if text[-1:].isalnum() or (name in OWN_BRACKETS and is_json(_object(text))):
            continue  # a number or word that the format ends, or JSON of another call
        calls = TOOLS.read_calls(whole, errors="keep")
        if (
            not calls
            and text[:1] != "{"
            and "[]" in text
            and name in {"chatglm", "functionary_v32"}
        ):
            continue  # a name alone and no object are text
        assert repr(streamed(whole, sizes)) == repr(calls), name
        assert called(calls) in {own, None}, name
        if name not in OWN_BRACKETS and text in SAMPLES[: len(VALUES)]:
            assert called(calls) == own, name


@pytest.mark.parametrize("text", SAMPLES[:40])
def test_an_adapter_has_the_same_outcome(text: str) -> None:
    """A tool of the OpenAI Agents SDK runs with what `prepare` makes of the text, or not at all."""
    pytest.importorskip("agents")
    from schema2model.adapters.openai_agents import from_tool  # noqa: PLC0415 - it may be missing

    own = outcome(lambda: TOOL.prepare(text).arguments)
    SAVED.clear()
    context: Any = SimpleNamespace(tool_call=None)
    asyncio.run(from_tool(TOOL).on_invoke_tool(context, text))
    assert (json.dumps(SAVED[0], sort_keys=True) if SAVED else None) == own


def test_one_call_never_runs_with_the_arguments_of_another() -> None:
    """A quote is lost in the first of two blocks: it is refused, and the second is read."""
    path = {"type": "object", "properties": {"path": {"type": "string"}}}
    names = ("delete_file", "read_file")
    tools = Toolset([{"name": name, "parameters": path} for name in names])
    text = (
        '<tool_call>{"name": "delete_file", "arguments: {"path": "tmp.txt"}}</tool_call>\n'
        '<tool_call>{"name": "read_file", "arguments": '
        '{"path": "the \\"final\\" report.txt"}}</tool_call>'
    )
    for format_ in (None, "hermes"):
        calls = tools.read_calls(text, format=format_, errors="keep")
        read = [(call.name, call.arguments) for call in calls if call.error is None]
        assert read == [("read_file", {"path": 'the "final" report.txt'})]
        assert len(calls) == 2
    with pytest.raises(ToolError):
        tools.prepare_call(text)


MORE = (
    ', "b": 2}',
    ' "b": 2}',
    ", 'b': 2}",
    "\nlimit: 2",
    ":",
    ', {"b": 2}',
    ' {"b": 2}',
    "{}",
    ", b: 2",
)


@pytest.mark.parametrize("more", MORE)
@pytest.mark.parametrize("form", ["hermes", "mistral_v3", "json_fenced", "json_object"])
def test_more_after_exact_arguments_is_never_dropped(form: str, more: str) -> None:
    """What follows a complete call up to the end of its block is refused, alone or with it."""
    text = FORMS[form]('{"path": "a"}}' + more)
    calls = TOOLS.read_calls(text, errors="keep")
    assert calls
    assert calls[-1].error
    assert [call.arguments for call in calls[:-1]] in ([], [{"path": "a"}])
    assert repr(streamed(text, random.Random(text))) == repr(calls)  # noqa: S311 - a seed


CALLS = (
    ("save", {"path": "a.txt", "limit": 3}),
    ("save", {"path": "b, c", "note": 'said "no"'}),
    ("save", {"limit": 7, "path": "d"}),
)
SEVERAL = sorted({*WRITERS} - {"chatglm"})
"""Formats of which a text may hold several calls."""


@pytest.mark.search
@pytest.mark.parametrize("format_", SEVERAL)
def test_damage_stays_within_its_block(format_: str) -> None:
    """Of two and three blocks, damage in the first changes nothing of the others.

    Where values are text, the others may be refused with it: nobody can tell them apart.
    """
    write = WRITERS[format_]
    chance = random.Random(format_)  # noqa: S311 - the same
    others = [_read(write([call])) for call in CALLS]
    for count in (2, 3):
        rest = "\n".join(write([call]) for call in CALLS[1:count])
        expected = [read for other in others[1:count] for read in other]
        if _read(f"{write(CALLS[:1])}\n{rest}") != [*others[0], *expected]:
            continue  # the format has one block for all of them
        for _ in range(25 if is_search() else 10):
            first = damaged(write(CALLS[:1]), chance)
            alone = {read for read in _read(first) if read[1]}
            both = _read(f"{first}\n{rest}")
            moved = [
                read for read in both if read[1] and read not in {*alone, *others[0], *expected}
            ]
            assert not moved, first
            refused = sum(not read[1] for read in both)
            missing = [read for read in expected if read not in both]
            is_one = format_ in TEXT or format_ == "mistral_v13"  # its inner mark was damaged
            assert refused >= (bool(missing) if is_one else len(missing)), first


def _read(text: str) -> list[tuple[str, str]]:
    calls = TOOLS.read_calls(text, errors="keep")
    return [(c.name, "" if c.error else json.dumps(c.arguments, sort_keys=True)) for c in calls]


@pytest.mark.parametrize("format_", sorted(TEXT))
def test_a_call_in_a_value_is_text(format_: str) -> None:
    """A whole call of the format itself is kept in the value, or the call is refused."""
    write = WRITERS[format_]
    inner = write([("save", {"path": "b", "note": "x", "limit": 3})])
    for value in (inner, f"See:\n{inner}\nSo.", f"{inner}\n{inner}", inner.replace("\n", "")):
        for arguments in ({"path": "a", "note": value}, {"note": value, "path": "a", "limit": 1}):
            calls = TOOLS.read_calls(write([("save", arguments)]), errors="keep")
            assert calls
            assert [c.arguments for c in calls if c.error is None] in ([arguments], [])


@pytest.mark.parametrize("value", ["TRUE", "False", "NULL", "Null", "FALSE", "true"])
@pytest.mark.parametrize("key", ["path", "note", "limit", "on", "other"])
def test_a_constant_in_capitals_is_the_same_in_a_python_call(key: str, value: str) -> None:
    """The reader of arguments judges it, by what the schema expects."""
    properties = {"path": {"type": "string"}, "note": {"type": ["string", "null"]}}
    properties |= {"limit": {"type": "integer"}, "on": {"type": "boolean"}, "other": {}}
    tool = {"name": "save", "parameters": {"type": "object", "properties": properties}}
    tools = Toolset([tool])
    own = outcome(lambda: tools["save"].prepare(f'{{"{key}": {value}}}').arguments)
    (call,) = tools.read_calls(f"save({key}={value})", errors="keep")
    assert (None if call.error else json.dumps(call.arguments, sort_keys=True)) == own


def test_an_opener_in_place_of_a_closer_is_refused_alone_and_before_another_block() -> None:
    """A bracket right after a list is not the beginning of the next one."""
    write = WRITERS["openai_json"]
    first, second = (write([call]) for call in CALLS[:2])
    assert first.endswith("]}")
    damaged_first = first.removesuffix("]}") + "]["
    (alone,) = _read(damaged_first)
    assert not alone[1]
    assert _read(f"{damaged_first}\n{second}") == [alone, *_read(second)]
