"""Tables that one test goes through: whatever goes wrong says in which row."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


@contextlib.contextmanager
def row(*names: object) -> Iterator[None]:
    """What goes wrong in the context is a failure that names the row."""
    try:
        yield
    except Exception as error:
        message = f"in the row {', '.join(map(ascii, names))[:500]}: {error}"
        raise AssertionError(message) from error
