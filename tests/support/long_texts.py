"""Texts of one piece again and again, to be read in a limited process."""

from __future__ import annotations

from schema2model import Toolset

__all__ = ["calls_in"]


def calls_in(piece: str, size: int) -> int:
    """How many calls are found in so many characters, those that cannot be read among them."""
    tool = {"name": "f", "parameters": {"properties": {"a": {"type": "string"}}}}
    return len(Toolset([tool]).read_calls(piece * (size // len(piece)), errors="keep"))
