"""The tools that clients may see and call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

__all__ = ["VisibleTools"]


@dataclass(frozen=True)
class VisibleTools:
    """All tools but the hidden ones; if patterns are given, those that match one.

    >>> shows = VisibleTools({"git__push"}, ("git__*",)).of(None)
    >>> [shows(name) for name in ("git__log", "git__push", "time__now")]
    [True, False, False]
    """

    hidden: frozenset[str] | set[str] = frozenset()
    only: Sequence[str] = ()
    """Patterns for all clients, such as `git__*`."""
    only_for: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Patterns by the name of a token, in addition to those for all."""

    def of(self, user: str | None) -> Callable[[str], bool] | None:
        """Return whether the clients of a token may see a tool, as a function; None if all."""
        own = None if user is None else self.only_for.get(user)
        if not self.hidden and not self.only and own is None:
            return None

        def shows(name: str) -> bool:
            return name not in self.hidden and all(
                any(fnmatchcase(name, pattern) for pattern in patterns)
                for patterns in (self.only or ("*",), ("*",) if own is None else own)
            )

        return shows
