"""Run the function of a prepared call, notify observers, and write its result for a model."""

from __future__ import annotations

import inspect
import logging
import marshal
from base64 import b64encode
from collections import deque
from collections.abc import (
    AsyncIterator,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Set as AbstractSet,
    ValuesView,
)
from contextlib import nullcontext, suppress
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import Any, Final, Protocol

from pydantic_core import to_json

from schema2model.errors import ToolError
from schema2model.json.quoting import printable
from schema2model.json.values import SCALARS
from schema2model.limits import MAX_DEPTH
from schema2model.logs import logger_named
from schema2model.tools.parameters import InstanceArguments

__all__ = [
    "LOGGER",
    "Execution",
    "ExecutionObserver",
    "HookObserver",
    "arun",
    "collected",
    "encodable",
    "require_runnable",
    "result_text",
    "run",
    "text_for_model",
]

LOGGER = logger_named("schema2model")

_PLAIN = frozenset((str, int, float, bool, type(None), dict, list))
"""Types of results that are not awaitable, without asking abstract classes."""
_CONTAINERS: Final = (dict, list, tuple, set, frozenset, deque)
"""Types of results that may hold bytes or iterators."""
_TEXTS: Final = (str, bytes, bytearray)
_DATA: Final = (*SCALARS, *_CONTAINERS, *_TEXTS, Iterator)
"""Types of what Python's own `str` may show: they hold nothing that was to be left out."""
_SERIALIZER: Final = "__pydantic_serializer__"
"""An attribute of pydantic's models and dataclasses."""


class Execution(Protocol):
    """One execution of a tool's function, as an observer sees it."""

    def __enter__(self) -> object:
        """Enter the context in which the function runs, or its result is awaited."""

    def __exit__(self, *error: object) -> None:
        """Leave it; it may be entered again, to await the result of the function."""

    def finished(self, error: BaseException | None) -> object:
        """Note the end of the execution, and the exception if one was raised; called once."""


@dataclass(frozen=True, slots=True)
class HookObserver:
    """The observer that the hooks of `ToolOptions` make, around the one that is given with them."""

    observer: Any = None
    on_prepared: Callable[[Any], object] | None = None
    on_started: Callable[[Any], object] | None = None
    on_finished: Callable[[Any, Any, BaseException | None], object] | None = None

    def prepared(self, prepared: Any) -> None:
        """Call the observer, then the hook."""
        if self.observer is not None:
            self.observer.prepared(prepared)
        if self.on_prepared is not None:
            _call_hook(self.on_prepared, prepared)

    def refused(self, tool: Any, arguments: Any, call: Any, error: ToolError) -> None:
        """Call the observer; no hook is for refused calls."""
        if self.observer is not None:
            self.observer.refused(tool, arguments, call, error)

    def started(self, prepared: Any) -> Execution | None:
        """Call the hook, then the observer; None if nothing observes the execution."""
        if self.on_started is not None:
            _call_hook(self.on_started, prepared)
        execution = None if self.observer is None else self.observer.started(prepared)
        if self.on_finished is None:
            return execution
        return _HookedExecution(prepared, execution, self.on_finished)


def _call_hook(hook: Callable[[Any], object], prepared: Any) -> None:
    """Call a hook before the function runs; arguments that it changes are validated again."""
    hook(prepared)
    prepared._settle()


class _HookedExecution:
    """An execution that calls `on_finished` after its observer's own execution has finished."""

    __slots__ = ("_on_finished", "_prepared", "inner", "result")

    def __init__(
        self,
        prepared: Any,
        execution: Execution | None,
        on_finished: Callable[[Any, Any, BaseException | None], object],
    ) -> None:
        self._prepared = prepared
        self.inner = execution
        self._on_finished = on_finished
        self.result: Any = None
        """Set before `finished`, whose parameters observers rely on."""

    def __enter__(self) -> None:
        if self.inner is not None:
            self.inner.__enter__()

    def __exit__(self, *error: object) -> Any:
        execution: Any = self.inner
        return None if execution is None else execution.__exit__(*error)

    def finished(self, error: BaseException | None) -> None:
        if self.inner is not None:
            self.inner.finished(error)
        self._on_finished(self._prepared, self.result, error)


class ExecutionObserver:
    """An observer of executions only, for arguments that another observer has seen already."""

    def __init__(self, observer: Any) -> None:
        self.started = observer.started

    def prepared(self, prepared: Any) -> None:
        """Do nothing."""

    def refused(self, tool: Any, arguments: Any, call: Any, error: ToolError) -> None:
        """Do nothing."""


class _Prepared(Protocol):
    """The part of a `Prepared` that running needs."""

    _tool: Any
    _bound: Any
    _seen: Any

    def _settle(self) -> None:
        """Validate the arguments again if they have changed."""


def run(
    prepared: _Prepared,
    injected: Mapping[str, Any],
    *,
    as_is: bool = False,
    collects: bool = False,
    awaits: bool = False,
) -> Any:
    """Call the function of a prepared call.

    Args:
        prepared: the call.
        injected: values for injected parameters, by name.
        as_is: for frameworks, which may take results that have no JSON form.
        collects: makes lists of iterators, so that their errors are those of the call.
        awaits: returns an awaitable of an awaitable result, for a caller that awaits it.

    Raises:
        TypeError: if the tool has no function or an asynchronous one, or an injected value is
            missing.

    """
    parameters = prepared._tool._parts.parameters
    if parameters is not None and not awaits:
        yields = collects and parameters.yields_asynchronously
        if parameters.asynchronous or yields:
            raise _not_awaited(prepared)
    function, args, kwargs, execution = _started(prepared, injected)
    try:
        result = function(*args, **kwargs)
        if type(result) in _PLAIN or not _is_asynchronous(result, collects=collects):
            result = _measured(prepared, result, as_is=as_is, collects=collects)
        elif awaits:
            return _awaited(prepared, result, execution, as_is=as_is, collects=collects)
        else:
            raise _not_awaited(prepared, result)  # noqa: TRY301 - it finishes the call, too
    except BaseException as error:
        _finished(prepared, execution, None, error)
        raise
    if execution is not None:
        _finished(prepared, execution, result, None)
    return result


async def arun(
    prepared: _Prepared,
    injected: Mapping[str, Any],
    *,
    as_is: bool = False,
    collects: bool = False,
) -> Any:
    """Call the function of a prepared call and await its result, if that is awaitable; see `run`.

    Raises:
        TypeError: if the tool has no function, or an injected value is missing.

    """
    result = run(prepared, injected, as_is=as_is, collects=collects, awaits=True)
    return await result if inspect.isawaitable(result) else result


async def _awaited(
    prepared: _Prepared, result: Any, execution: Execution | None, *, as_is: bool, collects: bool
) -> Any:
    try:
        if _is_asynchronous(result, collects=collects):
            with nullcontext() if execution is None else execution:
                if inspect.isawaitable(result):
                    result = await result
                if collects and isinstance(result, AsyncIterator):
                    result = [each async for each in result]
        result = _measured(prepared, result, as_is=as_is, collects=collects)
    except BaseException as error:
        _finished(prepared, execution, None, error)
        raise
    _finished(prepared, execution, result, None)
    return result


def _is_asynchronous(result: Any, *, collects: bool) -> bool:
    return inspect.isawaitable(result) or (collects and isinstance(result, AsyncIterator))


def _not_awaited(prepared: _Prepared, result: object = None) -> TypeError:
    if inspect.iscoroutine(result):
        result.close()
    return TypeError(
        f"`{printable(prepared._tool.name)}` is asynchronous; use `await tool.acall(...)`, or run "
        "the agent with await"
    )


def require_runnable(prepared: _Prepared, injected: Mapping[str, Any]) -> None:
    """Check that the function of a prepared call can be called with these injected values.

    Raises:
        TypeError: if the tool has no function, or an injected value is missing.

    """
    tool = prepared._tool._parts
    if tool.parameters is None:
        message = (
            f"`{printable(tool.name)}` has no function to call; pass one to "
            "Tool.from_definition, or hand `prepared.arguments` to whoever runs the tool"
        )
        raise TypeError(message)
    if injected or tool.parameters.injected:
        tool.parameters.check(tool.name, injected)


def _started(
    prepared: _Prepared, injected: Mapping[str, Any]
) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any], Execution | None]:
    """Return the function, its arguments, and the execution, if it is observed."""
    require_runnable(prepared, injected)
    if prepared._seen is not None:
        prepared._settle()
    tool = prepared._tool._parts
    function, observer = tool.parameters.function, tool.options.observer
    if isinstance(prepared._bound, InstanceArguments):
        function = prepared._bound.call
    execution = None if observer is None else observer.started(prepared)
    args, kwargs = tool.parameters.arrange(prepared._bound, injected)  # as hooks leave them
    if execution is None:
        return function, args, kwargs, None

    def observed(*args: Any, **kwargs: Any) -> Any:
        with execution:
            return function(*args, **kwargs)

    return observed, args, kwargs, execution


def _finished(
    prepared: _Prepared, execution: Execution | None, result: Any, error: BaseException | None
) -> None:
    if isinstance(error, ToolError):
        LOGGER.debug("`%s` answered with an error: %s", prepared._tool.name, error)
    if execution is not None:
        if type(execution) is _HookedExecution:
            execution.result = result
        execution.finished(error)


def _measured(prepared: _Prepared, result: Any, *, as_is: bool, collects: bool) -> Any:
    """Return the result, or as much of it as is allowed; its size goes to the log."""
    parts = prepared._tool._parts
    name, options = parts.name, parts.options
    if collects:
        result = collected(result)
    try:
        if isinstance(result, str):
            text = result
        elif isinstance(result, (bytes, bytearray)):
            text = result_text(result)
        elif _holds_iterator(result):  # which writing would use up
            raise _no_form(result)
        else:
            text = to_json(result, fallback=_json_form).decode()
    except (ValueError, TypeError):  # whose text may hold what a serializer was to mask
        # the function has run: its result is not lost, whatever it is
        level = logging.DEBUG if as_is else logging.WARNING
        message = "`%s` returned a %s, which has no JSON form"
        LOGGER.log(level, message, name, type(result).__name__)
        return result
    size = len(text)
    LOGGER.debug("`%s` returned %d characters", name, size)
    if options.warn_above is not None and size > options.warn_above:
        LOGGER.warning(
            "`%s` returned %d characters, more than %d; a model has to read all of them",
            name,
            size,
            options.warn_above,
        )
    if options.truncate_above is None:
        return result
    shown = _truncated(prepared, result if isinstance(result, str) else text)
    return shown if isinstance(result, str) or (as_is and shown != text) else result


def text_for_model(prepared: _Prepared, result: Any) -> str:
    """Return the result of a call as text, no longer than `truncate_above` and a note."""
    text = result_text(result)  # `run` has truncated a result that is text
    return text if isinstance(result, str) else _truncated(prepared, text)


def _truncated(prepared: _Prepared, text: str) -> str:
    limit = prepared._tool._parts.options.truncate_above
    if limit is None or len(text) <= limit:
        return text
    return f"{text[:limit]}… [truncated: {len(text) - limit} of {len(text)} characters left out]"


def result_text(result: Any) -> str:
    r"""Write the result of a tool for a model: text as it is, other values as JSON.

    Models, dataclasses, attrs' objects, mappings, ranges, views, dates, sets and bytes have a JSON
    form. Bytes are UTF-8 text if all in the result are, or else Base64, unless `ser_json_bytes` of
    their model says otherwise. Half of a surrogate pair is a question mark; NaN is a string. An
    exception is its type and message; any other object is its `str`. Of what cannot be written,
    such as a model whose serializer fails, only the type is shown.

    >>> result_text("sunny"), result_text({"days": {3}}), result_text(KeyError("x"))
    ('sunny', '{"days":[3]}', "KeyError: 'x'")
    >>> result_text(b"sunny"), result_text(b"\xff"), result_text([b"\xff"])
    ('sunny', '/w==', '["/w=="]')
    """
    if isinstance(result, str):
        return encodable(result)
    if isinstance(result, BaseException):
        return encodable(_shown(result))
    if isinstance(result, (bytes, bytearray, memoryview)):
        try:
            return bytes(result).decode()
        except UnicodeDecodeError:
            return b64encode(result).decode()
    value = collected(result)  # what it yields has to be there if some of it are bytes
    try:
        return _written(value, bytes_mode="utf8")
    except ValueError:  # bytes or strings that are not Unicode text, or a circular reference
        try:
            return _written(_as_text(value), bytes_mode="base64")
        except (TypeError, ValueError, RecursionError):  # a key of bytes within another, too
            is_plain = all(isinstance(part, _DATA) for part in _parts(result))
            return encodable(_python_text(value)) if is_plain else _unwritable(result)


def _written(value: Any, *, bytes_mode: Any) -> str:
    options: Any = {"fallback": _shown, "bytes_mode": bytes_mode, "inf_nan_mode": "strings"}
    return to_json(value, **options).decode()


def collected(result: Any) -> Any:
    """Return a result with lists of what its iterators yield: their errors are those of its call.

    >>> collected({"a": [map(str, range(2))]}), collected((1, 2))
    ({'a': [['0', '1']]}, (1, 2))
    """
    return _with_lists(result) if _holds_iterator(result) else result


def _holds_iterator(result: Any) -> bool:
    """Return whether a result is an iterator, or one is in its containers."""
    if type(result) in SCALARS:
        return False
    with suppress(ValueError):
        marshal.dumps(result)  # plain data alone has this form, in a third of the time of JSON
        return False
    return any(isinstance(part, Iterator) for part in _parts(result))


def _parts(result: Any) -> Iterator[Any]:
    """Yield a result and all that is in its containers, dataclasses and models."""
    found, parts = set[int](), [result]
    for part in parts:  # which grows on the way
        yield part
        if type(part) not in SCALARS and id(part) not in found:
            found.add(id(part))
            parts += _members(part)


def _members(value: Any) -> Iterable[Any]:
    """Return the members of a container, a dataclass or a model."""
    if isinstance(value, _CONTAINERS):
        return (*value, *value.values()) if isinstance(value, dict) else value
    if (members := _fields(value)) is None:
        members = vars(value) if hasattr(type(value), _SERIALIZER) else {}
    return members.values()


def _fields(value: Any) -> dict[str, Any] | None:
    """Return the fields of a dataclass that is not pydantic's; None of any other value."""
    kind = type(value)
    if not is_dataclass(kind) or hasattr(kind, _SERIALIZER):
        return None
    return {each.name: getattr(value, each.name) for each in fields(value)}


def _with_lists(value: Any, around: tuple[int, ...] = ()) -> Any:
    """Return a value with lists for the iterators in it; `around` identifies its containers.

    Those in a pydantic model are left to its own way of writing them.
    """
    members = _fields(value)
    is_container = members is not None or isinstance(value, (*_CONTAINERS, Iterator))
    if not is_container or id(value) in around or len(around) == MAX_DEPTH:
        return value  # what is circular, or too deep, has no JSON form
    around = (*around, id(value))
    value = value if members is None else members
    if isinstance(value, dict):
        return {key: _with_lists(item, around) for key, item in value.items()}
    return [_with_lists(item, around) for item in value]


def _as_text(value: Any) -> Any:
    r"""Return a value with Unicode text for what JSON cannot spell in it.

    Bytes become standard Base64, since pydantic's has an alphabet for URLs.

    Raises:
        ValueError: for a model that holds itself, and for keys that become equal.

    >>> _as_text({"-_": ["-_", b"\xff", "\ud800"]})
    {'-_': ('-_', '/w==', '?')}

    """
    if isinstance(value, (bytes, bytearray)):
        return b64encode(value).decode()
    if type(value) is str:
        return encodable(value)
    if isinstance(value, dict):
        may_have = (bytes, bytearray, tuple, str)
        keys = [_as_text(key) if isinstance(key, may_have) else key for key in value]
        made = dict(zip(keys, map(_as_text, value.values()), strict=True))
        if len(made) < len(value):
            message = "two keys are written alike"
            raise ValueError(message)
        return made
    if isinstance(value, _CONTAINERS):
        return (*map(_as_text, value),)  # which may be a key
    if isinstance(value, Enum):
        return _as_text(value.value)
    if hasattr(type(value), _SERIALIZER):
        try:
            to_json(value, fallback=_shown)
        except ValueError:  # it has no JSON form of its own
            return _model_as_text(value)
        return value
    members = _fields(value)
    if members is not None:
        return _as_text(members)
    with suppress(TypeError):
        return _as_text(_json_form(value))
    return value


def _model_as_text(value: Any) -> Any:
    """Return the members of a model that cannot write its JSON, as `_as_text` does; or its type.

    It shows nothing that the model masks in JSON alone, or excludes by a serializer that fails.
    """
    if _masks_in_json(getattr(type(value), "__pydantic_core_schema__", None)):
        return _unwritable(value)
    try:
        members = getattr(value, _SERIALIZER).to_python(value, by_alias=True, warnings=False)
    except ValueError:
        return _unwritable(value)
    return _as_text(members)


def _masks_in_json(part: Any) -> bool:
    """Return whether a part of a core schema has a serializer for JSON alone."""
    if isinstance(part, dict):
        is_own = str(part.get("when_used", "")).startswith("json")
        return is_own or any(map(_masks_in_json, part.values()))
    return isinstance(part, (list, tuple)) and any(map(_masks_in_json, part))


def _json_form(value: Any) -> Any:
    """Return what pydantic can write of an object that it does not know.

    Raises:
        TypeError: if there is no such form.

    """
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, memoryview):
        return bytes(value)
    if isinstance(value, (Sequence, AbstractSet, ValuesView)) and not isinstance(value, _TEXTS):
        return [*value]
    members = getattr(type(value), "__attrs_attrs__", None)
    if members is not None:  # but for those that its own `repr` leaves out
        return {each.name: getattr(value, each.name) for each in members if each.repr}
    raise _no_form(value)


def _no_form(value: Any) -> TypeError:
    return TypeError(f"a {type(value).__name__} has no JSON form")


def encodable(text: str) -> str:
    r"""Replace lone surrogates by question marks: with them, a request could not be sent.

    >>> encodable("a\ud800")
    'a?'
    """
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _shown(value: Any) -> Any:
    """Return the form of an object that pydantic does not know: its JSON, or else its `str`."""
    if isinstance(value, BaseException):
        return _python_text(value)
    try:
        return _json_form(value)
    except Exception:  # noqa: BLE001 - a mapping of one's own may raise anything
        return _python_text(value)


def _python_text(value: Any) -> str:
    name = type(value).__name__
    try:
        return f"{name}: {value}" if isinstance(value, BaseException) else str(value)
    except RecursionError:
        return f"a {name} that is nested too deeply to be written"
    except Exception:  # noqa: BLE001 - the function has run, and so have others: the model gets an answer
        return _unwritable(value)


def _unwritable(value: Any) -> str:
    return f"a {type(value).__name__} that cannot be written"
