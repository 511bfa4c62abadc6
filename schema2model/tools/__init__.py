"""Tools: from a definition or a function to a call that has run."""
