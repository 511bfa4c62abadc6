"""Payloads of public reports: what a careful person reads in one way is read, and nothing else."""

from __future__ import annotations

import pytest
from case_tests import coercions, each_case
from cases import Case, encode, spelled
from jsonschema import Draft202012Validator

from schema2model import ToolError, compile_schema


@each_case("payloads")
def test_a_payload_is_read_as_its_case_says(case: Case) -> None:
    """Under each of its presets; the result is valid, and is read as itself."""
    for coercion in coercions(case):
        compiled = compile_schema(case.schema, coercion=coercion)
        sent = case.line.get("text", case.line.get("input"))
        read = compiled.validate_json if "text" in case.line else compiled.validate
        if case.is_refused:
            with pytest.raises(ToolError):
                read(sent)
            continue
        result = read(sent)
        assert spelled(encode(result)) == spelled(encode(case.result))
        assert not [*Draft202012Validator(case.schema).iter_errors(result)]
        assert compiled.validate(result) == result
