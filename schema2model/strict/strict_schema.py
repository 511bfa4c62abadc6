"""`StrictSchema`: the projection of a schema for one provider, with its inverse."""

from __future__ import annotations

import copy
from typing import Any, NoReturn

from schema2model.coerce.engine import Engine
from schema2model.errors import Issue, SchemaError, ToolError
from schema2model.json.equality import type_exact_bytes
from schema2model.json.pointers import JSONPath, pointer
from schema2model.json.quoting import quoted
from schema2model.schema.dialects import DEFAULT
from schema2model.strict.builder import Builder
from schema2model.strict.emitter import Emitter, openapi_schema
from schema2model.strict.encodings import Decoder, Mismatch, unchanged
from schema2model.strict.enforcement import AccountEntry
from schema2model.strict.profiles import Profile, profile_named

__all__ = ["StrictSchema", "strict_schema"]


class StrictSchema:
    """The projection of a schema into the subset that a provider enforces, and its inverse.

    Made by `CompiledSchema.strict`. Immutable; safe to share between threads.

    >>> from schema2model import compile_schema
    >>> limit = {"type": "integer", "minimum": 1}
    >>> schema = {"type": "object", "properties": {"limit": limit}}
    >>> strict = compile_schema(schema).strict("openai")
    >>> strict.schema["required"], strict.encode({}), strict.decode({"limit": None})
    (['limit'], {'limit': None}, {})
    """

    __slots__ = (
        "_accept",
        "_caps",
        "_encoding",
        "_engine",
        "_invert",
        "_ledger",
        "_projected",
        "_saves_budget",
        "_schema",
        "profile",
    )

    def __init__(
        self,
        engine: Engine,
        profile: Profile,
        caps: dict[str, int],
        *,
        saves_budget: bool = False,
    ) -> None:
        build = Builder(engine.verdicts, profile, caps, dynamic=engine.dynamic)
        try:
            self._encoding = build.root_encoding(engine.root)
            self._schema = Emitter(profile, saves_budget=saves_budget).emit(self._encoding)
        except RecursionError:
            message = "the schema is nested too deeply to be projected"
            raise SchemaError(message) from None
        self._engine = engine
        self._caps = caps
        self._saves_budget = saves_budget
        self._ledger = build.ledger
        self._accept = engine.accept
        self._invert: Decoder = self._plan_inverse
        self._projected: Engine | None = None
        self.profile = profile

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._engine, self.profile.name, self._caps, self._saves_budget)

    def __repr__(self) -> str:
        return f"<StrictSchema {self._engine.name!r}, {self.profile.name}>"

    @property
    def schema(self) -> dict[str, Any]:
        """A copy of the projection: the schema to send."""
        return openapi_schema(self._schema) if self.profile.openapi else copy.deepcopy(self._schema)

    @property
    def account(self) -> tuple[AccountEntry, ...]:
        """The treatment of the keywords of each subschema.

        >>> from schema2model import compile_schema
        >>> limit = {"type": "integer", "minimum": 1}
        >>> schema = {"type": "object", "properties": {"limit": limit}, "required": ["limit"]}
        >>> for entry in compile_schema(schema).strict("anthropic").account:
        ...     print(entry)
        the root: enforced: type, properties, required
        the root: given up: properties that the schema does not declare
        /properties/limit: enforced: type
        /properties/limit: checked: minimum
        """
        return self._ledger.entries()

    @property
    def projection(self) -> Engine:
        """The compiled projection: it reads arguments as the model wrote them.

        It requires only what the schema as given requires.
        """
        if self._projected is None:
            relaxed = Emitter(self.profile, saves_budget=self._saves_budget, relaxed=True)
            content = type_exact_bytes(relaxed.emit(self._encoding))
            source = self._engine.source._replace(dialect=DEFAULT, formats="annotate")
            self._projected = Engine(source._replace(content=content, resources=b"", types=()))
        return self._projected

    def encode(self, value: Any) -> Any:
        """Return arguments as the projection writes them, in the order of its properties.

        For the calls of a history: a provider that enforces the projection expects them so.

        Raises:
            ToolError: if the value is not valid, or uses what the projection gives up.

        >>> from schema2model import compile_schema
        >>> schema = {"type": "object", "additionalProperties": {"type": "integer"}}
        >>> compile_schema(schema).strict("openai").encode({"a": 1})
        {'additional_properties': [{'key': 'a', 'value': 1}]}

        """
        if not self._engine.is_valid(value):
            value = self._engine.validate(value)
        try:
            return self._encoding.encode(value, ())
        except Mismatch as mismatch:
            self._raise_for(mismatch)

    def decode(self, value: Any) -> Any:
        """Return the arguments that a value of the projection means, valid for the schema as given.

        It is as forgiving as `CompiledSchema.validate`: arguments that were written for the schema
        as given, or nearly for the projection, are coerced.

        Raises:
            ToolError: if no reading of the value satisfies the schema as given.

        >>> from schema2model import compile_schema
        >>> limit = {"type": "integer", "minimum": 1}
        >>> strict = compile_schema({"properties": {"limit": limit}}).strict("openai")
        >>> strict.decode({"limit": None}), strict.decode({"limit": "3"}), strict.decode({})
        ({}, {'limit': 3}, {})

        """
        # what a provider enforced is exact: one inversion and one validation, and no search
        try:
            return self._accept(self._invert(value))
        except Exception:  # noqa: BLE001 - a hostile value may raise anything
            return self._decode_inexact(value)

    def inverted(self, value: Any) -> Any:
        """Return what a value of the projection means, neither coerced nor checked.

        >>> from schema2model import compile_schema
        >>> strict = compile_schema({"properties": {"a": {"type": "integer"}}}).strict("openai")
        >>> strict.inverted({"a": None}), strict.inverted({"a": "1"})
        ({}, {'a': '1'})
        """
        try:
            return self._invert(value)
        except Mismatch:
            return value

    def _plan_inverse(self, value: Any) -> Any:
        """Return what a value means, before coercion; plan the inverse for the next one."""
        self._invert = self._encoding.decoder() or unchanged
        return self._invert(value)

    def _decode_inexact(self, value: Any) -> Any:
        """Return the arguments that a value means which is not exact.

        Raises:
            ToolError: if it means none.

        """
        try:
            corrected = self.projection.validate(value)
        except ToolError:
            corrected = value
        try:
            decoded = self._invert(corrected)
        except Mismatch as mismatch:
            mismatch.path = (*_path_to(mismatch.within, corrected), *mismatch.path)
            self._raise_for(mismatch)
        except Exception:  # noqa: BLE001 - a hostile value may raise anything
            decoded = corrected
        return self._engine.validate(decoded)

    def _raise_for(self, mismatch: Mismatch) -> NoReturn:
        path = pointer(mismatch.path)
        issue = Issue(path, mismatch.keyword, mismatch.expected, quoted(mismatch.value))
        raise ToolError.for_arguments(self._engine.name, (issue,))


def _path_to(part: Any, value: Any) -> JSONPath:
    """Return the path to a container within a value: that very object."""
    paths: dict[int, JSONPath] = {id(value): ()}
    queue = [value]
    for each in queue:  # which grows on the way
        for key, member in each.items() if isinstance(each, dict) else enumerate(each):
            if isinstance(member, (dict, list)) and id(member) not in paths:
                paths[id(member)] = (*paths[id(each)], key)
                queue.append(member)
    return paths.get(id(part), ())


def _restored(
    engine: Engine,
    provider: str,
    caps: dict[str, int],
    saves_budget: bool,  # noqa: FBT001
) -> StrictSchema:
    """Make the projection again from what was pickled."""
    return StrictSchema(engine, profile_named(provider), caps, saves_budget=saves_budget)


def strict_schema(
    engine: Engine,
    provider: str,
    *,
    max_items: int | None = None,
    max_length: int | None = None,
    saves_budget: bool = False,
) -> StrictSchema:
    """Return the projection of a compiled schema: see `CompiledSchema.strict`.

    With `saves_budget`, what counts for the limits of a request is written as definitions.
    """
    caps = {"maxItems": max_items, "maxLength": max_length}
    given = {keyword: cap for keyword, cap in caps.items() if cap is not None}
    if any(type(cap) is not int or cap < 1 for cap in given.values()):
        message = "max_items and max_length are positive integers"
        raise ValueError(message)
    return StrictSchema(engine, profile_named(provider), given, saves_budget=saves_budget)
