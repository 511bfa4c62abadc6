"""Schemas as tools declare them: a zoo in our own words, one for each habit of tool authors."""

from __future__ import annotations

from typing import Any

_PAGE = {"type": "integer", "minimum": 1, "maximum": 100, "default": 30}
_POINT = {
    "type": "object",
    "properties": {
        "lat": {"type": "number", "minimum": -90, "maximum": 90},
        "lon": {"type": "number", "minimum": -180, "maximum": 180},
    },
    "required": ["lat", "lon"],
    "additionalProperties": False,
}


def _tool(required: list[str], /, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required}


def _closed(required: list[str], /, **properties: Any) -> dict[str, Any]:
    return {**_tool(required, **properties), "additionalProperties": False}


def _optional(schema: dict[str, Any]) -> dict[str, Any]:
    """What pydantic writes for `X | None = None`."""
    return {"anyOf": [schema, {"type": "null"}], "default": None}


_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_FLAG = {"type": "boolean", "default": False}

TOOLS: dict[str, Any] = {
    "no_arguments": {"type": "object", "properties": {}},
    "read_file": _closed(
        ["path"],
        path={"type": "string", "description": "A path below the working folder."},
        head={"type": "integer", "minimum": 1},
        tail={"type": "integer", "minimum": 1},
    ),
    "edit_file": _tool(
        ["path", "edits"],
        path=_TEXT,
        edits={"type": "array", "items": _closed(["old", "new"], old=_TEXT, new=_TEXT)},
        dry_run=_FLAG,
    ),
    "search_issues": _tool(
        ["query"],
        query={"type": "string", "minLength": 1, "maxLength": 256},
        sort={"type": "string", "enum": ["created", "updated", "comments"]},
        order={"enum": ["asc", "desc"], "default": "desc"},
        labels=_TEXTS,
        page={"type": "integer", "minimum": 1},
        per_page=_PAGE,
    ),
    "create_issue": _tool(
        ["owner", "repo", "title"],
        owner=_TEXT,
        repo=_TEXT,
        title=_TEXT,
        body=_optional(_TEXT),
        labels=_optional(_TEXTS),
        milestone=_optional({"type": "integer"}),
        assignees={**_TEXTS, "uniqueItems": True, "maxItems": 10},
    ),
    "run_query": _closed(
        ["sql"],
        sql=_TEXT,
        parameters={"type": "array", "items": {"type": ["string", "number", "boolean", "null"]}},
        timeout={"type": "number", "exclusiveMinimum": 0, "default": 30.0},
    ),
    "navigate": _closed(
        ["url"],
        url={"type": "string", "format": "uri"},
        wait_until={"const": "load"},
        viewport=_optional(
            _closed(["width", "height"], width={"type": "integer"}, height={"type": "integer"})
        ),
    ),
    "take_screenshot": _closed(
        [],
        full_page=_FLAG,
        quality={"type": "integer", "minimum": 0, "maximum": 100},
        clip={"type": ["array", "null"], "items": {"type": "number"}, "minItems": 4, "maxItems": 4},
    ),
    "send_message": _tool(
        ["channel", "text"],
        channel={"type": "string", "pattern": "^[CDG][A-Z0-9]+$"},
        text=_TEXT,
        thread_ts={"type": ["string", "null"], "pattern": r"^\d+\.\d+$"},
        blocks={"type": "array", "items": {"type": "object"}},
    ),
    "send_email": _tool(
        ["to", "subject"],
        to={"anyOf": [{"type": "string", "format": "email"}, _TEXTS]},
        cc=_TEXTS,
        subject=_TEXT,
        html=_FLAG,
        headers={"type": "object", "additionalProperties": _TEXT},
    ),
    "create_event": {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {
            "title": _TEXT,
            "start": {"$ref": "#/definitions/moment"},
            "end": {"$ref": "#/definitions/moment"},
            "attendees": {"type": "array", "items": {"$ref": "#/definitions/person"}},
        },
        "required": ["title", "start"],
        "additionalProperties": False,
        "definitions": {
            "moment": {"type": "string", "format": "date-time"},
            "person": _tool(["email"], email={"type": "string"}, optional=_FLAG),
        },
    },
    "route": _closed(
        ["from", "to"],
        **{"from": _POINT, "to": _POINT, "via": {"type": "array", "items": _POINT}},
        mode={"enum": ["walk", "bike", "car", None]},
        avoid={"type": "array", "items": {"enum": ["tolls", "ferries"]}, "uniqueItems": True},
    ),
    "create_chart": _tool(
        ["kind", "series"],
        kind={"enum": ["bar", "line", "pie"]},
        series={
            "type": "array",
            "minItems": 1,
            "items": _tool(
                ["name", "points"],
                name=_TEXT,
                points={
                    "type": "array",
                    "items": {
                        "type": "array",
                        "prefixItems": [{"type": "number"}, {"type": "number"}],
                        "items": False,
                        "minItems": 2,
                    },
                },
            ),
        },
        axis={"type": "object", "properties": {"min": {"type": "number"}}, "minProperties": 1},
    ),
    "filter_records": {
        "type": "object",
        "properties": {"where": {"$ref": "#/$defs/condition"}, "limit": _PAGE},
        "required": ["where"],
        "$defs": {
            "condition": {
                "oneOf": [
                    _closed(["all"], all={"type": "array", "items": {"$ref": "#/$defs/condition"}}),
                    _closed(["any"], any={"type": "array", "items": {"$ref": "#/$defs/condition"}}),
                    _closed(
                        ["field", "op", "value"],
                        field=_TEXT,
                        op={"enum": ["=", "<", ">", "in"]},
                        value={"type": ["string", "number", "boolean", "array", "null"]},
                    ),
                ]
            }
        },
    },
    "draw": _closed(
        ["shape"],
        shape={
            "anyOf": [
                _closed(["type", "radius"], type={"const": "circle"}, radius={"type": "number"}),
                _closed(
                    ["type", "points"],
                    type={"const": "polygon"},
                    points={"type": "array", "items": _POINT, "minItems": 3},
                ),
            ],
            "discriminator": {"propertyName": "type"},
        },
        color={"type": "string", "pattern": "^#[0-9a-fA-F]{6}$"},
    ),
    "file_tree": {
        "type": "object",
        "properties": {
            "name": _TEXT,
            "size": {"type": "integer", "minimum": 0},
            "children": {"type": "array", "items": {"$ref": "#"}},
        },
        "required": ["name"],
    },
    "memory": _tool(
        ["entities"],
        entities={
            "type": "array",
            "items": _tool(["name"], name=_TEXT, observations=_TEXTS, weight={"type": "number"}),
        },
        scope={"type": "string", "enum": ["session", "user", ""]},
    ),
    "think": _closed(
        ["thought", "number", "total"],
        thought=_TEXT,
        number={"type": "integer", "minimum": 1},
        total={"type": "integer", "minimum": 1},
        is_revision={"type": "boolean"},
        branch={"type": ["integer", "null"], "minimum": 1},
    ),
    "http_request": {
        **_closed(
            ["method", "url"],
            method={"enum": ["GET", "POST", "PUT", "DELETE"]},
            url=_TEXT,
            body={},
            headers={"type": "object", "patternProperties": {"^[A-Za-z-]+$": _TEXT}},
            retries={"type": "integer", "minimum": 0, "maximum": 5, "default": 0},
        ),
        "if": {"properties": {"method": {"const": "GET"}}},
        "then": {"not": {"required": ["body"]}},
    },
    "pay": {
        **_tool(
            ["amount", "currency"],
            amount={"type": "number", "multipleOf": 0.01, "exclusiveMinimum": 0},
            currency={"type": "string", "minLength": 3, "maxLength": 3},
            card=_TEXT,
            iban=_TEXT,
            billing=_TEXT,
        ),
        "oneOf": [{"required": ["card"]}, {"required": ["iban"]}],
        "dependentRequired": {"card": ["billing"]},
    },
    "set_environment": {
        "type": "object",
        "propertyNames": {"pattern": "^[A-Z_]+$"},
        "additionalProperties": {"type": ["string", "integer"]},
        "maxProperties": 20,
    },
    "kubectl": _tool(
        ["verb"],
        verb={"enum": ["get", "apply", "delete"]},
        manifest={"type": ["object", "string"]},
        replicas={"type": ["integer", "string"]},
        flags={"type": "array", "items": {"type": ["string", "boolean"]}},
    ),
    "awkward_names": _tool(
        ["class", "_private"],
        **{
            "class": _TEXT,
            "_private": {"type": "integer"},
            "foo-bar": {"type": "boolean"},
            "schema": {"type": "object"},
            "model_config": _TEXTS,
            "$ref": {"type": "number"},
            "": {"type": "null"},
        },
    ),
    "composed": {
        "allOf": [
            {"$ref": "#/$defs/base"},
            {"properties": {"size": {"type": "integer"}}, "required": ["size"]},
        ],
        "$defs": {"base": _tool(["id"], id={"type": "integer"}, tags=_TEXTS)},
        "unevaluatedProperties": False,
    },
    "notify": {
        **_tool(["targets"], targets={"type": "array", "contains": {"const": "ops"}}),
        "dependentSchemas": {"retry": {"properties": {"retry": {"type": "integer"}}}},
    },
    "anything": {},
}
"""By name; `anything` says nothing at all, as some tools do."""
