"""Checkers: tools that check and coerce the arguments of tools that others run, cached by name."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from typing_extensions import Unpack

from schema2model.coercions import Preset
from schema2model.compiled import compile_schema
from schema2model.errors import SchemaError
from schema2model.json.equality import type_exact_bytes, type_exact_equal
from schema2model.logs import logger_named
from schema2model.schema.undeclared import require_unknown_arguments
from schema2model.schema.vocabularies.python_types import TypeMarks
from schema2model.tools.developer_mistakes import require_observer, require_options
from schema2model.tools.tool import CheckerOptions, Tool, with_parts
from schema2model.tools.tool_parts import COMPILING, call_options, definition_parts

__all__ = [
    "CheckerOptions",
    "ToolCache",
    "checker_options",
    "compile_checker",
    "take_checker_options",
]

LOGGER = logger_named("schema2model.adapters")


def checker_options(**options: Unpack[CheckerOptions]) -> CheckerOptions:
    """Return the options, checked where they are given and not at the first call.

    Raises:
        TypeError: for an unknown option, or an observer that is none.
        ValueError: for an unknown value of one.
        SchemaError: for an unknown dialect.

    >>> checker_options(corecion="off")
    Traceback (most recent call last):
        ...
    TypeError: CheckerOptions() has no option 'corecion'; did you mean 'coercion'?

    """
    require_options(options, CheckerOptions.__annotations__, "CheckerOptions")
    given: dict[str, Any] = {**options}
    compiling = {name: given[name] for name in COMPILING if name in given}
    compile_schema({"type": "object"}, **compiling)  # which knows the values of its options
    require_unknown_arguments(options.get("unknown_arguments", "keep"))
    require_observer(options.get("observer"))
    return options


def take_checker_options(options: dict[str, Any]) -> CheckerOptions:
    """Remove the options of checkers from those of a framework's own class, and return them.

    Raises:
        ValueError: for an unknown value of one.
        SchemaError: for an unknown dialect.

    >>> options = {"coercion": "off", "timeout": 3}
    >>> take_checker_options(options), options
    ({'coercion': 'off'}, {'timeout': 3})

    """
    known = CheckerOptions.__annotations__
    own: Any = {name: options.pop(name) for name in [*options] if name in known}
    return checker_options(**own)


def compile_checker(
    name: str, schema: Any, origin: Any = None, **options: Unpack[CheckerOptions]
) -> Tool | None:
    """Return the tool that prepares arguments for one that somebody else runs.

    The schema may be one of Gemini's. None where it cannot be compiled: a server's broken schema
    must not take away a tool that worked without us. The log says why.

    `origin` is what the schema was made of, if that is known. Of annotations, it is what pydantic
    has made of them: then a word for null is not a date. It may also be the tool of ours that reads
    the arguments next: the checker reads as that does, and `options` only observe and refuse.

    >>> tool = compile_checker("search", {"properties": {"limit": {"type": "integer"}}})
    >>> tool.prepare({"limit": "3"}).arguments
    {'limit': 3}
    """
    options = checker_options(**options)
    types: TypeMarks = ()
    if isinstance(origin, Tool):
        if origin.strict is None:  # else the schema is its projection
            parts = replace(origin._parts, parameters=None, options=call_options(options))
            return with_parts(parts)
    elif origin is not None:
        from schema2model.tools.annotations import types_in_schema  # noqa: PLC0415 - most have none

        types = types_in_schema(schema, origin)
    definition = {"name": name, "parameters": schema}
    try:
        return with_parts(definition_parts(definition, None, options, types))
    except SchemaError as error:
        LOGGER.warning("the arguments of `%s` stay as they are: %s", name, error)
        return None


class ToolCache:
    """The checkers of tools by name. Each is compiled when it is first asked for.

    Args:
        coercion_by_tool: the coercion of single tools, by name; `coercion` is that of the others.
        options: see `CheckerOptions`.

    >>> checkers = ToolCache(coercion="default")
    >>> schema = {"properties": {"limit": {"type": "integer"}}}
    >>> checkers.get("search", schema) is checkers.get("search", schema)
    True
    >>> checkers.add_page({"tools": [{"name": "find", "inputSchema": schema}], "nextCursor": "2"})
    '2'
    >>> checkers.listed("find").prepare({"limit": "3"}).arguments, checkers.listed("search")
    ({'limit': 3}, None)

    """

    def __init__(
        self,
        coercion_by_tool: Mapping[str, Preset] | None = None,
        **options: Unpack[CheckerOptions],
    ) -> None:
        self._options = checker_options(**options)
        self._own_options: dict[str, CheckerOptions] = {}
        for name, coercion in (coercion_by_tool or {}).items():
            own: CheckerOptions = {**options, "coercion": coercion}
            self._own_options[name] = checker_options(**own)
        self._checkers: dict[str, tuple[Any, Any, Tool | None]] = {}
        self.schemas: dict[str, Any] = {}
        """The schemas of the tools that a server has listed."""
        self.output_schemas: dict[str, Any] = {}
        """The schemas of their results, or None."""

    def add(self, name: str, schema: Any, output_schema: Any = None) -> None:
        """Add a tool that a server lists, in the place of one of the same name."""
        self.schemas[name] = schema
        self.output_schemas[name] = output_schema

    def add_page(self, page: Any) -> str | None:
        """Add the tools in a result of `tools/list`; return the cursor of the next page, or None.

        Items that are not tools are skipped.
        """
        if not isinstance(page, dict):
            return None
        tools = page.get("tools")
        for tool in tools if isinstance(tools, list) else []:
            if isinstance(tool, dict) and isinstance(name := tool.get("name"), str):
                self.add(name, tool.get("inputSchema"), tool.get("outputSchema"))
        cursor = page.get("nextCursor")
        return cursor if isinstance(cursor, str) and cursor else None

    def listed(self, name: str) -> Tool | None:
        """Return the checker of a tool that a server has listed; None if there is none."""
        return self.get(name, self.schemas[name]) if name in self.schemas else None

    def get(
        self,
        name: str,
        schema: Any,
        key: str | None = None,
        *,
        schema_of: Callable[[Any], Any] | None = None,
        origin: Any = None,
    ) -> Tool | None:
        """Return the checker of a tool, made again if its schema has changed.

        Args:
            name: the tool's name.
            schema: its schema, or an object that `schema_of` makes one of.
            key: the key of the tool, where several have the same name.
            schema_of: is called for an object that is not the one of the last time.
            origin: see `compile_checker`.

        """
        given = _unchangeable(schema) if schema_of is None else schema
        known, made_of, tool = self._checkers.get(key or name, _NONE_KNOWN)
        is_known = known is given or (schema_of is None and _equal(known, given))
        if is_known and made_of is origin:
            return tool
        found = schema if schema_of is None else schema_of(schema)
        own = self._own_options.get(name, self._options)
        tool = compile_checker(name, found, origin, **own)
        self._checkers[key or name] = given, origin, tool
        return tool


def _unchangeable(schema: Any) -> Any:
    """Return the bytes of a schema, in which later changes to it are not seen.

    One that is not plain JSON is returned itself.
    """
    try:
        return type_exact_bytes(schema)
    except ValueError:
        return schema


_NONE_KNOWN: tuple[Any, Any, Tool | None] = (_unchangeable(None), None, None)


def _equal(known: Any, given: Any) -> bool:
    """Return whether two schemas are equal; 1 and true are for Python, not for JSON Schema."""
    if type(known) is type(given) is bytes:
        if known == given:
            return True
        known, given = marshal.loads(known), marshal.loads(given)  # noqa: S302 - our own bytes
    try:
        return type_exact_equal(known, given)
    except (RecursionError, ValueError):  # too deep, or no JSON
        return False
