"""Count how often each rule of coercion fires on recorded calls, and how often it is correct.

`python -m benchmarks.evidence FILE...` reads JSON Lines or a JSON array, gzipped or not, of records
in one of two layouts:

- the `text` of a model, its `tools` (`name`, `parameters`), and as `expected` the correct calls:
  `name`, and for each argument the list of values that count as correct; with `""` among them, the
  argument may be left out. Published runs of the Berkeley Function Calling Leaderboard have this.
- one call: its `schema`, its `arguments` of any type, or their `text`, and as `expected` the
  intended arguments, or `"refuse"`.

A valid call is not evidence. Of every other call that all rules together correct, each rule that
changed something has fired; it is right if the result is the expected one.
"""

from __future__ import annotations

import argparse
import dataclasses
import gzip
import json
import pathlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from benchmarks.documents import table
from schema2model import Coercion, CompiledSchema, SchemaError, ToolError, Toolset, compile_schema

__all__ = ["Evidence", "Sent", "evidence", "rows", "sent_in"]

ALL_RULES = Coercion(
    **{
        field.name: field.name
        not in {"allow_inf_nan", "text_over_string", "null_words_over_string"}
        for field in dataclasses.fields(Coercion)
    }
)
"""All rules except those that change valid values."""

_PUNCTUATION = re.compile(r"[ ,./\-_*^]")


class Sent(NamedTuple):
    """A recorded call."""

    schema: Any
    arguments: Any
    is_text: bool
    is_right: Callable[[Any], bool]
    """Returns whether arguments are the intended ones."""


class Evidence(NamedTuple):
    """The counts of all rules."""

    calls: int
    """Number of calls."""
    wrong: int
    """Number of invalid ones."""
    read: int
    """Number of invalid ones that all rules together correct."""
    fired: Counter[str]
    right: Counter[str]


def rows(path: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a file."""
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    if text.lstrip().startswith("["):
        yield from json.loads(text)
    else:
        yield from (json.loads(line) for line in text.splitlines() if line.strip())


def sent_in(row: dict[str, Any]) -> Iterator[Sent]:
    """Yield the calls of a record; none if it has another layout."""
    if "schema" in row and "expected" in row:
        yield from _single(row)
    elif "text" in row and "tools" in row and row.get("expected"):
        yield from _written(row)


def _single(row: dict[str, Any]) -> Iterator[Sent]:
    expected = row["expected"]
    sent = next((row[key] for key in ("text", "arguments", "arguments_raw") if key in row), None)
    is_text = "text" in row or ("arguments_raw" in row and isinstance(sent, str))
    meant = None if expected == "refuse" else expected
    yield Sent(row["schema"], sent, is_text, lambda result: _equal(result, meant))


def _written(row: dict[str, Any]) -> Iterator[Sent]:
    schemas = {tool["name"]: tool["parameters"] for tool in row["tools"]}
    anything = [{"name": name, "parameters": {"type": "object"}} for name in schemas]
    try:
        calls = Toolset(anything).read_calls(row["text"], errors="keep")
    except (ToolError, SchemaError, ValueError):
        return
    for call in calls:
        meant = [one["arguments"] for one in row["expected"] if one["name"] == call.name]
        if call.error is None and meant:
            yield Sent(
                schemas[call.name],
                call.arguments,
                is_text=False,
                is_right=lambda result, meant=meant: any(_counts(result, one) for one in meant),
            )


def _equal(one: Any, other: Any) -> bool:
    """Return whether two values are equal as JSON."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def _counts(arguments: Any, accepted: dict[str, list[Any]]) -> bool:
    """Return whether arguments count as correct; texts compare by letters and digits."""
    return (
        isinstance(arguments, dict)
        and arguments.keys() <= accepted.keys()
        and all(
            any(_alike(arguments[name], value) for value in values)
            if name in arguments
            else "" in values
            for name, values in accepted.items()
        )
    )


def _alike(value: Any, expected: Any) -> bool:
    if isinstance(value, str) and isinstance(expected, str):
        return _letters(value) == _letters(expected)
    if isinstance(value, list) and isinstance(expected, list):
        return len(value) == len(expected) and all(map(_alike, value, expected))
    if isinstance(value, dict) and isinstance(expected, dict):
        lists = {name: v if isinstance(v, list) else [v] for name, v in expected.items()}
        return _counts(value, lists)
    return _equal(value, expected)


def _letters(text: str) -> str:
    return _PUNCTUATION.sub("", text).lower().replace("'", '"')


def evidence(sent: Iterable[Sent]) -> Evidence:
    """Count the rules that fire on calls."""
    calls = wrong = read = 0
    fired: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for one in sent:
        try:
            strict = compile_schema(one.schema, coercion="off")
            generous = compile_schema(one.schema, coercion=ALL_RULES)
        except SchemaError:
            continue
        calls += 1
        if _is_valid(strict, one):
            continue
        wrong += 1
        explain = generous.explain_json if one.is_text else generous.explain
        explanation = explain(one.arguments)
        if explanation.error is not None:
            continue
        read += 1
        rules = {change.rule for change in explanation.changes}
        fired.update(rules)
        if one.is_right(explanation.result):
            right.update(rules)
    return Evidence(calls, wrong, read, fired, right)


def _is_valid(strict: CompiledSchema, one: Sent) -> bool:
    try:
        (strict.validate_json if one.is_text else strict.validate)(one.arguments)
    except ToolError:
        return False
    return True


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])  # type: ignore[union-attr]
    parser.add_argument("files", nargs="+", type=pathlib.Path, metavar="FILE")
    options = parser.parse_args()
    found = evidence(one for path in options.files for row in rows(path) for one in sent_in(row))
    print(f"{found.calls} calls, {found.wrong} wrong, {found.read} of these read with all rules")
    lines = [
        (rule, str(times), str(found.right[rule])) for rule, times in found.fired.most_common()
    ]
    print(table(("rule", "fired", "as expected"), lines))


if __name__ == "__main__":
    main()
