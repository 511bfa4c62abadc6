"""The import path that `schema2model.apps.batch.report` had in 0.2.0; see `moved`."""

from schema2model.apps.batch.report import *  # noqa: F403
