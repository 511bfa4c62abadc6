"""Vocabularies Meta-Data and Content: annotations (2020-12 Validation, sections 8 and 9)."""

from __future__ import annotations

from schema2model.schema.vocabularies import Vocabulary, annotation

__all__ = ["CONTENT", "METADATA"]

METADATA: Vocabulary = dict.fromkeys(
    ("title", "description", "default", "deprecated", "readOnly", "writeOnly", "examples"),
    annotation,
)
CONTENT: Vocabulary = dict.fromkeys(
    ("contentEncoding", "contentMediaType", "contentSchema"), annotation
)
