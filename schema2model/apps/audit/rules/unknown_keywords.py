"""Rules about keywords that do nothing, or not what their author thought."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import jsonschema_rs

from schema2model.apps.audit.audited_tools import AuditedTool
from schema2model.apps.audit.findings import Found, rule
from schema2model.json.names import misspelt
from schema2model.json.pointers import pointer
from schema2model.json.quoting import list_names, quoted
from schema2model.json.values import TYPES
from schema2model.schema.dialects import DIALECTS
from schema2model.schema.nodes import Node
from schema2model.schema.vocabularies.format import STANDARD_FORMATS

SHORTEST, LONGEST = 4, 40
"""Minimum and maximum characters of a misspelt word; short words are alike by chance."""

_EVERY = frozenset(name for dialect in DIALECTS for name in dialect.keywords)
_OPENAPI = frozenset(("discriminator", "example", "externalDocs", "xml"))
"""Keywords of OpenAPI that assert nothing anywhere."""
_NULLABLE = "nullable"
"""OpenAPI's and Gemini's; in JSON Schema, only schema2model takes null for it."""


@rule("unknown-keyword", "warning", "Correct it; validators ignore it.")
def unknown_keyword(tool: AuditedTool) -> Iterator[Found]:
    """A keyword is misspelt, or a property is outside of properties.

    No dialect knows it, but it is likely meant as a keyword, or as a property.
    """
    for node, keyword, value in _keywords(tool):
        if keyword in _EVERY or keyword in _OPENAPI or keyword == _NULLABLE:
            continue
        close = _closest_word(keyword, tuple(tool.dialect.keywords))
        reason = ""
        looks_like_schema = isinstance(value, dict) and value.get("type") in TYPES
        may_be_object = "object" in (node.types or ("object",))
        if looks_like_schema and not node.properties and may_be_object:
            reason = 'has a schema, and does nothing outside of "properties"'
        elif close:
            reason = f"is not a keyword; did you mean {quoted(close)}?"
        if reason:
            place = node.place.pointer + pointer((keyword,))
            yield Found(place, f"{quoted(keyword)} {reason}")


@rule(
    "foreign-keyword",
    "warning",
    "Use this dialect's own keyword, or name the other dialect under $schema.",
)
def foreign_keyword(tool: AuditedTool) -> Iterator[Found]:
    """A keyword belongs to another dialect.

    It does nothing in the tool's own dialect.
    """
    known = tool.dialect.keywords
    for node, keyword, _ in _keywords(tool):
        if keyword not in known and (keyword in _EVERY or keyword == _NULLABLE):
            message = f"{quoted(keyword)} does nothing in {tool.dialect.name}"
            if keyword == _NULLABLE:
                message += ": it is OpenAPI 3.0's, and other validators refuse null"
            yield Found(node.place.pointer + pointer((keyword,)), message)


@rule(
    "ignored-beside-ref",
    "warning",
    "Put $ref into an allOf of its own, or use 2019-09 or later.",
)
def ignored_beside_ref(tool: AuditedTool) -> Iterator[Found]:
    """Keywords next to $ref do nothing in drafts 4 to 7."""
    if not tool.dialect.ref_overrides:
        return
    assertions = tool.dialect.assertions(formats=True).keys() - {"$ref"}
    for node in tool.nodes:
        if isinstance(node.schema, dict) and "$ref" in node.schema:
            siblings = [keyword for keyword in node.schema if keyword in assertions]
            if siblings:
                message = f"{list_names(siblings)} next to $ref does nothing in {tool.dialect.name}"
                yield Found(node.place.pointer + pointer(siblings[:1]), message)


@rule(
    "foreign-pattern",
    "warning",
    "Write it so that all read it alike, without (?i), (?P<name>), \\A, \\Z or [[:class:]].",
)
def foreign_pattern(tool: AuditedTool) -> Iterator[Found]:
    """A pattern is not a regular expression of ECMA-262.

    Or it means something else there.
    """
    for node, keyword, value in _keywords(tool):
        patterns = {"pattern": (value,), "patternProperties": value}.get(keyword, ())
        for pattern in patterns:
            if not _pattern_validator().is_valid(pattern):
                message = f"{quoted(pattern)} is not a regular expression of ECMA-262"
                yield Found(node.place.pointer + pointer((keyword,)), message)


@rule("undeclared-required", "warning", "Declare it under properties, or correct its name.")
def undeclared_required(tool: AuditedTool) -> Iterator[Found]:
    """A required property is not declared."""
    for position in tool.positions:
        parts = position.all_in_place()
        declared = {name for part in parts for name in part.properties}
        if not declared or any(part.patterns or part.residual for part in parts):
            continue  # free-form, or more than names can tell
        for part in parts:
            missing = sorted(part.required - declared)
            if missing:
                message = f"{list_names(missing)} is required, and not among the properties"
                yield Found(f"{part.place.pointer}/required", message)


@rule("unknown-format", "note", "Use the name that JSON Schema has for it.")
def unknown_format(tool: AuditedTool) -> Iterator[Found]:
    """A format is misspelt.

    It is likely meant as one of JSON Schema's.
    """
    for node, keyword, value in _keywords(tool):
        if keyword == "format" and value not in STANDARD_FORMATS:
            close = "uri" if value in ("url", "URL") else _closest_word(value, STANDARD_FORMATS)
            if close:
                message = f"{quoted(value)} is not a format; did you mean {quoted(close)}?"
                yield Found(f"{node.place.pointer}/format", message)


def _keywords(tool: AuditedTool) -> Iterator[tuple[Node, str, Any]]:
    for node in tool.nodes:
        if isinstance(node.schema, dict):
            for keyword, value in node.schema.items():
                yield node, keyword, value


def _closest_word(word: Any, known: tuple[str, ...]) -> str | None:
    """Return the known word that another is likely to be, but for case, separators or a slip."""
    if isinstance(word, str) and SHORTEST <= len(word) <= LONGEST:
        return _misspelt(word, known)
    return None


_misspelt = lru_cache(maxsize=1000)(misspelt)


@lru_cache(maxsize=1)
def _pattern_validator() -> Any:
    """Return a validator of regular expressions of ECMA-262, made when a tool has a pattern."""
    return jsonschema_rs.Draft202012Validator({"format": "regex"}, validate_formats=True)
