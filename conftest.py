"""How tests are spread over processes, what these share and report, and whose examples are skipped.

Also when garbage is collected.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import sys
from collections.abc import Generator

import pytest
from _pytest.cacheprovider import Cache
from _pytest.doctest import DoctestModule
from _pytest.runner import runtestprotocol


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """None of its own for what is timed, or for a single test; as many as processors otherwise."""
    is_timed = config.option.benchmark_only or config.option.benchmark_disable
    return 0 if is_timed or any("::" in argument for argument in config.args) else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect no garbage among the tests themselves, and less often than by default later.

    Tests live until the end, and most else that lives long is in caches.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(50_000, 20, 20)
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Look for garbage once, for the warnings that it may give: pytest would do it five times."""
    gc.collect()
    gc.freeze()


class ShortReports:
    """Reports one outcome of a passed test to the process that shows it, instead of three.

    To send a report, and to read it there, takes as long as a short test.
    """

    @pytest.hookimpl
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        """Run a test, and report its call only if its setup, its call and its teardown passed."""
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        has_passed = all(report.passed for report in reports)
        for report in reports:
            if report.when == "call" or not has_passed:
                item.ihook.pytest_runtest_logreport(report=report)
        return True


class ExamplesOfExtras:
    """Skips, and names, the examples of modules whose extra is not installed.

    Nothing else that cannot be imported is skipped: a test module would be missed by nobody.
    """

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Change the report of such a module."""
        report = yield
        found = report.call.excinfo if report.failed else None
        error = None if found is None else found.value.__cause__ or found.value
        if (
            isinstance(collector, DoctestModule)
            and "schema2model" in collector.path.parts[-5:-1]
            and isinstance(error, ImportError)
            and _is_missing(error.name or "schema2model")
        ):
            report.outcome = "skipped"
            report.longrepr = str(collector.path), 1, f"Skipped: {error}"
            for name, module in [*sys.modules.items()]:  # half of it would be there for others
                if getattr(module, "__file__", None) == str(collector.path):
                    del sys.modules[name]
        return report


def _is_missing(module: str) -> bool:
    """Whether a module of another package is not installed."""
    if module.partition(".")[0] == "schema2model":
        return False
    try:
        return importlib.util.find_spec(module) is None
    except ModuleNotFoundError:
        return True


def pytest_addoption(pluginmanager: pytest.PytestPluginManager) -> None:
    """Share the bytecode, before `tests/conftest.py` imports what takes long to compile."""
    if sys.dont_write_bytecode and pluginmanager.hasplugin("cacheprovider"):
        _share_bytecode(pluginmanager.get_plugin("pytestconfig"))


def pytest_configure(config: pytest.Config) -> None:
    """Register it as a plugin: the hooks of this file are not called for an installed package.

    The commands that tests start buffer their output, as users' do.
    """
    os.environ.pop("PYTHONUNBUFFERED", None)
    config.pluginmanager.register(ExamplesOfExtras())
    needs_all = config.option.durations is not None or config.option.xmlpath is not None
    if hasattr(config, "workerinput") and not needs_all:
        config.pluginmanager.register(ShortReports())


def _share_bytecode(config: pytest.Config) -> None:
    """Where no bytecode is to lie beside the sources, have all processes find it in the cache.

    Otherwise, each of those that tests start would compile the whole package.
    """
    folder = str(Cache.for_config(config, _ispytest=True).mkdir("bytecode"))
    sys.dont_write_bytecode, sys.pycache_prefix = False, folder
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = folder
