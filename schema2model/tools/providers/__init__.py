"""The shapes in which providers and servers describe tools."""
