"""Holds any program to the cases of `tests/data`.

python -m tests.conformance COMMAND…

The program reads a request a line from standard input and answers with a line on standard output;
`tests/data/README.md` describes both. The exit status is 0 if all answers are right, 1 if not, and
2 if the program cannot be started.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any, TextIO

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from cases import Case, cases, files, judge

MAX_RESTARTS = 10
"""Maximum restarts of a program that dies or hangs; the other requests then get no answer."""

MAX_SHOWN = 200
"""Maximum characters of an answer in the report."""

OUTCOMES = ("right", "wrong", "refused", "failed")
"""`refused` is a refusal where a result is expected, `failed` no answer at all."""


class FailedError(Exception):
    """A request has no answer, for the reason given."""


class Program:
    """A program that answers one request at a time."""

    def __init__(self, command: list[str], timeout: float) -> None:
        self._command = command
        self._timeout = timeout
        self._starts = 0
        self._start()

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a request.

        Raises:
            FailedError: if there is none within the timeout, or if it is not an answer to this.

        """
        if self._process.poll() is not None:
            self._restart()
        with contextlib.suppress(OSError):  # of a program that is dead: it gives no answer either
            self._requests.write(json.dumps(request) + "\n")
            self._requests.flush()
        try:
            return _parsed(self._answers.get(timeout=self._timeout), request["id"])
        except queue.Empty:
            self.close()
            message = f"no answer in {self._timeout:g} seconds"
            raise FailedError(message) from None
        except FailedError:
            self.close()  # what it writes next may be the answer to another request
            raise

    def close(self) -> None:
        """End the program and the processes that it started, whatever they do."""
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()

    def _restart(self) -> None:
        if self._starts > MAX_RESTARTS:
            message = f"the program was started {self._starts} times"
            raise FailedError(message)
        self.close()
        self._start()

    def _start(self) -> None:
        self._starts += 1
        self._process = subprocess.Popen(  # noqa: S603 - the command is the user's own
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        assert self._process.stdin is not None
        self._requests = self._process.stdin
        self._answers: queue.Queue[str | None] = queue.Queue(maxsize=1)
        ends = (self._process.stdout, self._answers)
        threading.Thread(target=_read, args=ends, daemon=True).start()


def _read(stream: TextIO, lines: queue.Queue[str | None]) -> None:
    """Hand over the lines of a stream, and None at its end."""
    with contextlib.suppress(OSError, ValueError):
        for line in stream:
            lines.put(line)
    lines.put(None)


def _parsed(line: str | None, identifier: str) -> dict[str, Any]:
    """Return an answer that is a JSON object with the id of its request."""
    if line is None:
        message = "the program has ended"
        raise FailedError(message)
    try:
        answer = json.loads(line)
    except ValueError:
        answer = None
    if not isinstance(answer, dict) or answer.get("id") != identifier:
        message = f"not an answer to this request: {line.strip()[:80]}"
        raise FailedError(message)
    return answer


def outcome_of(program: Program, case: Case, request: dict[str, Any]) -> tuple[str, str]:
    """Return the outcome of a request, and the answer in brief or why there is none."""
    try:
        answer = program.ask(request)
    except FailedError as error:
        return "failed", str(error)
    shown = {name: value for name, value in answer.items() if name != "id"}
    outcome = "failed" if "error" in answer else judge(case.expected, answer)
    return outcome, json.dumps(shown)[:MAX_SHOWN]


def report(program: Program, chosen: list[str]) -> bool:
    """Print the outcomes by file, then the failures; return whether all answers are right."""
    total: Counter[str] = Counter()
    failures = []
    print(f"{'':12}", *(f"{outcome:>8}" for outcome in OUTCOMES))
    for file in chosen:
        counts: Counter[str] = Counter()
        for case in cases(file):
            for request in case.requests():
                outcome, detail = outcome_of(program, case, request)
                counts[outcome] += 1
                if outcome != "right":
                    failures.append(f"{outcome}: {file}: {request['id']}\n    {detail}")
        print(f"{file:12}", *(f"{counts[outcome]:8}" for outcome in OUTCOMES), flush=True)
        total += counts
    print(f"{'all':12}", *(f"{total[outcome]:8}" for outcome in OUTCOMES))
    for failure in failures:
        print(failure)
    return not failures


def main() -> int:
    """Run the command line and return the exit status."""
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("--timeout", type=float, default=10.0, help="seconds for each answer")
    parser.add_argument(
        "--file", action="append", choices=files(), help="a file of cases; all by default"
    )
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the program and its arguments")
    options = parser.parse_args()
    if not options.command:
        parser.error("name the program to run")
    try:
        program = Program(options.command, options.timeout)
    except OSError as error:
        print(f"cannot start {options.command[0]}: {error}", file=sys.stderr)
        return 2
    with contextlib.closing(program):
        return 0 if report(program, options.file or files()) else 1


if __name__ == "__main__":
    sys.exit(main())
