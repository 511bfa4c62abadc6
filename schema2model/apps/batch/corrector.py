"""`Corrector`: what becomes of one recorded call, by the name of its tool."""

from __future__ import annotations

import functools
import hashlib
import json
import marshal
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from schema2model.apps.batch.bounded_names import shortened, without_indices
from schema2model.apps.batch.offered_tools import OfferedTools
from schema2model.apps.batch.outcomes import NameDoubt, Outcome, failed, json_bytes, refused, spoken
from schema2model.calls.tool_names import ToolNames, unknown_tool
from schema2model.coercions import PRESETS, Coercion, Preset, coercion_named, status_of
from schema2model.compiled import CompiledSchema, compile_schema
from schema2model.errors import SchemaError, ToolError, unexpected
from schema2model.json.pointers import pointer
from schema2model.json.quoting import quoted
from schema2model.limits import MAX_CACHED_TOOL_LISTS
from schema2model.schema.dialects import dialect_named
from schema2model.schema.undeclared import (
    DeclaredNames,
    UnknownArguments,
    require_unknown_arguments,
)
from schema2model.tools.leaked_markup import swallowed_members
from schema2model.tools.providers.definitions import Definition, declarations, read_definition
from schema2model.tools.results import ResultError, read_tool_result
from schema2model.tools.undeclared_refusals import undeclared_refusal
from schema2model.types import Formats

__all__ = ["Corrector", "Tools"]

Tools = Mapping[str, "_Tool | str"]
"""Tools by name; in the place of one that cannot be compiled the reason."""


@dataclass(frozen=True, slots=True)
class _Tool:
    """A compiled tool, and a function that returns correct arguments and raises for others."""

    compiled: CompiledSchema
    names: DeclaredNames
    accept: Callable[[Any], Any]
    accept_json: Callable[[str], Any]
    output_schema: Any = None


class Corrector:
    """Corrects recorded calls of the tools that it knows. Picklable, safe to share.

    Args:
        tools: definitions in the shape of any provider. One that is wrong costs only its own
            calls, which are refused for the reason.
        coercion: `"default"`, `"off"`, `"untyped"`, `"forgiving"`, `"lenient"`, or a `Coercion`.
        dialect: of schemas that name none; the provider's if not given.
        formats: `"assert"` checks `format`, `"annotate"` does not; see `compile_schema`.
        unknown_arguments: `"keep"`, `"refuse"` or `"refuse_similar"`; see `ToolOptions`.

    Attributes:
        reads_results: whether a tool that it has met declares an `outputSchema`.

    Raises:
        ValueError: for an unknown coercion or another word for `unknown_arguments`, for two tools
            of one name, and (as SchemaError) for an unknown dialect, and a definition without a
            name or a schema.

    >>> corrector = Corrector([{"name": "f", "parameters": {"required": ["a"]}}])
    >>> corrector.correct("f", "{'a': 1}")[:2]
    ('{"a":1}', 'repaired')
    >>> print(corrector.correct("f", {"A": 1}).error)
    Error parsing arguments for `f`:
    - rename "A" to "a"
    <BLANKLINE>
    Fix the errors and try again.
    >>> corrector.correct("g", "{}").error
    'There is no tool `g`; the tools are `f`'

    """

    def __init__(
        self,
        tools: Iterable[Any] = (),
        *,
        coercion: Preset | Coercion = "default",
        dialect: str | None = None,
        formats: Formats | None = None,
        unknown_arguments: UnknownArguments = "keep",
    ) -> None:
        require_unknown_arguments(unknown_arguments)
        self._unknown_arguments = unknown_arguments
        self._coercion = coercion_named(coercion)
        self._dialect = None if dialect is None else dialect_named(dialect).name
        self._formats = formats
        self._options = {
            "dialect": self._dialect,
            "formats": formats,
            "unknown_arguments": unknown_arguments,
        }
        self._definitions = tuple(_definitions(tools))
        self.reads_results = False
        self._tools = self._compiled(self._definitions)
        self._brought = functools.lru_cache(MAX_CACHED_TOOL_LISTS)(self._unmarshalled)

    def __reduce__(self) -> tuple[Any, ...]:
        made: dict[str, Any] = {**self._options, "coercion": self._coercion}
        return functools.partial(type(self), **made), (self._definitions,)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __iter__(self) -> Iterator[str]:
        """Return the names of the tools."""
        return iter(self._tools)

    @property
    def fingerprint(self) -> str:
        """Equal for correctors that do the same."""
        tools = [(each.name, each.schema, each.dialect) for each in self._definitions]
        text = json.dumps([tools, repr(self._coercion), self._options])
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def options(self) -> dict[str, Any]:
        """How it was made, as JSON values: the preset's name, or the rules that are on; the rest.

        >>> Corrector(coercion="lenient", formats="assert").options
        {'coercion': 'lenient', 'dialect': None, 'formats': 'assert', 'unknown_arguments': 'keep'}
        >>> Corrector(coercion=Coercion.off.replace(json_text=True)).options["coercion"]
        ['json_text']
        """
        rules = [rule for rule, is_on in asdict(self._coercion).items() if is_on]
        named = (name for name, preset in PRESETS.items() if preset == self._coercion)
        return {"coercion": next(named, rules), **self._options}

    @property
    def broken(self) -> dict[str, str]:
        """The tools that cannot be compiled, and why."""
        return {name: tool for name, tool in self._tools.items() if isinstance(tool, str)}

    def correct(self, name: Any, arguments: Any, tools: Tools | None = None) -> Outcome:
        """Correct one call. Never raises.

        Args:
            name: of the tool that is called.
            arguments: the text that a provider sent, or JSON values.
            tools: those that were offered along with the call, from `offered`; they come first.

        """
        tool = self._find(name, tools)
        if tool is None:
            return refused(_unknown(name, {**self._tools, **(tools or {})}), "unknown_tool")
        if isinstance(tool, str):
            return refused(tool, "broken_tool", _shown(name))
        try:
            return _judged(tool, arguments, self._unknown_arguments)
        except BaseException as error:  # noqa: BLE001 - it must not cost the other rows
            return failed(error)

    def accepts(self, name: Any, arguments: Any) -> bool:
        """Return whether a call is known to need no correction and to raise no doubts, at a glance.

        >>> corrector = Corrector([{"name": "f", "parameters": {"required": ["a"]}}])
        >>> corrector.accepts("f", '{"b": 1}'), corrector.accepts("g", "{}")
        (False, False)
        """
        tool = self._tools.get(name) if type(name) is str else None
        if type(tool) is not _Tool:
            return False
        is_text = type(arguments) is str
        try:
            value = (tool.accept_json if is_text else tool.accept)(arguments)
        except Exception:  # noqa: BLE001 - a hostile value may raise anything
            return False
        if not tool.names.declares_all(value):
            return False
        if is_text and "<" not in arguments and "\\u" not in arguments:  # no string has markup
            return True
        return not swallowed_members(value, tool.compiled._engine.anchors.names())

    def check_result(self, name: Any, result: Any, tools: Tools | None = None) -> Outcome | None:
        """Compare the result of a tool with its `outputSchema`; None if it has none. Never raises.

        Args:
            name: of the tool.
            result: as MCP writes it.
            tools: those that were offered along with the call, from `offered`; they come first.

        >>> schema = {"properties": {"n": {"type": "integer"}}}
        >>> count = {"name": "count", "inputSchema": {}, "outputSchema": schema}
        >>> Corrector([count]).check_result("count", {"structuredContent": {"n": "3"}}).status
        'coerced'

        """
        tool = self._find(name, tools)
        if not isinstance(tool, _Tool) or tool.output_schema is None or result.get("isError"):
            return None
        schema, coercion = tool.output_schema, self._coercion
        try:
            read = read_tool_result(name, schema, result, coercion=coercion)
        except (ResultError, SchemaError) as error:
            return refused(str(error), "arguments")
        except BaseException as error:  # noqa: BLE001 - it must not cost the other rows
            return failed(error)
        return Outcome(read.structured, status_of(read.changes), read.changes)

    def _find(self, name: Any, tools: Tools | None) -> _Tool | str | None:
        """Return a tool by its name, of those that were offered or of its own."""
        if type(name) is not str:
            return None
        tool = tools.get(name) if tools else None
        return self._tools.get(name) if tool is None else tool

    def read(self, text: str, tools: Tools | None = None) -> Iterator[tuple[str, Outcome]]:
        """Yield the calls in a text of a model: the name and the outcome of each. Never raises.

        Args:
            text: in any of the formats that `Toolset.read_calls` reads.
            tools: those that were offered along with the text, from `offered`; they come first.

        >>> f = {"name": "f", "parameters": {"properties": {"a": {"type": "integer"}}}}
        >>> text = '<tool_call>{"name": "f", "arguments": {"a": "1"}}</tool_call>'
        >>> [(name, outcome)] = Corrector([f]).read(text)
        >>> name, outcome.corrected, outcome.status
        ('f', {'a': 1}, 'coerced')

        """
        from schema2model.calls.call_reader import CallReader  # noqa: PLC0415 - few logs are text

        known = {**self._tools, **(tools or {})}
        names = {name: each.compiled for name, each in known.items() if isinstance(each, _Tool)}
        reader = CallReader(ToolNames(names))
        reader.finish(text)
        for call, changes in zip(reader.calls, reader.changes, strict=True):
            tool = known.get(call.name)
            if tool is None:
                yield call.name, refused(str(call.error), "unknown_tool")
            elif isinstance(tool, str):
                yield call.name, refused(tool, "broken_tool", _shown(call.name))
            elif call.error is not None:
                yield call.name, _refused_arguments(call.name, call.error)
            else:
                outcome = Outcome(call.arguments, status_of(changes), changes)
                yield call.name, _doubted(outcome, tool, call.arguments, self._unknown_arguments)

    def offered(self, definitions: Any) -> OfferedTools:
        """Return the tools of a list of definitions, or of its JSON text; equal lists compile once.

        Raises:
            ValueError: where it holds none.

        """
        if type(definitions) is OfferedTools:  # in a row of `RowParser`
            return definitions
        try:
            return self._brought(marshal.dumps(definitions))
        except _ToolsError as error:
            reason = str(error)
        except (TypeError, ValueError, RecursionError) as error:
            is_own = isinstance(error, SchemaError)
            reason = str(error) if is_own else "they are not JSON, or nested too deeply"
        message = f"the tools that were offered cannot be read: {reason}"
        raise ValueError(message)

    def _unmarshalled(self, spelled: bytes) -> OfferedTools:
        offered = marshal.loads(spelled)  # noqa: S302 - our own bytes
        if isinstance(offered, str):
            offered = json.loads(offered)
        return self._compiled(_definitions(offered if isinstance(offered, list) else [offered]))

    def _compiled(self, definitions: Iterable[Definition]) -> OfferedTools:
        found = OfferedTools()
        for definition in definitions:
            if definition.name in found:
                message = f"two tools have the name {quoted(definition.name)}"
                raise _ToolsError(message)
            found[definition.name] = self._tool(definition)
        return found

    def _tool(self, definition: Definition) -> _Tool | str:
        try:
            compiled = compile_schema(
                definition.schema,
                name=definition.name,
                coercion=self._coercion,
                dialect=self._dialect or definition.dialect,
                formats=self._formats,
            )
        except SchemaError as error:
            return f"the schema of the tool {quoted(definition.name)} is wrong: {error}"
        except BaseException as error:  # noqa: BLE001 - it must not cost the other tools
            reason = unexpected(error)
            return f"the schema of the tool {quoted(definition.name)} is not understood: {reason}"
        names = DeclaredNames(compiled._engine.root)
        output_schema = definition.extras.get("outputSchema")
        self.reads_results |= output_schema is not None
        if self._coercion.reads_strings:  # valid strings too, which the strict schema would pass
            return _Tool(compiled, names, _never, _never, output_schema)
        # what pydantic-core itself says, because nobody needs to be told what is wrong yet
        engine = compiled._engine
        return _Tool(compiled, names, *engine.strict, output_schema)


class _ToolsError(ValueError):
    """Tools cannot be used together."""


def _definitions(tools: Iterable[Any]) -> Iterator[Definition]:
    for given in tools:
        for each in declarations(given):
            yield each if isinstance(each, Definition) else read_definition(each)


def _never(value: Any) -> Any:
    raise ValueError(value)


def _refused_arguments(tool: str | None, error: ToolError) -> Outcome:
    """Return the outcome for arguments that are not valid; the first problem is the reason."""
    about = tool or ""
    if error.issues:
        issue = error.issues[0]
        about = f"{shortened(about)} {without_indices(issue.path) or '/'}: {issue.keyword}"
    return refused(str(error), "arguments", _shown(about))


def _shown(name: str) -> str:
    """Return the text under which a refusal is counted, bounded and without lone surrogates."""
    return shortened(name.encode("utf-8", "backslashreplace").decode())


def _unknown(name: Any, known: Tools) -> str:
    if type(name) is not str:
        return f"the tool's name is text, not {quoted(name)}"
    return str(unknown_tool(name, known))


def _judged(tool: _Tool, arguments: Any, option: UnknownArguments) -> Outcome:
    """Return the outcome for the arguments of a tool."""
    kind = type(arguments)  # a hostile value has no `__class__`
    try:
        value = (tool.accept_json if kind is str else tool.accept)(arguments)
    except Exception:  # noqa: BLE001, S110 - a hostile value may raise anything
        pass
    else:
        return _doubted(Outcome(arguments, "unchanged"), tool, value, option)
    compiled = tool.compiled
    engine = compiled._engine  # `CompiledSchema.explain` searches again where it is refused
    is_text = issubclass(kind, (str, bytes, bytearray))
    try:
        result, changes = engine.search.explain(arguments, is_text=is_text)
    except ToolError as error:
        return _refused_arguments(compiled.name, error)
    status = status_of(changes)
    if status == "unchanged":
        is_bytes = issubclass(kind, (bytes, bytearray))
        outcome = Outcome(spoken(arguments) if is_bytes else arguments, "unchanged")
    else:
        corrected = json_bytes(result).decode() if is_text else result
        outcome = Outcome(corrected, status, changes)
    return _doubted(outcome, tool, result, option)


def _doubted(outcome: Outcome, tool: _Tool, value: Any, option: UnknownArguments) -> Outcome:
    """Return the outcome of valid arguments with its doubts, or a refusal if the option says so."""
    declared = tool.compiled._engine.anchors.names()
    if swallowed := swallowed_members(value, declared):
        doubts = tuple(NameDoubt(pointer([holder]), name) for holder, name in swallowed)
        outcome = outcome._replace(doubts=doubts)
    if tool.names.declares_all(value):
        return outcome
    name = tool.compiled.name
    if (error := undeclared_refusal(name, tool.compiled, value, option, tool.names)) is not None:
        return _refused_arguments(name, error)
    similar = tool.names.similar(value)
    if not similar:
        return outcome
    named = (NameDoubt(pointer(each.path), each.similar) for each in similar if each.similar)
    return outcome._replace(doubts=(*outcome.doubts, *named))
