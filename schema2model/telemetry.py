"""OpenTelemetry's view of tool calls: how their arguments were read, and what running them took.

tools = instrument(Toolset([search, restock]))  # a tool, a toolset or a compiled schema
tool = Tool(search, observer=Telemetry())  # the same, where a tool is made

The names are those of the semantic conventions for generative AI, where they have one. Needs the
extra `otel`, which is OpenTelemetry's API: it does nothing until an application sets up an SDK.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, partial
from importlib.metadata import version
from pickle import PicklingError
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from pydantic_core import to_json
from typing_extensions import Unpack

from schema2model.coercions import status_of
from schema2model.compiled import CompiledSchema
from schema2model.errors import ToolError
from schema2model.extras import DISTRIBUTION, extra
from schema2model.tools.conversation import Arguments, call_id
from schema2model.tools.execution import Execution
from schema2model.tools.leaked_markup import swallowed_members
from schema2model.tools.parameters import Inject
from schema2model.tools.result_writing import encodable
from schema2model.tools.tool import Prepared, Tool, ToolOptions, changes_between, with_observer
from schema2model.tools.toolset import Toolset
from schema2model.types import Change

if TYPE_CHECKING:
    from schema2model.calls.call_reader import CallReader, Errors
    from schema2model.calls.call_types import Call

with extra("otel"):
    from opentelemetry import context, metrics, trace

__all__ = ["Telemetry", "instrument"]

TOOL = "gen_ai.tool.name"
TOOL_TYPE = "gen_ai.tool.type"
ERROR_TYPE = "error.type"
STATUS = "schema2model.status"
FORMAT = "schema2model.format"
CONTAINED = "contained"
"""The keyword of an issue with a call in text that may hold another one."""

SECONDS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
"""The buckets that the conventions want for the duration of a tool's execution."""

Changes: TypeAlias = tuple[Change, ...] | None
"""The changes of a call's arguments, or None if they are refused."""

_T = TypeVar("_T", Tool, Toolset, CompiledSchema)


class Telemetry:
    """An `Observer` of tool calls that reports to OpenTelemetry. One is enough for all tools.

    After pickling, it reports to the global providers of the process that loads it. With providers
    of its own it cannot be pickled.

    Args:
        record_arguments: whether spans have the arguments, which may be anybody's secrets.
        record_exceptions: whether spans have the messages and tracebacks of exceptions, which may
            quote arguments; they have the types in any case.
        tracer_provider: whose spans these are; OpenTelemetry's global one if not given.
        meter_provider: the same for metrics.

    """

    def __init__(
        self,
        *,
        record_arguments: bool = False,
        record_exceptions: bool = False,
        tracer_provider: trace.TracerProvider | None = None,
        meter_provider: metrics.MeterProvider | None = None,
    ) -> None:
        scope = "schema2model", version(DISTRIBUTION)
        self._tracer = trace.get_tracer(*scope, tracer_provider)
        meter = metrics.get_meter(*scope, meter_provider)
        self._calls = meter.create_counter("schema2model.calls", "{call}", "Calls of tools.")
        self._changes = meter.create_counter("schema2model.changes", "{change}", "Rules applied.")
        self._swallowed = meter.create_counter(
            "schema2model.swallowed", "{parameter}", "Parameters whose tags are in another's text."
        )
        self._contained = meter.create_counter(
            "schema2model.contained_calls", "{call}", "Calls in text that may hold another call."
        )
        self.duration = meter.create_histogram(
            "gen_ai.execute_tool.duration",
            "s",
            "The duration of a single tool execution.",
            explicit_bucket_boundaries_advisory=SECONDS,
        )
        self._record_arguments = record_arguments
        self._record_exceptions = record_exceptions
        self._global = tracer_provider is None and meter_provider is None

    def __copy__(self) -> Telemetry:
        return self

    def __deepcopy__(self, memo: Any) -> Telemetry:
        """Itself: frameworks copy their tools, but counters and tracers there are only once."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        if not self._global:
            message = "a Telemetry with providers of its own cannot leave its process"
            raise PicklingError(message)
        made = partial(
            type(self),
            record_arguments=self._record_arguments,
            record_exceptions=self._record_exceptions,
        )
        return made, ()

    def count(self, name: str, changes: Changes) -> None:
        """Count a call."""
        name = encodable(name)
        self._calls.add(1, {TOOL: name, STATUS: _status(changes)})
        for change in changes or ():
            self._changes.add(1, {TOOL: name, "schema2model.rule": change.rule})

    def prepared(self, prepared: Prepared) -> None:
        """Count a call that is valid."""
        self.count(prepared.tool.name, prepared.changes)
        declared = prepared.tool.compiled._engine.anchors.names()
        if swallowed := swallowed_members(prepared.arguments, declared):
            self._swallowed.add(len(swallowed), {TOOL: encodable(prepared.tool.name)})

    def read(self, call: Call, *, is_known: bool) -> None:
        """Count a call of a text if another one may begin, or be quoted, within it."""
        if call.error and any(issue.keyword == CONTAINED for issue in call.error.issues):
            name = encodable(call.name) if is_known else "_OTHER"
            self._contained.add(1, {TOOL: name, FORMAT: encodable(call.format)})

    def refused(self, tool: Tool, arguments: Any, call: Any, error: ToolError) -> None:
        """Count a refused call, with a span in place of that of its execution."""
        self.count(tool.name, None)
        if tool.function is not None:
            self.end(self._span(tool, call_id(call), arguments, None), error)

    def started(self, prepared: Prepared) -> Execution:
        """Begin the span of an execution."""
        tool, changes = prepared.tool, prepared.changes
        span = self._span(tool, prepared.call_id, prepared.arguments, changes)
        return _Execution(self, tool.name, span)

    def _span(self, tool: Tool, id_: str | None, arguments: Any, changes: Changes) -> trace.Span:
        name = encodable(tool.name)  # a server's; one that cannot be encoded would stop an export
        attributes: dict[str, str | list[str]] = {
            "gen_ai.operation.name": "execute_tool",
            TOOL: name,
            TOOL_TYPE: "function",
            STATUS: _status(changes),
        }
        if tool.description:
            attributes["gen_ai.tool.description"] = encodable(tool.description)
        if id_ is not None:
            attributes["gen_ai.tool.call.id"] = _text(id_[:200])  # which may come from anywhere
        if changes:
            attributes["schema2model.rules"] = sorted({change.rule for change in changes})
        if self._record_arguments:
            attributes["gen_ai.tool.call.arguments"] = _text(arguments)
        return self._tracer.start_span(f"execute_tool {name}", attributes=attributes)

    def end(self, span: trace.Span, error: BaseException | None) -> None:
        """End a span, with what was raised."""
        if error is not None:
            span.set_attribute(ERROR_TYPE, _type_name(error))
            span.set_status(trace.StatusCode.ERROR)
            if self._record_exceptions:
                span.record_exception(error)
        span.end()


class _Execution:
    """The execution of a tool's function, whose span is the current one while it runs."""

    __slots__ = ("_context", "_name", "_span", "_start", "_telemetry", "_token")

    def __init__(self, telemetry: Telemetry, name: str, span: trace.Span) -> None:
        self._telemetry, self._name, self._span = telemetry, encodable(name), span
        self._context = trace.set_span_in_context(span)
        self._start = perf_counter()

    def __enter__(self) -> None:
        self._token = context.attach(self._context)

    def __exit__(self, *error: object) -> None:
        context.detach(self._token)

    def finished(self, error: BaseException | None) -> None:
        seconds = perf_counter() - self._start
        self._telemetry.end(self._span, error)
        attributes = {TOOL: self._name, TOOL_TYPE: "function"}
        if error is not None:
            attributes[ERROR_TYPE] = _type_name(error)
        self._telemetry.duration.record(seconds, attributes, self._context)


def _status(changes: Changes) -> str:
    return "refused" if changes is None else status_of(changes)


def _type_name(error: BaseException) -> str:
    return f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")


def _text(value: Any) -> str:
    """Text as it is, or the JSON of a value, without what exporters cannot encode."""
    try:
        if isinstance(value, str):
            return encodable(value)
        spelled = value if isinstance(value, (bytes, bytearray)) else to_json(value)
        return spelled.decode("utf-8", "replace")
    except Exception:  # noqa: BLE001 - what was refused may be anything, and raise anything
        return f"a {type(value).__name__} that has no JSON"


def instrument(target: _T, telemetry: Telemetry | None = None) -> _T:
    """Return a recorded copy of a tool, toolset or compiled schema.

    Args:
        target: stays as it is. Of a compiled schema, `validate` and `validate_json` are counted.
        telemetry: if not given, it records nothing confidential, to the global providers.

    Raises:
        TypeError: for anything else.

    >>> from schema2model import Tool, telemetry
    >>> def double(number: int) -> int:
    ...     return 2 * number
    >>> telemetry.instrument(Tool(double)).call('{"number": "4"}')
    8

    """
    observer = telemetry or Telemetry()
    if isinstance(target, Tool):
        return with_observer(target, observer)
    if isinstance(target, Toolset):
        return cast("_T", _CountingToolset(target, observer))
    if isinstance(target, CompiledSchema):
        return cast("_T", _CountingSchema(target, observer))
    message = (
        f"instrument takes a Tool, a Toolset or a compiled schema, got {type(target).__name__}"
    )
    raise TypeError(message)


class _CountingToolset(Toolset):
    """A toolset that counts what is asked for in vain, under one name: models may ask for any."""

    __slots__ = ("_telemetry",)

    def __init__(self, tools: Toolset, telemetry: Telemetry) -> None:
        self._telemetry = telemetry
        super().__init__()
        self._copy_from(tools)

    def add(
        self,
        *tools: Any,
        inject: Inject = (),
        errors: Errors = "raise",
        **options: Unpack[ToolOptions],
    ) -> None:
        made = Toolset(tools, inject=inject, errors=errors, **options)
        super().add(*made)
        self._broken += made.broken

    def _extend(
        self,
        tools: Iterable[Any],
        inject: Inject,
        options: ToolOptions,
        errors: Errors = "raise",
    ) -> None:
        counting = (instrument(tool, self._telemetry) for tool in tools)
        super()._extend(counting, inject, options, errors)

    def prepare(
        self,
        name: str,
        arguments: Arguments,
        call: Any = None,
        *,
        previous: ToolError | str | None = None,
    ) -> Prepared:
        is_known = isinstance(name, str) and name in self
        if not is_known and self._respelled_tool(name) is None:
            self._telemetry.count("_OTHER", None)
        return super().prepare(name, arguments, call, previous=previous)

    def read_calls(
        self,
        text: str,
        format: str | None = None,  # noqa: A002 - as in the class above
        errors: Errors = "raise",
    ) -> list[Call]:
        calls = self._told(
            super().read_calls(text, format, "keep" if errors == "raise" else errors)
        )
        for call in calls:
            if errors == "raise" and call.error is not None:
                raise call.error
        return calls

    def call_reader(self, format: str | None = None) -> CallReader:  # noqa: A002 - see above
        reader = _counting_reader()(self._names, format, self._wire_formats)
        reader.told = self._told
        return cast("CallReader", reader)

    def _told(self, calls: list[Call]) -> list[Call]:
        for call in calls:
            self._telemetry.read(call, is_known=call.name in self)
        return calls


@cache
def _counting_reader() -> type[Any]:
    """The class of a reader that reports each call that it returns."""
    from schema2model.calls.call_reader import CallReader  # noqa: PLC0415 - calls seldom come as text

    class CountingReader(CallReader):
        told: Callable[[list[Call]], list[Call]]

        def feed(self, chunk: str) -> list[Call]:
            return self.told(super().feed(chunk))

        def finish(self, chunk: str = "") -> list[Call]:
            return self.told(super().finish(chunk))

    return CountingReader


class _CountingSchema(CompiledSchema):
    """A compiled schema that counts what it reads."""

    __slots__ = ("_telemetry",)
    _telemetry: Telemetry

    def __init__(self, compiled: CompiledSchema, telemetry: Telemetry) -> None:
        super().__init__(compiled._engine)
        object.__setattr__(self, "_telemetry", telemetry)

    def __copy__(self) -> _CountingSchema:
        return self

    def __deepcopy__(self, memo: Any) -> _CountingSchema:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return instrument, (CompiledSchema(self._engine), self._telemetry)

    def validate(self, value: Any, defaults: bool = False) -> Any:  # noqa: FBT001, FBT002
        result = self._counted(super().validate, value, is_text=False)
        return self._filling.filled(result) if defaults else result

    def validate_json(self, text: str | bytes | bytearray, defaults: bool = False) -> Any:  # noqa: FBT001, FBT002
        result = self._counted(super().validate_json, text, is_text=True)
        return self._filling.filled(result) if defaults else result

    def _counted(self, validate: Callable[[Any], Any], given: Any, *, is_text: bool) -> Any:
        try:
            result = validate(given)
        except ToolError:
            self._telemetry.count(self.name, None)
            raise
        if is_text or not isinstance(given, str):
            changes = changes_between(self, given, result)
        else:  # a string is a value here
            changes = self.explain(given).changes
        self._telemetry.count(self.name, changes)
        return result
