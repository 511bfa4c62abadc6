"""Calls whose markup ended up in a string are refused where that is asked for, and only those."""

# ruff: noqa: RUF001 - the marks of some models have full-width letters

from __future__ import annotations

from typing import Any

import pytest
from waiting import rounds

from schema2model.errors import ToolError
from schema2model.tools.leaked_markup import leaked_markup_offset
from schema2model.tools.tool import Tool
from schema2model.tools.tool_cache import ToolCache, compile_checker
from schema2model.tools.toolset import Toolset

WRITE: dict[str, Any] = {
    "name": "write",
    "parameters": {
        "type": "object",
        "properties": {"content": {"type": "string"}, "path": {"type": "string"}},
    },
}
PREFIX = "antml" + ":"

TAILS = [
    '</content>\n<parameter name="path">a.txt',
    "</content></invoke>",
    f'</{PREFIX}parameter>\n<{PREFIX}parameter name="path">a.txt',
    "</antml parameter>\n<parameter name='path'>",
    "</parameter>",
    "\n</parameter>\n",
    "\n</parameter>\n<parameter=path>\na.txt\n</parameter>\n</function>",
    "\n</function>\n</tool_call>",
    "</arg_value><arg_key>path</arg_key>",
    "</｜DSML｜parameter>\n</｜DSML｜invoke>",
    "<|tool_call_end|>",
    "<|tool_calls_section_end|>",
    "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    '\n<parameter name="path">a.txt',
    "\n<parameter=path>\na.txt",
]
ABOUT_MARKUP = [
    "<p>A page.</p>",
    "<content>all</content>",
    "a tail</content>",
    'An example:\n<invoke name="f">\n<parameter name="path">a.txt</parameter>\n</invoke>\n',
    "<tool_call>\n{}\n</tool_call>",
    "A value ends with `</parameter>`",
    'print("</parameter>")',
    "The tag </parameter> was missing here.",
    "</tool_call>",
    "<|tool_call_begin|>f<|tool_call_end|>",
    "if a < b and c > d:",
    '<parameter name="other">is not ours',
    "<parameters>\n  <a/>\n</parameters>",
    "vector<function<void()>> handlers",
    "<|im_end|>",
]


def prepared(tool: Tool, arguments: Any) -> Any:
    """The arguments, if they are not refused."""
    return tool.prepare(arguments).arguments


@pytest.mark.parametrize("before", ["Some text.", "<p>\n", "a > b; c < d "], ids=repr)
@pytest.mark.parametrize("tail", TAILS)
def test_a_swallowed_tail_is_refused(tail: str, before: str) -> None:
    """It is valid, and so it stays as it is where nothing else is asked for."""
    arguments = {"content": before + tail}
    assert prepared(Tool.from_schema(WRITE), arguments) == arguments
    with pytest.raises(ToolError, match="end of a call") as refused:
        prepared(Tool.from_schema(WRITE, refuse_markup=True), arguments)
    [issue] = refused.value.issues
    assert (issue.path, issue.keyword) == ("/content", "markup")


def test_a_text_may_be_nothing_but_the_end_of_a_parameter() -> None:
    """That is debris, and no text."""
    tool = Tool.from_schema(WRITE, refuse_markup=True)
    for text in ("</parameter>", "</antml parameter>\n<parameter name='path'>"):
        with pytest.raises(ToolError, match="end of a call"):
            prepared(tool, {"content": text})


@pytest.mark.parametrize("tail", [TAILS[0], TAILS[-1], "</content>\n<path>a.txt</path>"])
def test_a_swallowed_parameter_is_named(tail: str) -> None:
    """Where markup is refused."""
    advice = '"content" holds the text of another parameter: send "path" as an argument of its own'
    with pytest.raises(ToolError) as refused:
        Tool.from_schema(WRITE, refuse_markup=True).prepare({"content": f"Some text.{tail}"})
    assert advice in str(refused.value)


@pytest.mark.parametrize("text", ABOUT_MARKUP)
def test_what_is_about_markup_is_kept(text: str) -> None:
    """Whole examples, what is quoted, and tags of other languages."""
    arguments = {"content": text}
    assert prepared(Tool.from_schema(WRITE, refuse_markup=True), arguments) == arguments


def test_a_parameter_that_was_sent_is_not_missing() -> None:
    """Text that begins one that is there as well is about markup."""
    arguments = {"content": 'Then write <parameter name="path">', "path": "a.txt"}
    assert prepared(Tool.from_schema(WRITE, refuse_markup=True), arguments) == arguments


def test_strings_are_found_at_any_depth() -> None:
    """And told in their order, each by its path; a toolset passes the option on."""
    tool = {"name": "edit", "parameters": {"type": "object"}}
    tools = Toolset([tool], refuse_markup=True)
    sent = {"edits": [{"new": "a</new></invoke>", "line": 3}, {"new": "b"}], "z": "c</parameter>"}
    with pytest.raises(ToolError) as refused:
        tools.prepare("edit", sent)
    assert [issue.path for issue in refused.value.issues] == ["/edits/0/new", "/z"]


def test_checkers_refuse_too() -> None:
    """Which is how adapters and proxies look at the tools of others."""
    schema = WRITE["parameters"]
    for checked in (compile_checker("write", schema, refuse_markup=True), _listed(schema)):
        assert checked is not None
        with pytest.raises(ToolError, match="end of a call"):
            prepared(checked, {"content": "a</content></invoke>"})


def _listed(schema: Any) -> Tool | None:
    return ToolCache(refuse_markup=True).get("write", schema)


@pytest.mark.parametrize(
    "part",
    ["<", "</", "<parameter ", "<invoke name=", "</parameter>x", "<|tool_call_", "<a:", "\n"],
)
def test_hostile_text_takes_no_longer_than_it_is_long(part: str) -> None:
    """Twice as much text takes some twice as long, however much of it is nearly markup."""

    def read(times: int) -> None:
        leaked_markup_offset("<invoke name='a'>" * times + part * times, "content", {"path"})

    most = 9 * rounds(lambda: read(2_000))
    assert rounds(lambda: read(8_000), most) <= most
