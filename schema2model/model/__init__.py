"""Compiled models: the pydantic classes that are made of schemas, `CompiledSchema.model`.

Nothing here reads a class that a user writes, except a subclass of a compiled model (`subclasses`).
Classes of the user's own coerce through `coercing_models`.
"""
