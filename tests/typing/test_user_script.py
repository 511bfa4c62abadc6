"""`py.typed` is true: type checkers find the mistakes in a user's script, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from type_checkers import CHECKERS, SCRIPTS, TYPING, Diagnostic


def marked(script: str) -> set[int]:
    """The lines that are mistakes."""
    lines = (TYPING / f"{script}.py").read_text("utf-8").splitlines()
    return {n for n, line in enumerate(lines, 1) if line.endswith("  # error")}


@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize("script", SCRIPTS)
def test_type_checkers_find_the_mistakes(
    script: str, checker: str, diagnosed: Callable[[str], list[Diagnostic]]
) -> None:
    """Those that are marked, and no other: what is right is no error."""
    for package in SCRIPTS[script]:
        pytest.importorskip(package, reason=f"needs {package}")
    found = {each for each in diagnosed(checker) if each.module == script}
    assert {each.line for each in found if each.severity == "error"} == marked(script)
    assert marked(script)


def test_the_mistakes_are_many() -> None:
    """Of a user's script."""
    assert len(marked("user_script")) > 15
