"""Text becomes values: JSON, and what models write in its place."""
