"""Where wrong arguments are refused, and by which keyword, whatever the message says."""

from __future__ import annotations

import pytest
from case_tests import each_case
from cases import Case

from schema2model import ToolError, compile_schema


@each_case("refusals")
def test_an_issue_has_the_path_and_the_keyword(case: Case) -> None:
    """Each issue names the location of the wrong value and the keyword that it violates."""
    compiled = compile_schema(case.schema, formats=case.line.get("formats", "annotate"))
    validate = compiled.validate_json if case.operation == "validate_json" else compiled.validate
    with pytest.raises(ToolError) as raised:
        validate(case.input)
    found = [{"path": issue.path, "keyword": issue.keyword} for issue in raised.value.issues]
    assert found == case.line["refused"]
