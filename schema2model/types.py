"""The types of what the package takes and returns, for annotations.

>>> from schema2model.types import Explanation, Issue
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from schema2model.calls.call_reader import CallReader
    from schema2model.calls.call_types import ArrivingCall, Call
    from schema2model.coerce.engine import Defaults, Formats, Messages
    from schema2model.coerce.partial import PartialArguments
    from schema2model.coerce.search.readings import Change
    from schema2model.coercions import Preset
    from schema2model.compiled import Explanation
    from schema2model.errors import Issue
    from schema2model.model.arguments_model import ArgumentsModel
    from schema2model.strict.enforcement import AccountEntry
    from schema2model.strict.request_cost import RequestBudget
    from schema2model.strict.strict_schema import StrictSchema
    from schema2model.tools.assembler import Assembler, StreamProvider
    from schema2model.tools.assistant_message import AssembledCall, AssembledReply
    from schema2model.tools.conversation import Arguments
    from schema2model.tools.providers.definitions import Provider
    from schema2model.tools.results import ResultError
    from schema2model.tools.tool import Observer, Prepared, ToolOptions

__all__ = [
    "AccountEntry",
    "Arguments",
    "ArgumentsModel",
    "ArrivingCall",
    "AssembledCall",
    "AssembledReply",
    "Assembler",
    "Call",
    "CallReader",
    "Change",
    "Defaults",
    "Explanation",
    "Formats",
    "Issue",
    "Messages",
    "Observer",
    "PartialArguments",
    "Prepared",
    "Preset",
    "Provider",
    "RequestBudget",
    "ResultError",
    "StreamProvider",
    "StrictSchema",
    "ToolOptions",
]

_MODULES = {
    "AccountEntry": "schema2model.strict.enforcement",
    "Arguments": "schema2model.tools.conversation",
    "ArgumentsModel": "schema2model.model.arguments_model",
    "ArrivingCall": "schema2model.calls.call_types",
    "AssembledCall": "schema2model.tools.assistant_message",
    "AssembledReply": "schema2model.tools.assistant_message",
    "Assembler": "schema2model.tools.assembler",
    "Call": "schema2model.calls.call_types",
    "CallReader": "schema2model.calls.call_reader",
    "Change": "schema2model.coerce.search.readings",
    "Defaults": "schema2model.coerce.engine",
    "Explanation": "schema2model.compiled",
    "Formats": "schema2model.coerce.engine",
    "Issue": "schema2model.errors",
    "Messages": "schema2model.coerce.engine",
    "Observer": "schema2model.tools.tool",
    "PartialArguments": "schema2model.coerce.partial",
    "Prepared": "schema2model.tools.tool",
    "Preset": "schema2model.coercions",
    "Provider": "schema2model.tools.providers.definitions",
    "RequestBudget": "schema2model.strict.request_cost",
    "ResultError": "schema2model.tools.results",
    "StreamProvider": "schema2model.tools.assembler",
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
