"""The import paths of 0.2.0: pickles and programs that name one get the module that it has become.

`schema2model.batch.columns` is `schema2model.apps.batch.columns`, the same module object, so that
classes have one identity. The modules of one line next to this one (`schema2model/batch.py`) say
the same to type checkers, which do not run this.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from importlib.abc import Loader, MetaPathFinder
else:  # with them come `importlib.resources`, `pathlib` and a dozen others
    Loader = MetaPathFinder = object

__all__ = ["MOVED", "present_name"]

MOVED: Final = {
    "schema2model.auditing": "schema2model.apps.audit",
    "schema2model.batch": "schema2model.apps.batch",
    "schema2model.cache": "schema2model.compiled",
    "schema2model.codegen": "schema2model.apps.codegen",
    "schema2model.coercing_models.adapter": "schema2model.coercing_models.type_adapters",
    "schema2model.comparing": "schema2model.apps.audit.diff",
    "schema2model.likeness": "schema2model.json.names",
    "schema2model.reporting": "schema2model.apps.batch.report",
    "schema2model.strict.account": "schema2model.strict.enforcement",
    "schema2model.strict.request_budget": "schema2model.strict.request_cost",
    "schema2model.strict.tool_projections": "schema2model.strict.request_cost",
    "schema2model.text.exact": "schema2model.json.parsing",
    "schema2model.tool_models": "schema2model.coercing_models.tool_models",
    "schema2model.tools.argument_text": "schema2model.tools.preparing",
    "schema2model.tools.base": "schema2model.tools.tool",
    "schema2model.tools.conduct": "schema2model.tools.tool_parts",
    "schema2model.tools.decorator": "schema2model.tools.tool",
    "schema2model.tools.handlers": "schema2model.tools.schema_binding",
    "schema2model.tools.pickling": "schema2model.tools.tool_parts",
    "schema2model.tools.prepared": "schema2model.tools.tool",
    "schema2model.tools.providers.sdk_types": "schema2model.tools.providers.definitions",
    "schema2model.tools.result_text": "schema2model.tools.result_writing",
    "schema2model.tools.turns": "schema2model.tools.assistant_message",
}
"""Modules and packages by their names in 0.2.0."""


def present_name(name: str) -> str | None:
    """Return the name that a module of 0.2.0 has now; None if it did not move.

    >>> present_name("schema2model.batch.columns"), present_name("schema2model.errors")
    ('schema2model.apps.batch.columns', None)
    """
    package, dot, rest = name, "", ""
    while package not in MOVED:
        package, _, last = package.rpartition(".")
        if not package:
            return None
        dot, rest = ".", f"{last}{dot}{rest}"
    now = f"{MOVED[package]}{dot}{rest}"
    return present_name(now) or now


class _Alias(Loader):
    """Puts the module of another name in the place of the one that is imported."""

    def create_module(self, spec: ModuleSpec) -> None:
        """Let the import system make the module that is replaced."""

    def exec_module(self, module: ModuleType) -> None:
        """Replace it, as the import system returns what is in `sys.modules` at the end."""
        sys.modules[module.__name__] = import_module(str(present_name(module.__name__)))


class _MovedFinder(MetaPathFinder):
    """Finds modules under their names of 0.2.0."""

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None,  # noqa: ARG002 - a finder's signature
        target: ModuleType | None = None,  # noqa: ARG002 - a finder's signature
    ) -> ModuleSpec | None:
        """Return the spec of an alias; None for a module that did not move."""
        if not name.startswith("schema2model.") or present_name(name) is None:
            return None
        return ModuleSpec(name, _Alias())


# first, as the path finder would load the file of a submodule a second time, under its old name
sys.meta_path.insert(0, _MovedFinder())
