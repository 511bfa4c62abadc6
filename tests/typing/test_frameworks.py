"""Code for each provider and framework type-checks strictly: one module each, without an ignore."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

import pytest
from type_checkers import CHECKERS, FRAMEWORKS, LOOPS, SCRIPTS, TYPING, Diagnostic


def test_every_module_is_checked() -> None:
    """Each says what it covers, and takes no exception from the rules of the checkers."""
    assert {path.stem for path in (TYPING / "frameworks").glob("*.py")} == FRAMEWORKS.keys()
    for name in FRAMEWORKS:
        text = (TYPING / "frameworks" / f"{name}.py").read_text("utf-8")
        assert ast.get_docstring(ast.parse(text))
        assert not re.search(r"type: *ignore|pyright:|\bcast\(", text)


@pytest.mark.parametrize("checker", CHECKERS)
def test_type_checkers_accept_the_modules(
    checker: str, diagnosed: Callable[[str], list[Diagnostic]]
) -> None:
    """In their strict modes, with the types of the installed packages."""
    others = {*LOOPS, *SCRIPTS}
    assert [each for each in diagnosed(checker) if each.module not in others] == []
