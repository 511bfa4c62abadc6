"""Nodes lowered to pydantic-core schemas."""
