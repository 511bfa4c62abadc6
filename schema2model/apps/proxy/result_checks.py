"""Results that servers send, checked or corrected by the `outputSchema` of their tools."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping
from itertools import groupby
from typing import Any

from schema2model.apps.proxy.json_rpc import INTERNAL_ERROR, error_answer
from schema2model.apps.proxy.log_fields import log_fields, rule_fields
from schema2model.coercions import Coercion, Preset
from schema2model.errors import SchemaError
from schema2model.json.quoting import quoted
from schema2model.tools.results import (
    ReadResult,
    ResultError,
    ResultMode,
    read_tool_result,
    replace_structured,
)

__all__ = ["Results"]

LOGGER = logging.getLogger("schema2model.proxy")


class Results:
    """Reads the results of calls, and counts those that do not match.

    Args:
        mode: what becomes of them.
        coercion: how they are read.

    """

    def __init__(self, mode: ResultMode, coercion: Preset | Coercion = "default") -> None:
        self.mode = mode
        self._coercion = coercion
        self._outcomes: Counter[tuple[str, str]] = Counter()

    def forwarded(self, name: str, schema: Any, message: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a call for the client: as it came, corrected, or an error.

        Args:
            name: the tool's.
            schema: its `outputSchema`, or None.
            message: the answer.

        """
        result = message.get("result")
        kind = result.get("resultType") if isinstance(result, dict) else None
        if schema is None or not isinstance(result, dict) or kind not in (None, "complete"):
            return message
        try:
            read = read_tool_result(name, schema, result, coercion=self._coercion)
        except SchemaError as error:
            fields = log_fields("result", tool=name, outcome="not checked", reason=str(error))
            LOGGER.warning("results of %s are not checked: %s", quoted(name), error, extra=fields)
            return message
        except ResultError as error:
            self._count(name, "wrong")
            paths = ", ".join(f"{each.place} ({each.keyword})" for each in error.issues)
            where = paths or "there is no structured content"
            fields = log_fields(
                "result", tool=name, outcome="wrong", details=rule_fields(error.issues, "keyword")
            )
            words = "the result of %s does not match its schema: %s"
            LOGGER.info(words, quoted(name), where, extra=fields)
            if self.mode != "refuse":
                return message
            return error_answer(message["id"], INTERNAL_ERROR, str(error))
        if not read.is_changed:
            return message
        return self._corrected(name, message, result, read)

    def _corrected(
        self, name: str, message: dict[str, Any], result: Mapping[str, Any], read: ReadResult
    ) -> dict[str, Any]:
        is_kept = self.mode == "check"
        outcome = "correctable" if is_kept else "corrected"
        self._count(name, outcome)
        details = rule_fields(read.changes, "rule")
        fields = log_fields("result", tool=name, outcome=outcome, details=details)
        verb = "could be corrected" if is_kept else "was corrected"
        LOGGER.info("the result of %s %s: %s", quoted(name), verb, read.words, extra=fields)
        if is_kept:
            return message
        return {**message, "result": replace_structured(result, read.structured)}

    def _count(self, name: str, outcome: str) -> None:
        self._outcomes[name, outcome] += 1

    def outcomes(self) -> dict[tuple[str, str], int]:
        """Return the number of results that did not match, by tool and outcome."""
        return dict(self._outcomes)

    def lines(self) -> list[tuple[str, dict[str, Any]]]:
        """Return the counts in lines, each with its fields; none if all results match."""
        lines = []
        for name, pairs in groupby(sorted(self.outcomes().items()), key=lambda pair: pair[0][0]):
            counts = {outcome: number for (_, outcome), number in pairs}
            words = ", ".join(f"{number} {each}" for each, number in counts.items())
            fields = log_fields("summary", tool=name, results=counts)
            lines.append((f"results of {quoted(name)}: {words}", fields))
        return lines
