"""The public benchmark judges any reader by what was meant."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from benchmarks.corruptions import REFUSE
from benchmarks.public import __main__ as command
from benchmarks.public.cases import KINDS, Case, bfcl_cases, own_cases, recorded_cases
from benchmarks.public.measure import measure
from benchmarks.public.peers import PEERS

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
CASES = [
    Case("bfcl", "correct", "as it is", SCHEMA, '{"n": 1}', {"n": 1}),
    Case("bfcl", "values", "a number as text", SCHEMA, '{"n": "1"}', {"n": 1}),
    Case("bfcl", "text", "a bracket is missing", SCHEMA, '{"n": 1', {"n": 1}),
    Case("bfcl", "to refuse", "a property is missing", SCHEMA, "{}", REFUSE),
]


def json_loads(_: dict[str, Any], text: str) -> Any:
    """A reader, as a stranger would write it."""
    return json.loads(text)


def test_a_reader_is_right_wrong_or_refuses() -> None:
    """json.loads reads what is correct, returns the string as it is, and refuses damaged text."""
    outcome = measure(json_loads, CASES)
    assert {kind: dict(outcome.of("bfcl", kind)) for kind in KINDS} == {
        "correct": {"right": 1},
        "values": {"wrong": 1},
        "text": {"refused": 1},
        "to refuse": {"wrong": 1},
    }
    assert measure(PEERS["schema2model"], CASES).of("bfcl", "values") == {"right": 1}


def test_times_are_those_of_the_reader_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the clock and the loop around it take is subtracted."""
    clock = [0.0]

    def tick() -> float:
        clock[0] += 1
        return clock[0]

    def slow(_schema: dict[str, Any], _text: str) -> None:
        clock[0] += 5

    monkeypatch.setattr("benchmarks.public.measure.time.process_time", tick)
    assert measure(slow, CASES).seconds.popitem()[1] % 5 == 0


def test_a_reader_that_takes_too_long_counts_as_one_that_refuses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One case cannot stop the benchmark."""
    monkeypatch.setattr("benchmarks.public.measure.MAX_SECONDS", 0.01)

    def endless(_: dict[str, Any], text: str) -> Any:
        while True:
            json.loads(text)

    assert measure(endless, CASES[:1]).of("bfcl", "correct") == {"refused": 1}


def test_a_missing_package_is_not_a_refusal() -> None:
    """A peer that is not installed is left out, and not judged."""

    def missing(*_: Any) -> Any:
        message = "No module named 'peer'"
        raise ModuleNotFoundError(message)

    with pytest.raises(ImportError):
        measure(missing, CASES)


@pytest.mark.parametrize("name", PEERS)
def test_a_peer_reads_what_is_correct(name: str) -> None:
    """Each is used as its documentation says: a call without a mistake has its value."""
    try:
        outcome = measure(PEERS[name], CASES[:1])
    except ImportError as error:
        pytest.skip(f"needs {error.name}")
    assert outcome.of("bfcl", "correct") == {"right": 1}


def test_the_own_cases_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Our cases are read by ourselves as they say, and are of each kind but the correct."""
    monkeypatch.setattr("benchmarks.public.measure.ROUNDS", 1)  # their time is not looked at
    cases = [*own_cases()]
    outcome = measure(PEERS["schema2model"], cases)
    kinds = {case.kind for case in cases}
    assert kinds == {"values", "text", "to refuse"}
    total = sum((outcome.of("own", kind) for kind in kinds), Counter[str]())
    assert total == {"right": len(cases)}


def test_calls_are_taken_from_cassettes(tmp_path: Path) -> None:
    """Calls of OpenAI and Anthropic, in packed and plain bodies; each once, if it is valid."""
    tool = {"name": "count", "parameters": SCHEMA}
    openai = {"tool_calls": [{"function": {"name": "count", "arguments": '{"n": 1}'}}]}
    answers = [
        ({"tools": [{"function": tool}]}, {"choices": [{"message": openai}]}),
        (
            {"tools": [{"name": "count", "input_schema": SCHEMA}]},
            {"content": [{"type": "tool_use", "name": "count", "input": {"n": 2}}]},
        ),
        ({"tools": [tool]}, {"output": [{"type": "function_call", **NAMED, "arguments": "{}"}]}),
    ]
    interactions = [
        {
            "request": {"body": json.dumps(sent)},
            "response": {"body": {"string": gzip.compress(json.dumps(answer).encode())}},
        }
        for sent, answer in [*answers, answers[0]]
    ]
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    content = yaml.safe_dump({"interactions": interactions}).encode()
    member = tarfile.TarInfo("package/cassettes/one.yaml")
    member.size = len(content)
    with tarfile.open(tmp_path / "package.tar.gz", "w:gz") as archive:
        archive.addfile(member, io.BytesIO(content))
    found = [case.meant for case in recorded_cases(tmp_path / "package.tar.gz")]
    assert found == [{"n": 1}, {"n": 2}]


NAMED = {"name": "count"}


@pytest.mark.skipif(find_spec("bfcl_eval") is None, reason="bfcl-eval is not installed")
def test_the_leaderboard_gives_cases_of_each_kind() -> None:
    """A few calls of the package are enough for all kinds."""
    assert {case.kind for case in bfcl_cases(20)} == set(KINDS)


def test_a_stranger_s_reader_is_measured(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`NAME=MODULE:FUNCTION` prints a table, and writes the counts as JSON."""
    monkeypatch.setattr(command, "bfcl_cases", lambda _: iter(CASES))
    monkeypatch.setattr(command, "own_cases", lambda: iter(()))
    file = tmp_path / "counts.json"
    command.main([f"mine={__name__}:json_loads", "schema2model", "--json", str(file)])
    assert "| mine | 100/0 | 0/100 | 0/0 | 0/100 |" in capsys.readouterr().out
    counts = json.loads(file.read_text())["readers"]["mine"]["bfcl"]["as it is, correct"]
    assert {**counts, "microseconds": 0} == {
        "kind": "correct",
        "right": 1,
        "wrong": 0,
        "refused": 0,
        "microseconds": 0,
    }


def test_a_reader_without_a_function_is_told_how_to_write_it() -> None:
    """A mistake on the command line names the form."""
    with pytest.raises(SystemExit, match="write NAME=MODULE:FUNCTION"):
        command.main(["package.module"])
