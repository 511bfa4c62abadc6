"""The features that clients declare, without which some servers do not list all of their tools."""

from __future__ import annotations

from typing import Any

__all__ = ["client_features"]


def client_features() -> dict[str, Any]:
    """Arguments of the SDK's `ClientSession` that declare sampling, elicitation and roots.

    A request for a sample or for a user's input is answered with an error: nobody is there to give
    it. There are no roots.
    """
    from mcp.types import (  # noqa: PLC0415 - an extra, and slow
        INVALID_REQUEST,
        ErrorData,
        ListRootsResult,
    )

    async def refuse(*_: Any) -> ErrorData:
        return ErrorData(code=INVALID_REQUEST, message="there is neither a model nor a user here")

    async def roots(*_: Any) -> ListRootsResult:
        return ListRootsResult(roots=[])

    return {
        "sampling_callback": refuse,
        "elicitation_callback": refuse,
        "list_roots_callback": roots,
    }
