"""Tools as servers really declare them, each with calls that satisfy its schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["TOOLS", "ToolCalls"]

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
INTEGER: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
BOOLEAN: Schema = {"type": "boolean"}
NULL: Schema = {"type": "null"}


def many(items: Schema, **more: Any) -> Schema:
    return {"type": "array", "items": items, **more}


def one_of(*choices: Any) -> Schema:
    return {"type": "string", "enum": list(choices)}


def maybe(schema: Schema) -> Schema:
    return {"anyOf": [schema, NULL]}


def within(low: float, high: float, kind: str = "integer") -> Schema:
    return {"type": kind, "minimum": low, "maximum": high}


def obj(properties: dict[str, Schema], required: str = "", **more: Any) -> Schema:
    """An object; `required` names properties, separated by spaces."""
    schema: Schema = {"type": "object", "properties": properties, **more}
    return {**schema, "required": required.split()} if required else schema


@dataclass(frozen=True, slots=True)
class ToolCalls:
    """A tool's schema and calls that satisfy it."""

    name: str
    schema: Schema
    calls: tuple[dict[str, Any], ...]


def tool(
    name: str, properties: dict[str, Schema], required: str, *calls: dict[str, Any], **more: Any
) -> ToolCalls:
    return ToolCalls(name, obj(properties, required, **more), calls)


CLOSED = {"additionalProperties": False}
POINT = obj({"lat": within(-90, 90, "number"), "lon": within(-180, 180, "number")}, "lat lon")
RANGE = obj({"since": TEXT, "until": TEXT}, "since")
HEADERS = {"type": "object", "additionalProperties": TEXT}

TOOLS = (
    tool(
        "weather_forecast",
        {"place": TEXT, "days": within(1, 14), "units": one_of("metric", "imperial")},
        "place days",
        {"place": "Oslo", "days": 3, "units": "metric"},
        {"place": "Bergen, Norway", "days": 14},
    ),
    tool(
        "search_mail",
        {"query": TEXT, "folders": many(TEXT), "unread": BOOLEAN, "limit": within(1, 500)},
        "query",
        {"query": "invoice", "folders": ["inbox", "archive"], "unread": True, "limit": 20},
        {"query": "from:anna", "unread": False},
    ),
    tool(
        "send_mail",
        {"to": many(TEXT, minItems=1), "subject": TEXT, "body": TEXT, "urgent": BOOLEAN},
        "to subject body",
        {"to": ["a@example.org"], "subject": "Hello", "body": "See you at 10.", "urgent": False},
        {"to": ["a@example.org", "b@example.org"], "subject": "Re: 42", "body": "It's {done}"},
    ),
    tool(
        "create_event",
        {
            "title": TEXT,
            "guests": many(TEXT),
            "when": RANGE,
            "minutes": INTEGER,
            "room": maybe(TEXT),
        },
        "title when",
        {"title": "Standup", "guests": ["anna", "bo"], "when": {"since": "9:00"}, "minutes": 15},
        {"title": "Review", "when": {"since": "9:00", "until": "10:00"}, "room": None},
    ),
    tool(
        "edit_file",
        {
            "path": TEXT,
            "edits": many(obj({"line": within(1, 10**6), "old": TEXT, "new": TEXT}, "old new")),
            "dry_run": BOOLEAN,
        },
        "path edits",
        {
            "path": "src/app.py",
            "edits": [
                {"line": 12, "old": "x = 1", "new": "x = 2"},
                {"old": 'print("a")', "new": "log('a')"},
            ],
            "dry_run": True,
        },
        {"path": "README.md", "edits": [{"old": "teh", "new": "the"}]},
    ),
    tool(
        "read_lines",
        {"path": TEXT, "first": within(1, 10**9), "last": maybe(INTEGER), "numbered": BOOLEAN},
        "path",
        {"path": "/var/log/syslog", "first": 100, "last": 200, "numbered": True},
        {"path": "notes.txt", "first": 1, "last": None},
        **CLOSED,
    ),
    tool(
        "run_command",
        {"command": many(TEXT), "timeout": NUMBER, "environment": HEADERS},
        "command",
        {"command": ["ls", "-la"], "timeout": 2.5, "environment": {"LANG": "C", "DEBUG": "1"}},
        {"command": ["python", "-c", "print([1, 2])"], "timeout": 30.0},
    ),
    tool(
        "http_request",
        {
            "url": TEXT,
            "method": one_of("GET", "POST", "PUT"),
            "headers": HEADERS,
            "retries": within(0, 5),
            "body": maybe({"type": "object"}),
        },
        "url method",
        {"url": "https://example.org/a?b=1", "method": "GET", "headers": {"Accept": "*/*"}},
        {
            "url": "https://example.org",
            "method": "POST",
            "retries": 2,
            "body": {"name": "chair", "price": 20.5, "tags": ["oak"]},
        },
    ),
    tool(
        "query_table",
        {
            "table": TEXT,
            "columns": many(TEXT),
            "where": many(obj({"column": TEXT, "is": one_of("<", "=", ">"), "than": NUMBER})),
            "limit": within(1, 10_000),
        },
        "table",
        {
            "table": "orders",
            "columns": ["id", "total"],
            "where": [{"column": "total", "is": ">", "than": 99.5}],
            "limit": 50,
        },
        {"table": "people", "limit": 1},
        **CLOSED,
    ),
    tool(
        "insert_rows",
        {"table": TEXT, "rows": many({"type": "object"}), "upsert": BOOLEAN},
        "table rows",
        {"table": "people", "rows": [{"id": 1, "name": "Anna"}, {"id": 2, "name": None}]},
        {"table": "log", "rows": [{"at": "10:00", "ok": True}], "upsert": True},
    ),
    tool(
        "resize_image",
        {"image": TEXT, "width": within(1, 8192), "height": maybe(INTEGER), "quality": NUMBER},
        "image width",
        {"image": "cat.png", "width": 640, "height": 480, "quality": 0.85},
        {"image": "dog.jpg", "width": 1024, "height": None},
    ),
    tool(
        "find_route",
        {"stops": many(POINT, minItems=2), "by": one_of("car", "bike", "foot"), "tolls": BOOLEAN},
        "stops by",
        {
            "stops": [{"lat": 59.91, "lon": 10.75}, {"lat": 60.39, "lon": 5.32}],
            "by": "car",
            "tolls": False,
        },
        {"stops": [{"lat": 1.5, "lon": -2.5}, {"lat": 0.25, "lon": 3.75}], "by": "foot"},
    ),
    tool(
        "create_issue",
        {
            "repository": TEXT,
            "title": TEXT,
            "labels": many(TEXT, uniqueItems=True),
            "assignees": maybe(many(TEXT)),
            "milestone": maybe(INTEGER),
        },
        "repository title",
        {"repository": "octo/garden", "title": "Gate stuck", "labels": ["bug"], "milestone": 4},
        {"repository": "octo/garden", "title": "Add roses", "assignees": None, "milestone": None},
    ),
    tool(
        "list_pull_requests",
        {"state": one_of("open", "closed", "all"), "page": within(1, 1000), "draft": BOOLEAN},
        "",
        {"state": "open", "page": 2, "draft": True},
        {"state": "all"},
    ),
    tool(
        "transfer_money",
        {
            "amount": {"type": "number", "exclusiveMinimum": 0},
            "currency": {"type": "string", "pattern": "^[A-Z]{3}$"},
            "account": INTEGER,
            "reference": TEXT,
        },
        "amount currency account",
        {"amount": 120.75, "currency": "EUR", "account": 9007199254740993, "reference": "0042"},
        {"amount": 0.5, "currency": "NOK", "account": 12345678901234567890},
        **CLOSED,
    ),
    tool(
        "book_table",
        {"restaurant": TEXT, "guests": within(1, 20), "allergies": many(TEXT), "outside": BOOLEAN},
        "restaurant guests",
        {"restaurant": "No. 5", "guests": 4, "allergies": ["nuts", "milk"], "outside": True},
        {"restaurant": "1984", "guests": 2, "allergies": []},
    ),
    tool(
        "set_thermostat",
        {"room": TEXT, "celsius": within(5, 30, "number"), "until": maybe(TEXT), "eco": BOOLEAN},
        "room celsius",
        {"room": "kitchen", "celsius": 21.5, "until": "22:00", "eco": True},
        {"room": "2", "celsius": 18.25, "eco": False},
    ),
    tool(
        "draw_chart",
        {
            "series": many(obj({"name": TEXT, "values": many(NUMBER)}, "name values")),
            "kind": one_of("bar", "line"),
            "log": BOOLEAN,
        },
        "series kind",
        {"series": [{"name": "a", "values": [1.5, 2.5, 4.0]}], "kind": "line", "log": False},
        {
            "series": [{"name": "x", "values": [0.1]}, {"name": "y", "values": [0.2]}],
            "kind": "bar",
        },
    ),
    tool(
        "translate",
        {"texts": many(TEXT), "to": {"type": "string", "minLength": 2}, "formal": maybe(BOOLEAN)},
        "texts to",
        {"texts": ["Good morning", "null"], "to": "de", "formal": True},
        {"texts": ["[not a list]"], "to": "nb", "formal": None},
    ),
    tool(
        "plan_project",
        {
            "name": TEXT,
            "phases": many(
                obj(
                    {"title": TEXT, "tasks": many(obj({"what": TEXT, "hours": NUMBER}, "what"))},
                    "title tasks",
                )
            ),
        },
        "name phases",
        {
            "name": "Move",
            "phases": [
                {"title": "Pack", "tasks": [{"what": "books", "hours": 3.5}, {"what": "cups"}]},
                {"title": "Drive", "tasks": [{"what": "rent a van", "hours": 0.5}]},
            ],
        },
        {"name": "Rest", "phases": []},
    ),
    tool(
        "add_blocks",
        {
            "page": TEXT,
            "blocks": many(
                {
                    "anyOf": [
                        obj({"kind": {"const": "text"}, "text": TEXT}, "kind text"),
                        obj({"kind": {"const": "image"}, "width": INTEGER}, "kind width"),
                    ]
                }
            ),
        },
        "page blocks",
        {"page": "p1", "blocks": [{"kind": "text", "text": "7"}, {"kind": "image", "width": 7}]},
        {"page": "p2", "blocks": [{"kind": "image", "width": 320}]},
    ),
    tool(
        "tag_photos",
        {"photos": many(INTEGER), "tags": many(TEXT), "replace": BOOLEAN},
        "photos tags",
        {"photos": [101, 102, 103], "tags": ["sea", "sun"], "replace": False},
        {"photos": [7], "tags": ["2024", "true"]},
        **CLOSED,
    ),
    tool(
        "update_settings",
        {
            "user": INTEGER,
            "settings": obj(
                {"theme": one_of("light", "dark"), "size": INTEGER, "mail": BOOLEAN}, **CLOSED
            ),
        },
        "user settings",
        {"user": 88, "settings": {"theme": "dark", "size": 14, "mail": True}},
        {"user": 0, "settings": {"size": 9}},
    ),
    tool(
        "convert_units",
        {"value": {"type": ["number", "null"]}, "from": TEXT, "to": TEXT, "digits": within(0, 12)},
        "from to",
        {"value": 3.25, "from": "mile", "to": "km", "digits": 2},
        {"value": None, "from": "inch", "to": "cm"},
    ),
    tool(
        "schedule_job",
        {
            "id": {"anyOf": [INTEGER, TEXT]},
            "cron": TEXT,
            "retry": obj({"times": within(0, 10), "wait": NUMBER}, "times"),
            "enabled": BOOLEAN,
        },
        "id cron",
        {"id": "0017", "cron": "0 9 * * 1", "retry": {"times": 3, "wait": 1.5}, "enabled": True},
        {"id": 17, "cron": "@daily", "enabled": False},
    ),
    tool(
        "search_products",
        {
            "words": TEXT,
            "price": obj({"least": NUMBER, "most": maybe(NUMBER)}),
            "sizes": many(within(30, 50)),
            "stock": BOOLEAN,
        },
        "words",
        {"words": "boots", "price": {"least": 20.5, "most": None}, "sizes": [41, 42]},
        {"words": "42", "price": {"most": 99.9}, "stock": True},
    ),
    tool(
        "create_user",
        {
            "name": TEXT,
            "age": within(0, 150),
            "address": obj({"street": TEXT, "number": INTEGER, "zip": TEXT}, "street number"),
            "roles": many(one_of("admin", "editor", "reader")),
        },
        "name address",
        {
            "name": "Åse Ø.",
            "age": 42,
            "address": {"street": "Storgata", "number": 5, "zip": "0155"},
            "roles": ["admin", "reader"],
        },
        {"name": "李", "address": {"street": "High St.", "number": 10}},
    ),
    tool(
        "vector_search",
        {"vector": many(NUMBER, minItems=1), "k": within(1, 100), "filter": {"type": "object"}},
        "vector k",
        {"vector": [0.25, -1.5, 3.125], "k": 5, "filter": {"lang": "en", "year": 2024}},
        {"vector": [1e-9], "k": 1},
    ),
    tool(
        "train_model",
        {
            "layers": many(within(1, 4096)),
            "rate": NUMBER,
            "seed": maybe(INTEGER),
            "options": {"type": "object", "additionalProperties": NUMBER},
        },
        "layers rate",
        {"layers": [64, 64, 10], "rate": 0.001, "seed": None, "options": {"momentum": 0.9}},
        {"layers": [8], "rate": 0.5, "seed": 7},
    ),
    tool(
        "answer_form",
        {
            "form": TEXT,
            "answers": many(
                obj({"question": INTEGER, "choice": one_of("yes", "no", "1", "2")}, "question")
            ),
            "final": {"const": True},
        },
        "form answers final",
        {"form": "f-9", "answers": [{"question": 1, "choice": "yes"}], "final": True},
        {"form": "2", "answers": [{"question": 2, "choice": "1"}, {"question": 3}], "final": True},
    ),
)
