"""What can go wrong, and for whom.

ValueError
+-- SchemaError   for the developer, when a schema is compiled
+-- ToolError     for the model that made the call, when its arguments are read
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from schema2model.values import NotJSONError, pointer

__all__ = ["Issue", "SchemaError", "ToolError", "unexpected"]

MAX_ISSUES = 10
"""So many problems are spelled out in a message; the rest are counted."""

MAX_PATH = 160
"""Characters of a path that a message shows; `Issue.path` has them all."""

MAX_NAME = 80
"""Characters of a tool's name that a message shows."""


class SchemaError(ValueError):
    """A schema cannot be compiled: it is invalid, unresolvable, unknown or too large.

    `pointer` is the JSON Pointer (RFC 6901) of the place in the schema, `""` for its root.

    >>> from schema2model import compile_schema
    >>> compile_schema({"properties": {"limit": {"type": "whole"}}})
    Traceback (most recent call last):
        ...
    schema2model.errors.SchemaError: /properties/limit/type: "whole" is not valid ...
    """

    def __init__(self, message: str, *, pointer: str = "") -> None:
        super().__init__(message)
        self.pointer = pointer


@dataclass(frozen=True, slots=True)
class Issue:
    """One problem with the arguments of a call.

    `path` is the JSON Pointer of the place in the arguments (`""` for the whole), `keyword` the
    JSON Schema keyword that refuses it (or `"json"` where the value is not JSON at all).
    """

    path: str
    keyword: str
    expected: str
    found: str

    def __str__(self) -> str:
        path = self.path
        if len(path) > MAX_PATH:
            path = f"{path[: MAX_PATH // 2]}…{path[-MAX_PATH // 2 :]}"
        return f"{path or 'the arguments'}: expected {self.expected}, found {self.found}"


class ToolError(ValueError):
    """A call cannot be carried out as it was made; `str(error)` is the message for the model.

    `issues` holds the single problems, `retryable` says whether the model can mend the call.
    A tool's own code may raise it too, with any message for the model.

    >>> str(ToolError("no city of that name"))
    'no city of that name'
    """

    def __init__(
        self, message: str, *, issues: tuple[Issue, ...] = (), retryable: bool = True
    ) -> None:
        super().__init__(message)
        self.issues = issues
        self.retryable = retryable

    @classmethod
    def for_arguments(cls, name: str, issues: tuple[Issue, ...]) -> ToolError:
        """The error for arguments of the tool `name` that no reading makes valid."""
        lines = [f"Error parsing arguments for `{name[:MAX_NAME]}`:"]
        lines += [f"- {issue}" for issue in issues[:MAX_ISSUES]]
        if len(issues) > MAX_ISSUES:
            lines.append(f"- and {len(issues) - MAX_ISSUES} more")
        return cls("\n".join(lines), issues=issues)

    @classmethod
    def for_value(cls, name: str, error: NotJSONError) -> ToolError:
        """The error for a Python value that has no JSON text."""
        issue = Issue(pointer(error.path), "json", "a JSON value", str(error))
        return cls.for_arguments(name, (issue,))

    @classmethod
    def for_text(cls, name: str, reason: str) -> ToolError:
        """The error for argument text that is no JSON and cannot be read as any."""
        issue = Issue("", "json", "one JSON object", reason)
        return cls(f"Error parsing arguments for `{name[:MAX_NAME]}`:\n- {reason}", issues=(issue,))

    def __reduce__(self) -> tuple[Any, ...]:
        state = {"issues": self.issues, "retryable": self.retryable}
        return type(self), (str(self),), state


def unexpected(error: BaseException) -> str:
    """The name of an error's type, where one call of many must not cost the others.

    What the error says may hold values, which may be secret. A panic of a library in Rust is no
    `Exception`, and is meant as well.

    Raises:
        BaseException: the error itself, if it is to end the program.

    >>> unexpected(KeyError("s3cret"))
    'KeyError'

    """
    if isinstance(error, (KeyboardInterrupt, SystemExit, GeneratorExit)):
        raise error
    return type(error).__name__
