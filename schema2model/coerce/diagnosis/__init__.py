"""Why a value is refused, in words for the model that sent it."""
