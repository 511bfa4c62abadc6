"""The formats in which models write calls, family by family."""

from __future__ import annotations

from typing import Final

from schema2model.calls.formats import bare, client_xml, gemma, marked_json, text_parameters
from schema2model.calls.formats.declaration import Format

__all__ = ["FORMATS"]

FORMATS: Final[tuple[Format, ...]] = (
    *marked_json.FORMATS,
    *text_parameters.FORMATS,
    *gemma.FORMATS,
    *bare.FORMATS,
    *client_xml.FORMATS,
)
"""All of them; of those that begin alike, the first is taken."""
