"""Whole calls out of what a model wrote: which format, which tool, and what the schema makes of it."""
