"""The share of corrupted calls that each library recovers, gets wrong or refuses.

`python -m benchmarks.recovery` prints a table for the project's own tools, by corruption. A call is
recovered if the result equals the intended arguments, and wrong if other arguments are accepted.
"""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator

from benchmarks.corruptions import CORRUPTIONS, HOPELESS, REFUSE, Corruption
from benchmarks.documents import table
from benchmarks.references import coerced_by_schema
from benchmarks.schemas import same
from benchmarks.tool_calls import TOOLS, ToolCalls

__all__ = ["judged", "main", "measured", "report", "samples"]

Read = Callable[[str], Any]


# ----------------------------------------------------------------------------- who takes part
def _schema2model(schema: dict[str, Any]) -> Read:
    from schema2model import compile_schema  # noqa: PLC0415

    return compile_schema(schema).validate_json


def _json_repair(schema: dict[str, Any], mode: str) -> Read:
    import json_repair  # noqa: PLC0415

    return lambda text: json_repair.loads(text, schema=schema, schema_repair_mode=mode)


def _lax_model(schema: dict[str, Any]) -> Read:
    import json_repair  # noqa: PLC0415
    from json_schema_to_pydantic import create_model  # noqa: PLC0415

    model: Any = create_model({"title": "Arguments", **schema}, allow_undefined_type=True)

    def read(text: str) -> Any:
        arguments = model.model_validate(json_repair.loads(text))
        return arguments.model_dump(mode="json", exclude_unset=True, by_alias=True)

    return read


def _hand_written(schema: dict[str, Any]) -> Read:
    import json_repair  # noqa: PLC0415

    return lambda text: coerced_by_schema(json_repair.loads(text), schema)


def _hand_written_and_checked(schema: dict[str, Any]) -> Read:
    import jsonschema_rs  # noqa: PLC0415

    read, check = _hand_written(schema), jsonschema_rs.validator_for(schema)

    def checked(text: str) -> Any:
        arguments = read(text)
        check.validate(arguments)
        return arguments

    return checked


LIBRARIES: dict[str, Callable[[dict[str, Any]], Read]] = {
    "schema2model": _schema2model,
    "json_repair, schema": lambda schema: _json_repair(schema, "standard"),
    "json_repair, schema, salvage": lambda schema: _json_repair(schema, "salvage"),
    "json_repair + lax model": _lax_model,
    "json_repair + hand-written": _hand_written,
    "json_repair + hand-written + check": _hand_written_and_checked,
}


# ------------------------------------------------------------------------------------ judging
def samples(
    corruption: Corruption, tools: Iterable[ToolCalls] = TOOLS
) -> Iterator[tuple[dict[str, Any], str, Any]]:
    """Yield schema, text and intended arguments of each corrupted text that is not valid."""
    for tool in tools:
        validator = Draft202012Validator(tool.schema)
        for call in tool.calls:
            for text, meant in corruption(tool.schema, call):
                possible = meant is REFUSE or validator.is_valid(meant)
                as_is = meant is call and text == json.dumps(call)
                if possible and (as_is or not _valid(validator, text)):
                    yield tool.schema, text, meant


def _valid(validator: Any, text: str) -> bool:
    try:
        return bool(validator.is_valid(json.loads(text)))
    except ValueError:
        return False


def judged(read: Read, text: str, meant: Any) -> str:
    """Return `recovered`, `wrong` or `refused`.

    Raises:
        ImportError: if the reader needs a package that is not installed.

    """
    try:
        result = read(text)
    except ImportError:
        raise
    except Exception:  # noqa: BLE001 - peers raise what they like
        return "refused"
    return "recovered" if meant is not REFUSE and same(result, meant) else "wrong"


def measured(
    corruptions: Mapping[str, Corruption],
) -> dict[str, dict[str, Counter[str]]]:
    """Counts of verdicts by corruption and library."""
    readers: dict[tuple[str, int], Read] = {}
    for library, prepare in LIBRARIES.items():
        for tool in TOOLS:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                readers[library, id(tool.schema)] = _prepared(prepare, tool.schema)
    counts: dict[str, dict[str, Counter[str]]] = {}
    for name, corruption in corruptions.items():
        counts[name] = {library: Counter() for library in LIBRARIES}
        for schema, text, meant in samples(corruption):
            for library, counter in counts[name].items():
                counter[judged(readers[library, id(schema)], text, meant)] += 1
    return counts


def _prepared(prepare: Callable[[dict[str, Any]], Read], schema: dict[str, Any]) -> Read:
    """Return the library's reader, or one that refuses everything if it cannot take the schema."""
    try:
        return prepare(schema)
    except ImportError:
        raise
    except Exception as error:  # noqa: BLE001 - peers raise what they like
        reason = str(error)

        def refuse(_: str) -> Any:
            raise ValueError(reason)

        return refuse


# ------------------------------------------------------------------------------------ reporting
def _percent(count: int, total: int) -> str:
    share = 100 * count / total
    return f"{share:.0f}" if share in {0, 100} else f"{share:.1f}"


def _rows(counts: dict[str, dict[str, Counter[str]]], verdicts: tuple[str, ...]) -> list[list[str]]:
    together: dict[str, Counter[str]] = {library: Counter() for library in LIBRARIES}
    rows = []
    for name, by_library in counts.items():
        total = sum(next(iter(by_library.values())).values())
        cells = []
        for library, counter in by_library.items():
            together[library] += counter
            cells.append(" / ".join(_percent(counter[verdict], total) for verdict in verdicts))
        rows.append([name, str(total), *cells])
    total = sum(together["schema2model"].values())
    cells = [" / ".join(_percent(c[v], total) for v in verdicts) for c in together.values()]
    return [*rows, ["**all**", str(total), *cells]]


def report() -> str:
    """Return both tables as Markdown."""
    heads = ["", "calls", *LIBRARIES]
    return "\n".join(
        (
            f"{sum(len(tool.calls) for tool in TOOLS)} calls of {len(TOOLS)} tools, corrupted one",
            "place at a time; what is still valid as it stands, or open to more than one reading,",
            "is left out for everyone. Tools and corruptions are this project's own, written with",
            "its rules in mind: read the columns as what each approach covers, not as how often",
            "models make which mistake.",
            "",
            "Each cell: percent recovered / percent accepted but wrong.",
            "",
            table(heads, _rows(measured(CORRUPTIONS), ("recovered", "wrong"))),
            "",
            "Calls that should be refused, because nobody can know what was meant.",
            "Each cell: percent refused / percent accepted.",
            "",
            table(heads, _rows(measured(HOPELESS), ("refused", "wrong"))),
        )
    )


def main() -> None:
    """Print the tables."""
    print(report())


if __name__ == "__main__":
    main()
