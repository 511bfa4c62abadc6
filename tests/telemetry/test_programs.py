"""Telemetry in programs of their own: what they import, and the examples of the documentation."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from schema2model.extras import needs

pytest.importorskip(
    "opentelemetry.sdk", reason="needs OpenTelemetry: pip install opentelemetry-sdk"
)


PAGE = Path(__file__).parents[2] / "docs" / "telemetry.md"


def run(code: str) -> str:
    """What a program of its own prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)  # noqa: S603
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def test_only_telemetry_imports_opentelemetry() -> None:
    """Importing the package does not, nor making and calling tools."""
    code = """if True:
        import sys
        from schema2model import Tool, Toolset, compile_schema
        def f(a: int) -> int:
            return a
        Toolset([f]).prepare("f", {"a": "1"}).call()
        print([name for name in sys.modules if name.startswith("opentelemetry")])
    """
    assert run(code) == "[]"


def test_without_the_package_the_extra_is_named() -> None:
    """One line says what to install."""
    code = """if True:
        import sys
        sys.modules["opentelemetry"] = None
        try:
            import schema2model.telemetry
        except ImportError as error:
            print(error)
    """
    assert run(code).endswith(f"this {needs('otel')}")


def test_an_sdk_may_be_set_up_later() -> None:
    """Tools are made when modules are imported, which is before."""
    code = """if True:
        from opentelemetry import metrics
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import InMemoryMetricReader
        from schema2model import Tool
        from schema2model.telemetry import instrument
        def f(a: int) -> int:
            return a
        tool = instrument(Tool.from_function(f))
        tool.call({"a": 1})
        reader = InMemoryMetricReader()
        metrics.set_meter_provider(MeterProvider([reader]))
        tool.call({"a": "1"})
        (resource,) = reader.get_metrics_data().resource_metrics
        (scope,) = resource.scope_metrics
        print(scope.scope.name, sorted(metric.name for metric in scope.metrics))
    """
    names = ["gen_ai.execute_tool.duration", "schema2model.calls", "schema2model.changes"]
    assert run(code) == f"schema2model {names}"


BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_the_documentation_runs_as_it_stands(number: int) -> None:
    """Each block does what it asserts, copied into a file of its own."""
    assert run(BLOCKS[number]) == ""


def test_the_documentation_has_examples() -> None:
    """Which the test before this one has run."""
    assert len(BLOCKS) >= 3
