"""Hand-written pydantic models that coerce what they refuse."""
