"""Results that servers send, checked or corrected by the `outputSchema` of their tools."""

from __future__ import annotations

import logging
from typing import Any

from schema2model.apps.proxy.calls import CallPolicy
from schema2model.apps.proxy.json_rpc import INTERNAL_ERROR, error_answer
from schema2model.apps.proxy.log_fields import log_fields, rule_fields
from schema2model.errors import SchemaError
from schema2model.json.quoting import quoted
from schema2model.tools.results import ResultError, read_tool_result, replace_structured

__all__ = ["checked_answer"]

LOGGER = logging.getLogger("schema2model.proxy")


def checked_answer(
    policy: CallPolicy, name: str, schema: Any, message: dict[str, Any]
) -> dict[str, Any]:
    """Return the answer to a call for the client: as it came, corrected, or an error.

    Args:
        policy: says what becomes of results, and counts those that do not match.
        name: the tool's.
        schema: its `outputSchema`.
        message: the answer.

    """
    result = message.get("result")
    kind = result.get("resultType") if isinstance(result, dict) else None
    if not isinstance(result, dict) or kind not in (None, "complete"):
        return message
    try:
        read = read_tool_result(name, schema, result, coercion=policy.coercion)
    except SchemaError as error:
        fields = log_fields("result", tool=name, outcome="not checked", reason=str(error))
        LOGGER.warning("results of %s are not checked: %s", quoted(name), error, extra=fields)
        return message
    except ResultError as error:
        policy.tally.add_result(name, "wrong")
        paths = ", ".join(f"{each.place} ({each.keyword})" for each in error.issues)
        where = paths or "the structured content is missing"
        details = rule_fields(error.issues, "keyword")
        fields = log_fields("result", tool=name, outcome="wrong", details=details)
        words = "the result of %s does not match its schema: %s"
        LOGGER.info(words, quoted(name), where, extra=fields)
        if policy.results != "refuse":
            return message
        return error_answer(message["id"], INTERNAL_ERROR, str(error))
    if not read.is_changed:
        return message
    is_kept = policy.results == "check"
    outcome = "correctable" if is_kept else "corrected"
    policy.tally.add_result(name, outcome)
    details = rule_fields(read.changes, "rule")
    fields = log_fields("result", tool=name, outcome=outcome, details=details)
    verb = "could be corrected" if is_kept else "was corrected"
    LOGGER.info("the result of %s %s: %s", quoted(name), verb, read.words, extra=fields)
    if is_kept:
        return message
    return {**message, "result": replace_structured(result, read.structured)}
