"""The table of annotations in `docs/tools.md`: what a tool shows, reads and refuses for each."""

from __future__ import annotations

import datetime as dt
import enum
import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel
from typing_extensions import TypedDict

from benchmarks.documents import table
from schema2model import Tool, ToolError

__all__ = ["annotations_of_tools"]


class Color(enum.Enum):
    """An enumeration."""

    RED = "red"
    BLUE = "blue"


class Room(BaseModel):
    """A model."""

    beds: int


@dataclass
class Guest:
    """A dataclass."""

    name: str


class Stay(TypedDict):
    """A dictionary with declared keys."""

    nights: int


class Row(NamedTuple):
    """An annotation with texts of JSON that a tool reads, and texts that it refuses."""

    annotation: Any
    name: str
    read: Sequence[str]
    refused: Sequence[str]


ROWS = (
    Row(str, "str", ['"a"', "1.50"], ['["a"]']),
    Row(int, "int", ['"10"', "10.0"], ["1.5", '"ten"']),
    Row(float, "float", ['"1.5"', "2"], ['"NaN"']),
    Row(bool, "bool", ['"yes"'], ['"maybe"']),
    Row(int | None, "int | None", ['"null"', '""'], ['"nothing"']),
    Row(Decimal, "Decimal", ['"1.50"', "12345678901234567890.25"], ['"abc"']),
    Row(dt.date, "date", ['"2030-01-31"', '" 2030-01-31 "'], ['"20300131"', "86400"]),
    Row(dt.datetime, "datetime", ['"2030-01-31T10:00:00Z"'], ['"2030"', "86400"]),
    Row(dt.time, "time", ['"10:30:00"'], ['"1030"', "90"]),
    Row(dt.timedelta, "timedelta", ['"PT5M"'], ['"300"', "300"]),
    Row(dt.date | None, "date | None", ['"null"'], ['"soon"']),
    Row(dt.date | str, "date | str", ['"2030-01-31"', '"2030"'], []),
    Row(uuid.UUID, "UUID", ['"123e4567-e89b-12d3-a456-426614174000"'], ['"1"']),
    Row(bytes, "bytes", ['"null"'], ["[1]"]),
    Row(Color, "Enum", ['"red"', '"\\"red\\""'], ['"green"']),
    Row(Literal["asc", "desc"], 'Literal["asc", "desc"]', ['"asc"'], ['"up"']),
    Row(list[int], "list[int]", ['"[1, \\"2\\"]"'], ['"1, 2"']),
    Row(set[str], "set[str]", ['["a", "b", "a"]'], ["[[1]]"]),
    Row(tuple[int, str], "tuple[int, str]", ['[1, "a"]'], ["[1]"]),
    Row(dict[int, str], "dict[int, str]", ['{"1": "a"}'], ['{"x": "a"}']),
    Row(Room, "BaseModel", ['{"beds": "2"}', '"{\\"beds\\": 2}"'], ["{}"]),
    Row(Guest, "dataclass", ['{"name": "Ann"}'], ['"Ann"']),
    Row(Stay, "TypedDict", ['{"nights": "2"}'], ['{"nights": "two"}']),
)
"""An annotation of each kind."""


def annotations_of_tools() -> str:
    """Return a row for each annotation: its schema, and what the function gets.

    Raises:
        ValueError: if a tool reads what it should refuse.

    """
    heads = ("annotation", "shown as", "sent → the function gets", "refused")
    return table(heads, map(_row, ROWS), numbers=False)


def _row(row: Row) -> Sequence[str]:
    def take(x: Any) -> Any:
        return x

    take.__annotations__["x"] = row.annotation
    tool = Tool(take)
    read = [f"`{sent}` → `{_shown(tool.call(_text(sent)))}`" for sent in row.read]
    for sent in row.refused:
        try:
            tool.call(_text(sent))
        except ToolError:
            continue
        message = f"{row.name} reads {sent}"
        raise ValueError(message)
    cells = [f"`{row.name}`", f"`{_schema(tool)}`", ", ".join(read), _code(row.refused)]
    return [cell.replace("|", "\\|") for cell in cells]


def _text(sent: str) -> str:
    return f'{{"x": {sent}}}'


def _shown(value: Any) -> str:
    if type(value) is set:  # whose order differs from process to process
        return f"{{{', '.join(map(repr, sorted(value)))}}}"
    return repr(value).replace("datetime.", "").replace("TzInfo(0)", "UTC")


def _code(texts: Sequence[str]) -> str:
    return ", ".join(f"`{text}`" for text in texts)


def _schema(tool: Tool[Any]) -> str:
    schema = tool.schema
    shown = schema["properties"]["x"]
    if reference := shown.get("$ref"):
        shown = schema["$defs"][reference.rpartition("/")[2]]
    return json.dumps({key: value for key, value in shown.items() if key != "description"})
