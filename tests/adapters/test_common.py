"""What the adapters share."""

from __future__ import annotations

import pytest

from schema2model.adapters.common import checker, extra


def test_a_missing_framework_is_named_with_its_extra() -> None:
    """The message can be copied to a shell."""
    with pytest.raises(ImportError, match=r"pip install 'schema2model\[crewai\]'"), extra("crewai"):
        import no_such_framework  # noqa: F401, PLC0415


def test_a_broken_schema_leaves_a_tool_as_it_was(caplog: pytest.LogCaptureFixture) -> None:
    """And the log says so."""
    assert checker("search", {"type": "nothing"}) is None
    assert "search" in caplog.text
    assert "nothing" in caplog.text


def test_a_checker_prepares_for_who_runs_the_tool() -> None:
    """It has no function of its own."""
    tool = checker("search", {"properties": {"limit": {"type": "integer"}}})
    assert tool is not None
    assert tool.prepare('{"limit": "3"}').arguments == {"limit": 3}
