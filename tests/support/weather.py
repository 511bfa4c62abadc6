"""A function that tells the weather, and its definition as a tool."""

from __future__ import annotations

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
}
DEFINITION = {"name": "forecast", "description": "Tell the weather.", "parameters": SCHEMA}


def forecast(city: str, days: int = 1) -> str:
    """Tell the weather."""
    return f"{city} {days}"
