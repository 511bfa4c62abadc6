"""Tools that check and coerce arguments for others that run: the one cache of tools by name."""

from __future__ import annotations

from typing import Any, TypedDict

from typing_extensions import Unpack

from schema2model.coercions import Coercion, Preset, coercion_named
from schema2model.errors import SchemaError
from schema2model.logs import logger_named
from schema2model.schema.undeclared import UnknownArguments, require_unknown_arguments
from schema2model.tools.developer_mistakes import require_options
from schema2model.tools.tool import Observer, Tool

__all__ = ["CheckerOptions", "ToolCache", "checker_options", "compile_checker"]

LOGGER = logger_named("schema2model.adapters")


class CheckerOptions(TypedDict, total=False):
    """Options of every way to check the arguments of a tool that somebody else runs.

    They are those of `ToolOptions` that have a meaning there.
    """

    coercion: Preset | Coercion
    observer: Observer | None
    refuse_markup: bool
    unknown_arguments: UnknownArguments


def checker_options(**options: Unpack[CheckerOptions]) -> CheckerOptions:
    """Return the options, checked where they are given and not at the first call.

    Raises:
        TypeError: for an unknown option.
        ValueError: for an unknown word for `coercion` or `unknown_arguments`.

    >>> checker_options(corecion="off")
    Traceback (most recent call last):
        ...
    TypeError: CheckerOptions() has no option 'corecion'; did you mean 'coercion'?

    """
    require_options(options, CheckerOptions.__annotations__, "CheckerOptions")
    coercion_named(options.get("coercion", "default"))
    require_unknown_arguments(options.get("unknown_arguments", "keep"))
    return options


def compile_checker(name: str, schema: Any, **options: Unpack[CheckerOptions]) -> Tool | None:
    """The tool that prepares arguments for one that somebody else runs.

    The schema may be one of Gemini's. None where it cannot be compiled: a server's broken schema
    must not take away a tool that worked without us. The log says why.

    >>> tool = compile_checker("search", {"properties": {"limit": {"type": "integer"}}})
    >>> tool.prepare({"limit": "3"}).arguments
    {'limit': 3}
    """
    options = checker_options(**options)
    rules = coercion_named(options.get("coercion", "default"))
    try:
        return Tool.from_schema(
            {"name": name, "parameters": schema},
            coercion=rules,
            observer=options.get("observer"),
            refuse_markup=options.get("refuse_markup", False),
            unknown_arguments=options.get("unknown_arguments", "keep"),
        )
    except SchemaError as error:
        LOGGER.warning("the arguments of `%s` stay as they are: %s", name, error)
        return None


class ToolCache:
    """The checkers of the tools that a server lists. Each is made when it is first asked for.

    >>> checkers = ToolCache(coercion="default")
    >>> schema = {"properties": {"limit": {"type": "integer"}}}
    >>> checkers.get("search", schema) is checkers.get("search", schema)
    True
    """

    def __init__(self, **options: Unpack[CheckerOptions]) -> None:
        self._options = checker_options(**options)
        self._known: dict[str, tuple[Any, Tool | None]] = {}

    def get(self, name: str, schema: Any, key: str | None = None) -> Tool | None:
        """The checker of a tool, made again if the schema is another one than the last time.

        Args:
            name: the tool's name.
            schema: its schema.
            key: what to know the tool by, where there are several of that name.

        """
        key = key or name
        known, tool = self._known.get(key, (None, None))
        if not _equal(known, schema):
            tool = compile_checker(name, schema, **self._options)
            self._known[key] = schema, tool
        return tool


def _equal(known: Any, schema: Any) -> bool:
    try:
        return known is schema or bool(known == schema)
    except RecursionError:
        return False
