"""The call that every adapter is tried with: as models send it, as it is meant, and hopeless."""

from __future__ import annotations

from typing import Any

import pytest

from schema2model import Tool

OPEN_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "tags": {"type": "array", "items": {"type": "string"}},
        "limit": {"type": "integer"},
        "active": {"type": "boolean"},
        "page": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "opts": {"type": "object", "properties": {"depth": {"type": "integer"}}},
    },
    "required": ["limit"],
}
SCHEMA = {**OPEN_SCHEMA, "additionalProperties": False}
DEFINITION = {"name": "search", "description": "Find articles.", "parameters": SCHEMA}
STRINGS = {
    "tags": '["a"]',
    "limit": "10",
    "active": "true",
    "page": "null",
    "opts": '{"depth": "3"}',
}
EXACT = {"tags": ["a"], "limit": 10, "active": True, "page": None, "opts": {"depth": 3}}
HOPELESS = {"limit": "many"}
PROBLEM = 'must be an integer, without quotes, not "many"'
MESSAGE = (
    f"Error parsing arguments for `search`:\n- /limit: {PROBLEM}\n\nFix the errors and try again."
)

CASES = [
    pytest.param(STRINGS, EXACT, id="stringified"),
    pytest.param(EXACT, EXACT, id="correct"),
    pytest.param({"limit": 3}, {"limit": 3}, id="unset optionals stay unset"),
    pytest.param({"limit": 3, "page": None}, {"limit": 3, "page": None}, id="null that was sent"),
]


def _find(tags: list[str]) -> str:
    return repr(tags)


FORGIVING = Tool(_find, name="search", coercion="forgiving", description="Find articles.")
"""One that reads `"a, b"` as a list, which a tool with the default rules refuses."""
