"""What the adapters share."""

from __future__ import annotations

import pytest

from schema2model.adapters.common import Checkers, checker, extra, recast


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


def test_checkers_compile_a_schema_once_and_again_when_it_changes() -> None:
    """Servers list their tools anew; what is the same object is the same schema."""
    checkers, schema = Checkers(coercion="default"), {"properties": {"limit": {"type": "integer"}}}
    first = checkers.of("search", schema)
    assert first is checkers.of("search", schema)
    other = checkers.of("search", {"properties": {"limit": {"type": "string"}}})
    assert first is not None
    assert other is not None
    assert first.prepare({"limit": "3"}).arguments == {"limit": 3}
    assert other.prepare({"limit": "3"}).arguments == {"limit": "3"}
    assert checkers.of("search", {"type": "nothing"}) is None


def test_a_recast_tool_is_still_of_its_class() -> None:
    """And the original stays as it was."""

    class Theirs:
        name = "theirs"

        def call(self) -> str:
            return self.name

    class Loud:
        def call(self) -> str:
            return super().call().upper()  # type: ignore[misc]

    theirs = Theirs()
    ours = recast(theirs, Loud)
    assert isinstance(ours, Theirs)
    assert (ours.call(), theirs.call()) == ("THEIRS", "theirs")
    assert recast(ours, Loud).call() == "THEIRS"
