"""Numbers keep their spelling where the schema declares a string, in every way in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from case_tests import each_case
from cases import Case, spelled

from schema2model import CompiledSchema, Tool, ToolError, compile_schema
from schema2model.apps.batch.corrector import Corrector


def _batch(compiled: CompiledSchema, text: str) -> Any:
    corrector = Corrector([{"name": "f", "inputSchema": compiled.schema}])
    return compiled.validate_json(corrector.correct("f", text).corrected)


WAYS: dict[str, Callable[[CompiledSchema, str], Any]] = {
    "validate_json": lambda compiled, text: compiled.validate_json(text),
    "explain_json": lambda compiled, text: compiled.explain_json(text).result,
    "model": lambda compiled, text: compiled.model.model_validate_json(text).model_dump(),
    "Tool": lambda compiled, text: (
        Tool.from_schema({"name": "f", "inputSchema": compiled.schema}).prepare(text).arguments
    ),
    "batch": _batch,
}


@pytest.mark.parametrize("way", WAYS)
@each_case("numbers", "numbers")
def test_a_number_for_a_string_is_what_the_text_spells(way: str, case: Case) -> None:
    """No way in spells it again: a version is a version."""
    result = WAYS[way](compile_schema(case.schema), case.input)
    assert spelled(result) == spelled(case.result)


@pytest.mark.parametrize("way", ["validate_json", "explain_json", "Tool"])
@each_case("numbers", "fractions")
def test_no_integer_is_invented_from_a_fraction_that_a_float_loses(way: str, case: Case) -> None:
    """The text decides: `9007199254740993.0` is an integer, `9007199254740993.5` is none."""
    compiled = compile_schema(case.schema)
    if not case.is_refused:
        assert spelled(WAYS[way](compiled, case.input)) == spelled(case.result)
    elif way == "explain_json":
        assert compiled.explain_json(case.input).error is not None
    else:
        with pytest.raises(ToolError, match="must be an integer"):
            WAYS[way](compiled, case.input)
