"""The laws of coercion on calls of tools like those that exist; python-jsonschema is the judge.

Recovered or refused, never wrong: a call that was corrupted comes back as it was meant, or else
as an error. Where the corrupted call is still valid as it stands, it is left alone.
"""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest
from corruptions import TOOLS, Tool, corrupted, corruptions, places, replaced
from hypothesis import assume, given, strategies as st
from oracle import Oracle, same
from pydantic import ValidationError
from strategies import json_values

from schema2model import CompiledSchema, ToolError, compile_schema

REFUSED = object()
ORACLES = {id(tool): Oracle(tool.schema) for tool in TOOLS}
tools = st.sampled_from(TOOLS)


def outcome(compiled: CompiledSchema, value: Any) -> Any:
    """The result of `validate`, having made sure that the value given did not change."""
    before = deepcopy(value)
    try:
        return compiled.validate(value)
    except ToolError:
        return REFUSED
    finally:
        assert same(before, value)


def exact(value: Any) -> str:
    """A value's text, which tells all numbers apart but 3 from 3.0."""
    return json.dumps(_whole(value), sort_keys=True)


def _whole(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _whole(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_whole(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@given(st.data(), tools, st.sampled_from(("off", "default", "untyped", "forgiving", "lenient")))
def test_identity(data: st.DataObject, tool: Tool, preset: str) -> None:
    """A valid call comes back unchanged, from values, from text and through the model."""
    call = data.draw(tool.calls)
    assert ORACLES[id(tool)].accepts(call)
    if preset == "untyped":  # there a string may be read, and nothing else changes
        assume(not any(isinstance(item, str) for _, item in places(call)))
    compiled = compile_schema(tool.schema, coercion=preset)
    assert exact(outcome(compiled, call)) == exact(call)
    assert exact(compiled.validate_json(json.dumps(call))) == exact(call)
    assert exact(compiled.model.model_validate(call).model_dump()) == exact(call)
    assert compiled.is_valid(call)


@given(st.data(), tools)
def test_recovery(data: st.DataObject, tool: Tool) -> None:
    """One corruption that makes a call invalid is undone, to the last digit."""
    call = data.draw(tool.calls)
    options = corruptions(call)
    assume(options)
    name, path, sent = data.draw(st.sampled_from(options))
    assume(not ORACLES[id(tool)].accepts(sent))
    result = outcome(compile_schema(tool.schema), sent)
    assert result is not REFUSED, (name, path)
    assert exact(result) == exact(call), (name, path)


@given(st.data(), tools, st.sampled_from(("default", "untyped")))
def test_never_wrong(data: st.DataObject, tool: Tool, preset: str) -> None:
    """However many corruptions: what was meant, what was sent where that is valid, or an error."""
    call = data.draw(tool.calls)
    sent = call
    for _ in range(data.draw(st.integers(1, 3))):
        options = corruptions(sent)
        if not options:
            break
        sent = data.draw(st.sampled_from(options))[-1]
        assume(not ORACLES[id(tool)].accepts(sent))
    assume(sent is not call)
    if preset == "untyped":
        assume(not any(isinstance(item, str) for _, item in places(call)))
    result = outcome(compile_schema(tool.schema, coercion=preset), sent)
    if result is not REFUSED:
        assert ORACLES[id(tool)].accepts(result)
        assert exact(result) == exact(call) or _stays_text(call, result)


def _stays_text(meant: Any, result: Any) -> bool:
    """Whether two values differ only where one is text: a string that was valid as it stood."""
    if isinstance(result, str):
        return True
    if isinstance(meant, dict) and isinstance(result, dict):
        return meant.keys() == result.keys() and all(
            _stays_text(meant[k], result[k]) for k in meant
        )
    if isinstance(meant, list) and isinstance(result, list):
        return len(meant) == len(result) and all(map(_stays_text, meant, result))
    return exact(meant) == exact(result)


@given(st.data(), tools, st.sampled_from(("default", "untyped", "forgiving", "lenient")))
def test_soundness_idempotence_and_one_meaning(
    data: st.DataObject, tool: Tool, preset: str
) -> None:
    """Whatever goes in: a result satisfies the schema, is final, and is the same by every way."""
    sent = data.draw(corrupted(tool, times=3) | json_values)
    compiled = compile_schema(tool.schema, coercion=preset)
    result = outcome(compiled, sent)
    if result is REFUSED:
        with pytest.raises(ValidationError):
            compiled.model.model_validate(sent)
        return
    assert ORACLES[id(tool)].accepts(result)
    assert exact(outcome(compiled, result)) == exact(result)
    assert exact(compiled.validate_json(json.dumps(sent))) == exact(result)
    assert exact(compiled.model.model_validate(sent).model_dump()) == exact(result)


@given(st.data(), tools)
def test_random_values_anywhere(data: st.DataObject, tool: Tool) -> None:
    """Anything at all in the place of a value: a sound result, or an error."""
    call = data.draw(tool.calls)
    path, _ = data.draw(st.sampled_from(list(places(call))))
    sent = replaced(call, path, data.draw(json_values))
    result = outcome(compile_schema(tool.schema), sent)
    if ORACLES[id(tool)].accepts(sent):
        assert exact(result) == exact(sent)
    assert result is REFUSED or ORACLES[id(tool)].accepts(result)


@given(st.data(), tools)
def test_optional_nulls_are_dropped(data: st.DataObject, tool: Tool) -> None:
    """Null for what was left out is what leaving it out means, unless null is a value there."""
    call = data.draw(tool.calls)
    declared = tool.schema.get("properties", {})
    absent = [name for name in declared if name not in call]
    assume(absent)
    sent = {**call, data.draw(st.sampled_from(absent)): None}
    result = outcome(compile_schema(tool.schema), sent)
    assert exact(result) == exact(sent if ORACLES[id(tool)].accepts(sent) else call)


@given(st.data(), tools)
def test_every_parameter_a_string(data: st.DataObject, tool: Tool) -> None:
    """A transport that sends all parameters as text loses nothing that strings may not mean."""
    call = data.draw(tool.calls)
    sent = {
        name: value if isinstance(value, str) else json.dumps(value) for name, value in call.items()
    }
    result = outcome(compile_schema(tool.schema), sent)
    assert result is not REFUSED
    assert exact(result) == exact(call) or _stays_text(call, result)
