"""Generated modules, imported: what the tests of `schema2model.apps.codegen` share."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest
from cases import DATA
from pydantic import BaseModel, ValidationError

from schema2model import CoercingModel, ToolError, compile_schema
from schema2model.apps import codegen


def mcp(name: str, schema: Any, description: str = "") -> dict[str, Any]:
    """A tool as MCP defines it."""
    return {"name": name, "description": description, "inputSchema": schema}


def properties(**inner: Any) -> dict[str, Any]:
    """A schema of objects with these properties."""
    return {"type": "object", "properties": inner}


def imported(source: str) -> dict[str, Any]:
    """What a generated module defines, once it is imported."""
    module = types.ModuleType(f"generated{len(sys.modules)}")
    sys.modules[module.__name__] = module  # where pydantic looks for the names in annotations
    exec(compile(source, "generated.py", "exec"), vars(module))  # noqa: S102 - what is tested
    return vars(module)


def model_of(schema: Any, **options: Any) -> type[CoercingModel]:
    """The generated class for a schema."""
    model: type[CoercingModel] = imported(codegen.generate([mcp("tool", schema)], **options))[
        "TOOLS"
    ]["tool"]
    return model


def held(model: type[BaseModel]) -> list[str]:
    """The properties that a class has fields for."""
    fields = model.model_fields.items()
    return [name if field.alias is None else field.alias for name, field in fields]


def dumped(model: BaseModel) -> Any:
    """What an instance holds, as JSON."""
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True)


NO_OBJECT = object()


def agreed(model: type[BaseModel], schema: Any, value: Any, **options: Any) -> Any:
    """What a class makes of a value: the same as the compiled schema, or both refuse it."""
    try:
        expected = compile_schema(schema, **options).validate(value)
    except ToolError:
        expected = NO_OBJECT
    if not isinstance(expected, dict):  # a class holds objects only
        with pytest.raises(ValidationError):
            model.model_validate(value)
        return None
    result = dumped(model.model_validate(value))
    assert result == expected
    assert json.dumps(result, sort_keys=True) == json.dumps(expected, sort_keys=True)
    return result


HOTEL: dict[str, Any] = json.loads((DATA / "hotel.json").read_text("ascii"))
"""An OpenAPI document."""

EXAMPLE = mcp(
    "search-articles",
    {
        "type": "object",
        "properties": {
            "tags": {"type": "array", "items": {"type": "string"}, "description": "All of them."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
            "sort": {"enum": ["asc", "desc"]},
            "max-price": {"type": ["number", "null"], "exclusiveMinimum": 0},
            "where": {"$ref": "#/$defs/Condition"},
            "extra": {"type": "object", "additionalProperties": {"type": "integer"}},
        },
        "required": ["tags", "max-price"],
        "additionalProperties": False,
        "$defs": {
            "Condition": {
                "type": "object",
                "description": "What articles have.",
                "properties": {
                    "field": {"type": "string"},
                    "and": {"type": "array", "items": {"$ref": "#/$defs/Condition"}},
                },
                "required": ["field"],
            }
        },
    },
    "Search for articles.",
)


EVIL: list[str] = json.loads((DATA / "hostile.json").read_text("ascii"))["texts like code"]
"""Texts that might end a string or a comment, or have a meaning to Python or to pydantic."""


@functools.cache
def hostile_source() -> str:
    """A module for schemas with all of these in every place for text."""
    everywhere = properties(
        **{text: {"enum": [text, "b"], "default": text, "description": text} for text in EVIL}
    )
    inside = {text: {**properties(**{text: {}}), "description": text} for text in EVIL}
    return codegen.generate(
        [
            mcp("everywhere", {**everywhere, "title": EVIL[0], "required": EVIL}, EVIL[0]),
            mcp("inside", properties(**inside)),
            mcp(
                "definitions",
                {
                    **properties(
                        **{
                            f"p{index}": {"$ref": f"#/$defs/{index}", "description": text}
                            for index, text in enumerate(EVIL)
                        }
                    ),
                    "$defs": {
                        str(index): {**properties(**{text: {"const": text}}), "title": text}
                        for index, text in enumerate(EVIL)
                    },
                },
            ),
            *(mcp(text, {"description": text}, text) for text in EVIL if text),
        ],
        header='\n"""\rimport canary\u2028import canary\n',
    )


def changes_of_ruff(source: str, folder: Path) -> str:
    """What `ruff format` would change in a module that is written to a folder."""
    path = folder / "module.py"
    path.write_text(source)
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--diff", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    assert (done.returncode == 0) == (done.stdout == ""), done.stderr
    return done.stdout
