"""Whole calls out of what a model wrote: which format, which tool, which arguments."""
