"""Reports about a run of `schema2model batch`: figures, and a page that shows them.

`Figures` needs no extra; `output` reads what a run has written, and `page` shows it.
"""

from schema2model.apps.batch.report.figures import Figures

__all__ = ["Figures"]
