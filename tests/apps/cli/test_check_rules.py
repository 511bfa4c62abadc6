# ruff: noqa: D103 - the names state the promises
"""Which rules `schema2model check` follows: options, settings and baselines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from checking import ERROR, MIXED, run
from click.testing import Result
from validating import Write, refused


def ids(result: Result) -> list[str]:
    """The rules of the findings in a JSON report."""
    tools = json.loads(result.stdout)["tools"]
    return [finding["rule"] for tool in tools for finding in tool["findings"]]


ALL = ["tool-name", "tool-description", "nullable-string"]


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ([], ALL),
        (["--select", "tool-name,nullable-string"], [ALL[0], ALL[2]]),
        (["--select", "tool-name", "--select", "tool-description"], ALL[:2]),
        (["--ignore", "tool-name"], ALL[1:]),
        (["--select", "tool-name", "--ignore", "tool-name"], []),
    ],
)
def test_rules_are_chosen(file: Write, options: list[str], found: list[str]) -> None:
    result = run(file(MIXED), "--json", *options)
    assert ids(result) == found
    assert result.exit_code == int("tool-name" in found)


def test_an_unknown_rule_names_the_one_that_is_meant(file: Write) -> None:
    result = run(file(MIXED), "--ignore", "tool-nam")
    assert (result.exit_code, result.stdout) == (2, "")
    assert 'unknown rule "tool-nam"; did you mean tool-name?' in result.stderr


def test_a_baseline_leaves_known_findings_out(file: Write, tmp_path: Path) -> None:
    known = str(tmp_path / "known.json")
    written = run(file(MIXED), "--baseline", known, "--update-baseline")
    assert (written.exit_code, written.stdout) == (0, "")
    assert ids(run(file(MIXED), "--baseline", known, "--json")) == []
    assert run(file(MIXED), "--baseline", known).exit_code == 0
    more = run(file([*MIXED, {**ERROR, "name": "x y"}]), "--baseline", known, "--json")
    assert (more.exit_code, ids(more)[:1]) == (1, ["tool-name"])
    assert "needs --baseline" in run(file(MIXED), "--update-baseline").stderr
    assert "is not a baseline" in refused(run(file(MIXED), "--baseline", file(MIXED)))
    missing = refused(run(file(MIXED), "--baseline", f"{known}.not"))
    assert missing.endswith("known.json.not does not exist; --update-baseline writes it\n")


@pytest.mark.parametrize("own", [False, True], ids=["pyproject", "file"])
def test_settings_stand_in_for_options(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    own: bool,  # noqa: FBT001
) -> None:
    (tmp_path / "within").mkdir()
    (tmp_path / "tools.json").write_text(json.dumps(MIXED))
    table = "" if own else "[tool.schema2model.check]\n"
    lines = 'files = ["tools.json"]\nignore = ["tool-name"]\nfail-on = "note"\n'
    path = tmp_path / ("check.toml" if own else "pyproject.toml")
    path.write_text(table + lines)
    monkeypatch.chdir(tmp_path / "within")
    options = ["--config", str(path)] if own else []
    result = run("--json", *options)
    assert (result.exit_code, ids(result)) == (1, ALL[1:])
    result = run("--json", "--ignore", "tool-description,nullable-string", *options)
    assert ids(result) == ["tool-name"]
    assert run("--fail-on", "error", *options).exit_code == 0
    path.write_text(f"{table}{lines}max-tokens = 10\n")
    assert run("--fail-on", "error", *options).exit_code == 1
    assert run("--fail-on", "error", "--max-tokens", "9999", *options).exit_code == 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ignored = []", "has no setting \"ignored\"; did you mean 'ignore'?"),
        ("ignore = 3", "ignore has to be a list of strings"),
        ("files = 3", "files has to be a list of strings"),
        ("max-tokens = true", "max-tokens has to be a number"),
        ("max-tokens = -1", "max-tokens: -1 is not in the range x>=0"),
        ('fail-on = "all"', "fail-on: 'all' is not one of 'error', 'warning', 'note', 'never'"),
        ("ignore = [", "is not TOML: "),
        ("check = 3", "the settings of check are not a table"),
    ],
)
def test_wrong_settings_are_one_line(file: Write, tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "check.toml"
    path.write_text(text)
    assert reason in refused(run(file(MIXED), "--config", str(path)))


def test_json_and_sarif_exclude_one_another(file: Write) -> None:
    result = run(file(MIXED), "--json", "--sarif")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "not both" in result.stderr
