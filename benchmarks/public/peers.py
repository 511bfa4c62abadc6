"""The peers, each used as its documentation says: a schema and a text in, arguments out.

Each function is an example of a reader to measure: it raises to refuse. Those that do not ask for
the schema parse the text alone.
"""

from __future__ import annotations

import functools
import importlib
import json
import types
from collections.abc import Callable, Iterator
from typing import Any, Final

from benchmarks.references import coerced_by_schema

__all__ = ["PEERS"]

Schema = dict[str, Any]
Read = Callable[[Schema, str], Any]


def schema2model(schema: Schema, text: str) -> Any:
    from schema2model import compile_schema  # noqa: PLC0415

    return compile_schema(schema).validate_json(text)


def schema2model_forgiving(schema: Schema, text: str) -> Any:
    from schema2model import compile_schema  # noqa: PLC0415

    return compile_schema(schema, coercion="forgiving").validate_json(text)


def hand_written(schema: Schema, text: str) -> Any:
    return coerced_by_schema(json.loads(text), schema)


def parser_of(module: str, function: str = "loads") -> Read:
    """A reader that parses the text alone, by a function of a library."""

    def read(_: Schema, text: str) -> Any:
        return getattr(importlib.import_module(module), function)(text)

    return read


def json_repair_schema(schema: Schema, text: str) -> Any:
    import json_repair as library  # noqa: PLC0415

    return library.loads(text, schema=schema)


def json_repair_salvage(schema: Schema, text: str) -> Any:
    import json_repair as library  # noqa: PLC0415

    return library.loads(text, schema=schema, schema_repair_mode="salvage")


def json_repair_checked(schema: Schema, text: str) -> Any:
    import json_repair as library  # noqa: PLC0415

    arguments = coerced_by_schema(library.loads(text), schema)
    _validator(json.dumps(schema)).validate(arguments)
    return arguments


def llm_json_repair(_: Schema, text: str) -> Any:
    import llm_json_repair as library  # noqa: PLC0415

    return library.parse_json(text).data


def fix_busted_json(_: Schema, text: str) -> Any:
    import fix_busted_json as library  # noqa: PLC0415

    return json.loads(library.first_json(text))


def dirtyjson(_: Schema, text: str) -> Any:
    import dirtyjson as library  # noqa: PLC0415

    return json.loads(json.dumps(library.loads(text)))  # it returns containers of its own


def lax_model(schema: Schema, text: str) -> Any:
    model = _model(json.dumps(schema))
    return model.model_validate_json(text).model_dump(
        mode="json", exclude_unset=True, by_alias=True
    )


def baml(schema: Schema, text: str) -> Any:
    """BAML's schema-aligned parser, with a class that is written for the schema."""
    return _baml(json.dumps(schema))(text)


PEERS: Final[dict[str, Read]] = {
    "schema2model": schema2model,
    "schema2model, forgiving": schema2model_forgiving,
    "json.loads": parser_of("json"),
    "json.loads + hand-written coercion": hand_written,
    "json_repair": parser_of("json_repair"),
    "json_repair, schema": json_repair_schema,
    "json_repair, schema, salvage": json_repair_salvage,
    "json_repair + hand-written + check": json_repair_checked,
    "repairjson": parser_of("repairjson"),
    "fast-json-repair": parser_of("fast_json_repair"),
    "agent-tool-parser": parser_of("agent_tool_parser", "safe_json_loads"),
    "BAML": baml,
    "llm-json-repair": llm_json_repair,
    "fix-busted-json": fix_busted_json,
    "dirtyjson": dirtyjson,
    "demjson3": parser_of("demjson3", "decode"),
    "pyjson5": parser_of("pyjson5"),
    "partial-json-parser": parser_of("partial_json_parser"),
    "json-schema-to-pydantic, lax": lax_model,
}


@functools.lru_cache(4096)
def _validator(schema: str) -> Any:
    import jsonschema_rs  # noqa: PLC0415

    return jsonschema_rs.validator_for(json.loads(schema))


@functools.lru_cache(4096)
def _model(schema: str) -> Any:
    from json_schema_to_pydantic import create_model  # noqa: PLC0415

    return create_model({"title": "Arguments", **json.loads(schema)}, allow_undefined_type=True)


# ------------------------------------------------------------------------------------------- BAML
class _Object(dict[str, Any]):
    """What BAML makes of a class: the members that it found."""

    @classmethod
    def model_validate(cls, members: dict[str, Any]) -> _Object:
        return cls({name: value for name, value in members.items() if value is not None})


@functools.lru_cache(4096)
def _baml(schema: str) -> Callable[[str], Any]:
    """Return BAML's parser for a schema; a property that is null was not sent."""
    import baml_py  # noqa: PLC0415

    source = _BamlSource()
    root = source.of(json.loads(schema))
    prompt = 'client "openai/gpt-4o" prompt #"{{ text }}"#'
    function = f"function Call(text: string) -> {root} {{ {prompt} }}\n"
    files = {"baml_src/main.baml": "\n".join((*source.classes, function))}
    runtime = baml_py.BamlRuntime.from_files("baml_src", files, {})
    context = runtime.create_context_manager()
    module = types.ModuleType("classes")
    for number in range(len(source.classes)):
        setattr(module, f"Class{number}", _Object)

    def parse(text: str) -> Any:
        allow_partials = False
        found = runtime.parse_llm_response(
            "Call", text, module, module, module, allow_partials, context, None, None, {}
        )
        return json.loads(json.dumps(found))

    return parse


class _BamlSource:
    """The classes that BAML's language needs for a schema."""

    def __init__(self) -> None:
        self.classes: list[str] = []

    def of(self, schema: Any) -> str:
        """Return the type that stands for a schema.

        Raises:
            NotImplementedError: for what BAML has no type for.

        """
        if not isinstance(schema, dict) or "$ref" in schema or "allOf" in schema:
            message = "a schema that BAML's types do not express"
            raise NotImplementedError(message)
        if choices := schema.get("enum"):
            return f"({' | '.join(map(json.dumps, choices))})"
        if branches := schema.get("anyOf") or schema.get("oneOf"):
            return f"({' | '.join(map(self.of, branches))})"
        kinds = schema.get("type", [*_BAML_TYPES])
        kinds = kinds if isinstance(kinds, list) else [kinds]
        return f"({' | '.join(self._one(kind, schema) for kind in kinds)})"

    def _one(self, kind: str, schema: Schema) -> str:
        if kind == "array":
            return f"{self.of(schema.get('items', {}))}[]"
        if kind == "object" and schema.get("properties"):
            number = len(self.classes)
            self.classes.append("")
            self.classes[number] = (
                f"class Class{number} {{\n{chr(10).join(self._properties(schema))}\n}}"
            )
            return f"Class{number}"
        if kind == "object":
            return f"map<string, {self.of(schema.get('additionalProperties') or {})}>"
        return _BAML_TYPES[kind]

    def _properties(self, schema: Schema) -> Iterator[str]:
        for name, each in schema["properties"].items():
            if not (name.isidentifier() and name.isascii()):
                message = "a name that BAML's classes cannot have"
                raise NotImplementedError(message)
            optional = "" if name in schema.get("required", ()) else "?"
            yield f"  {name} {self.of(each)}{optional}"


_BAML_TYPES: Final = {
    "string": "string",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "null",
}
