"""Where wrong arguments are refused, and by which keyword, whatever the message says."""

from __future__ import annotations

import pytest
from case_tests import each_case
from cases import Case

from schema2model import ToolError, compile_schema

FIX = "Fix the errors and try again."


@each_case("refusals")
def test_an_issue_has_the_path_and_the_keyword(case: Case) -> None:
    """Each issue names the location of the wrong value and the keyword that it violates.

    What is wrong with a text, and where members belong that are misplaced, is all of the message.
    """
    compiled = compile_schema(case.schema, formats=case.line.get("formats", "annotate"))
    validate = compiled.validate_json if case.operation == "validate_json" else compiled.validate
    with pytest.raises(ToolError) as raised:
        validate(case.input)
    found = [{"path": issue.path, "keyword": issue.keyword} for issue in raised.value.issues]
    assert found == case.line["refused"]
    assert raised.value.retryable
    assert case.line.get("message", "") in str(raised.value)
    if case.group == "whole message":
        is_text = raised.value.issues[0].keyword == "json"
        end = "Write the whole call of `tool` again, as valid JSON." if is_text else f"\n{FIX}"
        told = f"Error parsing arguments for `tool`:\n- {case.message}\n{end}"
        assert str(raised.value) == told
        assert str(raised.value.issues[0]) in case.message
