"""Compiled pydantic models: instances that hold arguments, fields that describe them."""
