# ruff: noqa: D103, S603 - the names state the promises; the processes are our own
"""The promises of `schema2model codegen`: what it writes where, and its exit codes."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from forking import python

from schema2model.apps.cli.application import application

pytest.importorskip("datamodel_code_generator", reason="needs the extra codegen")

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"limit": {"type": "integer"}},
    "required": ["limit"],
}
posix = pytest.mark.skipif(os.name != "posix", reason="modes and links are those of POSIX")

TOOL = {"name": "search", "inputSchema": SCHEMA}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a tool list, in which commands run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools.json").write_text(json.dumps(TOOL))
    return tmp_path


def run(*arguments: str) -> Result:
    """`schema2model codegen` with these arguments, in this process."""
    return CliRunner().invoke(application, ["codegen", *arguments])


def refused(*arguments: str) -> str:
    """The one line that says why it writes nothing."""
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert isinstance(result.exception, SystemExit)
    assert result.stderr.count("\n") == 1
    return result.stderr


def test_a_schema_has_the_name_of_its_title_or_of_its_file(folder: Path) -> None:
    for schema, name in ((SCHEMA, "GetOrder"), ({**SCHEMA, "title": "search"}, "Search")):
        (folder / "get-order.json").write_text(json.dumps(schema))
        assert f"\nclass {name}(ToolModel):\n" in run("get-order.json").stdout


def test_all_tools_of_a_file_are_written(folder: Path) -> None:
    result = run("tools.json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "\nclass Search(ToolModel):\n" in result.stdout
    assert result.stdout.endswith('= {\n    "search": Search,\n}\n')
    tools = [{"name": name, "inputSchema": SCHEMA} for name in ("a", "b", "A")]
    (folder / "tools.json").write_text(json.dumps(tools))
    registry = run("tools.json").stdout.partition("TOOLS")[2]
    assert '{\n    "a": A,\n    "b": B,\n    "A": A2,\n}\n' in registry


ITEM: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "integer"}}}
DOCUMENTS: dict[str, tuple[Any, list[str], str]] = {
    "OpenAPI": ({"openapi": "3.1.0", "components": {"schemas": {"Item": ITEM}}}, [], ""),
    "OpenAPI, with the option": ({"openapi": "3.1.0", "components": {"schemas": {"Item": ITEM}}},
                                 ["--document"], ""),
    "Swagger": ({"swagger": "2.0", "definitions": {"Item": ITEM}}, [], ""),
    "a JSON Schema": ({"$defs": {"Item": ITEM}}, ["--document"], "--document "),
}  # fmt: skip


@pytest.mark.parametrize(("document", "options", "in_header"), DOCUMENTS.values(), ids=DOCUMENTS)
def test_a_document_has_a_class_for_each_component(
    folder: Path, document: Any, options: list[str], in_header: str
) -> None:
    (folder / "items.json").write_text(json.dumps(document))
    result = run("items.json", *options, "--coercion", "off", "-o", "items.py")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    written = (folder / "items.py").read_text()
    assert f"# Made by: schema2model codegen {in_header}items.json --coercion off\n" in written
    assert '\nclass Item(ComponentModel, coercion="off"):\n' in written
    check = run("items.json", *options, "--coercion", "off", "-o", "items.py", "--check")
    assert check.exit_code == 0


def test_a_document_may_come_from_standard_input(folder: Path) -> None:
    text = json.dumps(DOCUMENTS["OpenAPI"][0])
    result = CliRunner().invoke(application, ["codegen", "-"], input=text)
    assert (result.exit_code, "\nclass Item(ComponentModel):\n" in result.stdout) == (0, True)
    tools = CliRunner().invoke(application, ["codegen", "-"], input=json.dumps(TOOL))
    assert "\nclass Search(ToolModel):\n" in tools.stdout


def test_an_unusable_document_is_refused_in_one_line(folder: Path) -> None:
    (folder / "items.json").write_text('{"openapi": "3.1.0"}')
    assert "items.json: the document has no components" in refused("items.json")
    (folder / "items.json").write_text("[]")
    assert "not []" in refused("items.json", "--document")


def test_the_header_is_the_command_without_paths_and_times(folder: Path) -> None:
    options = ["--coercion", "lenient", "--dialect", "draft-07"]
    first = run(str(folder / "tools.json"), *options).stdout
    assert first.splitlines()[:3] == [
        "# -*- coding: utf-8 -*-",
        "",
        "# Made by: schema2model codegen tools.json --coercion lenient --dialect draft-07",
    ]
    assert str(folder) not in first
    assert run("tools.json", *options, "-o", "tools.py").exit_code == 0
    assert (folder / "tools.py").read_text() == first


@posix
@pytest.mark.parametrize(
    "name",
    [
        *('"""; import canary', "a\nimport canary", "a\rimport canary", "a\x0cimport canary"),
        *("a\u2028b\x1b", "$(id) '", "a\\", "a\x85import canary", os.fsdecode(b"\xff.json")),
        *("coding=utf-7 .json", " -*- coding: utf-16 -*-", "vim: set fileencoding=utf-7 :"),
        *("coding:\tutf-7", "encoding=rot13", "coding=unicode_escape", "!coding=cp037"),
    ],
)
def test_no_file_name_becomes_code(folder: Path, name: str) -> None:
    (folder / name).write_text(json.dumps({**SCHEMA, "description": UTF_7, "title": UTF_7}))
    (folder / "canary.py").write_text("raise SystemExit('the canary has died')")
    assert run(name, "-o", "made.py").exit_code == 0
    content = (folder / "made.py").read_bytes()
    declared, header, _ = content.split(b"\n\n", 2)
    assert declared == b"# -*- coding: utf-8 -*-"
    assert header.startswith(b"# Made by: schema2model codegen ")
    assert all(line.startswith(b"# ") for line in header.split(b"\n"))
    assert not re.search(rb"coding[:=]", header)
    assert b"\xe2\x80\xa8" not in content
    (folder / "bare.py").write_bytes(content.partition(b"\n")[2])  # as some linters leave it
    program = (
        "import warnings; warnings.simplefilter('error'); import made, bare; made.TOOLS, bare.TOOLS"
    )
    command = [python(), "-c", program]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


UTF_7 = "+ACIAIgAi-+AAo-    import canary+AAo-    +ACIAIgAi-"
"""Whoever reads it as UTF-7 reads an import."""


def test_options_are_those_of_the_classes(folder: Path) -> None:
    (folder / "tools.json").write_text(
        json.dumps({"name": "f", "inputSchema": {"properties": {"p": {"nullable": True}}}})
    )
    source = run("tools.json", "--coercion", "off", "--dialect", "openapi-3.0").stdout
    assert 'class F(ToolModel, coercion="off"):' in source
    assert '"$schema": "https://spec.openapis.org/oas/3.0/schema"' in source
    options = ["--formats", "convert", "--defaults", "fill"]
    source = run("tools.json", *options).stdout
    assert 'class F(ToolModel, formats="convert", defaults="fill"):' in source
    assert "# Made by: schema2model codegen tools.json --formats convert --defaults fill" in source


# ------------------------------------------------------------------------------------- --output
def test_a_written_module_can_be_used(folder: Path) -> None:
    result = run("tools.json", "-o", "tools.py")
    assert (result.exit_code, result.output) == (0, "")
    program = "import tools; print(tools.TOOLS['search'].model_validate({'limit': '3'}))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stdout == "limit=3\n"


@posix
def test_a_file_keeps_its_mode_and_a_link_its_target(folder: Path) -> None:
    run("tools.json", "-o", "tools.py")
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((folder / "tools.py").stat().st_mode) == 0o666 & ~umask
    (folder / "tools.py").chmod(0o640)
    (folder / "link.py").symlink_to("tools.py")
    (folder / "tools.py").write_text("")
    assert run("tools.json", "-o", "link.py").exit_code == 0
    assert (folder / "link.py").is_symlink()
    assert stat.S_IMODE((folder / "tools.py").stat().st_mode) == 0o640
    assert "class Search" in (folder / "tools.py").read_text()


def test_a_failure_leaves_what_is_there(folder: Path) -> None:
    (folder / "tools.py").write_text("old")
    (folder / "tools.json").write_text(json.dumps({"name": "f", "inputSchema": {"type": "whole"}}))
    assert 'unknown type "whole"' in refused("tools.json", "-o", "tools.py")
    assert (folder / "tools.py").read_text() == "old"
    assert {path.name for path in folder.iterdir()} == {"tools.json", "tools.py"}


@posix
def test_output_may_be_no_file(folder: Path) -> None:
    assert run("tools.json", "-o", "/dev/null").exit_code == 0
    assert not Path("/dev/null").is_file()
    assert (folder / "tools.json").exists()


# -------------------------------------------------------------------------------------- --check
def test_check_is_quiet_where_nothing_has_changed(folder: Path) -> None:
    run("tools.json", "-o", "tools.py")
    before = (folder / "tools.py").stat().st_mtime_ns
    result = run("tools.json", "-o", "tools.py", "--check")
    assert (result.exit_code, result.output) == (0, "")
    assert (folder / "tools.py").stat().st_mtime_ns == before


def test_line_ends_do_not_count(folder: Path) -> None:
    run("tools.json", "-o", "tools.py")
    content = (folder / "tools.py").read_bytes()
    (folder / "tools.py").write_bytes(content.replace(b"\n", b"\r\n"))
    assert run("tools.json", "-o", "tools.py", "--check").exit_code == 0


@pytest.mark.parametrize("change", ["schema", "module", "options", "missing", "no text"])
def test_check_exits_with_1_where_something_has(folder: Path, change: str) -> None:
    run("tools.json", "-o", "tools.py")
    options: list[str] = []
    if change == "schema":
        (folder / "tools.json").write_text(json.dumps({"name": "other", "inputSchema": SCHEMA}))
    elif change == "module":
        with (folder / "tools.py").open("a") as file:
            file.write("# by hand\n")
    elif change == "options":
        options = ["--coercion", "off"]
    elif change == "missing":
        (folder / "tools.py").unlink()
    else:
        (folder / "tools.py").write_bytes(b"\xff")
    result = run("tools.json", "-o", "tools.py", "--check", *options)
    assert result.exit_code == 1
    assert result.stdout == ""
    state = "does not exist" if change == "missing" else "is out of date"
    assert result.stderr == f"tools.py {state}; make it without --check\n"


# --------------------------------------------------------------------------------------- refusals
REFUSED: dict[str, tuple[str, str]] = {
    "not JSON": ("{", "is not JSON"),
    "no tools": ("[]", "defines no tools"),
    "a broken schema": (json.dumps({"properties": {"p": {"type": 1}}}), "/properties/p/type"),
    "no object": ('{"type": "array"}', "not an object"),
    "a remote reference": ('{"$ref": "https://example.com/a.json"}', "nothing is fetched"),
    "two of one name": (json.dumps([TOOL] * 2), 'two tools of the name "search"'),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_written_exits_with_2(folder: Path, name: str) -> None:
    content, message = REFUSED[name]
    (folder / "tools.json").write_text(content)
    assert message in refused("tools.json")


def test_an_output_that_cannot_be_written_exits_with_2(folder: Path) -> None:
    message = refused("tools.json", "-o", str(folder / "none" / "tools.py"))
    assert "cannot write" in message
    assert "no such file or folder" in message


def test_an_unknown_dialect_exits_with_2(folder: Path) -> None:
    assert 'unknown dialect "draft-1"' in refused(
        str(folder / "tools.json"), "--dialect", "draft-1"
    )


def test_json_has_the_module_and_whether_it_was_up_to_date(folder: Path) -> None:
    printed = run("tools.json").stdout
    alone = json.loads(run("tools.json", "--json").stdout)
    assert alone == {"module": printed, "output": None, "up_to_date": False}
    for is_current in (False, True):
        told = json.loads(run("tools.json", "-o", "tools.py", "--json").stdout)
        assert told == {"module": printed, "output": "tools.py", "up_to_date": is_current}
    assert (folder / "tools.py").read_text("utf-8") == printed
    (folder / "tools.py").write_text("")
    checked = run("tools.json", "-o", "tools.py", "--check", "--json")
    assert (checked.exit_code, json.loads(checked.stdout)["up_to_date"]) == (1, False)


def test_check_needs_an_output(folder: Path) -> None:
    result = run(str(folder / "tools.json"), "--check")
    assert result.exit_code == 2
    assert "--check compares with the file of --output" in result.stderr


def test_other_commands_do_not_import_the_extra() -> None:
    program = (
        "import sys; from schema2model.apps.cli.application import application;"
        "sys.exit(bool({'datamodel_code_generator', 'black'} & {*sys.modules}))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
