"""The import path that `schema2model.apps.batch` had in 0.2.0; see `moved`."""

from schema2model.apps.batch import *  # noqa: F403
