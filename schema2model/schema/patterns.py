"""Regular expressions in the dialect of their document (2020-12 Core, section 6.4)."""

from __future__ import annotations

from collections.abc import Callable

import jsonschema_rs

__all__ = ["Pattern"]


class Pattern:
    """A name of `patternProperties`, matched by the engine that validates the whole schema."""

    __slots__ = ("_has_no_match", "checker", "text")

    def __init__(self, text: str, checker: str) -> None:
        self.text = text
        self.checker = checker
        self._has_no_match: Callable[[object], bool] | None = None

    def matches(self, name: str) -> bool:
        r"""Return whether the pattern matches anywhere in a property's name.

        >>> pattern = Pattern("x", "Draft202012Validator")
        >>> [pattern.matches(name) for name in ("x", "max", "y", "\ud800")]
        [True, True, False, False]
        """
        if self._has_no_match is None:
            schema: object = {"patternProperties": {self.text: {"not": {}}}}
            self._has_no_match = getattr(jsonschema_rs, self.checker)(schema).is_valid
        try:
            return not self._has_no_match({name: None})
        except ValueError:  # half of a surrogate pair is not Unicode text
            return False
