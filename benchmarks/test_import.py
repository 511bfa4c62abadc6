"""A new process: what importing costs, to the first compiled schema and the first call."""

from __future__ import annotations

import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.contenders import installed

ROOT = Path(__file__).parent.parent
SCHEMA = '{"type": "object", "properties": {"a": {"type": "integer"}}}'
PROBE = """
import time
start = time.perf_counter()
{}
print(time.perf_counter() - start)
print(repr(result))
"""
CONTENDERS: dict[str, tuple[str, str, str]] = {
    "import pydantic": (
        "pydantic",
        "import pydantic; pydantic.BaseModel; pydantic.TypeAdapter; result = None",
        "None",
    ),
    "schema2model, first compile": (
        "schema2model",
        "import schema2model; result = schema2model.compile_schema({schema}).dialect",
        "'https://json-schema.org/draft/2020-12/schema'",
    ),
    "schema2model, first correct call": (
        "schema2model",
        "import schema2model; result = schema2model.compile_schema({schema}).validate({{'a': 1}})",
        "{'a': 1}",
    ),
    "schema2model, first stringified call": (
        "schema2model",
        "import schema2model;"
        "result = schema2model.compile_schema({schema}).validate('{{\"a\": \"1\"}}')",
        "{'a': 1}",
    ),
    "schema2model, first malformed text": (
        "schema2model",
        "import schema2model;"
        "result = schema2model.compile_schema({schema}).validate_json('{{a: 1,}}')",
        "{'a': 1}",
    ),
    "schema2model, first .model": (
        "schema2model",
        "import schema2model;"
        "model = schema2model.compile_schema({schema}).model;"
        "result = model.model_validate({{'a': 1}}).model_dump()",
        "{'a': 1}",
    ),
    "jsonschema-rs, first compile": (
        "jsonschema_rs",
        "import jsonschema_rs;"
        "result = jsonschema_rs.validator_for({schema}).is_valid({{'a': 1}})",
        "True",
    ),
    "jsonschema, first compile": (
        "jsonschema",
        "import jsonschema;"
        "result = jsonschema.Draft202012Validator({schema}).is_valid({{'a': 1}})",
        "True",
    ),
    "json-schema-to-pydantic, first model": (
        "json_schema_to_pydantic",
        "import json_schema_to_pydantic as j;"
        "result = j.create_model({{**{schema}, 'title': 'A'}})(a=1).model_dump()",
        "{'a': 1}",
    ),
    "datamodel-code-generator, first model": (
        "datamodel_code_generator",
        "import datamodel_code_generator as d;"
        "config = d.GenerateConfig(input_file_type=d.InputFileType.JsonSchema,"
        " output_model_type=d.DataModelType.PydanticV2BaseModel, formatters=[]);"
        "result = d.generate_dynamic_models({schema}, config=config)['Model'](a=1).model_dump()",
        "{'a': 1}",
    ),
}
"""What has to be installed, what is run, and what comes out."""


@pytest.mark.benchmark(group="import")
@pytest.mark.parametrize("contender", CONTENDERS)
def test_new_process(benchmark: Any, contender: str) -> None:
    """The time is taken inside the process, without the interpreter's own start."""
    package, code, wanted = CONTENDERS[contender]
    installed(package)
    program = PROBE.format(code.format(schema=SCHEMA))
    seconds: list[float] = []

    def run() -> None:
        done = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-W", "ignore", "-c", program],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
        )
        taken, result = done.stdout.splitlines()
        assert result == wanted
        seconds.append(float(taken))

    run()
    seconds.clear()
    benchmark.pedantic(run, rounds=9 if benchmark.enabled else 1)
    quartiles = statistics.quantiles(seconds, n=4) if len(seconds) > 1 else seconds * 3
    benchmark.extra_info |= {"case": "a new process", "contender": contender}
    benchmark.extra_info["seconds"] = quartiles
