"""Type checkers read these modules; no test runs them, as they import the packages of providers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from type_checkers import Diagnostic, diagnostics

collect_ignore_glob = ["loops/*.py", "sdk_script.py"]


@pytest.fixture(scope="session")
def diagnosed(
    once: Callable[[str, Callable[[Path], str]], str],
) -> Callable[[str], list[Diagnostic]]:
    """What a checker says of all modules, found out once for all workers.

    The test is skipped if the checker is not installed.
    """

    def said_by(checker: str) -> list[Diagnostic]:
        pytest.importorskip(checker, reason=f"needs {checker}: pip install '{checker}'")
        said = once(f"types-{checker}", lambda _folder: json.dumps(diagnostics(checker)))
        return [Diagnostic(*each) for each in json.loads(said)]

    return said_by
