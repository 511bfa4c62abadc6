"""The errors and `best_match` for an environment without python-jsonschema."""

from __future__ import annotations

import heapq
import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

__all__ = [
    "Details",
    "ErrorTree",
    "FormatError",
    "SchemaDetails",
    "UnknownType",
    "best_match",
    "relevance",
]

_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_]*\Z")

Path = Iterable["str | int"]


class UnknownType(Exception):  # noqa: N818 - python-jsonschema's name
    """A type that there is not was asked for."""


class Details(Exception):  # noqa: N818 - the base of an error
    """An error with python-jsonschema's attributes, made as it makes its own."""

    def __init__(  # noqa: PLR0913, PLR0917 - python-jsonschema's
        self,
        message: str,
        validator: str | None = None,
        path: Path = (),
        cause: Exception | None = None,
        context: Iterable[Any] = (),
        validator_value: Any = None,
        instance: Any = None,
        schema: Any = None,
        schema_path: Path = (),
        parent: Any = None,
        type_checker: Any = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.validator = validator
        self.path = self.relative_path = deque(path)
        self.cause = self.__cause__ = cause
        self.context = list(context)
        self.validator_value = validator_value
        self.instance = instance
        self.schema = schema
        self.schema_path = self.relative_schema_path = deque(schema_path)
        self.parent = parent
        self.type_checker = type_checker
        for error in self.context:
            error.parent = self

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.message!r}>"

    @property
    def absolute_path(self) -> deque[str | int]:
        """The keys and indices that lead to the part that is refused, from the whole."""
        return (self.parent.absolute_path if self.parent else deque()) + self.path

    @property
    def absolute_schema_path(self) -> deque[str | int]:
        """The keywords, names and indices that lead to the keyword; references are followed."""
        return (self.parent.absolute_schema_path if self.parent else deque()) + self.schema_path

    @property
    def json_path(self) -> str:
        """`absolute_path` as a JSON path (RFC 9535)."""
        return "$" + "".join(map(_step, self.absolute_path))


class SchemaDetails(Details):
    """An error of a schema."""


class FormatError(Exception):
    """An instance does not have a format."""

    def __init__(self, message: str, cause: Exception | None = None) -> None:
        super().__init__(message, cause)
        self.message = message
        self.cause = self.__cause__ = cause

    def __str__(self) -> str:
        return self.message


class ErrorTree:
    """Errors by the path to what they reject.

    >>> tree = ErrorTree([Details("too small", "minimum", path=["a", 0])])
    >>> "a" in tree, tree["a"][0].errors["minimum"].message, tree.total_errors
    (True, 'too small', 1)
    """

    def __init__(self, errors: Iterable[Any] = ()) -> None:
        self.errors: dict[Any, Any] = {}
        self._contents: dict[Any, ErrorTree] = {}
        for error in errors:
            tree = self
            for step in error.path:
                tree = tree._contents.setdefault(step, ErrorTree())
            tree.errors[error.validator] = error

    def __contains__(self, step: object) -> bool:
        return step in self._contents

    def __getitem__(self, step: str | int) -> ErrorTree:
        return self._contents.setdefault(step, ErrorTree())

    def __iter__(self) -> Iterator[str | int]:
        return iter(self._contents)

    def __len__(self) -> int:
        return self.total_errors

    @property
    def total_errors(self) -> int:
        """The number of errors in the tree."""
        return len(self.errors) + sum(len(tree) for tree in self._contents.values())


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    if _NAME.match(step):
        return f".{step}"
    escaped = step.replace("\\", "\\\\").replace("'", "\\'")
    return f"['{escaped}']"


def best_match(errors: Iterable[Any]) -> Any:
    """Return the error that most likely says what is wrong; None if there is none.

    It is the one nearest the top, or the deepest in its context, unless two there are as likely.
    """
    best = max(errors, key=relevance, default=None)
    while best is not None and best.context:
        likely = heapq.nsmallest(2, best.context, key=relevance)
        if len(likely) == 2 and relevance(likely[0]) == relevance(likely[1]):  # noqa: PLR2004
            break
        best = likely[0]
    return best


def relevance(error: Any) -> tuple[Any, ...]:
    """Return the key by which errors are compared: the greatest is the best match."""
    expected = error.schema.get("type", ()) if isinstance(error.schema, dict) else ()
    types = [expected] if isinstance(expected, str) else expected
    matches = any(error.type_checker.is_type(error.instance, type_) for type_ in types)
    is_union = error.validator in {"anyOf", "oneOf"}
    return -len(error.path), list(error.path), not is_union, not matches
