# ruff: noqa: D102 - the methods are the parser's
"""The promises of a report's page: nothing of the data becomes part of it; and of the command."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from html.parser import HTMLParser
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from reported import CALLS, CANARY, HOSTILE, ORDER, figures_of, hostile_rows, row

from schema2model.batch import Corrector, Layout, correct_rows
from schema2model.cli.application import application
from schema2model.coercions import coercion_rules
from schema2model.extras import DISTRIBUTION
from schema2model.reporting.figures import Figures
from schema2model.reporting.mistakes import MAX_TEXT
from schema2model.reporting.two_runs import compared_runs

REASON = 'needs the extra "report"'
pytest.importorskip("jinja2", reason=REASON)
pa = pytest.importorskip("pyarrow", reason=REASON)
pq = pytest.importorskip("pyarrow.parquet", reason=REASON)

from schema2model.batch.inputs import find_sources  # noqa: E402 - after what it needs
from schema2model.batch.running import run_batch  # noqa: E402
from schema2model.reporting.page import LABEL, page  # noqa: E402
from schema2model.reporting.text import visible  # noqa: E402

pytestmark = pytest.mark.adapters


class Outline(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: Counter[tuple[str, tuple[str, ...]]] = Counter()
        self.values: set[str] = set()
        self.text: list[str] = []
        self.others: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements[tag, tuple(name for name, _ in attrs)] += 1
        self.values.update(value or "" for _, value in attrs)

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def handle_comment(self, data: str) -> None:
        self.others.append(data)

    unknown_decl = handle_pi = handle_comment


def page_of(rows: list[dict[str, Any]], title: str = "t") -> str:
    """The page about some rows."""
    return page(figures_of(rows).document(100), title)


def test_no_element_and_no_attribute_comes_of_data() -> None:
    """A page of hostile text has the elements and attributes of one of harmless words."""
    hostile = Outline(page_of(hostile_rows(), "".join(HOSTILE.values())))
    tame = Outline(page_of(hostile_rows([f"word{i}" for i in range(len(HOSTILE))]), "title"))
    assert set(hostile.elements) == set(tame.elements)
    assert hostile.elements["script", ()] == hostile.elements["style", ()] == 1
    assert not hostile.others
    assert not [value for value in hostile.values if CANARY in value or "word" in value]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_page_shows_the_text_itself(text: str) -> None:
    """Escaped for HTML and nothing more, but for what nobody could see."""
    outline = Outline(page_of([row(text, "coerced", ("/a", "r", text, text))]))
    kept = text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + "…"
    assert visible(kept) in "".join(outline.text)
    assert all(char.isprintable() or char in "\n\t" for char in "".join(outline.text))


def test_the_policy_names_the_script_and_the_style() -> None:
    """By their hashes; everything else is forbidden, inline handlers and styles too."""
    content = page_of([row("f", "unchanged")])
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]*)"', content)
    policy = policy.replace("&#39;", "'")
    for tag in ("script", "style"):
        [text] = re.findall(f"<{tag}>(.*?)</{tag}>", content, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy


def test_a_page_of_little() -> None:
    """Says that nothing goes wrong; or that there are no calls, and has no tables then."""
    assert "Nothing goes wrong." in page_of([row(None, "unchanged", model=None)])
    empty = Outline(page_of([]))
    assert "No calls." in "".join(empty.text)
    assert not [tag for tag, _ in empty.elements if tag == "table"]


NAMES = {
    "gpt-4": "gpt-4",
    " gpt-4": '" gpt-4"',
    "gpt-4\n": '"gpt-4\\n"',
    "gpt-4\\n": '"gpt-4\\\\n"',
    '"gpt-4"': '"\\"gpt-4\\""',
    "gpt  4": "gpt  4",
    "gpt\t4": '"gpt\\t4"',
    "\u202egpt": '"\\u202egpt"',
    r"\u202egpt": r'"\\u202egpt"',
    "gpt\u200d-4": '"gpt\\u200d-4"',
    "gpt-4\u00a0": '"gpt-4\\u00a0"',
    "": '""',
    '""': r'"\"\""',
    "שלום": "שלום",
    "😀 👩‍👩‍👧‍👦🏳️‍🌈👩🏽‍💻🙂‍↔️": "😀 👩‍👩‍👧‍👦🏳️‍🌈👩🏽‍💻🙂‍↔️",
}


@pytest.mark.parametrize("name", NAMES)
def test_names_that_differ_look_different(name: str) -> None:
    """Where nobody could tell a name from another it is shown as JSON, in every table."""
    assert len(set(NAMES.values())) == len(NAMES)
    text = Outline(page_of([row(name, "unchanged", model=name)])).text
    assert text.count(NAMES[name]) == (4 if len(NAMES[name]) > LABEL else 6)
    if NAMES[name].startswith('"'):
        assert json.loads(NAMES[name]) == name


def test_a_page_says_what_its_rules_mean() -> None:
    """Those that occur, in the words of the table of rules."""
    meanings = {rule.name: rule.meaning.replace("`", "") for rule in coercion_rules()}
    text = "".join(Outline(page_of([row("f", "coerced", ("/a", "drop_null", "1", None))])).text)
    assert meanings["drop_null"] in text
    assert meanings["json_text"] not in text


def test_an_example_says_where_it_stood() -> None:
    """The model, the file and the place in it, for each."""
    rows = [
        row("f", "coerced", ("/a", "r", "1", "2"), model="m1"),
        row("f", "refused", model="m2", error="no"),
    ]
    places = [
        {"source_file": f"/data/{i}.jsonl", "source_position": 9, "source_line": 70 + i}
        for i in range(2)
    ]
    placed = [each | place for each, place in zip(rows, places, strict=True)]
    text = [each.strip() for each in Outline(page_of(placed)).text]
    for number in range(2):
        place = text.index(f"/data/{number}.jsonl, line {70 + number}")
        assert f"m{number + 1}" in text[place - 8 : place]


def test_what_is_not_listed_can_be() -> None:
    """The page says how."""
    rows = [row(f"f{i}", "unchanged") for i in range(9)]
    text = "".join(Outline(page(figures_of(rows).document(2), "t")).text)
    assert "And 7 more, which --top 9 lists." in text


def test_names_that_no_tool_has_are_apart_with_what_was_meant() -> None:
    """In none of the tables of tools, in calls of any layout."""
    unknown = 'there is no tool of the name "getWeather"'
    in_text = "There is no tool `nope`; call `search`"
    rows = [
        row("get_weather", "unchanged"),
        row("getWeather", "refused", error=unknown),
        row("nope", "refused", error=in_text),
    ]
    figures = figures_of(rows).document(50, ["search"])
    assert [(e["tool"], e["meant"], e["calls"], e["of"]) for e in figures["unknown"]] == [
        ("getWeather", "get_weather", 1, 3),
        ("nope", None, 1, 3),
    ]
    assert [each["tool"] for each in figures["tools"]] == ["get_weather"]
    assert figures["heat"]["tools"] == ["get_weather"]
    assert figures["refused"] == []
    assert figures["calls"]["refused"] == 2
    text = "".join(Outline(page(figures, "t")).text)
    assert "Probably meant" in text
    assert "no tool is like it" in text


def test_the_worst_is_first_as_far_as_it_is_certain() -> None:
    """One refused call of one is no more than a hint."""
    rows = [row("often", "refused" if i % 2 else "unchanged", error="no") for i in range(100)]
    rows += [row("once", "refused", error="no"), *[row("right", "unchanged")] * 200]
    document = figures_of(rows).document()
    assert [each["tool"] for each in document["tools"]] == ["often", "once", "right"]
    assert document["heat"]["cells"] == [
        [{"calls": 100, "refused": 50, "changed": 0}],
        [{"calls": 1, "refused": 1, "changed": 0}],
        [{"calls": 200, "refused": 0, "changed": 0}],
    ]


def luminance(colour: str) -> float:
    """How bright a colour is, by WCAG 2."""
    digits = "".join(digit * 2 for digit in colour) if len(colour) == 3 else colour
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("paper", ["paper", "raised"])
def test_what_is_drawn_stands_out(theme: int, paper: str) -> None:
    """Segments by 3:1 and text by 4.5:1 from what is behind them (WCAG 2, AA)."""
    [style] = re.findall("<style>(.*?)</style>", page_of([]), re.DOTALL)
    colours = dict(re.findall(r"--(\w+): #(\w+);", style.split(":root {")[1 + theme].split("}")[0]))
    contrasts = {}
    for name in ("unchanged", "coerced", "repaired", "refused", "ink", "faint"):
        pair = sorted(luminance(colours[each]) for each in (name, paper))
        contrasts[name] = (pair[1] + 0.05) / (pair[0] + 0.05)
    assert min(contrasts.values()) >= 3
    assert min(contrasts["ink"], contrasts["faint"]) >= 4.5


# ------------------------------------------------------------------------------------- command
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
    document = {"rows": counted or figures_of(rows).rows, "layout": layout, **more}
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
    [lost] = [e for e in entries if not e["tool"]]
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
    output = "schema2model.reporting.corrected_rows"
    monkeypatch.setattr(f"{output}.located", lambda place: ("", str(folder)))
    monkeypatch.setattr(f"{output}.find_sources", lambda places: find_sources([str(folder)]))
    done = run("s3://key:hushhush@bucket/out")
    assert done.exit_code == 0
    assert "hushhush" not in done.stdout + done.stderr


def test_rows_that_are_missing_are_noticed(tmp_path: Path) -> None:
    """There is a report of the others, and exit code 1."""
    counted = {"unchanged": 2, "coerced": 0, "repaired": 0, "refused": 0}
    folder = write_output(tmp_path / "out", [row("f", "unchanged")], counted)
    done = run(str(folder), "--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["rows"]["unchanged"] == 1
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


def test_results_that_do_not_match_have_a_section_of_their_own() -> None:
    """With each tool, and where and how its results differ from its schema."""
    output = {"properties": {"n": {"type": "integer"}}}
    tools = [{"name": "count", "inputSchema": {}, "outputSchema": output}]
    figures = Figures(Layout("chat"))
    for content in ('{"n": 1}', '{"n": "1"}', "no"):
        messages = [{"role": "function", "name": "count", "content": content}]
        [row] = correct_rows([{"messages": messages}], Corrector(tools), Layout("chat"))
        figures.add(row)
    html = page(figures.document(), "results")
    section = html[html.index('<section id="results">') :]
    assert re.search(r'<th scope="row">.*count.*</th>', section)
    assert "json_text" in section
    assert "there is no structured content" in section


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
        figures = Figures()
        for status in statuses:
            figures.add({"tool": "f", "status": status, "changes": [], "error": None})
        runs.append(figures)
    assert compared_runs(*runs, top=9)["all"]["verdict"] == verdict


def test_a_long_report_says_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While it is read, on standard error."""
    corrector = Corrector([{"name": "f", "parameters": {}}])
    source = tmp_path / "in.jsonl"
    source.write_text('{"tool": "f", "arguments": "{}"}\n' * 5000)
    run_batch([str(source)], str(tmp_path / "out"), corrector, layout=Layout(), workers=1)
    monkeypatch.setattr("schema2model.cli.report._INTERVAL", 0.0)
    done = CliRunner().invoke(application, ["report", str(tmp_path / "out"), "--json"])
    assert "4,096 of 5,000 rows" in done.stderr
