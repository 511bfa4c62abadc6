"""The import path that `schema2model.coercing_models.tool_models` had in 0.2.0; see `moved`."""

from schema2model.coercing_models.tool_models import *  # noqa: F403
