"""Calls written as models write them: one writer for each format, independent of what reads them.

A writer takes a list of (name, arguments) and returns the text. Where a format has a rule for
blanks or quotes, the writer follows the template of a model that uses it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

__all__ = ["MARKS", "ONE_CALL", "SPELLINGS", "TEXT", "WRITERS", "why_not_text"]

Calls = list[tuple[str, dict[str, Any]]]
ANTHROPIC = "antml" + ":"
DSML_BARS = {
    "｜DSML｜": "deepseek_v32",
    **dict.fromkeys(("｜DSML｜ ", "｜｜DSML｜｜ "), "deepseek_v41"),
    **dict.fromkeys(("｜｜DSML｜｜", "||DSML||", "|DSML|", "‖DSML‖"), "deepseek_v32"),
    **dict.fromkeys((" | DSML | ", "DSML｜"), "deepseek_v32"),
    "｜GCML｜": "gigachat35",
}
"""The prefixes of DSML's tags as models and gateways write them, and the names of the formats."""
DSML_BLOCKS = ("function_calls", "tool_calls", "calls", "tool_use")
"""The tags around the calls in DSML."""


def dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def call_object(name: str, arguments: Any, key: str = "arguments", name_key: str = "name") -> str:
    return dumped({name_key: name, key: arguments})


def objects(opens: str, closes: str, between: str = "\n", key: str = "arguments") -> Any:
    """A block for each call."""
    return lambda calls: between.join(f"{opens}{call_object(*c, key)}{closes}" for c in calls)


def listed(opens: str, closes: str = "", key: str = "arguments", name_key: str = "name") -> Any:
    """A list of all calls."""
    return lambda calls: (
        f"{opens}[{', '.join(call_object(*c, key, name_key) for c in calls)}]{closes}"
    )


def python_call(name: str, arguments: dict[str, Any]) -> str:
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"


def python(opens: str, closes: str, between: str = ", ") -> Any:
    return lambda calls: f"{opens}{between.join(python_call(*c) for c in calls)}{closes}"


def text(value: Any) -> str:
    return value if isinstance(value, str) else dumped(value)


def tags(
    block: tuple[str, str], call: tuple[str, str], parameter: tuple[str, str], between: str = "\n"
) -> Any:
    """Each parameter in tags; `{}` in what opens is the name."""

    def one(name: str, arguments: dict[str, Any]) -> str:
        inner = "".join(
            f"{parameter[0].format(key)}{text(value)}{parameter[1]}"
            for key, value in arguments.items()
        )
        return f"{call[0].format(name)}{inner}{call[1]}"

    return lambda calls: f"{block[0]}{between.join(one(*c) for c in calls)}{block[1]}"


def each(block: tuple[str, str], writer: Any, between: str = "\n") -> Any:
    """A block of its own for each call."""
    return lambda calls: between.join(f"{block[0]}{writer([c])}{block[1]}" for c in calls)


def dsml(outer: str, mark: str = "｜DSML｜") -> Any:
    def one(name: str, arguments: dict[str, Any]) -> str:
        inner = "\n".join(
            f'<{mark}parameter name="{key}" string="{str(isinstance(value, str)).lower()}">'
            f"{text(value)}</{mark}parameter>"
            for key, value in arguments.items()
        )
        if outer == "tool_calls" and not arguments:
            return f'<{mark}invoke name="{name}"/>'
        return f'<{mark}invoke name="{name}">\n{inner}\n</{mark}invoke>'

    return lambda calls: (
        f"<{mark}{outer}>\n" + "\n".join(one(*c) for c in calls) + f"\n</{mark}{outer}>"
    )


def kimi_k3(calls: Calls) -> str:
    def attribute(key: str) -> str:
        return key.replace("&", "&amp;").replace('"', "&quot;")

    def typed(value: Any) -> str:
        kinds = {bool: "boolean", int: "number", float: "number", list: "array", dict: "object"}
        return "string" if isinstance(value, str) else kinds.get(type(value), "null")

    def one(index: int, name: str, arguments: dict[str, Any]) -> str:
        inner = "".join(
            f'<|open|>argument key="{attribute(key)}" type="{typed(value)}"<|sep|>'
            f"{text(value)}<|close|>argument<|sep|>"
            for key, value in arguments.items()
        )
        return f'<|open|>call tool="{name}" index="{index}"<|sep|>{inner}<|close|>call<|sep|>'

    inner = "".join(one(index, *call) for index, call in enumerate(calls, 1))
    return f"<|open|>tools<|sep|>{inner}<|close|>tools<|sep|><|close|>message<|sep|>"


def client_xml(calls: Calls) -> str:
    def one(name: str, arguments: dict[str, Any]) -> str:
        inner = "".join(f"<{key}>{text(value)}</{key}>\n" for key, value in arguments.items())
        return f"<{name}>\n{inner}</{name}>"

    return "\n".join(one(*call) for call in calls)


def keyed(call: str, prefix: str = "", suffix: str = "", *, typed: bool = False) -> Any:
    """GLM's grammar with other tags."""

    def tag(word: str) -> str:
        return f"{prefix}{word}{suffix}"

    def type_of(value: Any) -> str:
        return f"<{tag('arg_type')}>{kind(value)}</{tag('arg_type')}>" if typed else ""

    def one(name: str, arguments: dict[str, Any]) -> str:
        inner = "".join(
            f"<{tag('arg_key')}>{key}</{tag('arg_key')}>\n{type_of(value)}"
            f"<{tag('arg_value')}>{text(value)}</{tag('arg_value')}>\n"
            for key, value in arguments.items()
        )
        return f"<{tag(call)}>{name}\n{inner}</{tag(call)}>"

    return lambda calls: (
        f"<{tag('tool_calls')}>\n"
        + "\n".join(one(*each) for each in calls)
        + f"\n</{tag('tool_calls')}>"
    )


def kind(value: Any) -> str:
    """The name of a value's type in JSON Schema."""
    kinds = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array"}
    return kinds.get(type(value), "object")


def minimax_m3(calls: Calls) -> str:
    mark = "]<]minimax[>["

    def element(key: str, value: Any) -> str:
        if isinstance(value, dict):
            inner = "".join(element(*member) for member in value.items())
        elif isinstance(value, list):
            inner = "".join(element("item", item) for item in value)
        else:
            inner = text(value)
        return f"{mark}<{key}>{inner}{mark}</{key}>"

    def one(name: str, arguments: dict[str, Any]) -> str:
        inner = "\n".join(element(*each) for each in arguments.items())
        return f'{mark}<invoke name="{name}">\n{inner}\n{mark}</invoke>\n'

    return f"{mark}<tool_call>\n{''.join(one(*each) for each in calls)}{mark}</tool_call>"


def beam(calls: Calls) -> str:
    def one(name: str, arguments: dict[str, Any]) -> str:
        inner = "\n".join(
            f'<rfl:parameter name="{key}">\n{text(value)}\n</rfl:parameter>'
            for key, value in arguments.items()
        )
        return (
            f" to=functions.{name}<|channel|>analysis <|constrain|>xml<|message|>\n{inner}<|call|>"
        )

    return "<|start|>assistant".join(one(*each) for each in calls)


def plamo(calls: Calls) -> str:
    def tag(word: str) -> str:
        return f"<|plamo:{word}:plamo|>"

    inner = "".join(
        f"{tag('begin_tool_request')}{tag('begin_tool_name')}{name}{tag('end_tool_name')}"
        f"{tag('begin_tool_arguments')}<|plamo:constrain|>json<|plamo:msg|>{dumped(arguments)}"
        f"{tag('end_tool_arguments')}{tag('end_tool_request')}"
        for name, arguments in calls
    )
    return f"{tag('begin_tool_requests')}{inner}{tag('end_tool_requests')}<|plamo:tag|>"


def use_mcp_tool(calls: Calls) -> str:
    return "\n".join(
        f"<use_mcp_tool>\n<server_name>files</server_name>\n<tool_name>{name}</tool_name>\n"
        f"<arguments>\n{json.dumps(arguments, indent=2)}\n</arguments>\n</use_mcp_tool>"
        for name, arguments in calls
    )


def harmony_bare(calls: Calls) -> str:
    """Harmony without its marks, as clients show it that strip special tokens."""
    return "assistant".join(
        f"commentary to=functions.{name} json{dumped(arguments)}" for name, arguments in calls
    )


def dsml_named(calls: Calls) -> str:
    """The name and JSON after a tag of DSML."""
    return "\n".join(
        f"<｜DSML｜toolcall>{name}\n```json\n{dumped(arguments)}\n```\n</｜DSML｜toolcall>"
        for name, arguments in calls
    )


def tool_uses(calls: Calls) -> str:
    uses = [{"recipient_name": f"functions.{name}", "parameters": sent} for name, sent in calls]
    return dumped({"tool_uses": uses})


def gemma(opens: str, closes: str, quote: str) -> Any:
    def value(given: Any) -> str:
        if isinstance(given, str):
            return f"{quote}{given}{quote}"
        if isinstance(given, dict):
            return "{" + ",".join(f"{key}:{value(item)}" for key, item in given.items()) + "}"
        if isinstance(given, list):
            return "[" + ",".join(map(value, given)) + "]"
        return dumped(given)

    return lambda calls: "".join(f"{opens}call:{name}{value(args)}{closes}" for name, args in calls)


def openai(calls: Calls) -> str:
    made = [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": name, "arguments": dumped(arguments)},
        }
        for number, (name, arguments) in enumerate(calls)
    ]
    return dumped({"tool_calls": made})


def deepseek(between: str, before: str, after: str) -> Any:
    def write(calls: Calls) -> str:
        inner = between.join(
            f"<｜tool▁call▁begin｜>{before.format(name)}{dumped(arguments)}{after}<｜tool▁call▁end｜>"
            for name, arguments in calls
        )
        return f"<｜tool▁calls▁begin｜>{inner}<｜tool▁calls▁end｜><｜end▁of▁sentence｜>"

    return write


def kimi(calls: Calls) -> str:
    inner = "".join(
        f"<|tool_call_begin|>functions.{name}:{index}<|tool_call_argument_begin|>"
        f"{dumped(arguments)}<|tool_call_end|>"
        for index, (name, arguments) in enumerate(calls)
    )
    return f"<|tool_calls_section_begin|>{inner}<|tool_calls_section_end|>"


def harmony(calls: Calls) -> str:
    return "<|start|>assistant".join(
        f"<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>"
        f"{dumped(arguments)}<|call|>"
        for name, arguments in calls
    )


def harmony_role(calls: Calls) -> str:
    return "<|start|>assistant".join(
        f" to=functions.{name}<|channel|>commentary <|constrain|>json<|message|>"
        f"{dumped(arguments)}<|call|>"
        for name, arguments in calls
    )


def step3(calls: Calls) -> str:
    write = tags(
        ("", ""),
        ('<steptml:invoke name="{}">', "</steptml:invoke>"),
        ('<steptml:parameter name="{}">', "</steptml:parameter>"),
    )
    inner = "\n".join(
        f"<｜tool_call_begin｜>function<｜tool_sep｜>{write([call])}<｜tool_call_end｜>"
        for call in calls
    )
    return f"<｜tool_calls_begin｜>\n{inner}\n<｜tool_calls_end｜>"


def invoke(prefix: str, block: tuple[str, str]) -> Any:
    return tags(
        block,
        (f'<{prefix}invoke name="{{}}">\n', f"</{prefix}invoke>"),
        (f'<{prefix}parameter name="{{}}">', f"</{prefix}parameter>\n"),
    )


def glm(between: str, head: str = "") -> Any:
    return tags(
        ("", ""),
        (f"<tool_call>{{}}{head}{between}", "</tool_call>"),
        (f"<arg_key>{{}}</arg_key>{between}<arg_value>", f"</arg_value>{between}"),
    )


def mistral(opens: str) -> Any:
    return lambda calls: "".join(
        f"[TOOL_CALLS]{name}{opens}{dumped(arguments)}" for name, arguments in calls
    )


WRITERS: dict[str, Callable[[Calls], str]] = {
    "anthropic_ns": invoke(
        ANTHROPIC, (f"<{ANTHROPIC}function_calls>\n", f"\n</{ANTHROPIC}function_calls>")
    ),
    "anthropic_xml": invoke("", ("<function_calls>\n", "\n</function_calls>")),
    "action_json": lambda calls: "\n".join(
        dumped({"thought": "Next.", "action": name, "action_input": sent}) for name, sent in calls
    ),
    "apertus": lambda calls: (
        f"<|tools_prefix|>{dumped([{name: sent} for name, sent in calls])}<|tools_suffix|>"
    ),
    "beam": beam,
    "chatglm": lambda calls: f"{calls[0][0]}\n{dumped(calls[0][1])}",
    "client_xml": client_xml,
    "cohere_command": listed("<|START_ACTION|>", "<|END_ACTION|>", "parameters", "tool_name"),
    "cohere_command_r": listed("Action: ```json\n", "\n```", "parameters", "tool_name"),
    "deepseek_v3": deepseek("\n", "function<｜tool▁sep｜>{}\n```json\n", "\n```"),
    "deepseek_v31": deepseek("", "{}<｜tool▁sep｜>", ""),
    "deepseek_v32": dsml("function_calls"),
    "deepseek_v4": dsml("tool_calls"),
    "deepseek_v41": dsml("calls", "｜DSML｜ "),
    "functionary_v32": lambda calls: "".join(f">>>{name}\n{dumped(a)}" for name, a in calls),
    "functiongemma": gemma("<start_function_call>", "<end_function_call>", "<escape>"),
    "gemma4": gemma("<|tool_call>", "<tool_call|>", '<|"|>'),
    "gemma_tool_code": python("```tool_code\n", "\n```", "\n"),
    "gigachat3": lambda calls: (
        f"<|message_sep|>\n\nfunction call<|role_sep|>\n{call_object(*calls[0])}"
    ),
    "gigachat35": dsml("tool_calls", "｜GCML｜"),
    "glm45": glm("\n"),
    "glm47": glm(""),
    "granite": listed("<|tool_call|>"),
    "granite_20b_fc": objects("<function_call> ", ""),
    "harmony": harmony,
    "harmony_role": harmony_role,
    "hermes": objects("<tool_call>\n", "\n</tool_call>"),
    "hunyuan_a13b": listed("<tool_calls>", "</tool_calls>"),
    "hunyuan_v3": lambda calls: f"<tool_calls>\n{glm(chr(10), '<tool_sep>')(calls)}\n</tool_calls>",
    "internlm2": lambda calls: (
        f"<|action_start|><|plugin|>\n{call_object(*calls[0], 'parameters')}<|action_end|>"
    ),
    "iquest_q1": keyed("iquest_tool_call"),
    "jamba": listed("<tool_calls>", "</tool_calls>"),
    "json_fenced": listed("```json\n", "\n```"),
    "json_list": listed(""),
    "json_object": objects("", ""),
    "k2_horizon": keyed("tool_call", "ifm|", typed=True),
    "kimi_k2": kimi,
    "kimi_k3": kimi_k3,
    "lfm2": python("<|tool_call_start|>[", "]<|tool_call_end|>"),
    "llama3_function": lambda calls: "\n".join(
        f"<function={name}>{dumped(arguments)}</function>" for name, arguments in calls
    ),
    "llama3_json": objects("", "", "; ", "parameters"),
    "llama3_python_tag": objects("<|python_tag|>", "", "; ", "parameters"),
    "llama4_pythonic": python("<|python_start|>[", "]<|python_end|>"),
    "longcat": objects("<longcat_tool_call>", "</longcat_tool_call>"),
    "minicpm5": tags(
        ("", ""), ('<function name="{}">', "</function>"), ('<param name="{}">', "</param>")
    ),
    "minimax_m1": lambda calls: (
        "<tool_calls>\n" + "\n".join(call_object(*c) for c in calls) + "\n</tool_calls>"
    ),
    "minimax_m2": invoke("", ("<minimax:tool_call>\n", "\n</minimax:tool_call>")),
    "minimax_m3": minimax_m3,
    "mistral_v11": mistral(""),
    "mistral_v13": mistral("[ARGS]"),
    "mistral_v3": listed("[TOOL_CALLS] ", "</s>"),
    "muse_glimmer": invoke("atem:", ("<atem:function_calls>\n", "\n</atem:function_calls>")),
    "nemotron": listed("<TOOLCALL>", "</TOOLCALL>"),
    "olmo3": python("<function_calls>", "</function_calls>", "\n"),
    "openai_json": openai,
    "phi4_mini": listed("functools"),
    "phi4_mini_tags": listed("<|tool_call|>", "<|/tool_call|>"),
    "plamo3": plamo,
    "pythonic": python("[", "]"),
    "qwen3_coder": each(
        ("<tool_call>\n", "\n</tool_call>"),
        tags(
            ("", ""),
            ("<function={}>\n", "</function>"),
            ("<parameter={}>\n", "\n</parameter>\n"),
        ),
    ),
    "react": lambda calls: f"Action: {calls[0][0]}\nAction Input: {dumped(calls[0][1])}",
    "seed_oss": each(
        ("<seed:tool_call>\n", "\n</seed:tool_call>"),
        tags(("", ""), ("<function={}>\n", "</function>"), ("<parameter={}>", "</parameter>\n")),
    ),
    "solar_open2": tags(
        ("", ""),
        ("<|tool_call:start|>{}\n", "<|tool_call:end|>"),
        ("<|tool_arg:start|>{}<|tool_arg:value|>", "<|tool_arg:end|>\n"),
    ),
    "step3": step3,
    "tool_uses": tool_uses,
    "use_mcp_tool": use_mcp_tool,
}

SPELLINGS: dict[str, tuple[str, Callable[[Calls], str]]] = {
    **{f"DSML with {bar!r}": (name, dsml("tool_calls", bar)) for bar, name in DSML_BARS.items()},
    **{f"DSML in {block}": ("deepseek_v32", dsml(block)) for block in DSML_BLOCKS},
    "DSML and a fence": ("deepseek_v32", dsml_named),
    "Hunyuan 3 with a suffix": ("hunyuan_v3", keyed("tool_call", suffix=":opensource")),
    "K2 Horizon without types": ("k2_horizon", keyed("tool_call", "ifm|")),
    "harmony without marks": ("harmony", harmony_bare),
    "PLaMo without a constraint": (
        "plamo3",
        lambda calls: plamo(calls).replace("<|plamo:constrain|>json", ""),
    ),
}
"""Other spellings of formats, with the names of those."""

ONE_CALL = frozenset({"chatglm", "gigachat3", "internlm2", "react"})
"""Formats whose answers hold one call."""


TEXT: dict[str, tuple[str, ...]] = {
    "anthropic_ns": (f"</{ANTHROPIC}parameter>", f"<{ANTHROPIC}parameter"),
    "anthropic_xml": ("</parameter>", "<parameter"),
    "beam": ("</rfl:parameter>", "<rfl:parameter", "<|call|>", "<|end|>"),
    "client_xml": ("</", "<"),
    "deepseek_v32": ("</｜DSML｜parameter>", "<｜DSML｜parameter"),
    "deepseek_v4": ("</｜DSML｜parameter>", "<｜DSML｜parameter"),
    "deepseek_v41": ("</｜DSML｜ parameter>", "<｜DSML｜ parameter"),
    "functiongemma": ("<escape>",),
    "gemma4": ('<|"|>',),
    "gigachat35": ("</｜GCML｜parameter>", "<｜GCML｜parameter"),
    "glm45": ("</arg_value>", "<arg_key>"),
    "glm47": ("</arg_value>", "<arg_key>"),
    "hunyuan_v3": ("</arg_value>", "<arg_key>"),
    "iquest_q1": ("</arg_value>", "<arg_key>"),
    "k2_horizon": ("</ifm|arg_value>", "<ifm|arg_key>"),
    "kimi_k3": ("<|close|>argument<|sep|>", "<|open|>argument"),
    "minicpm5": ("</param>", "<param", "<![CDATA["),
    "minimax_m2": ("</parameter>", "<parameter"),
    "minimax_m3": ("]<]minimax[>[",),
    "muse_glimmer": ("</atem:parameter>", "<atem:parameter"),
    "qwen3_coder": ("</parameter>", "<parameter=", "</function>"),
    "seed_oss": ("</parameter>", "<parameter=", "</function>"),
    "solar_open2": ("<|tool_arg:end|>", "<|tool_arg:start|>"),
    "step3": ("</steptml:parameter>", "<steptml:parameter"),
}
"""Formats without escapes, and what their strings cannot hold."""


def why_not_text(format_: str, said: str) -> bool:
    """Whether a format cannot spell a string so that it is told from another one."""
    marks = TEXT.get(format_)
    if marks is None:
        return False
    return said != said.strip() or any(mark in said for mark in (*marks, "<![CDATA["))


def _marks() -> list[str]:
    """What the writers put around names and values, and the marks within it."""
    calls: Calls = [("Name", {"Key": "Value"})] * 2
    writers = [*WRITERS.values(), *(write for _, write in SPELLINGS.values())]
    texts = {write(calls) for write in writers}
    pieces = {piece for text in texts for piece in re.split("Name|Key|Value", text)}
    return sorted(
        {mark for each in pieces for mark in (each.strip(), *re.findall(r"<[^<>]*>|\[/?\w+\]", each))}
        - {""}
    )


MARKS = _marks()
"""The marks of all formats."""
