# ruff: noqa: D103 - the names state the promises; the processes are our own
"""The promises of runs in an object store: whole, or without counts; resumed wherever killed."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import urlopen

import pytest

from schema2model.apps.batch import correct_rows

fs = pytest.importorskip("pyarrow.fs")
pytest.importorskip("daft")

from corpora import CORRECTOR, files_of, lines, output_of, rows, without_source  # noqa: E402
from dying import dying  # noqa: E402
from ports import listening  # noqa: E402

from schema2model.apps.batch import running  # noqa: E402 - after what it needs
from schema2model.apps.batch.inputs import BatchError, filesystem_of  # noqa: E402
from schema2model.apps.batch.parts import Job  # noqa: E402
from schema2model.apps.batch.running import SUMMARY, run_batch  # noqa: E402

pytestmark = pytest.mark.adapters

PART_SIZE = 2500


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a server that speaks S3."""
    pytest.importorskip("moto.server")
    with listening(sys.executable, "-m", "moto.server", "-p", "PORT") as port:
        yield f"127.0.0.1:{port}"


@pytest.fixture
def store(server: str, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """The URL of a path in a bucket that is empty."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with urlopen(f"http://{server}/moto-api/reset", b""):
        pass
    query = f"endpoint_override={quote(server)}&scheme=http&region=us-east-1"
    filesystem, _ = fs.FileSystem.from_uri(f"s3://bucket?{query}&allow_bucket_creation=true")
    filesystem.create_dir("bucket")
    return lambda path: f"s3://bucket/{path}?{query}"


def test_an_object_store_is_read_and_written(tmp_path: Path, store: Callable[[str], str]) -> None:
    given = rows(300)
    for name, part in (("a.jsonl", given[:200]), ("b.jsonl", given[200:])):
        filesystem, path = fs.FileSystem.from_uri(store(f"in/{name}"))
        with filesystem.open_output_stream(path) as file:
            file.write(lines(part))
    summary = run_batch([store("in/*.jsonl")], store("out"), CORRECTOR, part_size=4000)
    names = [info.base_name for info in filesystem.get_file_info(fs.FileSelector("bucket/out"))]
    assert SUMMARY in names
    fs.copy_files("bucket/out", str(tmp_path), source_filesystem=filesystem)
    found = output_of(tmp_path)
    assert without_source(found) == list(correct_rows(given, CORRECTOR))
    assert {row["source_file"] for row in found} == {
        "s3://bucket/in/a.jsonl",
        "s3://bucket/in/b.jsonl",
    }
    assert summary.total == 300
    left = filesystem.get_file_info(fs.FileSelector("bucket", recursive=True))
    assert not [info.path for info in left if "unfinished" in info.path]
    with pytest.raises(BatchError, match="exists already"):
        run_batch([store("in/*.jsonl")], store("out"), CORRECTOR)


def files_in(filesystem: Any, path: str) -> list[str]:
    """The paths of all files under one."""
    selector = fs.FileSelector(path, allow_not_found=True, recursive=True)
    return sorted(info.path for info in filesystem.get_file_info(selector) if info.is_file)


def killed(moment: str, count: int, given: Path, output: str) -> None:
    """Begin a run, which is killed with all its processes at that moment."""
    done = dying(moment, count, str(given), output, str(PART_SIZE), folder=given.parent)
    assert done.returncode == -signal.SIGKILL, done.stderr


def test_a_run_into_a_store_that_was_killed_goes_on_wherever_it_was(
    tmp_path: Path, store: Callable[[str], str]
) -> None:
    """While parts are done, while they are copied to their names, and while the rest is removed."""
    given = tmp_path / "in.jsonl"
    given.write_bytes(lines(rows(300)))
    filesystem = filesystem_of(store("out"))

    def done() -> list[str]:
        return [path for path in files_in(filesystem, "bucket") if path.endswith(".done.json")]

    def moved() -> list[str]:
        return files_in(filesystem, "bucket/out")

    killed("recorded", 3, given, store("out"))
    assert len(done()) >= 3
    assert not moved()
    killed("copied", 2, given, store("out"))
    assert len(moved()) == 2
    assert f"bucket/out/{SUMMARY}" not in moved()
    unfinished = done()[0].rpartition("/_work/")[0]

    summary = run_batch([str(given)], store("out"), CORRECTOR, part_size=PART_SIZE)
    whole = run_batch([str(given)], str(tmp_path / "whole"), CORRECTOR, part_size=PART_SIZE)
    (tmp_path / "out").mkdir()
    fs.copy_files("bucket/out", str(tmp_path / "out"), source_filesystem=filesystem)
    expected, found = files_of(tmp_path / "whole"), files_of(tmp_path / "out")
    assert found == expected
    assert summary.document() == whole.document()
    assert files_in(filesystem, "bucket") == moved()

    filesystem.create_dir(unfinished)
    again = run_batch([str(given)], store("out"), CORRECTOR, part_size=PART_SIZE)
    assert again.document() == summary.document()
    assert filesystem.get_file_info(unfinished).type == fs.FileType.NotFound
    assert len(moved()) == len(expected)


def test_parts_of_an_input_that_has_changed_do_not_stay(
    tmp_path: Path, store: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = tmp_path / "in.jsonl"
    given.write_bytes(lines(rows(300)))
    filesystem = filesystem_of(store("out"))

    def finish(job: Job, path: str, names: set[str]) -> None:
        for name in names - {SUMMARY}:
            filesystem.copy_file(f"{job.directory}/{name}", f"{path}/{name}")
        raise OSError(path)

    with monkeypatch.context() as patched:
        patched.setattr(running, "_finish", finish)
        with pytest.raises(BatchError, match="cannot write"):
            run_batch([str(given)], store("out"), CORRECTOR, part_size=PART_SIZE)
    given.write_bytes(lines(rows(100)))
    run_batch([str(given)], store("out"), CORRECTOR, part_size=PART_SIZE)
    (tmp_path / "out").mkdir()
    fs.copy_files("bucket/out", str(tmp_path / "out"), source_filesystem=filesystem)
    assert without_source(output_of(tmp_path / "out")) == list(correct_rows(rows(100), CORRECTOR))


def test_files_of_others_stay_as_they_are(tmp_path: Path, store: Callable[[str], str]) -> None:
    """Although this run has begun, and what has its name since has no counts."""
    given = tmp_path / "in.jsonl"
    given.write_bytes(lines(rows(600)))
    filesystem = filesystem_of(store("out"))
    killed("recorded", 1, given, store("out"))
    with filesystem.open_output_stream("bucket/out/part-000000.jsonl") as file:
        file.write(b"{}")
    with pytest.raises(BatchError, match="exists already"):
        run_batch([str(given)], store("out"), CORRECTOR, part_size=PART_SIZE)
    with filesystem.open_input_stream("bucket/out/part-000000.jsonl") as file:
        assert file.read() == b"{}"
