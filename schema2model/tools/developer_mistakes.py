"""Mistakes of developers that would otherwise reach a model, or silently switch something off."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from types import FunctionType
from typing import Any

from schema2model.json.names import nearest
from schema2model.json.quoting import printable
from schema2model.logs import logger_named

__all__ = ["refuse_call_object", "require_observer", "require_options", "warn_of_call_mapping"]

LOGGER = logger_named("schema2model")

_ARGUMENTS = ("function", "arguments", "input", "args")
"""Members under which the calls of providers have their arguments."""
_IDS = ("id", "call_id")
_TYPES = frozenset(("function", "function_call", "tool_use", "tool_call"))
_DUMPS = ("model_dump", "to_dict", "dict")
"""Methods by which the classes of SDKs are known."""
_NOT_ARGUMENTS = "`%s` takes the arguments of a call, not %s; Toolset.prepare_call takes that"


def refuse_call_object(arguments: Any, name: str) -> None:
    """Refuse the object in which an SDK has a call, where its arguments belong.

    Raises:
        TypeError: that names what takes it.

    """
    methods = dir(type(arguments))
    if any(each in methods for each in _DUMPS) and any(hasattr(arguments, n) for n in _ARGUMENTS):
        raise TypeError(_NOT_ARGUMENTS % (printable(name), f"a {type(arguments).__name__}"))


def warn_of_call_mapping(arguments: Any, name: str) -> None:
    """Log a warning if refused arguments are the mapping of a whole call.

    They may be the mistake of a developer, or of a model, which then needs the refusal.
    """
    if (
        type(arguments) is dict
        and type(kind := arguments.get("type")) is str
        and kind in _TYPES
        and not arguments.keys().isdisjoint(_ARGUMENTS)
        and not arguments.keys().isdisjoint(_IDS)
    ):
        LOGGER.warning(_NOT_ARGUMENTS, printable(name), "a whole call")


def require_options(options: Iterable[str], known: Iterable[str], method: str) -> None:
    """Refuse an unknown option, before a typo switches off what it is for.

    Raises:
        TypeError: with the nearest name.

    >>> require_options(["corecion"], ["coercion", "name"], "from_function")
    Traceback (most recent call last):
        ...
    TypeError: from_function() has no option 'corecion'; did you mean 'coercion'?

    """
    known = [*known]
    for name in options:
        if name not in known:
            near = nearest(name, known)
            hint = f"did you mean {near!r}?" if near else f"it has {', '.join(known)}"
            message = f"{method}() has no option {name!r}; {hint}"
            raise TypeError(message)


def require_observer(observer: Any) -> None:
    """Refuse what cannot observe calls, before the first call fails.

    Raises:
        TypeError: that names the methods.

    >>> require_observer("log")
    Traceback (most recent call last):
        ...
    TypeError: observer is an object with the methods prepared, refused and started; got str

    """
    methods = ("prepared", "refused", "started")
    is_class = isinstance(observer, type)
    found = {each: getattr(observer, each, None) for each in methods}
    needs_instance = is_class and any(
        isinstance(method, FunctionType) and inspect.getattr_static(observer, name) is method
        for name, method in found.items()  # that of a static method is not the function
    )
    if observer is None or (all(map(callable, found.values())) and not needs_instance):
        return
    got = f"the class {observer.__name__}" if is_class else type(observer).__name__
    message = f"observer is an object with the methods prepared, refused and started; got {got}"
    raise TypeError(message)
