"""Bowtie's protocol, spoken to by hand and by Bowtie's own command line, without containers."""

from __future__ import annotations

import asyncio
import importlib.util
import io
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from forking import python
from official_suite import Suite, SuiteError, suite

from schema2model.adapters.bowtie import Harness, direct, serve

pytestmark = pytest.mark.adapters

needs_bowtie = pytest.mark.skipif(
    importlib.util.find_spec("bowtie") is None,
    reason="needs Bowtie: pip install bowtie-json-schema",
)

CASE = {
    "description": "integers",
    "schema": {"type": "integer"},
    "tests": [{"description": "", "instance": instance} for instance in (1, "1", 1.0)],
}


def answered(*lines: Any) -> list[Any]:
    """The answers to commands, each on a line of its own."""
    answers = io.StringIO()
    commands = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    serve(commands, answers)
    return [json.loads(line) for line in answers.getvalue().splitlines()]


def run(case: Any, **more: Any) -> dict[str, Any]:
    """A command to run a case."""
    return {"cmd": "run", "seq": 1, "case": {**CASE, **case, **more}}


# ----------------------------------------------------------------------------------- by hand
def test_a_conversation_from_start_to_stop() -> None:
    """Every command has its answer, but for the last; nothing is coerced."""
    started, dialect, ran = answered(
        {"cmd": "start", "version": 1},
        {"cmd": "dialect", "dialect": "http://json-schema.org/draft-07/schema#"},
        {"cmd": "run", "seq": "a", "case": CASE},
        {"cmd": "stop"},
        {"cmd": "start", "version": 1},
    )
    assert started["version"] == 1
    assert started["implementation"]["name"] == "schema2model"
    assert len(started["implementation"]["dialects"]) == 5
    assert dialect == {"ok": True}
    assert ran == {"seq": "a", "results": [{"valid": v} for v in (True, False, True)]}


@pytest.mark.parametrize(
    ("dialect", "knows_const"),
    [
        pytest.param("http://json-schema.org/draft-04/schema#", False, id="draft4"),
        pytest.param("http://json-schema.org/draft-06/schema#", True, id="draft6"),
        pytest.param("http://json-schema.org/draft-07/schema#", True, id="draft7"),
        pytest.param("https://json-schema.org/draft/2019-09/schema", True, id="2019-09"),
        pytest.param("https://json-schema.org/draft/2020-12/schema", True, id="2020-12"),
        pytest.param("openapi-3.0", True, id="openapi"),
    ],
)
def test_the_dialect_is_that_of_schemas_that_name_none(dialect: str, knows_const: bool) -> None:  # noqa: FBT001
    """Draft 4 has no `const`."""
    case = {"schema": {"const": 1}, "tests": [{"description": "", "instance": 2}]}
    _, ran = answered({"cmd": "dialect", "dialect": dialect}, run(case))
    assert ran["results"] == [{"valid": not knows_const}]


def test_references_are_found_in_the_registry() -> None:
    """And nowhere else."""
    schema = {"$ref": "http://localhost:1234/integer.json"}
    registry = {"http://localhost:1234/integer.json": {"type": "integer"}}
    with_it, without = answered(run({"schema": schema}, registry=registry), run({"schema": schema}))
    assert with_it["results"] == [{"valid": v} for v in (True, False, True)]
    assert without["seq"] == 1
    assert without["errored"] is True
    assert "http://localhost:1234/integer.json" in without["context"]["message"]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"{", id="no-json"),
        pytest.param(b"\xff", id="no-text"),
        pytest.param(b"[" * 100_000, id="deep"),
        pytest.param(b"[]", id="no-object"),
        pytest.param({"cmd": "fly"}, id="unknown"),
        pytest.param({"cmd": "dialect", "dialect": "urn:none"}, id="dialect"),
        pytest.param({"cmd": "dialect"}, id="no-dialect"),
        pytest.param({"cmd": "run", "seq": 1, "case": None}, id="no-case"),
        pytest.param(run({"schema": {"type": "nothing"}}), id="broken-schema"),
        pytest.param(run({"schema": {"pattern": "("}}), id="broken-pattern"),
        pytest.param(run({"tests": [{}]}), id="no-instance"),
        pytest.param(b'{"cmd": "run", "seq": 1, "case": {"schema": "\\ud800"}}', id="surrogate"),
    ],
)
def test_whatever_is_sent_there_is_an_answer(line: Any) -> None:
    """Errors are answers too, and the conversation goes on."""
    refused, ran = answered(line, run({}))
    assert refused["errored"] is True
    assert refused["context"]["message"]
    assert refused.get("seq", 1) == 1
    assert len(ran["results"]) == 3


def test_instances_that_are_no_plain_json_are_invalid() -> None:
    """Bowtie's messages are JSON, but Python reads more than that."""
    lines = (
        b'{"cmd":"run","seq":1,"case":{"schema":{"type":"number"},"tests":[{"instance":1e999}]}}'
    )
    assert answered(lines) == [{"seq": 1, "results": [{"valid": False}]}]


def test_a_direct_connection_answers_the_same() -> None:
    """Bowtie makes one of these, and awaits its answers."""
    connection = direct()()
    assert isinstance(connection, Harness)
    assert asyncio.run(connection.request(run({}))) == answered(run({}))[0]
    assert asyncio.run(connection.request({"cmd": "stop"})) == {}


# ---------------------------------------------------------------------------------- by Bowtie
WAYS = [
    pytest.param("direct:schema2model.adapters.bowtie:direct", id="direct"),
    pytest.param("direct:bowtie_over_stdio:direct", id="stdio"),
]


def bowtie(*arguments: str, given: str | None = None) -> str:
    """What a command of Bowtie's prints; the test's own folder is where it imports from."""
    done = subprocess.run(  # noqa: S603
        [python("bowtie._cli"), "-m", "bowtie", *arguments],
        cwd=Path(__file__).parent,
        input=given,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.fixture(scope="module")
def tests(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The official suite in files, as Bowtie takes it."""
    if pytestconfig.getoption("--no-official-suite"):
        pytest.skip("--no-official-suite was given")
    try:
        files: Suite = suite()
    except SuiteError as error:
        pytest.fail(str(error), pytrace=False)
    folder = tmp_path_factory.mktemp("suite")
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(json.dumps(content))
    return folder / "tests"


@needs_bowtie
@pytest.mark.parametrize("way", WAYS)
def test_bowties_smoke_test_works_with_every_dialect(way: str) -> None:
    """That is what it asks of a harness."""
    smoke = json.loads(bowtie("smoke", "-i", way, "--format", "json"))
    assert smoke["success"] is True
    assert set(smoke["dialects"]) == {
        "draft2020-12",
        "draft2019-09",
        "draft7",
        "draft6",
        "draft4",
    }


@needs_bowtie
@pytest.mark.parametrize("draft", ["draft4", "draft2020-12"])
def test_bowtie_finds_no_failure_in_the_official_suite(tests: Path, draft: str) -> None:
    """And each of our messages is one of its protocol's, by its own schema (`-V`).

    The verdicts of the drafts between are held without Bowtie, and its smoke test asks in all.
    """
    way = "direct:bowtie_over_stdio:direct"
    report = bowtie("suite", "-V", "-i", way, str(tests / draft))
    assert report.count('"results"') > 150
    summary = bowtie("summary", "--show", "failures", "--format", "json", given=report)
    assert json.loads(summary) == [[way, {"failed": 0, "errored": 0, "skipped": 0}]]


@needs_bowtie
def test_bowtie_shows_who_we_are() -> None:
    """With a homepage, and where to tell of problems."""
    info = json.loads(bowtie("info", "-i", WAYS[0].values[0], "--format", "json"))
    assert info["name"] == "schema2model"
    assert info["language"] == "python"
