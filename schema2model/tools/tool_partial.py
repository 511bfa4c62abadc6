"""`StreamedTool.partial`: the arguments of a tool's call while their text arrives."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schema2model.coerce.partial import PartialArguments

__all__ = ["StreamedTool"]


class StreamedTool:
    """A tool whose arguments can be shown while they arrive: see `Tool`."""

    __slots__ = ()

    def partial(self, *, strings: bool = False) -> PartialArguments:
        """The arguments of one call while their text arrives; see `CompiledSchema.partial`.

        `finish` returns the arguments that `prepare` finds in the whole text, or raises its error.
        Of a strict tool nothing is shown before `finish`: the arguments have to be decoded.

        Args:
            strings: also show strings while they grow, where the schema accepts every string.

        >>> from schema2model import Tool
        >>> def note(text: str, day: int) -> None: ...
        >>> arguments = Tool.from_function(note).partial(strings=True)
        >>> for chunk in ('{"day": "3', '1", "text": "Ju', 'ly"}'):
        ...     print(arguments.feed(chunk))
        {}
        {'day': 31, 'text': 'Ju'}
        {'day': 31, 'text': 'July'}
        >>> arguments.finish()
        {'text': 'July', 'day': 31}

        """
        from schema2model.tools.arriving import ToolArguments  # noqa: PLC0415 - few calls stream

        return ToolArguments(self, strings=strings)
