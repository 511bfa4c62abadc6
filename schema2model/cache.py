"""The compiled schemas that were asked for last: they are kept until they take too much memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final

from schema2model.coerce.engine import Recipe
from schema2model.json.quoting import abridged_repr
from schema2model.limits import MAX_CACHE_SIZE, MAX_CACHED_SCHEMAS, MAX_CACHED_SUBSCHEMAS

__all__ = ["CACHE", "set_cache_size"]


class _Cache:
    """Compiled schemas by their sources, up to a number, a size, and a number of subschemas."""

    def __init__(self) -> None:
        self.max_size = MAX_CACHE_SIZE
        self.size = self._subschemas = 0
        self.on_eviction: Callable[[], None] = lambda: None
        self._compiled: OrderedDict[Recipe, tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, source: Recipe) -> Any:
        """Return a compiled schema, and keep it the longest; None if there is none."""
        with self._lock:
            found = self._compiled.get(source)
            if found is None:
                return None
            self._compiled.move_to_end(source)
            return found[0]

    def add(self, source: Recipe, compiled: Any) -> Any:
        """Keep a compiled schema, or return the one that another thread has added."""
        subschemas = compiled._engine.size
        with self._lock:
            known, _ = self._compiled.setdefault(source, (compiled, subschemas))
            if known is compiled:
                self.size += _size(source)
                self._subschemas += subschemas
            self._evict()
            return known

    def resize(self, max_size: int) -> None:
        """Set the maximum size."""
        with self._lock:
            self.max_size = max_size
            self._evict()

    def _evict(self) -> None:
        count = len(self._compiled)
        while self._compiled and (
            self.size > self.max_size
            or len(self._compiled) > MAX_CACHED_SCHEMAS
            or (self._subschemas > MAX_CACHED_SUBSCHEMAS and len(self._compiled) > 1)
        ):
            source, (_, subschemas) = self._compiled.popitem(last=False)
            self.size -= _size(source)
            self._subschemas -= subschemas
        if len(self._compiled) < count:
            self.on_eviction()


def _size(source: Recipe) -> int:
    return len(source.content) + len(source.resources)


CACHE: Final = _Cache()


def set_cache_size(max_size: int) -> None:
    """Set how many bytes of schemas are kept compiled: 2 MiB if this is not called.

    The bytes are those of the schemas, marshalled. Whatever this is, the schemas that are kept have
    at most `MAX_CACHED_SUBSCHEMAS` subschemas together: one takes about 10 KiB of memory.
    Compiled schemas that are in use are not affected.

    Args:
        max_size: the maximum in bytes; 0 keeps none.

    Raises:
        ValueError: for anything but a whole number that is not negative.

    >>> set_cache_size(2 * 2**20)

    """
    if type(max_size) is not int or max_size < 0:
        message = f"max_size is a number of bytes, not {abridged_repr(max_size)}"
        raise ValueError(message)
    CACHE.resize(max_size)
