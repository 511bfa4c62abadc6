"""Recorded outputs of models with their right parse: how many of them are read.

`pip install canitoolcall` (Apache-2.0), and `python -m benchmarks.recorded_outputs` prints a table:
its outputs are those of chat templates, of the tests of servers, of public reports and of models,
nine families, each with the calls that it means, or cut off or damaged so that it means none. The
format is not told, and each output is read whole and in single characters.
"""

from __future__ import annotations

import importlib
from collections import Counter
from typing import Any

from benchmarks.documents import table
from schema2model import Toolset

COLUMNS = ("right", "refused", "no call", "wrong", "run though cut off")


def verdict(fixture: Any) -> str:
    """The column of an output; a stream has to give the same calls."""
    tools = Toolset(fixture.tools)
    calls = tools.read_calls(fixture.raw_output, errors="keep")
    reader = tools.call_reader()
    for char in fixture.raw_output:
        reader.feed(char)
    reader.finish()
    if repr(reader.calls) != repr(calls):
        return "wrong"
    read = [(call.name, call.arguments) for call in calls if call.error is None]
    if fixture.expected is None:
        return "run though cut off" if read else "right"
    meant = [(call.name, call.arguments) for call in fixture.expected.tool_calls]
    if read == meant:
        return "right"
    if any(call not in meant for call in read):
        return "wrong"
    return "refused" if len(calls) > len(read) else "no call"


def main() -> None:
    """Print the table."""
    found: dict[str, Counter[str]] = {}
    for fixture in importlib.import_module("canitoolcall.fixtures").load_fixtures():
        found.setdefault(fixture.family, Counter())[verdict(fixture)] += 1
    found["all"] = sum(found.values(), Counter())
    rows = [
        [family, str(counts.total()), *(str(counts[each]) for each in COLUMNS)]
        for family, counts in found.items()
    ]
    print(table(["", "outputs", *COLUMNS], rows))


if __name__ == "__main__":
    main()
