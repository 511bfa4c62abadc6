"""The promises of `schema2model report`: what it reads, writes and refuses, and two runs."""

from __future__ import annotations

import json
import re
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from reported import CALLS, HOSTILE, ORDER, figures_of, hostile_rows, row, summary_of

from schema2model.apps.batch import Corrector, Layout
from schema2model.apps.batch.report.two_runs import compared_runs
from schema2model.apps.cli.application import application
from schema2model.extras import DISTRIBUTION

REASON = 'needs the extra "report"'
pytest.importorskip("jinja2", reason=REASON)
pa = pytest.importorskip("pyarrow", reason=REASON)
pq = pytest.importorskip("pyarrow.parquet", reason=REASON)

from outlines import Outline  # noqa: E402 - after what it needs

from schema2model.apps.batch.inputs import find_sources  # noqa: E402
from schema2model.apps.batch.running import run_batch  # noqa: E402

pytestmark = pytest.mark.adapters

BATCH = {
    "version": "1.2.3",
    "coercion": "lenient",
    "dialect": "draft7",
    "formats": None,
    "inputs": [f"/data/{i}.jsonl" for i in range(9)],
}


def write_output(
    folder: Path, rows: list[dict[str, Any]], counted: dict[str, int] | None = None, **more: Any
) -> Path:
    """A folder as `schema2model batch` leaves it."""
    folder.mkdir()
    lines = "".join(json.dumps(each) + "\n" for each in rows)
    (folder / "part-000000.jsonl").write_text(lines, "utf-8")
    layout = {"kind": "calls", "tool": "tool", "arguments": "arguments", "prefix": ""}
    document = {**summary_of(rows, Layout(**layout)).document(), "layout": layout, **more}
    document["rows"] = counted or document["rows"]
    (folder / "_summary.json").write_text(json.dumps(document))
    return folder


def run(*arguments: str) -> Result:
    """`schema2model report` in this process."""
    return CliRunner().invoke(application, ["report", *arguments])


def test_the_command_writes_a_page_or_figures(tmp_path: Path) -> None:
    """The same figures; on standard output what has no file."""
    rows = hostile_rows()
    folder = str(write_output(tmp_path / "out", rows))
    page = tmp_path / "report.html"
    done = run(folder, "-o", str(page))
    assert (done.exit_code, done.output) == (0, "")
    assert run(folder).stdout_bytes == page.read_bytes()
    printed = json.loads(run(folder, "--json", "--top", "7").stdout)
    wanted = figures_of(json.loads(json.dumps(rows))).document(7)
    assert printed["calls"] == wanted["calls"]
    assert printed["unlisted"] == wanted["unlisted"]
    assert len(printed["changed"]) == 7


def test_what_batch_writes_is_read(tmp_path: Path) -> None:
    """Lines, compressed or not, and Parquet, with a prefix and columns of any name."""
    pytest.importorskip("daft", reason='needs the extra "batch"')
    calls = [
        {"who": m, "name": "order", "sent": a if isinstance(a, str) else json.dumps(a)}
        for m, a, _ in CALLS
    ]
    lines = "".join(json.dumps(call) + "\n" for call in calls).encode()
    (tmp_path / "a.jsonl").write_bytes(lines + b'{"broken"')
    (tmp_path / "b.jsonl.zst").write_bytes(pa.compress(lines, "zstd", asbytes=True))
    pq.write_table(pa.Table.from_pylist(calls), tmp_path / "c.parquet")
    layout = Layout(tool="name", arguments="sent", model="who", prefix="s2m_")
    output = tmp_path / "out"
    summary = run_batch([str(tmp_path)], str(output), Corrector([ORDER]), layout=layout, workers=1)
    done = run(str(output), "--json")
    assert done.exit_code == 0
    document = json.loads(done.stdout)
    told = document["batch"]
    assert [Path(name).name[0] for name in told["inputs"]] == ["a", "b", "c"]
    assert (told["files"], told["coercion"], told["version"]) == (
        3,
        "default",
        version(DISTRIBUTION),
    )
    assert document["rows"] == summary.rows
    assert document["pairs"][0] == {"model": "b", "tool": "order", "calls": 12} | {
        "unchanged": 0,
        "coerced": 3,
        "repaired": 3,
        "refused": 6,
    }
    wanted = Counter(m for _, _, mistakes in CALLS for m in mistakes)
    entries = document["changed"] + document["refused"]
    found = {(e["path"], e["what"]): e["calls"] for e in entries if e["tool"]}
    assert found == {mistake: 3 * number for mistake, number in wanted.items()}
    assert all(e["tool"] for e in entries)
    [lost] = document["damaged"]
    assert lost["rows"] == 1
    assert lost["examples"][0]["sent"] == '{"broken"'


def test_it_says_how_the_calls_were_corrected(tmp_path: Path) -> None:
    """By which version and options, from which files, some of them; on the page and in JSON.

    What batch wrote before it told that is reported without.
    """
    folder = str(write_output(tmp_path / "out", [row("f", "unchanged")], batch=BATCH))
    text = "".join(Outline(run(folder, "--top", "4").stdout).text)
    told = [folder, "schema2model 1.2.3", "lenient", "draft7", "9 files"]
    for wanted in [*told, *BATCH["inputs"][:4], "And 5 more, which --top 9 lists."]:
        assert wanted in text
    assert "/data/4.jsonl" not in text
    document = json.loads(run(folder, "--json", "--top", "4").stdout)
    assert document["output"] == folder
    assert document["batch"] == {**BATCH, "inputs": BATCH["inputs"][:4], "files": 9}
    assert "tools" not in document["batch"]
    older = str(write_output(tmp_path / "older", [row("f", "unchanged")]))
    assert json.loads(run(older, "--json").stdout)["batch"] is None
    assert run(older).exit_code == 0


def test_hostile_words_of_a_run_are_text(tmp_path: Path) -> None:
    """Whatever is in the summary, and whatever the folder is called."""
    text = HOSTILE["script"]
    batch = dict.fromkeys(BATCH, text) | {"coercion": [text], "inputs": [text] * 2}
    folder = write_output(tmp_path / "<b>out", [row("f", "unchanged")], batch=batch)
    outline = Outline(run(str(folder)).stdout)
    assert outline.elements["script", ()] == 1
    assert not outline.elements["b", ()]
    assert "".join(outline.text).count(text) == 6


def test_secrets_of_a_url_are_not_shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """On a page that others will see."""
    folder = write_output(tmp_path / "out", [row("f", "unchanged")])
    output = "schema2model.apps.batch.report.corrected_rows"
    monkeypatch.setattr(f"{output}.located", lambda place: ("", str(folder)))
    monkeypatch.setattr(f"{output}.find_sources", lambda places: find_sources([str(folder)]))
    done = run("s3://key:hushhush@bucket/out")
    assert done.exit_code == 0
    assert "hushhush" not in done.stdout + done.stderr


@pytest.mark.parametrize("url", ["s3://key:hush%2Fhush@bucket/out?wrong=1", "s3:no"])
def test_secrets_of_a_url_are_in_no_message(url: str, tmp_path: Path) -> None:
    """Nor is another path changed that cannot be read."""
    tools = tmp_path / "tools.json"
    tools.write_text('{"name": "f", "parameters": {"type": "object"}}')
    batch = ("batch", url, "--tools", str(tools), "-o", str(tmp_path / "out"))
    for command in (batch, ("report", url)):
        done = CliRunner().invoke(application, [*command])
        assert done.exit_code == 2
        assert "hush" not in done.output
        assert url.replace("key:hush%2Fhush", "…") in done.output


def test_rows_that_are_missing_are_noticed(tmp_path: Path) -> None:
    """There is a report of the others, and exit code 1."""
    counted = {"unchanged": 2, "coerced": 0, "repaired": 0, "refused": 0}
    folder = write_output(tmp_path / "out", [row("f", "unchanged")], counted)
    done = run(str(folder), "--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["rows"]["unchanged"] == 2
    assert "lacks rows that its summary counts" in done.stderr


DAMAGED = {
    "no JSON": b"{",
    "no object": b"[]",
    "no columns": b"{}",
    "a status of its own": b'{"status": "fine", "changes": [], "error": null}',
    "changes of another kind": b'{"status": "coerced", "changes": [1], "error": null}',
    "too deep": b"[" * 100_000,
    "no text": b"\xff",
}


@pytest.mark.parametrize("line", DAMAGED.values(), ids=DAMAGED)
def test_damaged_rows_are_named(tmp_path: Path, line: bytes) -> None:
    """With exit code 2, and neither traceback nor page."""
    folder = write_output(tmp_path / "out", [row("f", "unchanged")])
    with (folder / "part-000000.jsonl").open("ab") as file:
        file.write(line)
    done = run(str(folder), "-o", str(tmp_path / "page"))
    assert (done.exit_code, done.stdout) == (2, "")
    assert "row 2 of " in done.stderr
    assert not (tmp_path / "page").exists()


SUMMARIES = {
    "missing": None,
    "no JSON": b"{",
    "a list": b"[]",
    "no layout": b'{"rows": {}}',
    "another layout": b'{"rows": {}, "layout": {"kinds": 1}}',
    "too deep": b"[" * 100_000,
    "a batch of another kind": b'{"rows": {}, "layout": {}, "batch": {"version": 1}}',
    "inputs of another kind": json.dumps(
        {"rows": {}, "layout": {}, "batch": {**BATCH, "inputs": [1]}}
    ).encode(),
}


@pytest.mark.parametrize("summary", SUMMARIES.values(), ids=SUMMARIES)
def test_what_is_no_output_is_refused(tmp_path: Path, summary: bytes | None) -> None:
    """With exit code 2 and its name."""
    folder = write_output(tmp_path / "out", [])
    (folder / "_summary.json").unlink()
    if summary is not None:
        (folder / "_summary.json").write_bytes(summary)
    done = run(str(folder))
    assert (done.exit_code, done.stdout) == (2, "")
    assert "is not the output of schema2model batch" in done.stderr


@pytest.mark.parametrize(
    ("more", "said"),
    [(["--json", "-o", "x"], "leave --output out"), (["-o", "/nowhere/x"], "cannot write")],
    ids=["figures in a file", "a file that cannot be"],
)
def test_a_wrong_command_line_is_explained(tmp_path: Path, more: list[str], said: str) -> None:
    """With exit code 2."""
    folder = write_output(tmp_path / "out", [row("f", "unchanged")])
    done = run(str(folder), *more)
    assert done.exit_code == 2
    assert said in done.stderr


def test_two_runs_are_shown_side_by_side(tmp_path: Path) -> None:
    """With the tools whose difference is surest first, and a verdict that is no chance."""
    for name, wrong in (("this", 60), ("other", 20)):
        rows_of = [
            *({"tool": "f", "arguments": "{}" if i < wrong else '{"n": 1}'} for i in range(100)),
            *({"tool": "g", "arguments": '{"n": "1"}' if i < 2 else '{"n": 1}'} for i in range(50)),
        ]
        if name == "other":
            rows_of = [
                row for row in rows_of if row["tool"] == "f" or row["arguments"] != '{"n": "1"}'
            ]
        schema = {"properties": {"n": {"type": "integer"}}, "required": ["n"]}
        corrector = Corrector([{"name": each, "parameters": schema} for each in "fg"])
        source = tmp_path / f"{name}.jsonl"
        source.write_text("".join(json.dumps(row) + "\n" for row in rows_of))
        run_batch([str(source)], str(tmp_path / name), corrector, layout=Layout(), workers=1)
    arguments = ["report", str(tmp_path / "this"), "--compare", str(tmp_path / "other")]
    done = CliRunner().invoke(application, [*arguments, "--json"])
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    compared = document["compared"]
    assert compared["output"] == str(tmp_path / "other")
    assert compared["all"]["verdict"] == "worse"
    assert [(each["tool"], each["verdict"]) for each in compared["tools"]] == [
        ("f", "worse"),
        ("g", "alike"),
    ]
    assert compared["tools"][0]["this"] == {"calls": 100, "refused": 60, "changed": 0}
    assert compared["tools"][0]["other"] == {"calls": 100, "refused": 20, "changed": 0}
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", document["finished"])
    html = CliRunner().invoke(application, arguments).stdout
    assert '<section id="compared">' in html
    assert f"finished {document['finished']}" in html


@pytest.mark.parametrize(
    ("this", "other", "verdict"),
    [
        ([], [], "alike"),
        (["unchanged"], [], "alike"),
        (["refused"], ["unchanged"], "alike"),
        (["refused"] * 50, ["unchanged"] * 50, "worse"),
        (["unchanged"] * 50, ["refused"] * 50, "better"),
        (["coerced"] * 50, ["unchanged"] * 50, "worse"),
    ],
)
def test_a_verdict_needs_more_than_chance(this: list[str], other: list[str], verdict: str) -> None:
    """By the refused calls, and by the changed ones if as many are refused."""
    runs = []
    for statuses in (this, other):
        rows = [{"tool": "f", "status": each, "changes": [], "error": None} for each in statuses]
        runs.append(figures_of(rows))
    assert compared_runs(*runs, top=9)["all"]["verdict"] == verdict


def test_a_long_report_says_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While it is read, on standard error."""
    corrector = Corrector([{"name": "f", "parameters": {}}])
    source = tmp_path / "in.jsonl"
    source.write_text('{"tool": "f", "arguments": "{}"}\n' * 5000)
    run_batch([str(source)], str(tmp_path / "out"), corrector, layout=Layout(), workers=1)
    monkeypatch.setattr("schema2model.apps.cli.report._INTERVAL", 0.0)
    done = CliRunner().invoke(application, ["report", str(tmp_path / "out"), "--json"])
    assert "4,096 of 5,000 rows" in done.stderr


@pytest.mark.parametrize("name", ["none/report.html", "."])
def test_the_path_is_checked_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Before anything is read."""
    monkeypatch.chdir(tmp_path)
    done = run("no-such-output", "-o", name)
    assert done.exit_code == 2
    assert "no-such-output" not in done.stderr
    assert name in done.stderr


def test_damaged_rows_are_shown_apart(tmp_path: Path) -> None:
    """With what is wrong with them; the share of usable calls is of calls."""
    line = {"line": "{", "status": "refused", "changes": [], "error": "the line is not JSON"}
    folder = write_output(tmp_path / "out", [row("f", "unchanged"), line])
    text = run(str(folder)).stdout
    assert "1 call, 100% of them usable" in text
    assert "Damaged rows" in text
    assert "Refused most" not in text
