"""The cases of `tests/data`: what a line asks for, and whether an answer is the expected one."""

from __future__ import annotations

import base64
import copy
import functools
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

DATA = Path(__file__).parents[1] / "data"

Outcome = str
"""`right`, `wrong` or `refused`: a refusal where a result is expected."""

_EXPECTED = ("result", "changes", "refused")
_NOTES = ("id", "source", "group", "message", "edits", "spans", "shown", "calls")


class Case(NamedTuple):
    """One line of a file."""

    line: dict[str, Any]

    @property
    def id(self) -> str:
        """The promise in words, unique in its file."""
        return str(self.line["id"])

    @property
    def group(self) -> str:
        """The rule, grammar or format that the case is about."""
        return str(self.line["group"])

    @property
    def schema(self) -> Any:
        """The schema of the arguments."""
        return self.line["schema"]

    @property
    def tools(self) -> list[Any]:
        """The definitions of the tools whose calls are read."""
        return list(self.line["tools"])

    @property
    def input(self) -> Any:
        """The value or the text to read."""
        return sent(self.line)

    @property
    def result(self) -> Any:
        """The expected result."""
        return decode(self.line["result"])

    @property
    def changes(self) -> Any:
        """The expected changes, each with its path, its rule, the value before and after."""
        return decode(self.line["changes"])

    @property
    def message(self) -> str:
        """Words of the message that schema2model has for the case."""
        return str(self.line["message"])

    @property
    def edits(self) -> list[str]:
        """The descriptions that schema2model has for the edits that repair the text."""
        return list(self.line.get("edits", ()))

    @property
    def spans(self) -> list[tuple[str, int, int]]:
        """The format of each call in the text, with its start and its end."""
        return [(format_, start, end) for format_, start, end in self.line["spans"]]

    @property
    def shown(self) -> str:
        """The text that is shown to a person, without the calls."""
        return str(self.line["shown"])

    @property
    def is_refused(self) -> bool:
        """Return whether a refusal is expected."""
        return "refused" in self.line

    @property
    def coercions(self) -> list[Any]:
        """The presets, or the rules, under each of which the case holds."""
        coercion = self.line.get("coercion", "default")
        return coercion if isinstance(coercion, list) else [coercion]

    @property
    def operation(self) -> str:
        """The name of what is asked for, as in `tests/data/README.md`."""
        return str(self.line["operation"])

    @property
    def expected(self) -> dict[str, Any]:
        """The part of the line that an answer is compared with."""
        return {name: self.line[name] for name in _EXPECTED if name in self.line}

    def requests(self) -> Iterator[dict[str, Any]]:
        """The requests of a case: one for each coercion."""
        asked = {k: v for k, v in self.line.items() if k not in (*_EXPECTED, *_NOTES)}
        for coercion in self.coercions:
            named = f" [{spelled(coercion)}]" if len(self.coercions) > 1 else ""
            yield {"id": self.id + named, **asked, "coercion": coercion}


def files() -> list[str]:
    """Return the names of all files of cases, without their suffix."""
    return sorted(path.stem for path in DATA.glob("*.jsonl"))


@functools.lru_cache(None)
def _lines(file: str) -> tuple[Case, ...]:
    text = (DATA / f"{file}.jsonl").read_text("ascii")
    return tuple(Case(json.loads(line)) for line in text.splitlines())


def cases(file: str, *groups: str) -> list[Case]:
    """Return the cases of a file, or only those of some groups, in order."""
    return [case for case in _lines(file) if not groups or case.group in groups]


def sent(line: dict[str, Any]) -> Any:
    """Return the input of a case or a request: a value, a text, its bytes, or the chunks of one."""
    if "chunks" in line:
        return copy.deepcopy(line["chunks"])
    if "bytes" in line:
        return base64.b64decode(line["bytes"])
    return decode(line["input"]) if "input" in line else line["text"]


def decode(value: Any) -> Any:
    """Return a value in which `{"$number": "NaN"}` and the infinities are floats."""
    if isinstance(value, dict):
        if value.keys() == {"$number"}:
            return float(value["$number"])
        return {name: decode(member) for name, member in value.items()}
    return [decode(item) for item in value] if isinstance(value, list) else value


def encode(value: Any) -> Any:
    """Return a value in which floats that JSON cannot write are `{"$number": …}`."""
    if isinstance(value, dict):
        return {name: encode(member) for name, member in value.items()}
    if isinstance(value, list):
        return [encode(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"$number": json.dumps(value)}
    return value


def spelled(value: Any) -> str:
    """Return a value as text in which 3 is not 3.0, and true is not 1."""
    return json.dumps(value, sort_keys=True)


def judge(expected: dict[str, Any], answer: dict[str, Any]) -> Outcome:
    """Compare an answer with what its case expects."""
    if "refused" in expected:
        wanted = expected["refused"]
        if wanted is True:
            return "right" if "refused" in answer else "wrong"
        return "right" if _issues(answer.get("refused")) == _issues(wanted) else "wrong"
    if "refused" in answer:
        return "refused"
    same = all(
        name in answer and spelled(answer[name]) == spelled(value)
        for name, value in expected.items()
    )
    return "right" if same else "wrong"


def _issues(refused: Any) -> list[str] | None:
    """Return the issues of a refusal in a canonical order; None if it lists none."""
    return sorted(map(spelled, refused)) if isinstance(refused, list) else None
