"""Readers of text: JSON, other spellings of it, and damaged JSON."""
