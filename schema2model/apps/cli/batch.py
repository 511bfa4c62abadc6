"""`schema2model batch`: correct recorded calls by the million, and count them."""

from __future__ import annotations

import contextlib
import signal
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from schema2model.apps.cli.options import (
    FILE,
    NumberRange,
    argument,
    coercion_option,
    command,
    dialect_option,
    flag,
    option,
    unknown_arguments_option,
    usage_error,
)
from schema2model.apps.cli.output import InputError
from schema2model.apps.cli.printer import write_report
from schema2model.apps.cli.progress_text import RunReport, RunWords
from schema2model.apps.cli.schemas import definitions_in
from schema2model.coercions import Preset
from schema2model.extras import needs
from schema2model.faults import describe_error
from schema2model.json.quoting import quoted

if TYPE_CHECKING:
    from schema2model.apps.batch.corrector import Corrector
    from schema2model.apps.batch.inputs import FileFormat, Source
    from schema2model.schema.undeclared import UnknownArguments

__all__ = ["batch"]

MAX_NAMED = 20
"""Columns that a message names."""

_EPILOG = """\b
Examples:
  Correct recorded calls, conversations or texts; the layout is found from the rows:
    schema2model batch calls.jsonl --tools tools.json -o corrected
  Chat logs of any provider, each with the tools that were offered:
    schema2model batch 'logs/*.jsonl.gz' --tools-column tools -o corrected
  Name the layout and the columns:
    schema2model batch calls.parquet --tools tools.json -o corrected \\
      --layout calls --tool-column function --arguments-column payload
  The same plan on a Ray cluster, which shares the store:
    schema2model batch s3://bucket/calls/ --tools tools.json -o s3://bucket/out --runner ray

\b
Exit codes:
  0  the output is complete
  1  it is, and more rows were refused than --max-refused allows
  2  no output: the command line, a schema file or an input is wrong, or the run was
     broken off; started again, it goes on where it was
  3  the output is complete, but no call was found in it, or more than half were refused for one
     reason; standard error says what the cure may be
"""


_COLUMN = "_column"


def _column(help: str) -> Any:  # noqa: A002 - click's word
    return option(metavar="NAME", help=f"The column {help}")


@dataclass(frozen=True, kw_only=True)
class BatchOptions:
    """Recorded calls, where rows have what, and how they are corrected."""

    inputs: tuple[str, ...] = argument(nargs=-1, required=True, metavar="INPUT...")
    output: str = option(
        "-o", "--output", required=True, metavar="FOLDER", help="A folder, or a store's URL."
    )
    input_format: FileFormat | None = option(
        type=click.Choice(["jsonl", "json", "csv", "tsv", "text", "parquet"]),
        help="The format of all inputs.  [default: by the ending of each name]",
    )
    tools: Path | None = option(
        type=FILE,
        metavar="FILE",
        help="The tools that are called, as for 'schema2model validate --schema'.",
    )
    tools_column: str | None = _column(
        "of the tools that were offered with a row; they come before those of --tools."
    )
    layout: Literal["auto", "calls", "chat", "text"] = option(
        type=click.Choice(["auto", "calls", "chat", "text"]),
        default="auto",
        show_default=True,
        help="What a row is: a call; a conversation, a request or a response of OpenAI, Anthropic "
        "or Gemini; or what a model wrote, with calls in any format. auto finds it from the first "
        "rows, as it finds every column that is not named.",
    )
    tool_column: str | None = _column("of the tool's name.")
    arguments_column: str | None = _column("of a call's arguments.")
    messages_column: str | None = _column("of a conversation, a request or a response.")
    text_column: str | None = _column("of what a model wrote.")
    model_column: str | None = _column("of the model's name, by which calls are counted.")
    id_column: str | None = _column("of the id of the row or its conversation, which reports show.")
    prefix: str = option(
        metavar="TEXT", default="", help="What the names of the added columns begin with."
    )
    coercion: Preset = coercion_option()
    unknown_arguments: UnknownArguments = unknown_arguments_option()
    dialect: str | None = dialect_option()
    formats: Literal["annotate", "assert"] | None = option(
        type=click.Choice(["annotate", "assert"]), help='Whether "format" is checked.'
    )
    runner: Literal["native", "ray"] = option(
        type=click.Choice(["native", "ray"]),
        default="native",
        show_default=True,
        help="Processes of this machine, or a Ray cluster.",
    )
    address: str | None = option(
        metavar="ADDRESS", help="The address of the Ray cluster.  [default: one started here]"
    )
    workers: int | None = option(
        type=click.IntRange(1), help="Maximum number of processes.  [default: one a processor]"
    )
    part_size: int = option(
        type=click.IntRange(1),
        default=16,
        show_default=True,
        metavar="MIB",
        help="How much input is processed, and recorded as finished, at a time.",
    )
    max_refused: float = option(
        type=NumberRange(0, 1),
        default=1.0,
        show_default=True,
        metavar="SHARE",
        help="The share of the rows that may be refused; above it, the exit code is 1.",
    )
    overwrite: bool = flag("Replace the output of an earlier run, if there is one.")
    clean: bool = flag("Remove what other runs into the same output have left unfinished.")
    as_json: bool = flag(
        "Print the counts as JSON, and on standard error progress as lines of JSON.", "--json"
    )

    @property
    def columns(self) -> dict[str, str | None]:
        """The columns that are named, by the fields of `Layout`."""
        named = {name: value for name, value in vars(self).items() if name.endswith(_COLUMN)}
        return {name.removesuffix(_COLUMN): value for name, value in named.items()}


@command(BatchOptions, epilog=_EPILOG)
def batch(given: BatchOptions) -> int:
    """Correct the tool calls in every row of INPUT.

    INPUT is files, folders, globs, URLs of object stores, or "-" for standard input: JSON Lines
    (.jsonl, .ndjson, .json), a JSON list (.json), CSV, TSV, a text with calls (.txt, .log), all of
    them also .gz, .bz2, .zst, or Parquet. The output has each row as it was, with the columns
    corrected, status (unchanged, coerced, repaired, refused), changes, doubts, error, and where it
    was: source_file, source_position, source_line. It appears when it is complete, with counts in
    _summary.json. The first line on standard error says which layout was found.
    """
    if hasattr(signal, "SIGPIPE"):  # not on Windows
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # that nobody reads is no reason to die
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:  # not in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)
    corrector = _make_corrector(given)
    with _telling_what_is_wrong():
        from schema2model.apps.batch.inputs import find_sources
        from schema2model.apps.batch.running import (
            mark_useless,
            run_batch,
            sample_rows,
        )

        if "-" in given.inputs and given.runner == "ray":
            message = "A cluster cannot read standard input; write it to a file."
            raise usage_error(message)
        form = given.input_format
        files = [_standard_input(form) if place == "-" else place for place in given.inputs]
        sources = find_sources(files, form)
        rows = sample_rows(sources)
    from schema2model.apps.batch.alarms import alarm_of
    from schema2model.apps.batch.detection import find_layout

    _require_columns(rows, given.columns)
    words = RunWords(as_json=given.as_json)
    kind = None if given.layout == "auto" else given.layout
    named = {**given.columns, "prefix": given.prefix}
    found = find_layout(rows, corrector, kind=kind, given=named)
    words.say_layout(found)
    if given.tools is None and found.layout.tools is None:
        message = "Give the tools: --tools, --tools-column, or both."
        raise usage_error(message)
    for reason in corrector.broken.values():
        words.say_warning(f"{given.tools}: {reason}; its calls will be refused")
    with _telling_what_is_wrong(), words.progress() as (tell, interval):
        summary = run_batch(
            sources,
            given.output,
            corrector,
            layout=found.layout,
            part_size=given.part_size << 20,
            runner=given.runner,
            address=given.address,
            workers=given.workers,
            tell=tell,
            interval=interval,
            overwrite=given.overwrite,
        )
    _deal_with_leftovers(given.output, words, clean=given.clean)
    alarm = alarm_of(summary, corrector, found, find_layout(rows, corrector))
    if alarm:
        mark_useless(given.output)
    write_report(RunReport(summary, given.output, alarm), as_json=given.as_json)
    if alarm:
        words.say_alarm(alarm)
    return 3 if alarm else int(summary.refused_share > given.max_refused)


def _require_columns(rows: list[Any], columns: dict[str, str | None]) -> None:
    """Refuse a column that none of the first rows has."""
    seen = dict.fromkeys(name for row in rows if isinstance(row, dict) for name in row)
    for column, name in columns.items():
        if seen and name is not None and name not in seen:
            listed = ", ".join(map(quoted, [*seen][:MAX_NAMED]))
            message = (
                f"--{column}-column: none of the first {len(rows)} rows has a column "
                f"{quoted(name)}; they have {listed}"
            )
            raise InputError(message)


def _standard_input(input_format: FileFormat | None) -> Source:
    """Return a copy of standard input, which lasts as long as the command."""
    from schema2model.apps.batch.inputs import copy_of_stream

    if sys.stdin is None:
        message = "standard input is missing"
        raise InputError(message)
    folder = tempfile.TemporaryDirectory(prefix="schema2model-")
    click.get_current_context().call_on_close(folder.cleanup)
    return copy_of_stream(sys.stdin.buffer, folder.name, input_format, "-")


def _make_corrector(given: BatchOptions) -> Corrector:
    from schema2model.apps.batch.corrector import Corrector

    try:
        return Corrector(
            [] if given.tools is None else definitions_in(given.tools),
            coercion=given.coercion,
            dialect=given.dialect,
            formats=given.formats,
            unknown_arguments=given.unknown_arguments,
        )
    except ValueError as error:
        message = str(error) if given.tools is None else f"{given.tools}: {error}"
        raise InputError(message) from None


def _deal_with_leftovers(output: str, words: RunWords, *, clean: bool) -> None:
    """Name what other runs have left unfinished, with its size; or remove it."""
    from schema2model.apps.batch.unfinished_runs import (
        find_leftovers,
        remove_leftovers,
    )

    try:
        found = find_leftovers(output)
        if clean:
            remove_leftovers(found)
    except OSError as error:
        words.say_warning(f"what other runs have left cannot be removed: {describe_error(error)}")
        return
    for each in found:
        size = f"{each.size / 2**20:,.1f} MiB"
        hint = "removed" if clean else "of another run; --clean removes it"
        words.say_warning(f"Unfinished: {each.path} ({size}), {hint}")


@contextlib.contextmanager
def _telling_what_is_wrong() -> Iterator[None]:
    """End with a message where the extra is missing, or the run cannot begin or be finished."""
    try:
        yield
    except ImportError as error:
        if error.name != "pyarrow":
            raise
        message = f"this command {needs('batch')}"
        raise InputError(message) from None
    except KeyboardInterrupt:
        message = "interrupted; the same command goes on with what is finished"
        raise InputError(message) from None
    except ValueError as error:
        from schema2model.apps.batch.inputs import BatchError

        if not isinstance(error, BatchError):
            raise
        raise InputError(str(error)) from None
