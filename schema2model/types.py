"""The types of what the package takes and returns, for annotations.

>>> from schema2model.types import Explanation, Issue
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from schema2model.calls.call_reader import CallReader
    from schema2model.calls.call_types import ArrivingCall, Call
    from schema2model.coerce.engine import Defaults, Formats
    from schema2model.coerce.partial import PartialArguments
    from schema2model.coerce.search.readings import Change
    from schema2model.coercions import Preset
    from schema2model.compiled import Explanation
    from schema2model.errors import Issue
    from schema2model.model.arguments_model import ArgumentsModel
    from schema2model.strict.enforcement import AccountEntry
    from schema2model.strict.request_cost import RequestBudget
    from schema2model.strict.strict_schema import StrictSchema
    from schema2model.tools.conversation import Arguments
    from schema2model.tools.providers.definitions import Provider
    from schema2model.tools.results import ResultError
    from schema2model.tools.tool import Observer, Prepared, ToolOptions

__all__ = [
    "AccountEntry",
    "Arguments",
    "ArgumentsModel",
    "ArrivingCall",
    "Call",
    "CallReader",
    "Change",
    "Defaults",
    "Explanation",
    "Formats",
    "Issue",
    "Observer",
    "PartialArguments",
    "Prepared",
    "Preset",
    "Provider",
    "RequestBudget",
    "ResultError",
    "StrictSchema",
    "ToolOptions",
]

_MODULES = {
    "AccountEntry": "schema2model.strict.enforcement",
    "Arguments": "schema2model.tools.conversation",
    "ArgumentsModel": "schema2model.model.arguments_model",
    "ArrivingCall": "schema2model.calls.call_types",
    "Call": "schema2model.calls.call_types",
    "CallReader": "schema2model.calls.call_reader",
    "Change": "schema2model.coerce.search.readings",
    "Defaults": "schema2model.coerce.engine",
    "Explanation": "schema2model.compiled",
    "Formats": "schema2model.coerce.engine",
    "Issue": "schema2model.errors",
    "Observer": "schema2model.tools.tool",
    "PartialArguments": "schema2model.coerce.partial",
    "Prepared": "schema2model.tools.tool",
    "Preset": "schema2model.coercions",
    "Provider": "schema2model.tools.providers.definitions",
    "RequestBudget": "schema2model.strict.request_cost",
    "ResultError": "schema2model.tools.results",
    "StrictSchema": "schema2model.strict.strict_schema",
    "ToolOptions": "schema2model.tools.tool",
}
"""The module of each name. It is imported on first access."""


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(importlib.import_module(_MODULES[name]), name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> list[str]:
    return [*__all__, *(name for name in globals() if name.startswith("__"))]
