"""The import path that `schema2model.compiled` had in 0.2.0; see `moved`."""

from schema2model.compiled import *  # noqa: F403
