"""The import path that `schema2model.apps.audit` had in 0.2.0; see `moved`."""

from schema2model.apps.audit import *  # noqa: F403
