"""The schemas that are measured, each with a correct call and the same call stringified."""

from __future__ import annotations

import copy
import itertools
import json
from dataclasses import dataclass
from typing import Any

__all__ = ["CASES", "MEDIAN_TOOL", "Case", "distinct", "same"]


@dataclass(frozen=True, slots=True)
class Case:
    """A schema, a call that satisfies it, and that call with values sent as text."""

    name: str
    schema: dict[str, Any]
    correct: dict[str, Any]
    stringified: dict[str, Any]

    def __str__(self) -> str:
        return self.name


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON: 1 is 1.0, but true is not 1.

    >>> same([1, {"a": True}], [1.0, {"a": True}]), same([1], [True])
    (True, False)
    """
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


_serial = itertools.count()


def distinct(schema: dict[str, Any]) -> dict[str, Any]:
    """A copy of the schema that nobody has compiled before, nor any property of it."""
    serial = next(_serial)
    copied = {**copy.deepcopy(schema), "title": f"Tool{serial}"}
    for name, property_ in copied["properties"].items():
        property_["description"] = f"{serial}: {property_.get('description', name)}"
    return copied


def _ordinary() -> Case:
    schema = {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "words to look for"},
            "statuses": {"type": "array", "items": {"type": "string"}},
            "page_size": {"type": "integer", "minimum": 1, "maximum": 200},
            "with_totals": {"type": "boolean"},
            "customer": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "order": {"enum": ["oldest", "newest", "dearest"]},
            "price": {
                "type": "object",
                "properties": {
                    "least": {"type": "number"},
                    "most": {"type": "number"},
                    "currencies": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["least"],
            },
        },
        "required": ["text", "page_size"],
    }
    price = {"least": 9.5, "most": 49.25, "currencies": ["EUR", "CHF"]}
    correct = {
        "text": "garden chair",
        "statuses": ["paid", "shipped"],
        "page_size": 25,
        "with_totals": True,
        "customer": None,
        "order": "newest",
        "price": price,
    }
    stringified = {
        **correct,
        "statuses": '["paid", "shipped"]',
        "page_size": "25",
        "with_totals": "true",
        "customer": "null",
        "price": json.dumps(price),
    }
    return Case("ordinary", schema, correct, stringified)


def _wide() -> Case:
    kinds = {"string": "some words", "integer": 12, "boolean": False, "number": 0.75}
    chosen = list(itertools.islice(itertools.cycle(kinds), 40))
    schema = {
        "type": "object",
        "properties": {
            f"option_{place}": {"type": kind, "description": f"the option number {place}"}
            for place, kind in enumerate(chosen)
        },
        "required": ["option_0", "option_1"],
    }
    correct = {f"option_{place}": kinds[kind] for place, kind in enumerate(chosen)}
    stringified = {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in correct.items()
    }
    return Case("40 properties", schema, correct, stringified)


def _list() -> Case:
    schema = {
        "type": "object",
        "properties": {
            "rows": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "file": {"type": "string"},
                        "line": {"type": "integer"},
                        "replacement": {"type": "string"},
                    },
                    "required": ["file", "line"],
                },
            }
        },
        "required": ["rows"],
    }
    rows = [{"file": f"lib/{n}.py", "line": n, "replacement": "pass"} for n in range(100)]
    return Case("100 objects", schema, {"rows": rows}, {"rows": json.dumps(rows)})


def _nested() -> Case:
    task = {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "hours": {"type": "number"},
            "owner": {
                "type": "object",
                "properties": {"id": {"type": "integer"}, "active": {"type": "boolean"}},
                "required": ["id"],
            },
        },
        "required": ["title", "owner"],
    }
    section = {
        "type": "object",
        "properties": {
            "heading": {"type": "string"},
            "tasks": {"type": "array", "items": task},
        },
        "required": ["heading", "tasks"],
    }
    schema = {
        "type": "object",
        "properties": {
            "project": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "sections": {"type": "array", "items": section},
                },
                "required": ["name", "sections"],
            }
        },
        "required": ["project"],
    }

    def project(*, text: bool) -> dict[str, Any]:
        def spelled(value: Any) -> Any:
            return json.dumps(value) if text else value

        sections = [
            {
                "heading": f"part {part}",
                "tasks": [
                    {
                        "title": f"step {step}",
                        "hours": spelled(1.5),
                        "owner": {"id": spelled(step), "active": spelled(step % 2 == 0)},
                    }
                    for step in range(3)
                ],
            }
            for part in range(3)
        ]
        return {"project": {"name": "move", "sections": spelled(sections)}}

    return Case("nested", schema, project(text=False), project(text=True))


def _unions() -> Case:
    def block(kind: str, **properties: Any) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {"kind": {"const": kind}, **properties},
            "required": ["kind", *properties],
        }

    integer, text = {"type": "integer"}, {"type": "string"}
    blocks = [
        block("heading", level=integer, text=text),
        block("picture", url=text, width=integer),
        block("table", columns={"type": "array", "items": text}),
    ]
    schema = {
        "type": "object",
        "properties": {
            "blocks": {"type": "array", "items": {"anyOf": blocks}},
            "parent": {"anyOf": [integer, {"type": "null"}]},
            "labels": {"anyOf": [{"type": "array", "items": text}, {"type": "null"}]},
            "reference": {"anyOf": [integer, text]},
        },
        "required": ["blocks"],
    }
    shown: list[dict[str, Any]] = [
        {"kind": "heading", "level": 2, "text": "Prices"},
        {"kind": "table", "columns": ["item", "cost"]},
        {"kind": "picture", "url": "https://example.org/a.png", "width": 640},
    ]
    correct = {"blocks": shown, "parent": 12, "labels": ["a", "b"], "reference": "A-17"}
    stringified = {
        "blocks": [
            {"kind": "heading", "level": "2", "text": "Prices"},
            {"kind": "table", "columns": '["item", "cost"]'},
            json.dumps(shown[2]),
        ],
        "parent": "12",
        "labels": '["a", "b"]',
        "reference": "A-17",
    }
    return Case("unions", schema, correct, stringified)


CASES = (_ordinary(), _wide(), _list(), _nested(), _unions())

MEDIAN_TOOL: dict[str, Any] = {
    "type": "object",
    "description": "List the files of a repository that match a pattern.",
    "properties": {
        "repository": {
            "type": "string",
            "description": "The repository to look into, as owner and name: `octo/garden`.",
        },
        "pattern": {
            "type": "string",
            "description": "A shell pattern such as `src/**/*.py`. All files if it is left out.",
        },
        "limit": {
            "type": "integer",
            "minimum": 1,
            "default": 50,
            "description": "The greatest number of files to return; the nearest come first.",
        },
    },
    "required": ["repository"],
    "additionalProperties": False,
}
"""As large as the median tool of public MCP servers: three properties, 537 bytes."""
