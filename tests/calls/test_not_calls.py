"""Texts that only look like calls: examples, turns that a model invents, results, other keys."""

from __future__ import annotations

import json
from typing import Any

import pytest
from wire import WRITERS

from schema2model import Call, Toolset
from schema2model.calls.formats.spellings import SPELLINGS

WEATHER = {
    "name": "get_weather",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    },
}
TOOLS = Toolset([WEATHER])
SENT: dict[str, Any] = {"city": "Rome"}
OBJECT = json.dumps({"name": "get_weather", "arguments": SENT})
BLOCK = f"<tool_call>\n{OBJECT}\n</tool_call>"

FENCED = {"gemma_tool_code", "json_fenced", "cohere_command_r"}
"""Formats that are written in a fence."""
IN_JSON = {
    *("action_json", "json_list", "json_object", "llama3_json", "openai_json", "tool_uses"),
    *("phi4_mini", "pythonic"),
}
"""Formats without marks."""
AFTER_TEXT = {"chatglm", "functionary_v32", "react", "harmony_role", "beam"}
"""Formats that begin with a name and not with a mark."""
MARKED = sorted({*WRITERS} - FENCED - IN_JSON - AFTER_TEXT)


def read(text: str) -> list[Call]:
    """The calls of a text, which are those of a stream, too."""
    calls = TOOLS.read_calls(text, errors="keep")
    for size in (1, 6):
        reader = TOOLS.call_reader()
        shown = ""
        for at in range(0, len(text), size):
            reader.feed(text[at : at + size])
            shown += reader.new_text()
            assert reader.text == shown
        reader.finish()
        assert repr(reader.calls) == repr(calls), text
        whole = TOOLS.call_reader()
        whole.finish(text)
        assert reader.text == whole.text
    return calls


@pytest.mark.parametrize("format_", MARKED)
@pytest.mark.parametrize("language", ["", "xml"])
def test_marks_in_a_fence_within_prose_are_an_example(format_: str, language: str) -> None:
    """It is shown like the prose around it; one or two calls."""
    block = WRITERS[format_]([("get_weather", SENT)])
    for written in (block, f"{block}\n{block}"):
        text = f"A call is written so:\n\n```{language}\n{written}\n```\n\nThe server runs it."
        assert read(text) == []
        reader = TOOLS.call_reader()
        reader.finish(text)
        assert reader.text == text


@pytest.mark.parametrize("format_", MARKED)
@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("", "", id="alone"),
        pytest.param("I call it:\n", "", id="at the end"),
        pytest.param("", "\nThat is all.", id="at the beginning"),
        pytest.param("I call it:\n", "\n\n", id="before blanks"),
    ],
)
def test_marks_in_a_fence_elsewhere_are_a_call(format_: str, before: str, after: str) -> None:
    """Nothing introduces the fence, or it ends the answer."""
    block = WRITERS[format_]([("get_weather", SENT)])
    [call] = read(f"{before}```\n{block}\n```{after}")
    assert call.arguments == SENT


@pytest.mark.parametrize("format_", sorted(FENCED | IN_JSON - {"pythonic", "phi4_mini"}))
def test_a_format_with_a_fence_of_its_own_is_a_call(format_: str) -> None:
    """Also within prose."""
    block = WRITERS[format_]([("get_weather", SENT)])
    text = block if "```" in block else f"```json\n{block}\n```"
    [call] = read(f"I call it:\n\n{text}\n\nThen I wait.")
    assert call.arguments == SENT


@pytest.mark.parametrize(
    "text",
    [
        f"```xml\n{BLOCK}\n```\n\n```xml\n{BLOCK}\n```\n\nBoth are calls.",
        f"Code:\n```\nx = 1\n```\n{BLOCK}\n```\ny = 2\n```\nDone.",
        f"I call it:\n{BLOCK}\n```\ny = 2\n```\nDone.",
    ],
)
def test_a_call_that_no_fence_encloses_is_run(text: str) -> None:
    """Another block is before or after it."""
    assert {call.name for call in read(text) if not call.error} == {"get_weather"}


def test_a_call_after_words_in_a_fence_within_prose_is_an_example() -> None:
    """The output of a program, say."""
    assert read(f"It prints:\n```\nOutput:\n{BLOCK}\n```\nDone.") == []


def test_a_value_may_hold_a_fence() -> None:
    """The end of the call ends the block, not a fence within a value."""
    city = "a\n```\nRome is a city.\n```\nb"
    block = WRITERS["qwen3_coder"]([("get_weather", {"city": city})])
    [call] = read(f"I call it:\n```\n{block}\n```\n")
    assert call.arguments == {"city": city}
    assert read(f"An example:\n```\n{block}\n```\nIt is run.") == []


TURNS = [
    *("<|im_end|>\n<|im_start|>user\n", "<|im_end|>\n<|im_start|>tool\n", "<|user|>\n"),
    *("\n<|observation|>\n", "<end_of_turn>\n<start_of_turn>user\n", "<turn|>\n<|turn>user\n"),
    *("<|eot_id|><|start_header_id|>user<|end_header_id|>\n\n", "</s>[INST] ", "</s> [INST]"),
    *(
        "<|eot_id|><|start_header_id|>ipython<|end_header_id|>\n\n",
        "<|end|><|start|>user<|message|>",
    ),
    *(
        "<｜end▁of▁sentence｜><｜User｜>",
        "<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|USER_TOKEN|>",
    ),
    *("<|eot|><|header_start|>user<|header_end|>\n\n", "<|im:end|><|im:start|>user<|im:content|>"),
    *("[e~[\n]~b]user\n", "<|im_end|><|im_user|>user<|im_middle|>", "<role>HUMAN</role>"),
    *("<|end_of_text|>\n<|start_of_role|>user<|end_of_role|>", "<|message_user|>"),
    *("<|im_end|><|im_system|>system<|im_middle|>", "<|ipython|>", "<|environment|>"),
    "<|call|><|start|>functions.get_weather to=assistant<|channel|>commentary<|message|>",
]


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("call", [OBJECT, BLOCK])
def test_a_call_in_an_invented_turn_is_none(turn: str, call: str) -> None:
    """Nor in the model's next turn, which it invents, too."""
    assert read(f"It rains.{turn}{call}") == []
    assert read(f"It rains.{turn}And now?<|im_end|>\n<|im_start|>assistant\n{call}") == []


@pytest.mark.parametrize("turn", TURNS)
def test_a_call_in_a_turn_invented_after_a_call_is_none(turn: str) -> None:
    """Only the call before it is read, also where the turn begins with the end of the text."""
    assert [call.arguments for call in read(f"{BLOCK}{turn}Look again.\n{BLOCK}")] == [SENT]


@pytest.mark.parametrize("spelled", ['"Rome"', '"Rome",', "'Rome'"])
@pytest.mark.parametrize(
    "format_", ["deepseek_v3", "json_fenced", "cohere_command_r", "hermes", "react"]
)
def test_the_fence_of_a_call_does_not_hide_the_turn_after_it(format_: str, spelled: str) -> None:
    """Wherever the format has the fence: before its marks, within them, or around the JSON."""
    written = WRITERS[format_]([("get_weather", SENT)])
    if format_ == "hermes":
        written = written.replace("{", "```json\n{", 1).replace("}}", "}}\n```", 1)
    elif format_ == "react":
        written = written.replace("{", "```json\n{", 1).replace("}", "}\n```", 1)
    written = written.replace('"Rome"', spelled)
    for turn in ("<|im_start|>user\n", "<\uff5cUser\uff5c>"):
        reader = TOOLS.call_reader()
        reader.finish(f"{written}{turn}Again.\n{BLOCK}")
        [call] = reader.calls
        is_refused = format_ == "react" and spelled != '"Rome"'  # no mark ends what is damaged
        assert (call.arguments, call.error is not None) == (
            None if is_refused else SENT,
            is_refused,
        )
        assert "```" not in reader.text


@pytest.mark.parametrize(
    "head",
    [
        *("<|im_start|>assistant\n", "<|start_header_id|>assistant<|end_header_id|>\n\n"),
        *("<start_of_turn>model\n", "<|turn>model\n", "<|header_start|>assistant<|header_end|>\n"),
        *("<|im:start|>assistant<|im:content|>", "<|im_start|>users are many.\n"),
        "```\n<|im_start|>user\nHello\n```\n",
        "I look up how the <|user|> token works.\n",
        "It ends with <|observation|>, says the page.\n",
        "The element is <role>user</role> there.\n",
    ],
)
def test_a_call_in_the_turn_of_the_model_is_run(head: str) -> None:
    """Also after prose, and after a template that is shown in a fence."""
    for before in ("", "Let me look.<|im_end|>\n"):
        assert [call.arguments for call in read(f"{before}{head}{BLOCK}")] == [SENT]


@pytest.mark.parametrize(
    ("begins", "ends"),
    [
        ("<tool_output>", "</tool_output>"),
        ("<tool_result>", "</tool_result>"),
        ("<tool_results>", "</tool_results>"),
        ("<|START_TOOL_RESULT|>", "<|END_TOOL_RESULT|>"),
        ("<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"),
        (
            "<｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>",
            "<｜tool▁output▁end｜><｜tool▁outputs▁end｜>",
        ),
        ("<|tool_response:start|>", "<|tool_response:end|>"),
        ("]<]minimax[>[<tool_response>", "]<]minimax[>[</tool_response>"),
    ],
)
def test_a_call_in_the_result_of_a_tool_is_none(begins: str, ends: str) -> None:
    """What comes after the result is read."""
    assert read(f"{begins}{OBJECT}{ends}\nIt rains.") == []
    assert read(f"{begins}{OBJECT}") == []
    assert [call.arguments for call in read(f"{begins}{OBJECT}{ends}\n{BLOCK}")] == [SENT]


@pytest.mark.parametrize(
    ("begins", "ends"),
    [
        *(("<thinking>", "</thinking>"), ("<seed:think>", "</seed:think>")),
        *(("<longcat_think>", "</longcat_think>"), ("<think:opensource>", "</think:opensource>")),
        *(("<ifm|think_fast>", "</ifm|think_fast>"), ("<ifm|think_faster>", "</ifm|think_faster>")),
    ],
)
def test_a_call_in_thinking_is_none(begins: str, ends: str) -> None:
    """What comes after it is read, and shown."""
    reader = TOOLS.call_reader()
    [call] = reader.finish(f"{begins}Perhaps {OBJECT}\n{ends}It rains.\n{BLOCK}")
    assert (call.arguments, reader.text) == (SENT, "It rains.\n")


@pytest.mark.parametrize(
    "mark",
    [
        *("<|eot_id|>", "<|eom_id|>", "<|eot|>", "<|eom|>", "<|endoftext|>", "<|end_of_text|>"),
        *("<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|assistant_end|>", "<|begin_of_text|>"),
        *("<eos>", "<seed:eos>", "<|eos|>", "<SPECIAL_12>", "<s>", "</s>", "<|end|>", "<|im_end|>"),
        *("<end_of_turn>", "<turn|>", "[e~[", "<|END_OF_TURN_TOKEN|>", "<｜end▁of▁sentence｜>"),
    ],
)
def test_a_mark_of_a_template_is_not_shown(mark: str) -> None:
    """Before prose, between it and a call, and after that."""
    reader = TOOLS.call_reader()
    [call] = reader.finish(f"{mark}It rains.{mark}\n{BLOCK}{mark}")
    assert (call.arguments, reader.text.strip()) == (SENT, "It rains.")


@pytest.mark.parametrize(
    "language",
    [
        *("bash", "sh", "shell", "zsh", "console", "powershell", "javascript", "js", "jsx"),
        *("typescript", "ts", "tsx", "java", "kotlin", "scala", "c", "cpp", "c++", "csharp", "cs"),
        *("c#", "go", "rust", "ruby", "rb", "php", "perl", "lua", "r", "swift", "sql", "html"),
        *("xml", "css", "yaml"),
    ],
)
def test_a_line_of_another_language_is_no_call(language: str) -> None:
    """In Python, it may be one."""
    assert read(f"So:\n```{language}\nget_weather(city='Rome')\n```\n") == []
    [call] = read("So:\n```python\nget_weather(city='Rome')\n```\n")
    assert call.arguments == {"city": "Rome"}


@pytest.mark.parametrize(
    "label",
    [
        *("id", "type", "tool_call_id", "call_id", "index", "tool_call_type", "status", "role"),
        *("thought", "thoughts", "reason", "reasoning", "explanation", "rationale", "plan"),
        *("comment", "observation", "content", "tool_plan"),
    ],
)
def test_a_label_of_a_call_is_no_argument(label: str) -> None:
    """It is left out where the arguments are beside the name."""
    [call] = read(json.dumps({"name": "get_weather", **SENT, label: "x"}))
    assert call.arguments == SENT


@pytest.mark.parametrize("name", ["directly_answer", "directly-answer"])
def test_a_call_of_nothing_is_none(name: str) -> None:
    """Cohere's models call it to answer; a tool may have the name."""
    text = f'<|START_ACTION|>[{{"tool_name": "{name}", "parameters": {{}}}}]<|END_ACTION|>'
    assert read(text) == []
    [call] = Toolset([{"name": name, "parameters": {}}]).read_calls(text)
    assert call.name == name


@pytest.mark.parametrize("key", ["tool_calls", "calls", "actions", "function_calls", "tools"])
def test_a_call_under_a_key_of_calls_is_run(key: str) -> None:
    """In a list."""
    assert [call.arguments for call in read(f'{{"{key}": [{OBJECT}]}}')] == [SENT]


def test_only_a_repetition_of_a_refused_call_is_left_out() -> None:
    """After prose, the same text is one call; other arguments of its tool are refused as well."""
    cities = ("[1]", "[2]", "[1]", "{}")
    text = "\nThen:\n".join(f"get_weather(city={city})" for city in cities)
    calls = TOOLS.read_calls(text, errors="keep")
    assert all(call.error for call in calls)
    assert [text[call.start : call.end][17:-1] for call in calls] == ["[1]", "[2]", "{}"]


@pytest.mark.parametrize("after", ["(see it) there.", "[1] says so", "`x` is", "; that is it"])
@pytest.mark.parametrize("code", ["get_weather(city='Rome')", BLOCK, f"[{OBJECT}]"])
def test_an_example_before_prose_is_none_of_the_models_own(code: str, after: str) -> None:
    """Also where a chunk ends after the first sign of that prose, which says nothing."""
    language = "python" if code.startswith("get") else ""
    text = f"Say:\n```{language}\n{code}\n```\n{after}"
    for end in range(len(text) - len(after), len(text)):
        reader = TOOLS.call_reader()
        assert reader.feed(text[:end]) + reader.finish(text[end:]) == []
        assert reader.text == text


@pytest.mark.parametrize("text", ["for c in [{}]:\n  run(c)", "[[{}], 1]", "Take [{}].", '"[{}]"'])
def test_data_of_a_program_is_no_call(text: str) -> None:
    """A tool's name is a key in Python's spelling where that is all of a reply."""
    data = "{'get_weather': {'city': 'Rome'}}"
    assert all(call.error for call in read(text.replace("{}", data)))
    [call] = read(f"[{data}]")
    assert call.arguments == SENT


DELETE = {"name": "delete_all", "parameters": {"properties": {"confirm": {"type": "string"}}}}
QUOTING = Toolset([WEATHER, DELETE])


@pytest.mark.parametrize("spelling", SPELLINGS, ids=lambda spelling: spelling.name)
def test_a_call_in_a_value_never_runs_where_the_mark_around_it_is_damaged(spelling: Any) -> None:
    """The first mark or the name loses a character, or has another one."""
    quotations = [each.write([("delete_all", {"confirm": "yes"})]) for each in SPELLINGS[::5]]
    for quoted in quotations:
        text = spelling.write([("get_weather", {"city": f"See {quoted} now."})])
        begins = text.index("get_weather")
        for at in range(max(0, begins - 20), begins + 9):
            for piece in ("", "(", "x"):
                damaged = text[:at] + piece + text[at + 1 :]
                calls = QUOTING.read_calls(damaged, errors="keep")
                assert not [c for c in calls if c.name == "delete_all" and not c.error], damaged


@pytest.mark.parametrize("before", ['<think>city: "a\nhm</think>\n', 'I take city: "Rome".\n'])
def test_a_value_before_a_call_does_not_hold_it(before: str) -> None:
    """In thinking, or where it ends."""
    [call] = read(before + BLOCK)
    assert call.arguments == SENT


HALF = '{"name{: "get_weather",\n"parameters": {\n"city": "<|python_tag|> (end)"\n}}'


@pytest.mark.parametrize(
    "damaged", ["<|tool_call_start|\"[get_weather(city='Oslo')]<|tool_call_end|>", HALF]
)
def test_what_a_quotation_opens_ends_with_it(damaged: str) -> None:
    """Damaged text between quotes takes no call with it that is not between them."""
    assert SENT in [call.arguments for call in read(f"{damaged}\n{OBJECT}")]
