"""How models' templates write calls, by the names of the formats."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from schema2model.calls.formats.records import Record
from schema2model.calls.formats.spelling import PLACEHOLDER, Spelling

__all__ = ["DSML_BARS", "SPELLINGS", "label_of", "usual_spelling"]

_ANTHROPIC: Final = "antml" + ":"
_NS: Final = "]<]minimax[>["
DSML_BARS: Final = {
    "｜DSML｜": "deepseek_v32",
    **dict.fromkeys(("｜DSML｜ ", "｜｜DSML｜｜ "), "deepseek_v41"),
    **dict.fromkeys(("｜｜DSML｜｜", "||DSML||", "|DSML|", "‖DSML‖"), "deepseek_v32"),
    **dict.fromkeys((" | DSML | ", "DSML｜"), "deepseek_v32"),
    "｜GCML｜": "gigachat35",
}
"""The prefixes of DSML's tags as models and gateways write them, and the names of the formats."""


def _objects(
    name: str, opens: str, closes: str = "", *, keys: str = "name arguments", **more: object
) -> Spelling:
    return Spelling(name, (opens, closes), keys=tuple(keys.split(" ")), **more)  # type: ignore[arg-type]


def _python(name: str, opens: str, closes: str, between: str = ", ") -> Spelling:
    return Spelling(name, ("", ""), block=(opens, closes), between=between, style="python")


def _invokes(
    name: str, prefix: str, block: str, between: str = "\n", word: str = "invoke"
) -> Spelling:
    tags = (f"<{block}>\n", f"\n</{block}>") if block else ("", "")
    return Spelling(
        name,
        (f'<{prefix}{word} name="{{name}}">\n', f"</{prefix}{word}>"),
        (f'<{prefix}parameter name="{{key}}">', f"</{prefix}parameter>\n"),
        block=tags,
        between=between,
    )


def _dsml(name: str, bar: str, block: str) -> Spelling:
    return Spelling(
        name,
        (f'<{bar}invoke name="{{name}}">\n', f"</{bar}invoke>"),
        (f'<{bar}parameter name="{{key}}" string="{{is_string}}">', f"</{bar}parameter>\n"),
        block=(f"<{bar}{block}>\n", f"\n</{bar}{block}>"),
    )


def _keyed(
    name: str, call: str, prefix: str = "", suffix: str = "", *, types: str = ""
) -> Spelling:
    """GLM's grammar with other tags."""
    key, value, kind = (f"{prefix}arg_{word}{suffix}" for word in ("key", "value", "type"))
    typed = f"<{kind}>{{type}}</{kind}>" if types else ""
    return Spelling(
        name,
        (f"<{prefix}{call}{suffix}>{{name}}\n", f"</{prefix}{call}{suffix}>"),
        (f"<{key}>{{key}}</{key}>\n{typed}<{value}>", f"</{value}>\n"),
        block=(f"<{prefix}tool_calls{suffix}>\n", f"\n</{prefix}tool_calls{suffix}>"),
    )


def _deepseek(name: str, before: str, after: str, between: str) -> Spelling:
    return Spelling(
        name,
        (f"<｜tool▁call▁begin｜>{before}", f"{after}<｜tool▁call▁end｜>"),
        block=("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜><｜end▁of▁sentence｜>"),
        between=between,
    )


def _harmony(
    name: str, opens: str, closes: str = "<|call|>", between: str = "<|start|>assistant"
) -> Spelling:
    return Spelling(name, (opens, closes), between=between)


def _plamo(constraint: str) -> Spelling:
    def tag(word: str) -> str:
        return f"<|plamo:{word}:plamo|>"

    named = f"{tag('begin_tool_name')}{{name}}{tag('end_tool_name')}"
    return Spelling(
        "plamo3",
        (
            f"{tag('begin_tool_request')}{named}{tag('begin_tool_arguments')}{constraint}<|plamo:msg|>",
            f"{tag('end_tool_arguments')}{tag('end_tool_request')}",
        ),
        block=(tag("begin_tool_requests"), f"{tag('end_tool_requests')}<|plamo:tag|>"),
        between="",
    )


SPELLINGS: Final = (
    # ------------------------------------------------------------------- JSON between marks
    _objects("hermes", "<tool_call>\n", "\n</tool_call>"),
    _objects("longcat", "<longcat_tool_call>", "</longcat_tool_call>"),
    _objects("jamba", "<tool_calls>", "</tool_calls>", listed=True),
    _objects("hunyuan_a13b", "<tool_calls>", "</tool_calls>", listed=True),
    _objects("minimax_m1", "", block=("<tool_calls>\n", "\n</tool_calls>")),
    _objects("nemotron", "<TOOLCALL>", "</TOOLCALL>", listed=True),
    _objects("granite_20b_fc", "<function_call> "),
    _objects("granite", "<|tool_call|>", listed=True),
    _objects("phi4_mini_tags", "<|tool_call|>", "<|/tool_call|>", listed=True),
    _objects("internlm2", "<|action_start|><|plugin|>\n", "<|action_end|>", keys="name parameters"),
    _objects("apertus", "<|tools_prefix|>", "<|tools_suffix|>", keys=" ", listed=True),
    _objects(
        "cohere_command",
        "<|START_ACTION|>",
        "<|END_ACTION|>",
        keys="tool_name parameters",
        listed=True,
    ),
    _objects(
        "cohere_command_r", "Action: ```json\n", "\n```", keys="tool_name parameters", listed=True
    ),
    _objects("gigachat3", "<|message_sep|>\n\nfunction call<|role_sep|>\n"),
    _objects("llama3_python_tag", "<|python_tag|>", keys="name parameters", between="; "),
    _objects("mistral_v3", "[TOOL_CALLS] ", "</s>", listed=True),
    _objects("phi4_mini", "functools", listed=True),
    # --------------------------------------------------------------------- a name, then JSON
    _deepseek("deepseek_v3", "function<｜tool▁sep｜>{name}\n```json\n", "\n```", "\n"),
    _deepseek("deepseek_v31", "{name}<｜tool▁sep｜>", "", ""),
    Spelling(
        "kimi_k2",
        (
            "<|tool_call_begin|>functions.{name}:{index}<|tool_call_argument_begin|>",
            "<|tool_call_end|>",
        ),
        block=("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
        between="",
    ),
    Spelling("mistral_v11", ("[TOOL_CALLS]{name}", ""), between=""),
    Spelling("mistral_v13", ("[TOOL_CALLS]{name}[ARGS]", ""), between=""),
    Spelling("llama3_function", ("<function={name}>", "</function>")),
    _harmony("harmony", "<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>"),
    _harmony("harmony", "commentary to=functions.{name} json", "", "assistant"),
    _harmony(
        "harmony_role", " to=functions.{name}<|channel|>commentary <|constrain|>json<|message|>"
    ),
    Spelling("functionary_v32", (">>>{name}\n", ""), between=""),
    Spelling("react", ("Action: {name}\nAction Input: ", "")),
    Spelling("chatglm", ("{name}\n", "")),
    _plamo("<|plamo:constrain|>json"),
    _plamo(""),
    Spelling(
        "use_mcp_tool",
        (
            "<use_mcp_tool>\n<server_name>files</server_name>\n<tool_name>{name}</tool_name>\n<arguments>\n",
            "\n</arguments>\n</use_mcp_tool>",
        ),
    ),
    Spelling("qwen_agent", ("✿FUNCTION✿: {name}\n✿ARGS✿: ", "\n✿RESULT✿: ")),
    *(
        Spelling(name, (f"<{bar}toolcall>{{name}}\n```json\n", f"\n```\n</{bar}toolcall>"))
        for bar, name in DSML_BARS.items()
    ),
    # ------------------------------------------------------------------------ calls in Python
    _python("llama4_pythonic", "<|python_start|>[", "]<|python_end|>"),
    _python("lfm2", "<|tool_call_start|>[", "]<|tool_call_end|>"),
    _python("olmo3", "<function_calls>", "</function_calls>", "\n"),
    _python("gemma_tool_code", "```tool_code\n", "\n```", "\n"),
    _python("pythonic", "[", "]"),
    # ------------------------------------------------------------------- parameters as text
    Spelling(
        "qwen3_coder",
        ("<tool_call>\n<function={name}>\n", "</function>\n</tool_call>"),
        ("<parameter={key}>\n", "\n</parameter>\n"),
    ),
    Spelling(
        "seed_oss",
        ("<seed:tool_call>\n<function={name}>\n", "</function>\n</seed:tool_call>"),
        ("<parameter={key}>", "</parameter>\n"),
    ),
    Spelling(
        "glm45",
        ("<tool_call>{name}\n", "</tool_call>"),
        ("<arg_key>{key}</arg_key>\n<arg_value>", "</arg_value>\n"),
    ),
    Spelling(
        "glm47",
        ("<tool_call>{name}", "</tool_call>"),
        ("<arg_key>{key}</arg_key><arg_value>", "</arg_value>"),
    ),
    Spelling(
        "hunyuan_v3",
        ("<tool_call>{name}<tool_sep>\n", "</tool_call>"),
        ("<arg_key>{key}</arg_key>\n<arg_value>", "</arg_value>\n"),
        block=("<tool_calls>\n", "\n</tool_calls>"),
    ),
    _keyed("hunyuan_v3", "tool_call", suffix=":opensource"),
    _keyed("iquest_q1", "iquest_tool_call"),
    _keyed("k2_horizon", "tool_call", "ifm|", types="all"),
    _keyed("k2_horizon", "tool_call", "ifm|"),
    _invokes("minimax_m2", "", "minimax:tool_call"),
    _invokes("anthropic_xml", "", "function_calls"),
    _invokes("anthropic_ns", _ANTHROPIC, f"{_ANTHROPIC}function_calls"),
    _invokes("muse_glimmer", "atem:", "atem:function_calls"),
    _invokes("xai", "xai:", "", word="function_call"),
    Spelling(
        "step3",
        (
            '<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="{name}">',
            "</steptml:invoke><｜tool_call_end｜>",
        ),
        ('<steptml:parameter name="{key}">', "</steptml:parameter>"),
        block=("<｜tool_calls_begin｜>\n", "\n<｜tool_calls_end｜>"),
    ),
    Spelling(
        "minicpm5",
        ('<function name="{name}">', "</function>"),
        ('<param name="{key}">', "</param>"),
    ),
    *(
        _dsml(name, bar, block)
        for name, bar, block in (
            ("deepseek_v32", "｜DSML｜", "function_calls"),
            ("deepseek_v4", "｜DSML｜", "tool_calls"),
            ("deepseek_v41", "｜DSML｜ ", "calls"),
            ("gigachat35", "｜GCML｜", "tool_calls"),
            *((name, bar, "tool_calls") for bar, name in DSML_BARS.items()),
        )
    ),
    Spelling(
        "beam",
        (" to=functions.{name}<|channel|>analysis <|constrain|>xml<|message|>\n", "<|call|>"),
        ('<rfl:parameter name="{key}">\n', "\n</rfl:parameter>"),
        between="<|start|>assistant",
    ),
    Spelling(
        "solar_open2",
        ("<|tool_call:start|>{name}\n", "<|tool_call:end|>"),
        ("<|tool_arg:start|>{key}<|tool_arg:value|>", "<|tool_arg:end|>\n"),
    ),
    Spelling(
        "kimi_k3",
        ('<|open|>call tool="{name}" index="{number}"<|sep|>', "<|close|>call<|sep|>"),
        ('<|open|>argument key="{key}" type="{type}"<|sep|>', "<|close|>argument<|sep|>"),
        block=("<|open|>tools<|sep|>", "<|close|>tools<|sep|><|close|>message<|sep|>"),
        between="",
    ),
    Spelling("client_xml", ("<{name}>\n", "</{name}>"), ("<{key}>", "</{key}>\n")),
    Spelling(
        "vcp",
        ("<<<[TOOL_REQUEST]>>>\ntool_name:「始」{name}「末」,\n", "<<<[END_TOOL_REQUEST]>>>"),
        ("{key}:「始」", "「末」,\n"),
    ),
    # ------------------------------------------------------------------------- other objects
    Spelling(
        "minimax_m3",
        (f'{_NS}<invoke name="{{name}}">\n', f"\n{_NS}</invoke>\n"),
        (f"{_NS}<{{key}}>", f"{_NS}</{{key}}>"),
        nested=True,
        block=(f"{_NS}<tool_call>\n", f"{_NS}</tool_call>"),
        between="",
    ),
    Spelling(
        "gemma4",
        ("<|tool_call>call:{name}", "<tool_call|>"),
        between="",
        style="loose",
        quote='<|"|>',
    ),
    Spelling(
        "functiongemma",
        ("<start_function_call>call:{name}", "<end_function_call>"),
        between="",
        style="loose",
        quote="<escape>",
    ),
)


def _literals(spelling: Spelling) -> tuple[str, ...]:
    """The last mark before the name, and the marks after it."""
    before, *after = PLACEHOLDER.sub("\0", spelling.call[0] or spelling.block[0]).split("\0")
    mark = before[max(before.rfind("<"), 0) :]
    return tuple(filter(None, (piece.strip(' \n"=>') for piece in (mark, *after))))


@lru_cache(512)
def _candidates(record: Record) -> tuple[tuple[tuple[str, ...], str], ...]:
    names = {record.name, *record.aliases}
    found = ((_literals(each), each.name) for each in SPELLINGS if each.name in names)
    return tuple(
        sorted((each for each in found if each[0]), key=lambda each: -sum(map(len, each[0])))
    )


@lru_cache(1024)
def label_of(record: Record, head: str) -> str:
    """The name of the format of a call with this beginning; one record may read several."""
    head = head.lstrip()
    for literals, name in _candidates(record):
        if head.startswith(literals[0]) and all(literal in head for literal in literals):
            return name
    return record.name


@lru_cache(64)
def usual_spelling(name: str) -> Spelling | None:
    """The usual spelling of a format, with the marks of its parameters if it has any."""
    own = [each for each in SPELLINGS if each.name == name]
    return next((each for each in own if each.parameter), own[0] if own else None)
