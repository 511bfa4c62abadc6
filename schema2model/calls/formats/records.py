r"""The formats as data: what a call begins with, what its body is, and what ends it.

Patterns are those of `re`. `opens` has the groups `name` (the tool's), `p` and `s` (a prefix and a
suffix of the word in a mark, which all marks of the call share) and `w` (the word); in the other
patterns of a record, `@p`, `@s` and `@w` are replaced by what they matched.

A body is
  calls   values that hold the names: JSON, or calls in Python
  object  the JSON of the arguments
  tags    parameters between marks, whose values are text
  nested  the same, with members and items between the same marks
  loose   an object with bare keys and strings between marks, as Gemma writes it
  arrow   an object with arrows for colons, as MiniMax M2 writes it
  section blocks of the same family
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Final

from schema2model.calls.formats.spelling import Spelling
from schema2model.json.names import suggestion
from schema2model.json.quoting import abridged_repr

__all__ = [
    "BARE",
    "BLOCK_BEGINS",
    "BLOCK_ENDS",
    "LOST_ENDS",
    "OUTER_ENDS",
    "RECORDS",
    "RESULTS",
    "SILENT",
    "THINKING_ENDS",
    "THOUGHTS",
    "TURNS",
    "Record",
    "client_record",
    "records_of",
]


@dataclass(frozen=True, eq=False)
class Record:
    """A format."""

    name: str
    opens: str
    closes: str = ""
    body: str = "calls"
    key: str = ""
    """The mark before a parameter: `key` is its name, `string` matches if its value is text."""
    value: str = ""
    """The mark after it."""
    around: str = ""
    """Other marks of the format: alone, outside of a call, one says that a beginning was lost."""
    family: str = "<"
    """Formats that one reply may mix."""
    spelling: Spelling | None = None
    """How a declared format is written."""
    aliases: tuple[str, ...] = ()
    item: str = ""
    """The key of the items of a list in a nested body."""
    word: str = ""
    """The word of the marks of parameters: where it is with a part of a mark, that is damaged."""
    inline: bool = False
    """Whether an end mark within a line is part of the value unless a mark follows."""

    def filled(self, matched: dict[str, str]) -> Record:
        """The record for a call whose beginning matched these groups."""

        def fill(source: str) -> str:
            for group, found in matched.items():
                source = source.replace(f"@{group}", re.escape(found))
            return source

        return replace(self, closes=fill(self.closes), key=fill(self.key), value=fill(self.value))


_NAME: Final = r"(?P<name>(?:[^\s<>{}\[\]()|`\"'=,;:\\]|\\_){1,200})"
_ID: Final = r"(?P<name>[^<{\s]{1,200}?)"
_G: Final = r"[\sĠ]{0,9}"
_P: Final = r"(?P<p>(?!start_|end_)(?:[\w.-]{1,24}[:|_]|[|｜‖ ]{0,3}[A-Z]{3,6} ?[|｜‖]{1,2} ?)?)"
_S: Final = r"(?P<s>(?::[\w-]{1,24})?)"
_TO: Final = r"\bto=(?P<name>[^\s<{]{1,200})(?![^\s<{])"
_HEAD: Final = r"(?:(?!<\|(?:message|start|call|end)\|>|\bto=)[^{]){0,120}?"
_CALLS: Final = r"(?:tool_?calls?|function_calls?|calls|tool_use|TOOLCALLS?)"
_BLOCK: Final = rf"</?{_P}{_CALLS}{_S}>"
_OUTER: Final = (
    rf"{re.sub(r'[?]P<.>', '?:', _P)}(?:{_CALLS}|tool|function|invoke|use_mcp_tool)(?::[\w-]+)?"
)
BLOCK_BEGINS: Final = rf"<{_OUTER}(?:(?:[\s=Ġ]|name=)[^<>\n]*)?(?<!/)>"
BLOCK_ENDS: Final = rf"</{_OUTER}>"
OUTER_ENDS: Final = rf"</{re.sub(r'[?]P<.>', '?:', _P)}{_CALLS}(?::[\w-]+)?>"
"""The beginnings and ends of a block in the formats whose marks are words in angle brackets."""
_NS: Final = r"\]<\]minimax\[>\["
_PL: Final = r"<\|plamo:%s:plamo\|>"
_SEP: Final = r"<\|sep\|>"


def _token(name: str, opens: str, closes: str = "", **more: Any) -> Record:
    return Record(name, opens, closes, family=more.pop("family", name), **more)


RECORDS: Final = (
    # ---------------------------------------------------------------- words in angle brackets
    Record(
        "glm45",
        rf"<{_P}tool_call{_S}>(?! )\s*{_NAME}\s*(?:<(?P=p)tool_sep(?P=s)>)?(?:\s|\\n)*"
        r"(?=<(?:(?P=p))?arg_key(?P=s)>|</(?P=p)tool_call(?P=s)>)",
        "</@ptool_call@s>",
        "tags",
        r"<(?:@p)?arg_key@s>\s*(?P<key>[^<>\n]{1,200}?)\s*</(?:@p)?arg_key@s>(?:\s|\\n)*(?:<@parg_type@s>\s*"
        r"(?:(?P<string>string)|\w+)\s*</@parg_type@s>\s*)?<(?:@p)?arg_value@s>",
        "</(?:@p)?arg_value@s>",
        rf"</?{_P}arg_(?:key|value|type){_S}>",
        word="arg_(?:key|value)",
        aliases=("glm47", "hunyuan_v3", "iquest_q1", "k2_horizon", "longcat"),
    ),
    Record(
        "glm45", rf"(?m:^)[ \t]*{_NAME}(?=<arg_key>)", "</tool_call>", "tags",
        r"<arg_key>\s*(?P<key>[^<>\n]{1,200}?)\s*</arg_key>\s*<arg_value>", "</arg_value>", word="arg_(?:key|value)",
    ),
    Record(
        "llama3_function", r"<function=(?P<name>[^>\n]{1,200})>\s*(?=\{)", "</function>", "object"
    ),
    Record(
        "qwen3_coder",
        r"""<function=\s*["']?(?P<name>[^"'<>\n]{1,200})["']?\s*>(?=\s*(?:<|\Z))""",
        "</function>",
        "tags",
        r"<parameter=\s*(?P<key>[^>\n]{1,200}?)\s*>",
        "</parameter>",
        "</?parameter[>=]|</?function[>=]",
        word="parameter",
        inline=True,
        aliases=("seed_oss", "step3p5", "mimo", "nemotron3"),
    ),
    *(
        Record(
            "minimax_m2",
            rf"<{_P}(?P<w>invoke|function|tool|function_call|tool_call){_S}{_G}name{_G}=" + end,
            closes,
            body,
            rf"""<(?:@p)?(?:parameter|param|argument)@s{_G}name{_G}={_G}(?P<k>\\?["']|)(?P<key>[^"'<>\n\\]{{1,200}})(?P=k)"""
            rf"""(?:{_G}(?:string|type){_G}={_G}["'](?:(?P<string>true|string)|\w+)["'])?{_G}>""",
            "</(?:@p)?(?:parameter|param|argument)@s>",
            rf"</?{_P}(?:invoke|parameter|param){_S}[\s>]|</function>|<(?:function|function_call)\s+name=",
            word="(?:parameter|param|argument)",
            aliases=(
                *("anthropic_xml", "anthropic_ns", "minicpm5", "step3", "muse_glimmer", "xai"),
                *("deepseek_v32", "deepseek_v4", "deepseek_v41", "gigachat35"),
            ),
        )
        for attribute in (rf"""{_G}(?P<q>\\?["']|)(?P<name>[^"'<>\n/\\]{{1,200}})(?P=q){_G}""",)
        for body, closes, end in (
            ("object", r"</(?:arguments>\s*</)?@p@w@s>", attribute + r">\s*(?:<arguments>\s*)?(?=\{)"),
            ("tags", r"</(?:arguments>\s*</)?@p@w@s>", attribute + r">\s*(?:<arguments>)?(?=(?:\s|\\n)*(?:<|\Z))"),
            ("object", r"(?<=/>)", attribute + "/>"),
        )
    ),
    Record(
        "use_mcp_tool",
        r"<(?P<w>use_mcp_tool|tool_use|tool_call|function)>\s*(?:<server_name>[^<]*</server_name>\s*)?"
        rf"<(?:tool_)?name>\s*{_NAME}\s*</(?:tool_)?name>\s*(?:<server_name>[^<]*</server_name>\s*)?"
        r"<arguments>\s*",
        r"</arguments>\s*</@w>",
        "object",
    ),
    Record(
        "use_mcp_tool",
        rf"<(?P<w>tool_use|tool_call|function)>\s*<name>\s*{_NAME}\s*</name>\s*(?=<(?!arguments>))",
        "</@w>",
        "tags",
        r"<(?P<key>[\w.$@-]{1,200})>",
        "</@k>",
    ),
    Record(
        "hermes",
        rf"<{_P}tool_?call{_S}>\s*{_NAME}\s*[>:|(]?\s*(?:```(?:json)?\s*)?(?=\{{)",
        r"\)?(?:\s*```)?\s*</@ptool_?call@s>",
        "object",
    ),
    Record("hermes", rf"<{_P}(?P<w>{_CALLS}|tool){_S}>", "</@p@w@s>", around=_BLOCK,
        aliases=("granite4", "ernie45", "qwen2_5", "qwen3", "longcat", "jamba", "hunyuan_a13b", "deepseek_v32",
            "minimax_m1", "nemotron", "granite_20b_fc", "olmo3", "k2_horizon")),
    # ------------------------------------------------------------------------------- tokens
    _token("kimi_k2", r"<\|tool_calls?_section_begin\|>", r"<\|tool_calls?_section_end\|>", body="section"),
    _token("deepseek_v3", "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", body="section", family="deepseek"),
    _token("granite", r"<\|tool_call\|>", r"<\|/tool_call\|>", aliases=("phi4_mini_tags",)),
    _token("internlm2", r"<\|action_start\|>\s?<\|plugin\|>", r"<\|action_end\|>"),
    _token("apertus", r"<\|tools_prefix\|>", r"<\|tools_suffix\|>"),
    _token("cohere_command", r"<\|START_ACTION\|>", r"<\|END_ACTION\|>"),
    _token("gigachat3", r"(?:<\|message_sep\|>\s*function call)?<\|role_sep\|>|<\|function_call\|>"),
    _token("inkling", r"<\|message_model\|>\s*[^\s<]{1,200}\s*<\|content_invoke_tool_json\|>", r"<\|end_message\|>"),
    _token("llama3_python_tag", r"<\|python_tag\|>"),
    _token("llama4_pythonic", r"<\|python_start\|>", r"<\|python_end\|>"),
    _token("lfm2", r"<\|tool_call_start\|>", r"<\|tool_call_end\|>"),
    *(
        _token(
            name,
            rf"<｜tool▁call▁begin｜>\s*{head}\s*(?:```(?:json)?\s*)?(?=\{{)",
            r"(?:```)?\s*<｜tool▁call▁end｜>",
            body="object",
            around="<｜tool▁(?:call▁(?:begin|end)|sep)｜>",
            family="deepseek",
        )
        for name, head in (
            ("deepseek_v3", rf"(?:function)?\s*<｜tool▁sep｜>\s*{_NAME}"),
            ("deepseek_v31", rf"{_NAME}\s*(?:<｜tool▁sep｜>)?"),
        )
    ),
    _token(
        "kimi_k2",
        rf"<\|tool_call_begin\|>\s*{_ID}\s*<\|tool_call_argument_begin\|>\s*(?=\{{)",
        r"<\|tool_call_end\|>",
        body="object",
        around=r"<\|tool_call_(?:argument_)?(?:begin|end)\|>",
    ),
    _token(
        "mistral_v13",
        rf"\[TOOL_CALLS\]\s*{_NAME}\s*(?:\[CALL_ID\]\s*[\w-]*\s*)?(?:\[ARGS\]\s*)?(?=\{{)",
        r"\[/TOOL_CALLS\]",
        body="object",
        around=r"\[(?:ARGS|CALL_ID)\]",
        family="mistral",
        aliases=("mistral_v11",),
    ),
    _token("mistral_v3", r"\[TOOL_CALLS\]", r"\[/TOOL_CALLS\]", family="mistral"),
    _token("phi4_mini", r"\bfunctools\s*(?=\[)"),
    _token(
        "harmony",
        rf"(?:<\|start\|>[^<{{]{{0,20}}?)?(?:<\|channel\|>{_HEAD})?{_TO}{_HEAD}<\|message\|>\s*(?=\{{)",
        r"<\|call\|>",
        body="object",
        around=r"<\|constrain\|>",
        aliases=("harmony_role",),
    ),
    _token(
        "beam",
        rf"{_TO}{_HEAD}<\|message\|>\s*(?=<rfl:|<\|call\|>)",
        r"<\|(?:call|end)\|>",
        body="tags",
        key=r"""<rfl:parameter\s+name="(?P<key>[^"<>\n]{1,200})">""",
        value="</rfl:parameter>",
        word="parameter",
        family="harmony",
    ),
    _token(
        "solar_open2",
        r"<\|tool_call:start\|>\s*(?P<name>[\w.:/$@-]{1,200})\s*",
        r"<\|tool_call:end\|>",
        body="tags",
        key=r"<\|tool_arg:start\|>\s*(?P<key>[^<>\n]{1,200}?)\s*<\|tool_arg:value\|>",
        value=r"<\|tool_arg:end\|>",
        word=r"tool_arg(?::\w+)?",
        around=r"<\|tool_(?:arg|call):\w+\|>",
    ),
    _token(
        "plamo3",
        rf"(?:{_PL % 'begin_tool_requests'}\s*)?{_PL % 'begin_tool_request'}\s*{_PL % 'begin_tool_name'}\s*"
        rf"{_ID}\s*{_PL % 'end_tool_name'}\s*{_PL % 'begin_tool_arguments'}\s*"
        r"(?:<\|plamo:constrain\|>\s*json\s*)?<\|plamo:msg\|>\s*(?=\{)",
        _PL % "end_tool_arguments",
        body="object",
        around=r"<\|plamo:(?:(?:begin|end)_tool_(?:request|name|arguments):plamo|msg)\|>",
    ),
    _token(
        "kimi_k3",
        rf"""<\|open\|>call{_G}tool{_G}={_G}"(?P<name>[^"<>\n]{{1,200}})"[^<>]{{0,80}}{_SEP}""",
        rf"<\|close\|>call{_SEP}",
        body="tags",
        key=rf"""<\|open\|>argument\s+key="(?P<key>[^"<>\n]{{1,200}})"\s+type="(?:(?P<string>string)|\w+)"\s*{_SEP}""",
        value=rf"<\|close\|>argument{_SEP}",
        word=r"(?:open|close|sep)\|",
        inline=True,
        around=rf"<\|(?:open|close)\|>(?:call|argument)\b[^<>]{{0,200}}{_SEP}",
    ),
    *(
        _token(
            name,
            rf"{opens}\s*(?:call:)?(?:[\w.-]{{1,80}}:){{0,5}}{_NAME}\s*(?=[{{(])",
            closes,
            body="loose",
            around=f"{opens}|{closes}",
        )
        for name, opens, closes in (
            ("gemma4", r"<\|tool_call>", r"<tool_call\|>"),
            ("gemma4", r"<call>", r"</call>"),
            ("functiongemma", "<start_function_call>", "<end_function_call>"),
        )
    ),
    _token("gemma4", rf"(?<!\w)call:(?:[\w.-]{{1,80}}:){{0,5}}{_NAME}(?=\{{)", body="loose"),
    _token(
        "minimax_m3",
        rf'{_NS}\s*<invoke name="(?P<name>[^"<>\n]{{1,200}})">(?=\s*{_NS}\s*<parameter )',
        rf"{_NS}\s*</invoke>",
        body="tags",
        key=rf'{_NS}\s*<parameter name="(?P<key>[^"<>\n]{{1,200}})">',
        value=rf"{_NS}\s*</parameter>",
    ),
    _token(
        "minimax_m3",
        rf'{_NS}\s*<invoke name="(?P<name>[^"<>\n]{{1,200}})">',
        rf"{_NS}\s*</invoke>",
        body="nested",
        key=rf"{_NS}\s*<(?P<key>[\w$@-][\w.$@*+-]{{0,199}})>",
        value=rf"{_NS}\s*</(?P<closed>[\w$@-][\w.$@*+-]{{0,199}})>",
        around=rf"{_NS}\s*</?(?!tool_\w+>)[\w.$@*+-]+>",
        item="item",
        word="minimax",
    ),
    _token(
        "vcp",
        r"<<<\[TOOL_REQUEST\]>>>\s*tool_name:\s*「始」\s*(?P<name>[^「」\n]{1,200}?)\s*「末」\s*,?",
        r"<<<\[END_TOOL_REQUEST\]>>>",
        body="tags",
        key=r"(?P<key>[\w.$@-]{1,200})\s*:\s*「始」",
        value="「末」,?",
        word="[始末]",
        around=r"<<<\[(?:END_)?TOOL_REQUEST\]>>>",
    ),
    _token("arrow", r"\[TOOL_CALL\]", r"\[/TOOL_CALL\]", body="arrow"),
    # ------------------------------------------------------------------------- words and lines
    _token("qwen_agent", rf"✿FUNCTION✿:\s*{_NAME}\s*✿ARGS✿:\s*(?=\{{)", r"(?=\s*✿)",
        body="object", around="✿(?:FUNCTION|ARGS)✿:?"),
    _token("gemma_tool_code", r"```[ \t]*tool_(?:code|calls?)\b", "```"),
    _token("cohere_command_r", r"(?m:^)Action:\s*```(?:json)?\s*(?=\[)", "```"),
    _token("react", rf"(?m:^)[ \t]*Action:\s*`?{_NAME}`?[^\S\n]*\n\s*Action Input:\s*(?:```(?:json)?\s*)?(?=\S)",
        r"\n(?=[ \t]*(?:Observation|Thought|Final Answer):)", body="object"),
    _token("functionary_v32", rf">>>\s?{_NAME}[^\S\n]*\n\s*(?=\{{)", body="object"),
    _token("harmony", r"(?:\bassistant)?(?:commentary|analysis)\s+to=(?P<name>[\w.:-]{1,200}?)\s*"
        r"(?:commentary\s*)?(?:(?:json|code)\s*)?(?=\{)", body="object"),
    _token("harmony", rf"{_TO}\s*(?:commentary\s*)?(?:(?:json|code)\s*)?(?=\{{)", body="object"),
)  # fmt: skip

_THINK: Final = r"(?:think(?:ing)?|thought|reasoning|scratchpad|[\w-]+[:_]think(?:ing)?|think:\w+|ifm\|think\w*)"
THOUGHTS: Final = {
    rf"<(?P<t>{_THINK}|analysis)>": "</@t>",
    r"\[THINK\]": r"\[/THINK\]",
    r"<\|START_THINKING\|>": r"<\|END_THINKING\|>",
    r"<\|channel>thought": r"<channel\|>",
    r"<\|open\|>think<\|sep\|>": r"<\|close\|>think<\|sep\|>",
    r"<\|think:start\|>": r"<\|think:end\|>",
    r"<\|plamo:begin_think:plamo\|>": r"<\|plamo:end_think:plamo\|>",
    "◁think▷": "◁/think▷",
    r"<\|begin_of_thought\|>": r"<\|end_of_thought\|>",
    r"<\|channel\|>analysis<\|message\|>(?!\s*\{)": r"<\|end\|>|(?=<\|start\|>|<\|channel\|>)",
}
"""The beginnings and the ends of thinking."""
THINKING_ENDS: Final = (
    rf"</{_THINK}>|\[/THINK\]|<\|END_THINKING\|>|<channel\|>|<\|think:end\|>|◁/think▷"
    r"|<\|close\|>think<\|sep\|>|<\|plamo:end_think:plamo\|>|<\|end_of_thought\|>"
)
"""Ends of thinking, whose beginning a template may have written."""
_RESULT: Final = (
    r"(?:[\w-]+[:_])?(?:tool|function)s?[_-]?(?:use_|call_)?(?:response|result|output)s?"
)
RESULTS: Final = {
    rf"<(?P<t>{_RESULT}|observation|output|result|std(?:out|err))>": "</@t>",
    rf"<\|(?P<t>{_RESULT})>": r"<@t\|>",
    rf"<\|(?P<t>{_RESULT}):start\|>": r"<\|@t:end\|>",
    rf"<\|(?P<t>{_RESULT})\|>": r"<\|/@t\|>",
    rf"\[(?P<t>(?i:{_RESULT}))\]": r"\[/@t\]",
    r"<start_function_response>": "<end_function_response>",
    r"<\|START_TOOL_RESULTS?\|>": r"<\|END_TOOL_RESULTS?\|>",
    "✿RESULT✿:?": "✿RETURN✿:?|(?=✿FUNCTION✿)",
    r"<｜tool▁(?P<t>outputs?)▁begin｜>": "<｜tool▁@t▁end｜>",
    r"(?m:^)[ \t]*(?:\*\*)?[Oo]bservation:(?:\*\*)?[ \t]*(?=\S)": r"\n(?=\s*(?:Thought|Action|Final Answer|Question):)",
    r"<\|channel\|>final[^{]{0,80}?<\|message\|>": r"<\|(?:end|return)\|>|(?=<\|(?:start|channel)\|>)",
    rf"{_NS}\s*<(?P<t>{_RESULT})>": rf"{_NS}\s*</@t>",
    "<!--": "-->",
}
"""The beginnings and the ends of what is shown and holds no call: results of tools, answers, comments."""
_ROLES: Final = (
    r"(?i:user|human|system|developer|tool(?:_response)?|function|observation|environment|ipython"
    r"|available_tools|functions\.[\w.-]{1,99})(?![\w.-])"
)
TURNS: Final = (
    r"(?:<\|(?:im_start|im:start|start_header_id|header_start|start_of_role|start|START_OF_TURN_TOKEN|turn_start)\|>"
    rf"|<start_of_turn>|<\|turn>|<role>|<seed:bos>|\]~b\])\s*{_ROLES}(?!</role> [a-z])"
    r"|[<\[][|｜](?i:(?:\w{1,9}_)?(?:user|human|observation|ipython|environment)(?:_token|_start)?|im_system)[|｜][>\]](?![,.;) ])"
    rf"|<(?:\|open\|>)?message\s+role=[\"']?{_ROLES}|(?:</s>\s?)?\[INST\](?! [a-z]+ \[/?INST)"
)
"""The beginning of somebody else's turn, which a model invents: nothing after it is read."""
LOST_ENDS: Final = r"</(?:tool_?calls?|function_calls?|invoke|function)>"
"""End marks that are of no use outside of a call."""
SILENT: Final = (
    r"<\|(?:im_end|im_start|eot_id|eom_id|eot|eom|eos|end|endoftext|end_of_text|END_OF_TURN_TOKEN|assistant_end|start|"
    r"START_RESPONSE|END_RESPONSE|end_header_id|begin_of_text|return|message|observation|call|constrain|tool▁calls▁end)\|>"
    r"(?:assistant\b)?|</?s>|<｜end▁of▁sentence｜>|<eos>|<end_of_turn>|<seed:eos>|<SPECIAL_12>|\[e~\[|<turn\|>|</longcat_s>"
    r"|</?(?:answer|function_invocation)>|<\|channel\|>(?:commentary|final|analysis)?|<\|(?:open|close)\|>(?:tools|message|response)<\|sep\|>"
    r"|<\|tool_calls?_section_end\|>|<｜tool_calls_begin｜>|<｜tool[▁_]calls[▁_]end｜>|<｜tool_call_(?:begin|end)｜>(?:function<｜tool_sep｜>)?"
    r"|<\|plamo:(?:(?:begin|end)_tool_requests:plamo|tag)\|>|\]<\]minimax\[>\[\s*</?tool_call>"
)
"""Marks without a meaning."""
_BARE: Final = (
    (
        "json_object",
        "llama3_json",
        "openai_json",
        "json_fenced",
        "xlam",
        "action_json",
        "tool_uses",
    ),
    ("json_list", "json_fenced", "cohere_command_r", "xlam"),
    ("pythonic", "gemma_tool_code"),
    ("chatglm",),
)
BARE: Final = tuple(
    Record(name, "", family="bare", aliases=tuple(aliases)) for name, *aliases in _BARE
)
"""Calls without marks."""


def records_of(format_: str | None, declared: tuple[Record, ...]) -> tuple[Record, ...]:
    """The records of a format, or of all; those that are declared come first.

    Raises:
        ValueError: for an unknown format.

    """
    every = (*declared, *RECORDS, *BARE)
    if format_ is None:
        return every
    chosen = tuple(each for each in every if format_ in {each.name, *each.aliases})
    if not chosen and format_ != "client_xml":
        known = sorted({name for each in every for name in (each.name, *each.aliases)})
        message = f"unknown format {abridged_repr(format_)}; {suggestion(format_, known)}"
        raise ValueError(message)
    if any(each.family == "bare" for each in chosen):
        chosen += BARE[:1]
    return chosen


def client_record(names: str, keys: str) -> Record:
    """Calls whose tags are the names of tools and of parameters, given as patterns."""
    return Record(
        "client_xml",
        rf"<(?P<name>{names})[^\w<>]{{0,3}}>?\s*(?=<{keys}>|</(?P=name)>|(?s:(?:(?!</?(?P=name)>).){{0,4000}}?)</{keys}>\s*<)",
        "</@name>",
        "tags",
        rf"<(?P<key>{keys})>",
        "</@k>",
        family="client",
        inline=True,
        around=rf"</?(?:{names})",
    )
