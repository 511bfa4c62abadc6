"""A new process: what importing costs, to the first compiled schema and the first call."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
ENVIRONMENT = {k: value for k, value in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
"""Modules are compiled once, in the run before the first that counts."""
PROBE = """
import time
start = time.process_time()
{}
print(time.process_time() - start)
print(repr(result))
"""
SCHEMA = """
schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "title": "Model"}
"""
OURS = f"import schema2model{SCHEMA}compiled = schema2model.compile_schema(schema)\n"
MODEL_IN_USE = "result = model.model_validate({'a': 1}).model_dump()"
PEERS = {
    "jsonschema-rs": f"""
import jsonschema_rs
{SCHEMA}
result = jsonschema_rs.validator_for(schema).is_valid({{'a': 1}})
""",
    "jsonschema": f"""
import jsonschema
{SCHEMA}
result = jsonschema.Draft202012Validator(schema).is_valid({{'a': 1}})
""",
    "json-schema-to-pydantic": f"""
import json_schema_to_pydantic
{SCHEMA}
model = json_schema_to_pydantic.create_model(schema)
{MODEL_IN_USE}
""",
    "datamodel-code-generator": f"""
import datamodel_code_generator as generator
{SCHEMA}
config = generator.GenerateConfig(
    input_file_type=generator.InputFileType.JsonSchema,
    output_model_type=generator.DataModelType.PydanticV2BaseModel,
    formatters=[],
)
model = generator.generate_dynamic_models(schema, config=config)["Model"]
{MODEL_IN_USE}
""",
}
PYDANTIC = "import pydantic; pydantic.BaseModel; pydantic.TypeAdapter; result = None"
CALLED = "{'a': 1}"
TOOLS = """
from schema2model import Toolset
from benchmarks.tool_calls import TOOLS
definitions = [{"name": each.name, "inputSchema": each.schema} for each in TOOLS]
result = len(Toolset(definitions).definitions("openai"))
"""
COMMAND = """
import contextlib, io, sys
from schema2model.apps.cli import main
sys.argv[1:] = {}
with contextlib.redirect_stdout(io.StringIO()) as shown:
    try:
        main()
    except SystemExit:
        pass
result = shown.getvalue()[:5]
"""
CONTENDERS: dict[str, tuple[str, str, str]] = {
    "import pydantic": ("pydantic", PYDANTIC, "None"),
    "schema2model, Tool and Toolset": (
        "schema2model",
        "from schema2model import Tool, Toolset\nresult = None",
        "None",
    ),
    "schema2model, 30 tools and their definitions": ("schema2model", TOOLS, "30"),
    "command line, --help": ("click", COMMAND.format(["--help"]), "'Usage'"),
    "command line, validate --help": ("click", COMMAND.format(["validate", "--help"]), "'Usage'"),
    "pydantic-ai, Tool": ("pydantic_ai", "from pydantic_ai import Tool\nresult = None", "None"),
    "LangChain, StructuredTool": (
        "langchain_core",
        "from langchain_core.tools import StructuredTool\nresult = None",
        "None",
    ),
    "openai-agents, function_tool": (
        "agents",
        "from agents import function_tool\nresult = None",
        "None",
    ),
    "mcp, Tool": ("mcp", "from mcp.server.mcpserver.tools import Tool\nresult = None", "None"),
    "fastmcp, Tool": ("fastmcp", "from fastmcp.tools import Tool\nresult = None", "None"),
    "schema2model, first compile": ("schema2model", f"{OURS}result = None", "None"),
    "schema2model, first correct call": (
        "schema2model",
        f"{OURS}result = compiled.validate({{'a': 1}})",
        CALLED,
    ),
    "schema2model, first stringified call": (
        "schema2model",
        f'{OURS}result = compiled.validate(\'{{"a": "1"}}\')',
        CALLED,
    ),
    "schema2model, first malformed text": (
        "schema2model",
        f"{OURS}result = compiled.validate_json('{{a: 1,}}')",
        CALLED,
    ),
    "schema2model, first refused call": (
        "schema2model",
        f"{OURS}result = str(compiled.explain({{'a': 'one'}}).error)[:9]",
        "'Error par'",
    ),
    "schema2model, first .model": (
        "schema2model",
        f"{OURS}model = compiled.model\n{MODEL_IN_USE}",
        CALLED,
    ),
    "jsonschema-rs, first check": ("jsonschema_rs", PEERS["jsonschema-rs"], "True"),
    "jsonschema, first check": ("jsonschema", PEERS["jsonschema"], "True"),
    "json-schema-to-pydantic, first model": (
        "json_schema_to_pydantic",
        PEERS["json-schema-to-pydantic"],
        CALLED,
    ),
    "datamodel-code-generator, first model": (
        "datamodel_code_generator",
        PEERS["datamodel-code-generator"],
        CALLED,
    ),
}
"""What has to be installed, what is run, and what comes out."""


@pytest.mark.benchmark(group="import")
@pytest.mark.parametrize("contender", CONTENDERS)
def test_new_process(benchmark: Any, contender: str) -> None:
    """Processor time is taken inside the process, without the interpreter's own start."""
    package, code, wanted = CONTENDERS[contender]
    if find_spec(package) is None:  # importing all of them here would take long
        pytest.skip(f"{package} is not installed")
    program = PROBE.format(code)
    seconds: list[float] = []

    def run() -> None:
        done = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-W", "ignore", "-c", program],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
            env=ENVIRONMENT,
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
