"""Strict modes: schemas in the subset that a provider enforces, with an exact inverse."""
