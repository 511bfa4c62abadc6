"""Pickling of tools: the function by its reference; its parameters are read anew after loading."""

from __future__ import annotations

import functools
import pickle
import sys
from collections.abc import Callable
from operator import attrgetter
from typing import Any

from schema2model.coercions import Coercion
from schema2model.tools.handlers import read_handler
from schema2model.tools.parameters import Parameters
from schema2model.tools.providers.definitions import Definition
from schema2model.tools.signatures import read_function

__all__ = ["picklable", "picklable_function", "restored_parameters"]


def picklable(value: Any, name: str) -> Any:
    """Return a part of a tool, if it can be pickled.

    cloudpickle decides itself: it also pickles functions by their code.

    Raises:
        TypeError: if it cannot, with the reason.

    """
    if "cloudpickle" not in sys.modules:
        try:
            pickle.dumps(value)
        except Exception as error:
            message = (
                f"the tool `{name}` cannot be pickled: {error}; its function and hooks have to be "
                "importable, so define them at the top level of a module"
            )
            raise TypeError(message) from error
    return value


def picklable_function(function: Callable[..., Any], name: str) -> tuple[Any, bool]:
    """Return what a function is pickled as, and whether that is a tool that it was decorated with.

    Raises:
        TypeError: if it cannot be pickled.

    """
    module: Any = getattr(function, "__module__", None)
    path = getattr(function, "__qualname__", "")
    try:
        found = attrgetter(path)(sys.modules[module])
    except (AttributeError, KeyError, TypeError):
        found = function
    if found is not function and getattr(found, "function", None) is function:
        return functools.partial(_imported, module, path), True
    return picklable(function, name), False


def _imported(module: str, path: str) -> Any:
    """Return the function of a tool by its reference."""
    __import__(module)
    return attrgetter(path)(sys.modules[module]).function


def restored_parameters(  # noqa: PLR0913, PLR0917 - what was pickled, by position
    function: Any,
    is_reference: bool,  # noqa: FBT001 - as above
    name: str,
    inject: tuple[Any, ...],
    coercion: Coercion,
    definition: Definition | None,
) -> Parameters:
    """Return the parameters of a function, as they were read when its tool was made."""
    function = function() if is_reference else function
    if definition is not None:
        return read_handler(function, name, definition.json_schema)
    return read_function(function, name=name, inject=inject, coercion=coercion).parameters
