"""The search for the valid reading of a value with the fewest changes; `reader` begins it."""
