# ruff: noqa: D103 - the names state the promises
"""Mistakes of developers: refused where they are made, in words that say what to write."""

from __future__ import annotations

import math
import operator
from enum import IntEnum
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel

from schema2model import SchemaError, Tool, ToolError, Toolset, compile_schema
from schema2model.apps.batch import Corrector, correct_rows
from schema2model.tools.tool_cache import ToolCache, compile_checker


def search(query: str, user_id: str = "") -> str:
    return query + user_id


class Size(IntEnum):
    """Limits of results."""

    SMALL = 7
    NEGATIVE = -1


class Seven:
    """An integer of a library."""

    def __index__(self) -> int:
        return 7


class Telemetry:
    """An observer, of which an instance belongs where observers do."""

    def prepared(self, *_: Any) -> None:
        """Observe nothing."""

    refused = started = prepared


class StaticTelemetry:
    """An observer that needs no instance."""

    seen: ClassVar[list[str]] = []

    @classmethod
    def prepared(cls, *_: Any) -> None:
        """Count a call."""
        cls.seen.append("prepared")

    @staticmethod
    def refused(*_: Any) -> None:
        """Observe nothing."""

    started = refused


class Function(BaseModel):
    """A part of an SDK's call."""

    name: str = "search"
    arguments: str = "{}"


class Call(BaseModel):
    """A call as an SDK has it."""

    id: str = "c1"
    function: Function = Function()


@pytest.mark.parametrize("inject", ["user_di", ["user_di"], int, (name for name in ["user_di"])])
def test_an_injected_parameter_that_no_function_has_is_an_error(inject: Any) -> None:
    with pytest.raises(TypeError, match=r"inject names '(user_di|int)'"):
        Tool.from_function(search, inject=inject)


def test_an_injected_parameter_that_no_tool_of_a_set_has_is_an_error() -> None:
    def other(number: int) -> int:
        return number

    assert Toolset([search, other], inject=(each for each in ["user_id"]))["search"].injected
    with pytest.raises(TypeError, match="inject names 'user_di'"):
        Toolset([search, other], inject=["user_id", "user_di"])
    with pytest.raises(TypeError, match="inject names 'user_di'"):
        Toolset([], inject="user_di")


@pytest.mark.parametrize("option", ["corecion", "Coercion", "warn"])
def test_an_unknown_option_is_named_in_the_words_of_the_method(option: str) -> None:
    with pytest.raises(TypeError, match=rf"from_function\(\) has no option '{option}'"):
        Tool.from_function(search, **{option: "lenient"})
    for make in (Tool.from_definition, Tool.from_schema):  # one method, with an alias
        with pytest.raises(TypeError, match=rf"from_definition\(\) has no option '{option}'"):
            make({"name": "f", "parameters": {}}, **{option: "lenient"})
    with pytest.raises(TypeError, match=f"has no option '{option}'"):
        Toolset([search], **{option: "lenient"})


@pytest.mark.parametrize("value", [{"query": "x"}, None, 5, ["x"], object()])
def test_values_where_text_belongs_name_the_right_method(value: Any) -> None:
    compiled = compile_schema({"type": "object"})
    for read in (compiled.validate_json, compiled.explain_json):
        with pytest.raises(TypeError, match="pass values to validate or explain"):
            read(value)


CALLS = [
    {"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{}"}},
    {"id": "c1", "type": "tool_use", "name": "search", "input": {"query": "x"}},
    {"call_id": "c1", "type": "function_call", "name": "search", "arguments": "{}"},
]


@pytest.mark.parametrize("call", [Call(), Function()])
def test_a_whole_call_where_arguments_belong_names_the_right_method(call: Any) -> None:
    tool = Tool.from_function(search)
    for take in (tool.prepare, tool.call):
        with pytest.raises(TypeError, match=r"Toolset\.prepare_call takes"):
            take(call)


@pytest.mark.parametrize("call", CALLS)
def test_a_whole_call_in_json_where_arguments_belong_is_refused_and_logged(
    call: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    """A model may have sent it, too: the loop goes on, and the developer finds the right method."""
    tool = Tool.from_function(search)
    with pytest.raises(ToolError):
        tool.prepare(call)
    warnings = [each.getMessage() for each in caplog.records if each.levelname == "WARNING"]
    assert warnings == [
        "`search` takes the arguments of a call, not a whole call; Toolset.prepare_call takes that"
    ]
    block = {"type": "tool_use", "id": "t1", "name": "search", "input": call}
    [answer] = Toolset([tool]).answer({"role": "assistant", "content": [block]})
    assert answer["content"][0]["is_error"]


def test_what_a_model_may_have_sent_stays_its_mistake() -> None:
    tool = Tool.from_function(search)
    for sent in (
        {"type": ["function"]},
        {"type": {}},
        {"name": "search", "arguments": {}},
        {"type": "function"},
        SimpleNamespace(a=1),
    ):
        with pytest.raises(ValueError, match="Error parsing arguments"):
            tool.prepare(sent)  # type: ignore[arg-type]


def test_another_word_for_errors_is_refused() -> None:
    with pytest.raises(ValueError, match='errors is "raise" or "keep", not \'ignore\''):
        Toolset([search]).read_calls("", errors="ignore")  # type: ignore[arg-type]


@pytest.mark.parametrize("tools", [search, Tool.from_function(search), {"name": "f"}])
def test_one_tool_where_a_list_belongs_names_what_to_write(tools: Any) -> None:
    with pytest.raises(TypeError, match=r"Toolset takes a list of tools: Toolset\(\["):
        Toolset(tools)


def test_a_set_among_tools_is_told_from_a_definition_without_a_name() -> None:
    with pytest.raises(SchemaError, match="a definition is an object, got Toolset; write"):
        Toolset([Toolset([search]), search])


def test_strict_takes_a_provider_or_a_mapping() -> None:
    """A boolean does not say which provider."""
    with pytest.raises(TypeError, match="`strict` is a provider's name or a mapping"):
        Toolset([search], strict=True)  # type: ignore[arg-type]


def test_calls_are_read_out_of_text() -> None:
    """Anything else is named by its type."""
    with pytest.raises(TypeError, match="takes the text of a model, got dict"):
        Toolset([search]).read_calls({})  # type: ignore[arg-type]
    reader = Toolset([search]).call_reader()
    for take in (reader.feed, reader.finish):
        with pytest.raises(TypeError, match="a chunk is str, not NoneType"):
            take(None)  # type: ignore[arg-type]


def test_of_many_definitions_the_one_with_a_wrong_schema_is_named() -> None:
    """And the place within its schema."""
    definitions = [{"name": n, "parameters": {"type": t}} for n, t in [("a", "object"), ("b", "x")]]
    with pytest.raises(SchemaError, match='the schema of `b`: /type: unknown type "x"') as caught:
        Toolset(definitions)
    assert caught.value.pointer == "/type"


def test_a_class_that_is_not_a_model_is_not_sent_to_coercing() -> None:
    """Which would refuse it."""
    with pytest.raises(SchemaError, match="got the class dict; pass a JSON Schema"):
        compile_schema(dict)  # type: ignore[arg-type]


@pytest.mark.parametrize("make", [Tool, compile_checker, ToolCache], ids=lambda each: each.__name__)
@pytest.mark.parametrize(
    "observer",
    ["log", print, Telemetry, SimpleNamespace(prepared=1, refused=1, started=1)],
    ids=["text", "function", "class", "no methods"],
)
def test_what_cannot_observe_is_refused_before_the_first_call(make: Any, observer: Any) -> None:
    given = {Tool: [search], compile_checker: ["search", {}], ToolCache: []}[make]
    with pytest.raises(TypeError, match="methods prepared, refused and started; got "):
        make(*given, observer=observer)


@pytest.mark.parametrize(
    "observer",
    [Telemetry(), StaticTelemetry, SimpleNamespace(prepared=print, refused=print, started=print)],
    ids=["instance", "static", "namespace"],
)
def test_what_has_the_methods_observes(observer: Any) -> None:
    """A class does, if its methods need no instance."""
    StaticTelemetry.seen.clear()
    assert Tool(search, observer=observer).prepare({"query": "x"}).arguments == {"query": "x"}
    assert StaticTelemetry.seen == ["prepared"] * (observer is StaticTelemetry)


@pytest.mark.parametrize("hook", ["on_prepared", "on_started", "on_finished"])
def test_a_hook_that_is_no_function_is_refused(hook: str) -> None:
    with pytest.raises(TypeError, match=f"{hook} is a function, not 3"):
        Tool(search, **{hook: 3})


@pytest.mark.parametrize("option", ["truncate_above", "warn_above"])
@pytest.mark.parametrize("limit", [-1, "3", 2.5, True, math.inf, float("nan"), Size.NEGATIVE])
def test_a_limit_of_results_is_a_number_of_characters(option: str, limit: Any) -> None:
    with pytest.raises(ValueError, match=f"{option} is a number of characters, or None, not "):
        Tool(search, **{option: limit})


@pytest.mark.parametrize("option", ["truncate_above", "warn_above"])
@pytest.mark.parametrize("limit", [0, Size.SMALL, Seven(), None])
def test_a_limit_of_results_may_be_any_integer(option: str, limit: Any) -> None:
    """As Python's own indices."""
    found = getattr(Tool(search, **{option: limit})._parts.options, option)
    assert found == (None if limit is None else operator.index(limit))
    assert type(found) in {int, type(None)}


@pytest.mark.parametrize("make", [Tool, lambda f, **given: Toolset([f], **given)])
def test_what_is_no_list_of_injected_parameters_is_refused(make: Any) -> None:
    with pytest.raises(TypeError, match="inject is a type, the name of a parameter, or several"):
        make(search, inject=3)


@pytest.mark.parametrize("row", [3, None, "search", ["search"]], ids=repr)
def test_a_row_of_a_batch_is_a_mapping(row: Any) -> None:
    with pytest.raises(TypeError, match="a row is a mapping of columns, not "):
        next(correct_rows([row], Corrector([Tool(search).definition("openai")])))
