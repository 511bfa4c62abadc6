"""Tool definitions of the providers, read and written.

MCP 2025-06-18, "Tool"; OpenAI chat completions and responses, "function" tools; Anthropic
messages, "tools"; Gemini API, `FunctionDeclaration`; LiveKit's raw function tools.
"""

from __future__ import annotations

import copy
import functools
import marshal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from schema2model.errors import SchemaError
from schema2model.json.quoting import abridged_repr, printable, quoted
from schema2model.schema.dialects import DEFAULT, dialect_for, dialect_named
from schema2model.schema.not_a_schema import DECLARATIONS, SCHEMA_KEYS
from schema2model.tools.providers.gemini import gemini_schema
from schema2model.tools.providers.simplifying import inline_refs, object_schema, with_items

if TYPE_CHECKING:
    from schema2model.strict.strict_schema import StrictSchema

__all__ = [
    "AnthropicTool",
    "ChatShape",
    "ChatTool",
    "Definition",
    "GeminiTool",
    "Provider",
    "ResponsesTool",
    "declarations",
    "lacks_attribute",
    "member",
    "provider_definition",
    "read_definition",
    "strict_definition",
]

_NAME = "name"


@dataclass(frozen=True, slots=True)
class Definition:
    """A tool definition, read from the shape of any provider.

    `provider` names that shape, `key` is the member that held the schema, and `extras` has the
    members that have no attribute here.
    """

    name: str
    description: str
    schema: Any
    dialect: str | None = None
    provider: str | None = None
    key: str = ""
    extras: Mapping[str, Any] = field(default_factory=dict)

    @property
    def json_schema(self) -> Any:
        """The schema as JSON Schema, also if it is written in Gemini's or OpenAPI's variant."""
        fallback = DEFAULT if self.dialect is None else dialect_named(self.dialect)
        dialect = dialect_for(self.schema, fallback, {})
        return dialect.rewrite(self.schema) if dialect.rewrite else self.schema


# ----------------------------------------------------------------------------------- reading
def declarations(definition: Any) -> Iterator[Any]:
    """Yield the definitions in one object: several in a tool of Gemini, else the object itself.

    >>> list(declarations({"functionDeclarations": [{"name": "a"}, {"name": "b"}]}))
    [{'name': 'a'}, {'name': 'b'}]
    """
    for key in DECLARATIONS:
        several = member(definition, key)
        if isinstance(several, (list, tuple)):
            yield from several
            return
    yield definition


def read_definition(
    definition: Any, *, name: str | None = None, description: str | None = None
) -> Definition:
    """Read a definition in the shape of any provider; with a name, also a plain schema.

    One that is read already stays as it is.

    Raises:
        SchemaError: where it has no name or no schema.

    >>> read_definition({"name": "now", "input_schema": {"type": "object"}}).provider
    'anthropic'
    >>> read_definition({"type": "object"}, name="now").schema
    {'type': 'object'}

    """
    if isinstance(definition, Definition):
        return definition
    if name is not None and _is_schema(definition):
        definition = {_NAME: name, "parameters": definition}
    elif name is not None and isinstance(definition, Mapping) and "function" not in definition:
        definition = {**definition, _NAME: name}
    read = _read_definition(definition)
    return replace(read, name=name or read.name, description=description or read.description)


_EXAMPLE = (
    'write {"name": ..., "description": ..., "parameters": {...}}, or what OpenAI, Anthropic, '
    "Gemini or MCP use"
)
"""The advice for something that is not a definition."""


def _is_schema(given: Any) -> bool:
    """Return whether something is a schema, and not a definition that has one."""
    if isinstance(given, bool):
        return True
    return isinstance(given, Mapping) and given.keys().isdisjoint((_NAME, "function", *SCHEMA_KEYS))


def _no_definition(given: Any) -> SchemaError:
    return SchemaError(f"a definition is an object, got {type(given).__name__}; {_EXAMPLE}")


def _read_definition(definition: Any) -> Definition:
    if definition is None or isinstance(definition, (str, bytes, int, float, list, tuple)):
        raise _no_definition(definition)
    several = list(declarations(definition))
    if len(several) != 1:
        message = f"one definition is wanted, and this holds {len(several)}; Toolset takes them all"
        raise SchemaError(message)
    outer = several[0]
    inner = member(outer, "function")
    chat = inner is not None and member(inner, _NAME) is not None
    inner = inner if chat else outer
    name = member(inner, _NAME)
    key = next((key for key in SCHEMA_KEYS if member(inner, key) is not None), None)
    if not isinstance(name, str) or not name:
        if key is None and not isinstance(inner, Mapping):
            raise _no_definition(inner)
        message = f"the definition has no name; {_EXAMPLE}; a schema alone needs name=..."
        raise SchemaError(message)
    if key is None:
        message = (
            f"the definition of `{printable(name)}` has no schema under any of "
            f"{', '.join(SCHEMA_KEYS)}; "
            'for a tool that takes nothing it is {"type": "object", "properties": {}}'
        )
        raise SchemaError(message)
    schema = _plain_schema(member(inner, key))
    if not isinstance(schema, (dict, bool)):
        message = (
            f"the schema of `{printable(name)}` is {quoted(schema)}; a JSON Schema is an object"
        )
        raise SchemaError(message)
    is_gemini = key == "parameters" and _is_gemini(schema)
    provider = "gemini" if is_gemini else "openai" if chat else SCHEMA_KEYS[key]
    description = member(inner, "description")
    return Definition(
        name,
        description if isinstance(description, str) else "",
        schema,
        "gemini" if is_gemini else None,
        provider,
        key,
        _extras(inner, {_NAME, "description", key, "type"}),
    )


def member(owner: Any, key: str) -> Any:
    """Return a member of a mapping, or an attribute of an SDK's object; None if missing.

    >>> member({"name": "now"}, "name"), member(object(), "name")
    ('now', None)
    """
    kind: Any = type(owner)
    if kind is dict:  # to ask the abstract class takes ten times as long
        return owner.get(key)
    if lacks_attribute(kind, key):
        extra = getattr(owner, "__pydantic_extra__", None)
        return None if extra is None else extra.get(key)
    return owner.get(key) if isinstance(owner, Mapping) else getattr(owner, key, None)


@functools.lru_cache(1024)
def lacks_attribute(kind: Any, key: str) -> bool:
    """Return whether a class is one of pydantic's models that have no such attribute.

    Its instances can have it as an extra member only. To say that they lack it, which most SDKs'
    objects have to many times a call, takes them twenty times as long as a mapping.

    >>> from pydantic import BaseModel
    >>> class Call(BaseModel):
    ...     name: str
    >>> lacks_attribute(Call, "name"), lacks_attribute(Call, "id"), lacks_attribute(dict, "id")
    (False, True, False)
    """
    own = getattr(kind, "__getattr__", None)
    if getattr(own, "__module__", "") != "pydantic.main" or issubclass(kind, Mapping):
        return False
    is_field = key in getattr(kind, "__pydantic_fields__", {key})
    return not is_field and not any(key in vars(each) for each in kind.__mro__)


def _plain_schema(schema: Any) -> Any:
    """Return the schema in an SDK's object."""
    if isinstance(schema, Mapping):
        plain = dict(schema)
        try:
            # takes a tenth of the time of a deep copy, which was a seventh of making a tool
            return marshal.loads(marshal.dumps(plain))  # noqa: S302 - our own bytes
        except ValueError:  # it holds other classes than JSON's own, or is too deep
            pass
        try:
            return copy.deepcopy(plain)
        except RecursionError:
            message = "the schema is nested too deeply"
            raise SchemaError(message) from None
    dump: Callable[..., Any] | None = getattr(schema, "model_dump", None)
    return schema if dump is None else dump(mode="json", by_alias=True, exclude_none=True)


def _is_gemini(schema: Any) -> bool:
    """Return whether types are written in capitals, as Gemini writes them."""
    if not isinstance(schema, dict):
        return False
    properties = schema.get("properties")
    inner = properties.values() if isinstance(properties, dict) else ()
    kinds = [schema.get("type"), *(p.get("type") for p in inner if isinstance(p, dict))]
    return any(isinstance(kind, str) and kind.isupper() for kind in kinds)


def _extras(owner: Any, known: set[str]) -> dict[str, Any]:
    """Return the other members of a provider's definition: strictness, annotations, caching."""
    if not isinstance(owner, Mapping):
        dump = getattr(owner, "model_dump", None)
        owner = {} if dump is None else dump(mode="json", by_alias=True, exclude_none=True)
        known = known | {"inputSchema", "parametersJsonSchema"}
    return {name: copy.deepcopy(value) for name, value in owner.items() if name not in known}


# ----------------------------------------------------------------------------------- writing
def provider_definition(given: Definition, provider: str) -> dict[str, Any]:
    """Return a definition in a provider's shape, with its own schema where the provider takes it.

    OpenAI and Anthropic refuse alternatives at the top of a schema. There, the properties of all
    alternatives are offered, and those that every alternative requires are required. Gemini takes
    the subset described in `gemini_schema`, and no schema at all for a tool without parameters.
    What is left out is still checked when the tool is called.

    Raises:
        SchemaError: if the schema is nested too deeply.
        ValueError: for an unknown provider, or a schema that is not of objects.

    >>> given = read_definition({"name": "now", "inputSchema": {"type": "object"}})
    >>> provider_definition(given, "anthropic")
    {'name': 'now', 'input_schema': {'type': 'object', 'properties': {}}}

    """
    writer = _WRITERS.get(provider)
    if writer is None:
        from schema2model.json.names import suggestion  # noqa: PLC0415 - for mistakes only

        message = f"unknown provider {abridged_repr(provider)}; {suggestion(provider, _WRITERS)}"
        raise ValueError(message)
    try:
        return copy.deepcopy(writer(given, *_head_and_extras(given, provider)))
    except RecursionError:
        message = f"the schema of `{printable(given.name)}` is nested too deeply"
        raise SchemaError(message) from None


def _head_and_extras(given: Definition, provider: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the name and description, and the other members if they are of the same provider."""
    description = {"description": given.description} if given.description else {}
    extras = dict(given.extras) if given.provider == provider else {}
    return {_NAME: given.name, **description}, extras


_Writer = Callable[[Definition, dict[str, Any], dict[str, Any]], dict[str, Any]]


def strict_definition(given: Definition, provider: str, strict: StrictSchema) -> dict[str, Any]:
    """Return a definition with the projection of its schema, which the provider enforces."""
    head, extras = _head_and_extras(given, provider)
    schema = strict.schema
    if provider == "gemini":
        key = "parameters" if strict.profile.openapi else "parametersJsonSchema"
        is_left_out = strict.profile.openapi and not schema["properties"]
        return {**head, **copy.deepcopy(extras), **({} if is_left_out else {key: schema})}
    own = replace(given, schema=schema, dialect=None, provider=provider)
    return provider_definition(replace(own, extras={**extras, "strict": True}), provider)


def _is_strict(given: Definition) -> bool | None:
    """Return whether the definition itself is strict, in either of OpenAI's shapes; else None."""
    says = given.extras.get("strict") if given.provider in _OPENAI_SHAPES else None
    return says if isinstance(says, bool) else None


_OPENAI_SHAPES = ("openai", "openai-responses")


def _openai(given: Definition, head: dict[str, Any], extras: dict[str, Any]) -> dict[str, Any]:
    says = _is_strict(given)
    strict = {} if says is None else {"strict": says}
    parameters = with_items(object_schema(given.json_schema, given.name))
    function = {**head, "parameters": parameters, **strict, **extras}
    return {"type": "function", "function": function}


def _responses(given: Definition, head: dict[str, Any], extras: dict[str, Any]) -> dict[str, Any]:
    # left out, "strict" means that strictness is tried
    strict = {"strict": _is_strict(given) or False}
    parameters = with_items(object_schema(given.json_schema, given.name))
    return {"type": "function", **head, "parameters": parameters, **strict, **extras}


def _gpt_oss(given: Definition, head: dict[str, Any], extras: dict[str, Any]) -> dict[str, Any]:
    # its template does not show `$defs` to the model
    parameters = object_schema(given.json_schema, given.name)
    inline = inline_refs(parameters, parameters)
    return {"type": "function", "function": {**head, "parameters": inline, **extras}}


def _anthropic(given: Definition, head: dict[str, Any], extras: dict[str, Any]) -> dict[str, Any]:
    return {**head, "input_schema": object_schema(given.json_schema, given.name), **extras}


def _mcp(given: Definition, head: dict[str, Any], extras: dict[str, Any]) -> dict[str, Any]:
    schema = given.json_schema
    if not isinstance(schema, dict) or schema.get("type") != "object":
        schema = object_schema(schema, given.name)
    return {**head, "inputSchema": schema, **extras}


def _gemini(given: Definition, head: dict[str, Any], extras: dict[str, Any]) -> dict[str, Any]:
    if given.provider == "gemini":
        return {**head, given.key: given.schema, **extras}
    parameters = gemini_schema(object_schema(given.json_schema, given.name))
    return {**head, "parameters": parameters} if parameters.get("properties") else head


_WRITERS: Mapping[str, _Writer] = {
    "openai": _openai,
    "openai-responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "mcp": _mcp,
    "gpt-oss": _gpt_oss,
}


ChatShape = Literal["openai", "gpt-oss"]
"""The shapes of chat completions."""

Provider = Literal["openai", "gpt-oss", "openai-responses", "anthropic", "gemini", "mcp"]
"""The providers that definitions are made for."""

if TYPE_CHECKING:
    from anthropic.types import ToolParam
    from google.genai.types import FunctionDeclarationDict
    from openai.types.chat import ChatCompletionFunctionToolParam
    from openai.types.responses import FunctionToolParam

    # Classes, since an alias of what is not installed would be an unknown type: then strict type
    # checkers refuse every use of `definitions`, also for the SDK that is installed.
    class AnthropicTool(ToolParam):  # type: ignore[misc, unused-ignore]
        """A tool of Anthropic's messages."""

    class GeminiTool(FunctionDeclarationDict):  # type: ignore[misc, unused-ignore]
        """A function declaration of Gemini."""

    class ChatTool(ChatCompletionFunctionToolParam):  # type: ignore[misc, unused-ignore]
        """A tool of OpenAI's chat completions."""

    class ResponsesTool(FunctionToolParam):  # type: ignore[misc, unused-ignore]
        """A tool of OpenAI's responses."""

else:
    AnthropicTool = GeminiTool = ChatTool = ResponsesTool = dict[str, Any]
