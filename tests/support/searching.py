"""How much tests try: a part by default, and all of it with `--hypothesis-profile=search`.

A test that tries a part of its table by default has the mark `search`; `.ci/run search` runs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from hypothesis import settings

T = TypeVar("T")


def is_search() -> bool:
    """Return whether the profile is `search`, which draws thousands of examples."""
    return settings().max_examples >= 10_000


def examples(count: int, **options: Any) -> settings:
    """Return settings with this number of examples, or in a search with a hundred times as many."""
    return settings(max_examples=count * 100 if is_search() else count, **options)


def every_nth(table: Sequence[T], step: int, first: int = 0) -> Sequence[T]:
    """Return every `step`-th row, beginning with row `first` modulo `step`; or all, in a search."""
    return table if is_search() else table[first % step :: step]
