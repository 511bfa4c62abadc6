"""Texts that repeat one piece, for tests in a limited process."""

from __future__ import annotations

from schema2model import Toolset


def calls_in(piece: str, size: int) -> int:
    """Return the number of calls in a text of `size` characters, with those that are refused."""
    tool = {"name": "f", "parameters": {"properties": {"a": {"type": "string"}}}}
    return len(Toolset([tool]).read_calls(piece * (size // len(piece)), errors="keep"))
