"""Vocabularies Meta-Data and Content: annotations (2020-12 Validation, sections 8 and 9)."""

from __future__ import annotations

from schema2model.schema.vocabularies import ANNOTATION, Keyword, Vocabulary

__all__ = ["CONTENT", "METADATA"]

METADATA: Vocabulary = dict.fromkeys(
    ("title", "description", "default", "deprecated", "readOnly", "writeOnly", "examples"),
    ANNOTATION,
)
CONTENT: Vocabulary = {
    "contentEncoding": ANNOTATION,
    "contentMediaType": ANNOTATION,
    "contentSchema": Keyword(None, subschema=True, needs_compile=True),
}
