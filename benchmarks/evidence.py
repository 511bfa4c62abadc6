"""How often each rule of coercion fires on recorded calls, and how often its reading was meant.

`python -m benchmarks.evidence FILE...` reads JSON Lines or a JSON array, gzipped or not, of records
in one of two layouts. With `--write` it keeps the counts, and nothing of the records, for the table
in `docs/coercion.md`, which `python -m benchmarks.tables` writes:

- what a model wrote: `text`, the `tools` that it had (`name`, `parameters`), and as `expected` the
  calls that it should have made: `name`, and for each argument the list of values that count as
  right; `""` among them says that it may be left out. Published runs of the Berkeley Function
  Calling Leaderboard have all of this.
- one call: its `schema`, what was sent (`arguments` of any type, or their `text`), and as
  `expected` the arguments that were meant, or `"refuse"`.

A call that is valid as it was sent says nothing. Of every other one that the rules together can
read, each rule that had a part in it has fired; it was right if the result is what was expected.
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

__all__ = ["Evidence", "Sent", "counted", "evidence", "rows", "sent_in"]

COUNTS = pathlib.Path(__file__).with_name("evidence.json")

ALL_RULES = Coercion(
    **{
        field.name: field.name
        not in {"allow_inf_nan", "text_over_string", "null_words_over_string"}
        for field in dataclasses.fields(Coercion)
    }
)
"""Every rule but those by which valid values are read otherwise."""

_PUNCTUATION = re.compile(r"[ ,./\-_*^]")


class Sent(NamedTuple):
    """A call that a model sent."""

    schema: Any
    arguments: Any
    is_text: bool
    is_right: Callable[[Any], bool]
    """Whether arguments are those that were meant."""


class Evidence(NamedTuple):
    """What was found of all rules."""

    calls: int
    """All calls that were looked at."""
    wrong: int
    """Those that were not valid as they were sent."""
    read: int
    """Those of them that the rules together read."""
    fired: Counter[str]
    right: Counter[str]


def rows(path: pathlib.Path) -> Iterator[dict[str, Any]]:
    """The records of a file."""
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    if text.lstrip().startswith("["):
        yield from json.loads(text)
    else:
        yield from (json.loads(line) for line in text.splitlines() if line.strip())


def sent_in(row: dict[str, Any]) -> Iterator[Sent]:
    """The calls of a record; none where it is of another layout."""
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
    """Whether two values are the same JSON."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def _counts(arguments: Any, accepted: dict[str, list[Any]]) -> bool:
    """Whether arguments count as right, text by its letters and digits."""
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


def _alike(value: Any, wanted: Any) -> bool:
    if isinstance(value, str) and isinstance(wanted, str):
        return _letters(value) == _letters(wanted)
    if isinstance(value, list) and isinstance(wanted, list):
        return len(value) == len(wanted) and all(map(_alike, value, wanted))
    if isinstance(value, dict) and isinstance(wanted, dict):
        lists = {name: v if isinstance(v, list) else [v] for name, v in wanted.items()}
        return _counts(value, lists)
    return _equal(value, wanted)


def _letters(text: str) -> str:
    return _PUNCTUATION.sub("", text).lower().replace("'", '"')


def evidence(sent: Iterable[Sent]) -> Evidence:
    """What some calls say about the rules."""
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


def counted() -> Evidence:
    """What was found when it was last written down."""
    content = json.loads(COUNTS.read_text("utf-8"))
    rules = {name: Counter(content.pop(name)) for name in ("fired", "right")}
    return Evidence(**content, **rules)


def main() -> None:
    """Print what is found, and write it down if that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])  # type: ignore[union-attr]
    parser.add_argument("files", nargs="+", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--write", action="store_true", help=f"keep the counts in {COUNTS.name}")
    options = parser.parse_args()
    found = evidence(one for path in options.files for row in rows(path) for one in sent_in(row))
    print(f"{found.calls} calls, {found.wrong} wrong, {found.read} of these read with all rules")
    lines = [
        (rule, str(times), str(found.right[rule])) for rule, times in found.fired.most_common()
    ]
    print(table(("rule", "fired", "as expected"), lines))
    if options.write:
        COUNTS.write_text(json.dumps(found._asdict(), indent=1, sort_keys=True) + "\n", "utf-8")


if __name__ == "__main__":
    main()
