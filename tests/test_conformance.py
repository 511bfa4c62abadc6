"""The cases of `tests/data`: strict JSON, as documented, and kept by our own program."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cases import DATA, cases, files, judge

ROOT = Path(__file__).parent.parent
README = (DATA / "README.md").read_text("utf-8")
FIXTURES = DATA / "fixtures"

ECHO = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"
REFUSES = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "refused": True}), flush=True)
"""
ENDS = "import sys; sys.stdin.readline()"
HANGS = "import sys; sys.stdin.read()"
CHATTERS = "while True: print('{}', flush=True)"


def conformance(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m tests.conformance` and return what it prints."""
    command = [sys.executable, "-m", "tests.conformance", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603


def counts(output: str) -> list[int]:
    """Return how many answers are right, wrong, refused and failed."""
    line = re.search(r"^all +(\d+) +(\d+) +(\d+) +(\d+)$", output, re.MULTILINE)
    assert line is not None, output
    return list(map(int, line.groups()))


@pytest.mark.parametrize("file", files())
def test_a_file_is_strict_json_lines_as_documented(file: str) -> None:
    """No NaN, no duplicate id, no field that the README does not name, and one expectation."""

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    for line in (DATA / f"{file}.jsonl").read_bytes().splitlines():
        json.loads(line.decode("ascii"), parse_constant=refuse)
    lines = [case.line for case in cases(file)]
    assert len({line["id"] for line in lines}) == len(lines)
    for line in lines:
        assert all(f"`{name}`" in README for name in line)
        has_input = line["operation"] not in {"define", "compile"}
        assert len(line.keys() & {"input", "text", "bytes", "chunks"}) == has_input
        assert len(line.keys() & {"result", "refused"}) == 1
        assert ("tools" in line) == line["operation"].startswith("read_")


def test_the_readme_names_every_file_and_operation() -> None:
    """And no other file."""
    assert set(re.findall(r"`(\w+)\.jsonl`", README)) == set(files())
    operations = {case.operation for file in files() for case in cases(file)}
    assert all(f"| `{operation}` |" in README for operation in operations)


def test_our_own_program_conforms() -> None:
    """Every case, by the public names alone."""
    done = conformance(sys.executable, "-m", "tests.conformance.own")
    assert done.returncode == 0, done.stdout + done.stderr
    total = sum(len(case.coercions) for file in files() for case in cases(file))
    assert counts(done.stdout) == [total, 0, 0, 0]


@pytest.mark.parametrize(
    ("program", "column"),
    [
        pytest.param(ECHO, 1, id="echoes"),
        pytest.param(REFUSES, 2, id="refuses"),
        pytest.param(ENDS, 3, id="ends"),
        pytest.param(HANGS, 3, id="hangs"),
        pytest.param(CHATTERS, 3, id="chatters"),
    ],
)
def test_a_wrong_program_fails(program: str, column: int) -> None:
    """Whatever it does, the report ends, and names each case that it fails."""
    done = conformance(
        "--timeout",
        "0.05" if program is HANGS else "10",
        "--file",
        "unions",
        sys.executable,
        "-c",
        program,
    )
    assert done.returncode == 1, done.stderr
    found, unions = counts(done.stdout), cases("unions")
    right = sum(case.is_refused for case in unions) if column == 2 else 0
    assert found[column] == len(unions) - right
    assert found[0] == right
    named = re.findall(r"^(?:wrong|refused|failed): unions: (.*)$", done.stdout, re.MULTILINE)
    assert named == [case.id for case in unions if column != 2 or not case.is_refused]


def test_a_program_that_is_not_there_is_an_error() -> None:
    """Of the command line, which is neither conforming nor failing."""
    done = conformance("./no-such-program")
    assert done.returncode == 2
    assert "cannot start ./no-such-program" in done.stderr


@pytest.mark.parametrize(
    ("expected", "answer", "outcome"),
    [
        pytest.param({"result": 3}, {"result": 3}, "right", id="equal"),
        pytest.param({"result": 3}, {"result": 3.0}, "wrong", id="a float for an integer"),
        pytest.param({"result": 1}, {"result": True}, "wrong", id="a boolean for a number"),
        pytest.param(
            {"result": {"a": 1, "b": 2}}, {"result": {"b": 2, "a": 1}}, "right", id="order"
        ),
        pytest.param({"result": 3}, {"refused": True}, "refused", id="a refusal"),
        pytest.param({"result": None}, {}, "wrong", id="nothing"),
        pytest.param({"refused": True}, {"result": 3}, "wrong", id="a result"),
        pytest.param({"refused": True}, {"refused": []}, "right", id="refused"),
        pytest.param({"refused": [{"path": ""}]}, {"refused": True}, "wrong", id="no issues"),
        pytest.param({"refused": [1, 2]}, {"refused": [2, 1]}, "right", id="issues in any order"),
        pytest.param({"refused": [1]}, {"refused": [1, 2]}, "wrong", id="an issue too many"),
        pytest.param({"result": 3, "changes": []}, {"result": 3}, "wrong", id="no changes"),
    ],
)
def test_an_answer_is_judged_by_all_that_is_expected(
    expected: dict[str, object], answer: dict[str, object], outcome: str
) -> None:
    """By types and spelling of numbers, and by issues and changes where a case has them."""
    assert judge(expected, answer) == outcome


def test_fixtures_of_other_engines_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    """Whole or in chunks, with a schema or without, where they apply; and the results printed."""
    pytest.importorskip("yaml", reason="needs PyYAML")
    from tests.conformance import fixtures  # noqa: PLC0415 - needs it

    found = {each.case: (len(each.calls), each.agreeing) for each in fixtures.results(FIXTURES)}
    assert found == {
        "batch.1": (2, ["first", "third"]),
        "stream.1": (1, []),
        "stream.2": (1, ["golden"]),
    }
    fixtures.main(FIXTURES)
    said = capsys.readouterr().out.splitlines()
    assert said[2] == "| hermes | 3 | first 1, second 0, third 1, golden 1 |"
    assert said[3].startswith("hermes stream.1: [{'name': 'tide_at', 'arguments': {'days': 2}}]")
    with pytest.raises(LookupError, match="has no FAMILY"):
        list(fixtures.results(FIXTURES / "hermes"))
