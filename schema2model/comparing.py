"""The import path that `schema2model.apps.audit.diff` had in 0.2.0; see `moved`."""

from schema2model.apps.audit.diff import *  # noqa: F403
