"""Arguments as they are given to a command, and what became of them, in words and as JSON."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import click

from schema2model.apps.cli.output import InputError, shown, write_words
from schema2model.compiled import CompiledSchema, Explanation
from schema2model.errors import ToolError
from schema2model.json.quoting import printable, quoted
from schema2model.limits import MAX_ARGUMENTS_SIZE
from schema2model.schema.undeclared import UnknownArguments
from schema2model.tools.undeclared_refusals import undeclared_refusal
from schema2model.types import Change

__all__ = [
    "argument_text",
    "error_document",
    "explanation_document",
    "without_unknown_arguments",
    "write_explanation",
]


def argument_text(arguments: str | None) -> str | bytes:
    """Return the arguments as given, as bytes if they are not text.

    Raises:
        InputError: if there are too many on standard input.
        click.UsageError: if there are none.

    """
    if arguments not in {None, "-"}:
        try:
            arguments.encode()
        except UnicodeEncodeError:  # Python hides bytes that it cannot read in surrogates
            return os.fsencode(arguments)
        if _is_file(arguments):
            name = shlex.quote(arguments)
            write_words(
                shown(f"{name} is read as text, not as a file; to read the file, write < {name}")
            )
        return arguments
    if sys.stdin is None or (arguments is None and sys.stdin.isatty()):
        context = click.get_current_context()
        missing = context.command.params[-1].human_readable_name
        message = f"Missing argument '{missing}': give it, or pipe it in."
        raise click.UsageError(message, context)
    content = sys.stdin.buffer.read(MAX_ARGUMENTS_SIZE + 1)
    if len(content) > MAX_ARGUMENTS_SIZE:
        message = f"the arguments are larger than {MAX_ARGUMENTS_SIZE >> 20} MiB"
        raise InputError(message)
    return content


def _is_file(text: str) -> bool:
    """Return whether a text is the name of a file."""
    with contextlib.suppress(OSError, ValueError):  # it is too long, or has a NUL
        return Path(text).is_file()
    return False


def without_unknown_arguments(
    compiled: CompiledSchema, explanation: Explanation, option: UnknownArguments
) -> Explanation:
    """Return the explanation, or a refusal where the option refuses undeclared arguments."""
    if explanation.error is not None:
        return explanation
    error = undeclared_refusal(compiled.name, compiled, explanation.result, option)
    return explanation if error is None else Explanation(None, error, explanation.changes)


def write_explanation(explanation: Explanation) -> None:
    """Print what was changed, what may be misspelt, and what is wrong, on standard error."""
    for change in explanation.changes:
        write_words(_change_line(change))
    for doubt in explanation.doubts:
        write_words(printable(f"doubt: {doubt.path} is not declared; {doubt.advice}"))
    if explanation.error is not None:
        write_words(shown(str(explanation.error)))


def _change_line(change: Change) -> str:
    """Return a change in one line.

    >>> print(click.unstyle(_change_line(Change("/limit", "json_text", "10", 10))))
    /limit: json_text: "10" -> 10
    >>> edit = Change("", "repair_text", " 10,}", 'dropped "," at character 13')
    >>> print(click.unstyle(_change_line(edit)))
    the arguments: repair_text: dropped "," at character 13, in " 10,}"
    """
    place = printable(change.path) or "the arguments"
    after = "left out" if change.rule.startswith("drop_") else quoted(change.after)
    rule, before = click.style(change.rule, fg="cyan"), quoted(_spoken(change.before))
    if change.rule == "repair_text" and type(change.after) is str:  # an edit, in words
        return f"{place}: {rule}: {printable(change.after)}, in {before}"
    return f"{place}: {rule}: {before} -> {after}"


def explanation_document(explanation: Explanation) -> dict[str, Any]:
    """Return the error, the changes, and the names that may be misspelt, as JSON."""
    return {
        "error": error_document(explanation.error),
        "changes": [
            {
                "path": change.path,
                "rule": change.rule,
                "before": _spoken(change.before),
                "after": change.after,
            }
            for change in explanation.changes
        ],
        "doubts": [{"path": doubt.path, "advice": doubt.advice} for doubt in explanation.doubts],
    }


def error_document(error: ToolError | None) -> dict[str, Any] | None:
    """Return an error as JSON."""
    if error is None:
        return None
    return {
        "message": str(error),
        "issues": [
            {
                "path": issue.path,
                "keyword": issue.keyword,
                "wanted": issue.wanted,
                "expected": issue.expected,
                "found": issue.found,
                "example": issue.example,
                "advice": issue.advice,
            }
            for issue in error.issues
        ],
        "retryable": error.retryable,
    }


def _spoken(value: Any) -> Any:
    """Return a value for JSON, which has no bytes."""
    return value.decode("utf-8", "replace") if isinstance(value, (bytes, bytearray)) else value
