"""The distribution's name, and the error for an extra that is not installed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Final

__all__ = ["DISTRIBUTION", "extra", "needs"]

DISTRIBUTION: Final = "pydantic-schema2model"
"""The name on the package index; the module, the command and the repository are `schema2model`."""


def needs(name: str) -> str:
    """Return the end of a sentence that says which extra is missing, and how to install it.

    >>> print("This command", needs("report"))
    This command needs the extra "report": pip install 'pydantic-schema2model[report]'
    """
    return f"needs the extra \"{name}\": pip install '{DISTRIBUTION}[{name}]'"


@contextlib.contextmanager
def extra(name: str) -> Iterator[None]:
    """Imports of what an extra installs happen in this context.

    Raises:
        ImportError: where it is not installed; the message ends with how to install it.

    >>> with extra("mcp"):
    ...     import no_such_framework
    Traceback (most recent call last):
        ...
    ImportError: No module named 'no_such_framework'; this needs the extra "mcp": pip install ...

    """
    try:
        yield
    except ImportError as error:
        message = f"{error}; this {needs(name)}"
        raise ImportError(message, name=error.name, path=error.path) from error
