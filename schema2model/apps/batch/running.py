"""A run over a whole corpus: planned, resumable, and published in one step.

The output is a folder. Until the run is complete, the folder has another name, derived from its
inputs and settings: the same run, started again, resumes there, and no other run does.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

from schema2model.apps.batch.bounded_names import shortened, whole_name
from schema2model.apps.batch.columns import ColumnsError, check_names
from schema2model.apps.batch.corrector import Corrector
from schema2model.apps.batch.detection import find_layout
from schema2model.apps.batch.inputs import (
    BatchError,
    FileFormat,
    Part,
    Source,
    filesystem_of,
    find_sources,
    located,
    plan,
)
from schema2model.apps.batch.layouts import Layout
from schema2model.apps.batch.parts import WORK, Job, first_names, first_rows
from schema2model.apps.batch.summary import Summary
from schema2model.apps.batch.workers import Runner, RunPlan, started_driver
from schema2model.extras import DISTRIBUTION, extra
from schema2model.faults import describe_error
from schema2model.limits import MAX_LISTED_TOOLS

with extra("batch"):
    import pyarrow as pa
    from pyarrow import fs

__all__ = [
    "PART_SIZE",
    "SUMMARY",
    "BatchError",
    "Progress",
    "mark_useless",
    "run_batch",
    "sample_rows",
]

PART_SIZE = 16 * 2**20
"""Bytes of input that are corrected, and recorded, at once."""

SAMPLED_ROWS = 100
SAMPLED_FILES = 10
"""Rows, and files that they are taken from, by which a layout is found."""

FIRST_PROGRESS = 2.0
"""Maximum seconds before progress is reported for the first time."""

SUMMARY = "_summary.json"
"""The file next to the parts, with the counts and the layout."""

USELESS = "useless"
"""The member of the summary of an output that the next run replaces."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run. `before` is the size that earlier attempts had finished."""

    rows: int
    rows_before: int
    size: int
    size_before: int
    total_size: int
    seconds: float

    @property
    def share(self) -> float:
        """The share of the input that is done, from 0 to 1."""
        return self.size / self.total_size if self.total_size else 1.0

    @property
    def rows_per_second(self) -> float:
        """In this attempt."""
        return (self.rows - self.rows_before) / max(self.seconds, 1e-3)

    @property
    def seconds_left(self) -> float | None:
        """At the pace of this attempt; None as long as it has none."""
        done = self.size - self.size_before
        return (self.total_size - self.size) * self.seconds / done if done > 0 else None


def run_batch(  # noqa: PLR0913 - one option, one argument
    inputs: Iterable[str | Source],
    output: str,
    corrector: Corrector,
    *,
    layout: Layout | None = None,
    runner: Runner = "native",
    address: str | None = None,
    workers: int | None = None,
    part_size: int = PART_SIZE,
    tell: Callable[[Progress], None] | None = None,
    interval: float = 5.0,
    overwrite: bool = False,
    input_format: FileFormat | None = None,
) -> Summary:
    """Correct every row of some files into a folder, which appears when it is complete.

    Each part of the input becomes a file of JSON Lines or Parquet, in the order of the input, with
    the columns that are added, and `source_file`, `source_position` and `source_line`: the byte
    where the line began (of what compressed lines are decompressed to) and its number, as
    `read_lines` has them; or the number of the row in a Parquet file, which has no lines.

    Args:
        inputs: paths, globs, folders and URLs of files of rows, or such files.
        output: path or URL of the folder, which must not exist unless it may be overwritten.
        corrector: knows the tools.
        layout: where rows have what; found from the first rows if not given.
        runner: `"native"` for processes of this machine, `"ray"` for a cluster.
        address: of the Ray cluster; one of this machine is started if not given.
        workers: the maximum number of processes; by default, the number of processors.
        part_size: in bytes; what cannot be divided is one part, however large.
        tell: is called in a thread, and at the end.
        interval: seconds between two calls of `tell`.
        overwrite: replace the output of an earlier run, once this one is complete. One that was
            marked as useless is replaced in any case.
        input_format: of all files; by default, the ending of each name shows it.

    Raises:
        BatchError: where the run cannot begin or be finished, or is interrupted.

    """
    sources = find_sources(inputs, input_format)
    layout = layout or find_layout(sample_rows(sources), corrector).layout
    with started_driver() as records_of:
        parts = plan(sources, part_size)
        store, path = located(output)
        options = [asdict(layout), corrector.fingerprint, part_size, version(DISTRIBUTION)]
        key = hashlib.sha256(json.dumps([[s.name for s in sources], options]).encode()).hexdigest()
        job = Job(corrector, layout, store, f"{path}.unfinished-{key[:16]}")
        told = json.dumps([key, [asdict(part) for part in parts]])
        about = {"layout": asdict(layout), "run": hashlib.sha256(told.encode()).hexdigest()}
        if (counted := _finished_earlier(job, path, about)) is not None:
            return counted
        _prepare(job, path, parts[:1], overwrite=overwrite)
        with _written(path):
            run = _Run(job, parts)
        todo = [part for part in parts if part.number not in run.done]
        errors: list[str] = []
        plan_left = RunPlan(job, todo, runner, address, workers)
        try:
            with run.telling(tell, interval):
                for record in records_of(plan_left) if todo else ():
                    if "error" in record:
                        errors.append(record["error"])
                    else:
                        run.add(record)
        except KeyboardInterrupt:
            kept = f"{len(run.done)} of {len(parts)} parts are finished and kept"
            message = f"interrupted; {kept}: the same command goes on from there"
            raise BatchError(message) from None
    if not errors and len(run.done) < len(parts):  # the driver may be interrupted by itself
        errors.append("Daft ended before all parts were done; the same command goes on from there")
    if errors:
        more = f"; so do {len(errors) - 1} parts more" if errors[1:] else ""
        message = f"{errors[0]}{more}; {len(run.done)} of {len(parts)} parts are finished and kept"
        raise BatchError(message)
    with _written(path):
        made = {**run.summary.document(), **about, "batch": _made(corrector, sources)}
        job.write(f"{job.directory}/{SUMMARY}", made)
        _remove_earlier(job, path)
        _finish(job, path, {SUMMARY, *(part.file_name for part in parts)})
    return run.summary


def mark_useless(output: str) -> None:
    """Mark an output as useless, so that the next run may replace it."""
    store, path = located(output)
    filesystem = filesystem_of(store)
    with _written(path):
        document = {**_read(filesystem, f"{path}/{SUMMARY}"), USELESS: True}
        with filesystem.open_output_stream(f"{path}/{SUMMARY}", compression=None) as file:
            file.write(json.dumps(document).encode())


def _remove_earlier(job: Job, path: str) -> None:
    """Delete the output that is replaced: `_prepare` has made sure that it may be."""
    filesystem = filesystem_of(job.store)
    if filesystem.get_file_info(f"{path}/{SUMMARY}").type != fs.FileType.NotFound:
        filesystem.delete_dir(path)


def _is_replaceable(job: Job, path: str, *, overwrite: bool) -> bool:
    """Return whether there is an output of an earlier run that this one may replace."""
    with contextlib.suppress(OSError, ValueError):  # it is no output
        document = _read(filesystem_of(job.store), f"{path}/{SUMMARY}")
        return isinstance(document, dict) and (overwrite or document.get(USELESS) is True)
    return False


def sample_rows(sources: list[Source]) -> list[dict[str, Any]]:
    """Return the first rows of some files."""
    step = max(len(sources) // SAMPLED_FILES, 1)
    chosen = sources[::step][:SAMPLED_FILES]
    rows: list[dict[str, Any]] = []
    for source in chosen:
        with contextlib.suppress(OSError, ValueError, BatchError, pa.ArrowException):
            # what cannot be read is told by the run
            for part in plan([source], sys.maxsize):
                rows += first_rows(part, max(SAMPLED_ROWS // len(chosen), 1))
    return rows


def _made(corrector: Corrector, sources: list[Source]) -> dict[str, Any]:
    """Return the settings and input files, without a time: equal runs have equal outputs."""
    return {
        "version": version(DISTRIBUTION),
        **corrector.options,
        "inputs": [source.name for source in sources],
        "tools": sorted(shortened(name) for name in corrector)[:MAX_LISTED_TOOLS],
    }


@contextlib.contextmanager
def _written(path: str) -> Iterator[None]:
    """Say of what goes wrong that the output cannot be written."""
    try:
        yield
    except (OSError, UnicodeError, pa.ArrowException) as error:  # the latter for impossible names
        message = f"cannot write {whole_name(path)}: {describe_error(error)}"
        raise BatchError(message) from None


def _finished_earlier(job: Job, path: str, about: dict[str, Any]) -> Summary | None:
    """Return the counts of a run that was killed after its output in a store was complete.

    What it had still to do, to remove the unfinished output, is done then.
    """
    if not job.store:
        return None
    filesystem = filesystem_of(job.store)
    with contextlib.suppress(OSError, ValueError):  # there is none, or not one of ours
        if filesystem.get_file_info(job.directory).type == fs.FileType.Directory:
            document = _read(filesystem, f"{path}/{SUMMARY}")
            if isinstance(document, dict) and document.items() >= about.items():
                summary = Summary()
                summary.add(document)
                filesystem.delete_dir(job.directory)
                return summary
    return None


def _read(filesystem: fs.FileSystem, path: str) -> Any:
    """Parse a small JSON file."""
    with filesystem.open_input_stream(path, compression=None) as file:
        return json.loads(file.read())


def _prepare(job: Job, path: str, first: list[Part], *, overwrite: bool) -> None:
    """Make the folder of the unfinished output, if nothing is in the way.

    Raises:
        BatchError: where the output exists or cannot be written, or the first row cannot be read
            or has a column of the name of one that is added.

    """
    try:
        names = [name for part in first for name in first_names(part)]
        check_names(names, job.layout, *job.source_columns())
    except ColumnsError as error:
        message = f"{first[0].name}: {error}"
        raise BatchError(message) from None
    except (OSError, ValueError, pa.ArrowException) as error:
        message = f"cannot read {whole_name(first[0].name)}: {describe_error(error)}"
        raise BatchError(message) from None
    filesystem = filesystem_of(job.store)
    with _written(path):
        places = [path, f"{path}/{SUMMARY}", f"{job.directory}/{SUMMARY}"]
        exists, counted, was_whole = (
            info.type != fs.FileType.NotFound for info in filesystem.get_file_info(places)
        )
        is_being_moved = job.store and was_whole and not counted
        exists = exists or (not job.store and os.path.lexists(path))  # a link that leads nowhere
        may_begin = not exists or is_being_moved
        if may_begin or _is_replaceable(job, path, overwrite=overwrite):
            work = f"{job.directory}/{WORK}"
            filesystem.create_dir(work)
            for info in filesystem.get_file_info(fs.FileSelector(work)):
                if not info.base_name.endswith(".done.json"):  # of an attempt that was killed
                    with contextlib.suppress(FileNotFoundError):  # it was not, but is at its end
                        filesystem.delete_file(info.path)
            return
    hint = "--overwrite replaces it" if counted else "it is not the output of an earlier run"
    message = f"{whole_name(path)} exists already, and is not overwritten; {hint}"
    raise BatchError(message)


def _finish(job: Job, path: str, names: set[str]) -> None:
    """Give the output its name: at one stroke on a disk, file by file in a store, counts last."""
    filesystem = filesystem_of(job.store)
    files = filesystem.get_file_info(fs.FileSelector(job.directory))
    others = [  # parts of inputs that have changed since
        info.base_name for info in files if info.is_file and info.base_name not in names
    ]
    if not job.store:
        for name in others:
            filesystem.delete_file(f"{job.directory}/{name}")
        filesystem.delete_dir(f"{job.directory}/{WORK}")
        filesystem.move(job.directory, path)
        return
    filesystem.create_dir(path)
    for name in others:
        with contextlib.suppress(FileNotFoundError):  # no attempt came so far as to copy it
            filesystem.delete_file(f"{path}/{name}")
    for name in sorted(names, key=lambda name: (name == SUMMARY, name)):
        filesystem.copy_file(f"{job.directory}/{name}", f"{path}/{name}")
    filesystem.delete_dir(job.directory)


class _Run:
    """The finished parts of a run, by this attempt and earlier ones."""

    def __init__(self, job: Job, parts: list[Part]) -> None:
        self.work = f"{job.directory}/{WORK}"
        self.filesystem = filesystem_of(job.store)
        self.total_size = sum(part.size for part in parts)
        self.summary = Summary()
        self.done: set[int] = set()
        self.size = 0
        planned = {part.number: asdict(part) for part in parts}
        for record in self._read(".done.json"):
            if planned.get(record["part"]["number"]) == record["part"]:
                self.add(record)
        self.rows_before = self.summary.total
        self.size_before = self.size
        self.began = time.monotonic()

    def add(self, record: dict[str, Any]) -> None:
        """Take over the record of a part that is finished."""
        self.done.add(record["part"]["number"])
        self.size += record["part"]["size"]
        self.summary.add(record)

    def _read(self, suffix: str) -> Iterator[dict[str, Any]]:
        for info in self.filesystem.get_file_info(fs.FileSelector(self.work)):
            if info.base_name.endswith(suffix):
                with contextlib.suppress(ValueError):  # it is being written, or never was in full
                    yield _read(self.filesystem, info.path)

    def progress(self) -> Progress:
        """Return the progress, with the records of workers about unfinished parts."""
        beats = []
        with contextlib.suppress(OSError):  # the next time, then
            beats = [beat for beat in self._read(".beat.json") if beat["part"] not in self.done]
        return Progress(
            rows=self.summary.total + sum(beat["rows"] for beat in beats),
            rows_before=self.rows_before,
            size=self.size + sum(beat["size"] for beat in beats),
            size_before=self.size_before,
            total_size=self.total_size,
            seconds=time.monotonic() - self.began,
        )

    @contextlib.contextmanager
    def telling(self, tell: Callable[[Progress], None] | None, interval: float) -> Iterator[None]:
        """Call `tell` every so often, and once more at the end."""
        if tell is None:
            yield
            return
        over = threading.Event()

        def watch() -> None:
            wait = min(interval, FIRST_PROGRESS)
            while not over.wait(wait):
                tell(self.progress())
                wait = interval

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
        tell(self.progress())
