"""Mistakes of developers that would otherwise reach a model, or silently switch something off."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from types import FunctionType
from typing import Any

from schema2model.json.names import nearest
from schema2model.json.quoting import printable

__all__ = ["refuse_call_mapping", "refuse_call_object", "require_observer", "require_options"]

_ARGUMENTS = ("function", "arguments", "input", "args")
"""Members under which the calls of providers have their arguments."""
_IDS = ("id", "call_id")
_TYPES = frozenset(("function", "function_call", "tool_use", "tool_call"))
_DUMPS = ("model_dump", "to_dict", "dict")
"""Methods by which the classes of SDKs are known."""


def refuse_call_object(arguments: Any, name: str) -> None:
    """Refuse the object in which an SDK has a call, where its arguments belong.

    Raises:
        TypeError: that names what takes it.

    """
    methods = dir(type(arguments))
    if any(each in methods for each in _DUMPS) and any(hasattr(arguments, n) for n in _ARGUMENTS):
        raise _not_arguments(name, f"a {type(arguments).__name__}")


def refuse_call_mapping(arguments: Any, name: str) -> None:
    """Refuse the mapping of a whole call, where its arguments belong.

    Raises:
        TypeError: that names what takes it.

    >>> refuse_call_mapping({"type": "tool_use", "id": "c1", "name": "f", "input": {}}, "f")
    Traceback (most recent call last):
        ...
    TypeError: `f` takes the arguments of a call, not a whole call; Toolset.prepare_call takes that

    """
    if (
        type(arguments) is dict
        and arguments.get("type") in _TYPES
        and not arguments.keys().isdisjoint(_ARGUMENTS)
        and not arguments.keys().isdisjoint(_IDS)
    ):
        raise _not_arguments(name, "a whole call")


def _not_arguments(name: str, what: str) -> TypeError:
    return TypeError(
        f"`{printable(name)}` takes the arguments of a call, not {what}; "
        "Toolset.prepare_call takes that"
    )


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
