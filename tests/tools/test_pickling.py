# ruff: noqa: D103 - the names state the promises
"""Tools, toolsets and prepared calls can be pickled, or say why not."""

from __future__ import annotations

import copy
import datetime as dt
import enum
import functools
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

import schema2model
from schema2model import Prepared, Tool, Toolset, tool


class Color(enum.Enum):
    """An annotation that is an enum."""

    RED = "red"


class Query(BaseModel):
    """An annotation that is a model."""

    text: str
    day: dt.date


def paint(day: dt.date, color: Color, limit: int = 1) -> tuple[Any, ...]:
    """Paint."""
    return day, color, limit


def search(query: Query, session: str) -> tuple[Any, ...]:
    """Search."""
    return query, session


class Shop:
    """Has a method that is a tool."""

    def __init__(self, name: str) -> None:
        self.name = name

    def sell(self, day: dt.date) -> tuple[Any, ...]:
        """Sell."""
        return self.name, day


@tool
def decorated(day: dt.date) -> dt.date:
    """Return the day."""
    return day


DAY = dt.date(2030, 1, 31)
SENT = {"day": "2030-01-31", "color": "red", "limit": "2"}
DEFINITION = {
    "name": "painter",
    "parameters": {"properties": {name: {"type": "string"} for name in ("day", "color")}},
}


def again(value: Any) -> Any:
    """The value, pickled and loaded."""
    return pickle.loads(pickle.dumps(value))  # noqa: S301


def test_dates_and_enums_are_converted_after_loading() -> None:
    made = again(Tool(paint))
    assert (made.name, made.description, made.schema) == ("paint", "Paint.", Tool(paint).schema)
    assert made.call(SENT) == (DAY, Color.RED, 2)


def test_models_and_injected_parameters_are_kept() -> None:
    made = again(Tool(search, inject="session", name="find"))
    assert made.name == "find"
    assert made.injected == Tool(search, inject="session").injected
    sent = {"query": '{"text": "x", "day": "2030-01-31"}'}
    assert made.call(sent, session="s1") == (Query(text="x", day=DAY), "s1")


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (Tool.from_definition(DEFINITION, paint), (DAY, Color.RED, 1)),
        (Tool(functools.partial(paint, limit=7), name="p"), (DAY, Color.RED, 7)),
        (Tool(Shop("Elm").sell), ("Elm", DAY)),
        (decorated, DAY),
    ],
    ids=("definition", "partial", "method", "decorator"),
)
def test_whatever_the_tool_was_made_of(made: Tool[Any], expected: Any) -> None:
    arguments = {name: SENT[name] for name in made.schema["properties"] if name in SENT}
    arguments = {name: text for name, text in arguments.items() if name != "limit"}
    assert again(made).call(arguments) == made.call(arguments) == expected


@pytest.mark.parametrize("options", [{}, {"strict": "openai"}])
def test_toolsets_keep_their_tools_and_their_strictness(options: Any) -> None:
    tools = again(Toolset([paint, decorated], **options))
    assert [each.name for each in tools] == ["paint", "decorated"]
    assert tools.definitions("openai") == Toolset([paint, decorated], **options).definitions(
        "openai"
    )
    assert tools.call("paint", SENT)[:2] == (DAY, Color.RED)


def test_prepared_calls_keep_their_arguments() -> None:
    prepared: Prepared[Any] = again(Tool(paint).prepare("{'day': '2030-01-31', 'color': 'red'}"))
    assert prepared.call() == (DAY, Color.RED, 1)
    assert prepared.arguments == {"day": "2030-01-31", "color": "red"}
    assert prepared.repaired
    assert prepared.changes
    call = {"id": "c1", "name": "paint", "arguments": SENT}
    assert again(Tool(paint).prepare(SENT, call)).call_id == "c1"
    texts: list[str] = []
    assert again(Tool(paint).prepare(SENT, texts.append)).kwargs["day"] == DAY


def test_what_cannot_be_imported_is_refused_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "cloudpickle", raising=False)

    def local(a: int) -> int:
        return a

    for made in (Tool(local), Tool(lambda a: a, name="local"), Toolset([local])):
        with pytest.raises(TypeError, match=r"`local` cannot be pickled: .*importable"):
            pickle.dumps(made)
    with pytest.raises(TypeError, match="`paint` cannot be pickled"):
        pickle.dumps(Tool(paint, on_prepared=lambda _: None))
    with pytest.raises(TypeError, match="`local` cannot be pickled"):
        pickle.dumps(Tool(local).prepare({"a": 1}))
    assert copy.deepcopy(Toolset([local])).call("local", {"a": 1}) == 1


def test_another_process_loads_them(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(
        "import datetime as dt\nfrom schema2model import tool\n"
        "@tool\ndef wait(until: dt.date) -> int:\n    return until.year\n"
    )
    code = {
        "dump": "import pickle, shop; print(pickle.dumps(shop.wait).hex())",
        "load": "import pickle, sys; made = pickle.loads(bytes.fromhex(sys.argv[1])); "
        "print(made.call({'until': '2030-01-31'}))",
    }

    environment = {**os.environ, "PYTHONPATH": str(Path(schema2model.__file__).parents[1])}

    def run(name: str, *words: str) -> str:
        command = [sys.executable, "-c", code[name], *words]
        done = subprocess.run(  # noqa: S603 - our own program
            command, capture_output=True, text=True, check=True, cwd=tmp_path, env=environment
        )
        return done.stdout.strip()

    assert run("load", run("dump")) == "2030"
