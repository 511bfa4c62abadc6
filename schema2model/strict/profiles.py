"""The subsets of JSON Schema that providers and engines enforce, one record each.

A profile is data. `builder` reads which keywords it keeps and how it encodes the others;
`emitter` reads how its schemas are written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from schema2model.json.names import suggestion
from schema2model.json.quoting import abridged_repr

__all__ = ["PROFILES", "Profile", "RequestLimits", "profile_named"]

_NUMBER: Final = frozenset(
    ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
)
_STRING: Final = frozenset(("pattern", "minLength", "maxLength"))
_ARRAY: Final = frozenset(("minItems", "maxItems"))
_FORMATS: Final = frozenset(
    ("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid")
)


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """Limits that a provider counts over all strict tools of one request."""

    tools: int
    optional_parameters: int
    union_parameters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A subset of JSON Schema, and how schemas are written in it."""

    name: str
    title: str
    string: frozenset[str] = frozenset()
    """Keywords of strings that are enforced, apart from `enum` and `format`."""
    number: frozenset[str] = frozenset()
    """Keywords of numbers that are enforced, apart from `enum`."""
    array: frozenset[str] = frozenset()
    """Keywords of arrays that are enforced, apart from `items`."""
    max_min_items: int | None = None
    """Maximum value of `minItems`; None without a maximum."""
    formats: frozenset[str] = frozenset()
    """Formats that are enforced."""
    enumerable: frozenset[str] = frozenset(("string", "integer", "number", "boolean", "null"))
    """Types of values that an `enum` may list."""
    optional: bool = False
    """True if properties may be optional; otherwise an optional property is nullable."""
    maps: bool = False
    """True if `additionalProperties` may be a schema; otherwise a map is a list of entries."""
    anything: bool = False
    """True if the schema `{}` is accepted."""
    recursion: bool = False
    """True if definitions may refer to themselves; otherwise they are unrolled."""
    definitions: bool = True
    """True if `$ref` and `$defs` are accepted; otherwise definitions are inline."""
    definitions_save_budget: bool = False
    """True if what is in a definition does not count for `request`."""
    openapi: bool = False
    """True if schemas are written in OpenAPI's way, as Gemini's `Schema`."""
    whole_patterns: bool = False
    """True if a pattern has to match the whole string, and no character that JSON escapes."""
    property_name: str | None = None
    """The pattern of property names that are accepted; None if all are."""
    max_levels: int | None = None
    """Maximum levels of objects in the root, and in each definition."""
    max_properties: int | None = None
    """Maximum properties of the root, and of each definition."""
    max_enum_values: int | None = None
    """Maximum enumerated values of one schema."""
    max_listed_characters: int | None = None
    """Maximum characters of an enum of more than 250 strings."""
    max_characters: int | None = None
    """Maximum characters of all names and enumerated values of one schema."""
    apis: tuple[str, ...] = ("openai", "openai-responses")
    """The shapes of definitions that the provider takes: see `Tool.definition`."""
    request: RequestLimits | None = None
    """Limits of one request over all strict tools."""


_OPENAI: Final = Profile(
    name="openai",
    title="OpenAI, chat completions and Responses",
    string=_STRING,
    number=_NUMBER,
    array=_ARRAY,
    formats=_FORMATS,
    recursion=True,
    max_levels=10,
    max_properties=5000,
    max_enum_values=1000,
    max_listed_characters=15_000,
    max_characters=120_000,
)
_ANTHROPIC: Final = Profile(
    name="anthropic",
    title="Anthropic, and Claude on Amazon Bedrock",
    string=frozenset(("pattern",)),
    array=frozenset(("minItems",)),
    max_min_items=1,
    formats=_FORMATS | {"uri"},
    optional=True,
    definitions_save_budget=True,
    property_name=r"[a-zA-Z0-9_.-]{1,64}",
    apis=("anthropic",),
    request=RequestLimits(20, 24, 16),
)
_GEMINI: Final = Profile(
    name="gemini",
    title="Gemini, `parametersJsonSchema`",
    number=frozenset(("minimum", "maximum")),
    array=_ARRAY,
    formats=frozenset(("date-time", "date", "time")),
    enumerable=frozenset(("string", "integer", "number")),
    optional=True,
    maps=True,
    apis=("gemini",),
)

_OPENAI_TYPES = replace(
    _OPENAI, string=frozenset(), number=frozenset(), array=frozenset(), formats=frozenset()
)
"""OpenAI's rules without keywords for the values of a type."""

PROFILES: Final[Mapping[str, Profile]] = {
    profile.name: profile
    for profile in (
        _OPENAI,
        replace(
            _OPENAI_TYPES,
            name="azure",
            title="Azure OpenAI",
            max_levels=5,
            max_properties=100,
            max_enum_values=500,
            max_characters=15_000,
        ),
        _ANTHROPIC,
        _GEMINI,
        replace(
            _GEMINI,
            name="gemini-openapi",
            title="Gemini, `parameters` and the Live API",
            number=frozenset(),
            array=frozenset(),
            formats=frozenset(),
            enumerable=frozenset(("string",)),
            maps=False,
            definitions=False,
            openapi=True,
        ),
        replace(_OPENAI_TYPES, name="groq", title="Groq"),
        replace(_OPENAI, name="xai", title="xAI", string=frozenset(("pattern",))),
        Profile(
            name="llguidance",
            title="llguidance (vLLM, SGLang, llama.cpp)",
            string=_STRING,
            number=_NUMBER,
            array=_ARRAY,
            formats=_FORMATS | {"uri"},
            optional=True,
            maps=True,
            anything=True,
            recursion=True,
        ),
        Profile(
            name="xgrammar",
            title="xgrammar (vLLM, SGLang)",
            string=frozenset(("pattern",)),  # with a length, it allows no quote and no new line
            number=_NUMBER - {"multipleOf"},
            array=_ARRAY,
            formats=_FORMATS | {"uri"},
            optional=True,
            maps=True,
            anything=True,
            recursion=True,
            whole_patterns=True,
        ),
    )
}
"""All profiles, by name."""


def profile_named(name: str) -> Profile:
    """Return the profile of a provider.

    Raises:
        ValueError: for an unknown name.

    >>> profile_named("openai").max_levels
    10
    >>> profile_named("openia")
    Traceback (most recent call last):
        ...
    ValueError: no strict profile 'openia'; did you mean 'openai'?

    """
    profile = PROFILES.get(name) if isinstance(name, str) else None
    if profile is None:
        message = f"no strict profile {abridged_repr(name)}; {suggestion(name, PROFILES)}"
        raise ValueError(message)
    return profile
