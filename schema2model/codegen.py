"""The import path that `schema2model.apps.codegen` had in 0.2.0; see `moved`."""

from schema2model.apps.codegen import *  # noqa: F403
