"""`schema2model batch`: recorded calls by the million, corrected, told apart and counted."""

from __future__ import annotations

import contextlib
import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from schema2model.cli.options import coercion_option, dialect_option
from schema2model.cli.output import InputError, shown, write_json, write_words
from schema2model.cli.schemas import definitions_in
from schema2model.extras import needs

if TYPE_CHECKING:
    from schema2model.batch.corrector import Corrector
    from schema2model.batch.records import Layout
    from schema2model.batch.running import Progress
    from schema2model.batch.summary import Summary

__all__ = ["batch"]

_EPILOG = """\b
Examples:
  Correct a file with a call in each line, {"tool": ..., "arguments": ...}:
    schema2model batch calls.jsonl --tools tools.json -o corrected
  Chat logs of OpenAI or Anthropic, each with the tools that were offered:
    schema2model batch 'logs/*.jsonl.gz' --layout chat --tools-column tools -o corrected
  What models wrote, as it was logged, in the column "text":
    schema2model batch outputs.jsonl --layout text --tools tools.json -o corrected
  The same plan on a Ray cluster, which shares the store:
    schema2model batch s3://bucket/calls/ --tools tools.json -o s3://bucket/out --runner ray

\b
Exit codes:
  0  the output is complete
  1  it is, and more rows were refused than --max-refused allows
  2  there is no output: the command line, a schema file or an input is wrong, or the run was
     broken off; started again, it goes on where it was
"""


def _column(name: str, default: str, help: str) -> Callable[[Any], Any]:  # noqa: A002 - click's word
    return click.option(
        f"--{name}-column", name, metavar="NAME", default=default, show_default=True, help=help
    )


@click.command(epilog=_EPILOG, short_help="Correct recorded calls by the million.")
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option("-o", "--output", required=True, metavar="FOLDER", help="A folder, or a store's URL.")
@click.option(
    "--tools",
    "tools_path",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The tools that are called, as for 'schema2model validate --schema'.",
)
@click.option(
    "--tools-column",
    metavar="NAME",
    help="The column of the tools that were offered with a row; they come before those of --tools.",
)
@click.option(
    "--layout",
    "kind",
    type=click.Choice(["calls", "chat", "text"]),
    default="calls",
    show_default=True,
    help="What a row is: a call, a conversation with OpenAI's tool_calls or Anthropic's "
    "tool_use blocks, or what a model wrote, with calls in any format.",
)
@_column("tool", "tool", "Of the tool's name.")
@_column("arguments", "arguments", "Of a call's arguments.")
@_column("messages", "messages", "Of a conversation.")
@_column("text", "text", "Of what a model wrote.")
@_column("model", "model", "Of the model's name, if there is one, by which calls are counted.")
@click.option("--prefix", metavar="TEXT", default="", help="What the added columns begin with.")
@coercion_option
@dialect_option
@click.option(
    "--formats", type=click.Choice(["annotate", "assert"]), help='Whether "format" is checked.'
)
@click.option(
    "--runner",
    type=click.Choice(["native", "ray"]),
    default="native",
    show_default=True,
    help="Processes of this machine, or a Ray cluster.",
)
@click.option("--address", metavar="ADDRESS", help="Of the cluster.  [default: one started here]")
@click.option(
    "--workers",
    type=click.IntRange(1),
    help="At most so many processes.  [default: one a processor]",
)
@click.option(
    "--part-size",
    type=click.IntRange(1),
    default=16,
    show_default=True,
    metavar="MIB",
    help="Input that is worked on, and recorded as finished, at one go.",
)
@click.option(
    "--max-refused",
    type=click.FloatRange(0, 1),
    default=1.0,
    show_default=True,
    metavar="SHARE",
    help="Of all rows; if more are refused, the exit code is 1.",
)
@click.pass_context
def batch(  # noqa: PLR0913 - one for each option
    context: click.Context,
    /,
    *,
    inputs: tuple[str, ...],
    output: str,
    tools_path: Path | None,
    tools_column: str | None,
    coercion: str,
    dialect: str | None,
    formats: Literal["annotate", "assert"] | None,
    part_size: int,
    max_refused: float,
    runner: Literal["native", "ray"],
    address: str | None,
    workers: int | None,
    kind: Literal["calls", "chat", "text"],
    **columns: str,
) -> None:
    """Correct the tool calls in every row of INPUT.

    INPUT is JSONL (.jsonl, .ndjson, .json, also .gz and .zst) or Parquet: files, folders, globs,
    URLs of object stores. The output has each row as it was, with the columns corrected, status
    (unchanged, coerced, repaired, refused), changes, error, source_file and source_position. It
    appears when it is complete. The counts are printed on standard output, as JSON.
    """
    if tools_path is None and tools_column is None:
        message = "Give the tools: --tools, --tools-column, or both."
        raise click.UsageError(message, context)
    from schema2model.batch.records import Layout  # noqa: PLC0415 - other commands need not wait

    layout = Layout(kind, tools=tools_column, **columns)
    corrector = _corrector(tools_path, coercion=coercion, dialect=dialect, formats=formats)
    if hasattr(signal, "SIGPIPE"):  # not on Windows
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # a worker that is gone is no reason to die
    where = {"runner": runner, "address": address, "workers": workers}
    summary = _run(inputs, output, corrector, layout, part_size=part_size << 20, **where)
    write_json(summary.document())
    context.exit(1 if summary.refused_share > max_refused else 0)


def _corrector(path: Path | None, **options: Any) -> Corrector:
    from schema2model.batch.corrector import Corrector  # noqa: PLC0415 - as above

    definitions = [] if path is None else definitions_in(path)
    try:
        corrector = Corrector(definitions, **options)
    except ValueError as error:
        message = f"{path}: {error}"
        raise InputError(message) from None
    for reason in corrector.broken.values():
        write_words(shown(f"{path}: {reason}; its calls will be refused"))
    return corrector


def _run(
    inputs: tuple[str, ...], output: str, corrector: Corrector, layout: Layout, **options: Any
) -> Summary:
    try:
        from schema2model.batch.running import BatchError, run_batch  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        if error.name != "pyarrow":
            raise
        message = f"this command {needs('batch')}"
        raise InputError(message) from None
    is_terminal = sys.stderr is not None and sys.stderr.isatty()
    tell, interval = (_tell_person, 0.5) if is_terminal else (_tell_program, 5.0)
    try:
        return run_batch(
            inputs, output, corrector, layout=layout, tell=tell, interval=interval, **options
        )
    except BatchError as error:
        raise InputError(str(error)) from None
    finally:
        if is_terminal:
            _say("")


# ---------------------------------------------------------------------------------------- progress
def _say(text: str, *, nl: bool = True) -> None:
    """A word of how far it is; that nobody can read it any more is no reason to end."""
    with contextlib.suppress(OSError):
        click.echo(text, err=True, nl=nl)


def _tell_person(progress: Progress) -> None:
    """The line that says how far it is, in the place of the one before."""
    left = progress.seconds_left
    words = [
        f"{progress.rows:,} rows",
        f"{progress.share:.0%}",
        f"{progress.rows_per_second:,.0f} rows/s",
        "" if left is None else f"{_duration(left)} left",
    ]
    _say("\r\x1b[K" + "  ".join(words), nl=False)


def _duration(seconds: float) -> str:
    """A time as people say it.

    >>> _duration(7), _duration(125), _duration(7322)
    ('7 s', '2 min 5 s', '2 h 2 min')
    """
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    parts = [(hours, "h"), (minute, "min"), (second, "s")]
    first = next((i for i, (number, _) in enumerate(parts) if number), 2)
    return " ".join(f"{number} {unit}" for number, unit in parts[first : first + 2])


def _tell_program(progress: Progress) -> None:
    """The same as a line of JSON."""
    left = progress.seconds_left
    document = {
        "rows": progress.rows,
        "share": round(progress.share, 4),
        "rows_per_second": round(progress.rows_per_second),
        "seconds_left": None if left is None else round(left, 1),
    }
    _say(json.dumps(document))
