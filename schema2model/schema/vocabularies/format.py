"""Vocabularies Format: `format`, annotation or assertion (2020-12 Validation, section 7)."""

from __future__ import annotations

from schema2model.schema.vocabularies import ANNOTATION, Vocabulary, residual

__all__ = ["FORMAT_ANNOTATION", "FORMAT_ASSERTION"]

FORMAT_ANNOTATION: Vocabulary = {"format": ANNOTATION}
FORMAT_ASSERTION: Vocabulary = {"format": residual("format")}
