"""The plan by which Daft hands out parts, to processes of one machine or over a Ray cluster.

Daft has a process of its own: which runner it has is settled once for each process, what it and
Ray have to say should not mix with what we say, and its threads may be at work still when the
interpreter ends, which then ends in a crash.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import IO, Any, Literal

from pydantic_core import from_json, to_json

from schema2model.apps.batch.columns import ColumnsError
from schema2model.apps.batch.inputs import BatchError, Part
from schema2model.apps.batch.parts import Job
from schema2model.extras import needs
from schema2model.faults import describe_error
from schema2model.json.quoting import printable

__all__ = ["RunPlan", "Runner", "drive", "started_driver"]

Runner = Literal["native", "ray"]

_QUIET = {"DAFT_ANALYTICS_ENABLED": "0", "DAFT_PROGRESS_BAR": "0", "RAY_USAGE_STATS_ENABLED": "0"}
"""Telemetry of Daft and Ray is off unless the environment turns it on."""

_PATIENCE = 10.0
"""Seconds in which a cluster has to answer."""

_NOTICE = 5.0
"""Seconds in which Daft notices that a process of its own has ended, if it does."""

MAX_LINE = 200
"""Maximum characters of a line of Daft or Ray that is shown."""

_ENDED = "a worker ended as it began"

_DRIVER = "from schema2model.apps.batch.workers import drive; drive()"


@dataclass(frozen=True, slots=True)
class RunPlan:
    """The parts to process, and the number of workers: that of the processors, or fewer."""

    job: Job
    parts: Sequence[Part]
    runner: Runner = "native"
    address: str | None = None
    workers: int | None = None


@contextlib.contextmanager
def started_driver() -> Iterator[Callable[[RunPlan], Iterator[dict[str, Any]]]]:
    """Start the process that has Daft, and yield the function that has it carry out a plan.

    That process takes a second to be ready, in which the plan can be made. The function yields
    records as they come: `Job.do`'s, or one with an `error`. It raises BatchError where an extra is
    missing, the cluster does not answer, or a worker is lost.
    """
    with (
        tempfile.TemporaryFile() as words,
        subprocess.Popen(  # noqa: S603 - ourselves
            [sys.executable, "-c", _DRIVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=words,
            env={**_QUIET, **os.environ},
        ) as process,
    ):
        try:
            yield partial(_records, process, words)
        finally:
            process.kill()  # it may have no plan yet


def _records(
    process: subprocess.Popen[bytes], words: IO[bytes], plan: RunPlan
) -> Iterator[dict[str, Any]]:
    try:
        yield from _received(process, plan)
    except _RunnerError as error:
        last = _last_line(words)
        message = f"{error}{last and f': {last}'}{_kept(words)}"
        raise BatchError(message) from None
    except (OSError, EOFError):
        last = _last_line(words)
        if last.startswith(_ENDED):
            message = f"Daft was lost: {last}"
        else:
            message = f"Daft was lost: {_kept(words).removeprefix('; ') or 'no output'}"
        raise BatchError(message) from None


class _RunnerError(Exception):
    """A runner could not do its work; what it says of that is not for people who use this."""


def _last_line(words: IO[bytes]) -> str:
    """Return the last line that a runner wrote: an exception's, if it ended with one."""
    words.seek(0)
    lines = words.read().decode("utf-8", "replace").strip().splitlines()
    return printable(lines[-1])[:MAX_LINE] if lines else ""


def _kept(words: IO[bytes]) -> str:
    """Return the end of a message that names the log of Daft or Ray, or nothing if there is none.

    They are long, and of other programs, but may be all there is to know of a cluster.
    """
    words.seek(0)
    said = words.read()
    if not said.strip():
        return ""
    with tempfile.NamedTemporaryFile(prefix="schema2model-", suffix=".log", delete=False) as file:
        file.write(said)
    return f"; its own words are in {file.name}"


def _received(process: subprocess.Popen[bytes], plan: RunPlan) -> Iterator[dict[str, Any]]:
    """Yield what the driver sends until it is done, or until its pipe is closed."""
    assert process.stdin is not None  # noqa: S101 - asked for above
    assert process.stdout is not None  # noqa: S101
    with process.stdin:
        pickle.dump(plan, process.stdin)
        process.stdin.flush()
        for line in process.stdout:
            if not line.endswith(b"\n"):
                break  # it was killed while it said this
            record = from_json(line)
            if record is None:
                return
            if "failure" in record:
                raise _RunnerError(record["failure"])
            yield record
    raise EOFError


def drive() -> None:
    """Carry out the plan on standard input, and write a record a line; Daft's process does this."""
    with os.fdopen(os.dup(1), "wb", buffering=0) as told:
        os.dup2(2, 1)  # for what Daft and Ray print
        with contextlib.suppress(Exception):  # it is raised again below
            import_module("daft")  # while the plan is being made
        plan: RunPlan = pickle.load(sys.stdin.buffer)  # noqa: S301 - from our parent process
        threading.Thread(target=_end_with_input, daemon=True).start()
        if plan.runner == "native" and hasattr(os, "waitid"):  # not on Windows, and old macOS
            threading.Thread(target=_end_with_worker, daemon=True).start()
        try:
            for record in _carry_out(plan):
                told.write(record + b"\n")
            last = b"null"
        except Exception as error:  # noqa: BLE001 - whatever Daft, Ray or a worker died of
            if not isinstance(error, ModuleNotFoundError):  # of which all is said
                traceback.print_exception(error)
            last = to_json({"failure": _reason(plan, error)})
        if "ray" in sys.modules:
            sys.modules["ray"].shutdown()
        told.write(last + b"\n")
    os._exit(0)


def _end_with_input() -> None:
    """End this process with the one that began it, however that ends."""
    sys.stdin.buffer.read()
    os._exit(1)


def _end_with_worker() -> None:
    """End this process when one of Daft's has ended, and Daft did not notice.

    Daft waits forever for a process that ends before it has registered.
    """
    before = 0
    while True:
        time.sleep(_NOTICE)
        try:  # a process that has ended stays known until somebody asks for it
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            ended = None
        now = ended.si_pid if ended else 0
        if ended and now == before:
            how = "with code" if ended.si_code == os.CLD_EXITED else "by signal"
            sys.stderr.write(f"{_ENDED}, {how} {ended.si_status}\n")
            os._exit(1)
        before = now


def _reason(plan: RunPlan, error: Exception) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name in {"daft", "ray"}:
        return f"the runner {plan.runner} {needs('batch' if error.name == 'daft' else 'ray')}"
    return f"Daft cannot go on with the runner {plan.runner}: {describe_error(error)}"


def _carry_out(plan: RunPlan) -> Iterator[bytes]:
    daft = import_module("daft")

    processors = _processors(plan)
    workers = min(plan.workers or processors, processors)  # Ray would wait for more forever
    work = daft.method.batch(return_dtype=daft.DataType.binary(), batch_size=1)(_Worker.work)
    kind = daft.cls(
        type("Worker", (_Worker,), {"work": work}), max_concurrency=workers, use_process=True
    )
    frame = daft.from_pydict({"part": [to_json(part) for part in plan.parts]})
    if plan.runner == "ray":
        frame = frame.into_partitions(len(plan.parts))
    frame = frame.select(kind(plan.job).work(frame["part"]).alias("record"))
    for row in frame.iter_rows(results_buffer_size=workers):
        yield row["record"]


def _processors(plan: RunPlan) -> int:
    """Return the number of processors, after configuring Daft's runner."""
    daft = import_module("daft")

    if plan.runner == "native":
        daft.set_runner_native()
        return os.cpu_count() or 1
    ray: Any = import_module("ray")

    host, _, port = (plan.address or "").rpartition("://")[2].rpartition(":")
    if port.isdecimal():  # Ray would try for minutes
        socket.create_connection((host, int(port)), timeout=_PATIENCE).close()
    alone: dict[str, Any] = {} if plan.address else {"include_dashboard": False}
    ray.init(address=plan.address, log_to_driver=False, **alone)
    daft.set_runner_ray(noop_if_initialized=True)
    resources: dict[str, float] = ray.cluster_resources()
    return max(1, int(resources.get("CPU", 1)))


class _Worker:
    """Does parts, one at a time, in a process of its own; tools are compiled there once."""

    def __init__(self, job: Job) -> None:
        self.job = job

    def work(self, parts: Any) -> list[bytes]:
        """Return the record of each part; of one that cannot be done, why not."""
        return [to_json(self._done(Part(**from_json(part)))) for part in parts.to_pylist()]

    def _done(self, part: Part) -> dict[str, Any]:
        try:
            return self.job.do(part)
        except ColumnsError as error:
            return {"error": f"{part.name}: {error}"}
        except Exception as error:  # noqa: BLE001 - whatever Arrow may say of a file
            return {"error": f"{part.name}: {describe_error(error)}"}
