"""Nodes read values: what is accepted as it is, what was meant, and what is wrong."""
