"""`Conduct`: the options of a tool that concern its calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from schema2model.schema.undeclared import UnknownArguments, require_unknown_arguments

__all__ = ["LARGE_RESULT", "Conduct", "UnknownArguments"]

LARGE_RESULT = 50_000
"""Characters of a result's JSON that are worth a warning: some ten thousand tokens."""


@dataclass(frozen=True, slots=True)
class Conduct:
    """The options of `ToolOptions` that concern calls."""

    on_prepared: Callable[[Any], object] | None = None
    on_started: Callable[[Any], object] | None = None
    on_finished: Callable[[Any, Any, BaseException | None], object] | None = None
    observer: Any = None
    warn_above: int | None = LARGE_RESULT
    truncate_above: int | None = None
    refuse_markup: bool = False
    unknown_arguments: UnknownArguments = "keep"

    def __post_init__(self) -> None:
        """Check the words of options.

        Raises:
            ValueError: for another word.

        """
        require_unknown_arguments(self.unknown_arguments)
