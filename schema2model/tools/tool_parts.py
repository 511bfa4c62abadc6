"""`ToolParts`: what a tool is made of, and how it is made of a definition or a function.

`Tool` shows a part of it; the package reads the rest with `parts_of`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from schema2model.coercions import coercion_named
from schema2model.compiled import CompiledSchema, compile_typed
from schema2model.schema.vocabularies.python_types import TypeMarks
from schema2model.tools.conduct import Conduct
from schema2model.tools.handlers import read_handler
from schema2model.tools.parameters import Parameters
from schema2model.tools.pickling import picklable, picklable_function, restored_parameters
from schema2model.tools.providers.definitions import Definition, read_definition
from schema2model.tools.signatures import Inject, read_function

if TYPE_CHECKING:
    from schema2model.strict.strict_schema import StrictSchema

__all__ = ["ToolParts", "bound_of", "definition_parts", "function_parts", "parts_of"]

_TYPING = frozenset({"type", "enum", "const"})
"""Keywords that say which types of values a schema takes."""

_COMPILING = frozenset({"coercion", "dialect", "formats", "fallback_reader"})
"""The options of a tool that are not about its calls."""


@dataclass(frozen=True, slots=True)
class ToolParts:
    """The parts of one tool."""

    name: str
    description: str
    compiled: CompiledSchema
    parameters: Parameters | None = None
    """The parameters of its function, if it has one."""
    conduct: Conduct = field(default_factory=Conduct)
    definition: Definition | None = None
    """The definition that it was made of."""
    strict: StrictSchema | None = None

    def arrange(
        self, bound: Any, injected: Mapping[str, Any] = MappingProxyType({})
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the positional and keyword arguments for the function, with what is injected.

        Without a function, all arguments are keywords.
        """
        if self.parameters is not None:
            return self.parameters.arrange(bound, injected)
        return ((), dict(bound)) if isinstance(bound, dict) else ((bound,), {})

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the function by its reference; its parameters are read anew.

        Raises:
            TypeError: if the function or a hook cannot be pickled.

        """
        conduct = picklable(self.conduct, self.name)
        function = None
        if (parameters := self.parameters) is not None:
            inject = (*parameters.injected.values(), *parameters.known)
            pickled = picklable_function(parameters.function, self.name)
            function = (*pickled, tuple(dict.fromkeys(inject)))
        rest = (self.name, self.description, self.compiled, conduct, self.definition, self.strict)
        return _restored, (function, *rest)


def _restored(  # noqa: PLR0913, PLR0917 - what was pickled, by position
    function: Any,
    name: str,
    description: str,
    compiled: CompiledSchema,
    conduct: Conduct,
    definition: Definition | None,
    strict: StrictSchema | None,
) -> ToolParts:
    parameters = None
    if function is not None:
        reference, is_decorated, inject = function
        parameters = restored_parameters(
            reference, is_decorated, name, inject, compiled.coercion, definition
        )
    return ToolParts(name, description, compiled, parameters, conduct, definition, strict)


parts_of: Callable[[Any], ToolParts] = attrgetter("_parts")
"""The parts of a `Tool`."""

bound_of: Callable[[Any], Any] = attrgetter("_bound")
"""The arguments of a `Prepared` call in the types of its function."""


def definition_parts(
    definition: Any,
    function: Callable[..., Any] | None,
    options: Mapping[str, Any],
) -> ToolParts:
    """Return the parts of a tool that is made of a definition, or of a schema and a name.

    Raises:
        SchemaError: if name or schema is missing or wrong, or the function does not fit.

    """
    read = read_definition(
        definition, name=options.get("name"), description=options.get("description")
    )
    read = dataclasses.replace(read, dialect=options.get("dialect") or read.dialect)
    schema = read.schema
    if schema is True or (isinstance(schema, dict) and schema.keys().isdisjoint(_TYPING)):
        # Arguments are an object, even if the schema does not say so.
        schema = {"type": "object", **({} if schema is True else schema)}
    compiled = _compiled(schema, read.name, {**options, "dialect": read.dialect})
    parameters = None
    if function is not None:
        parameters = read_handler(function, read.name, read.json_schema)
    return ToolParts(read.name, read.description, compiled, parameters, _conduct(options), read)


def function_parts(function: Callable[..., Any], options: Mapping[str, Any]) -> ToolParts:
    """Return the parts of a tool that is made of a function.

    The function may have none of the injected parameters.

    Raises:
        SchemaError: for a signature that a JSON object cannot express.

    """
    coercion = coercion_named(options.get("coercion", "default"))
    inject: Inject = options.get("inject", ())
    read = read_function(function, name=options.get("name"), inject=inject, coercion=coercion)
    compiled = _compiled(read.schema, read.name, options, read.types)
    description = options.get("description")
    text = read.description if description is None else description
    return ToolParts(read.name, text, compiled, read.parameters, _conduct(options))


def _compiled(
    schema: Any, name: str, options: Mapping[str, Any], types: TypeMarks = ()
) -> CompiledSchema:
    given: dict[str, Any] = {key: options[key] for key in _COMPILING if key in options}
    return compile_typed(schema, types, name=name, **given)


def _conduct(options: Mapping[str, Any]) -> Conduct:
    names = {each.name for each in dataclasses.fields(Conduct)}
    return Conduct(**{name: value for name, value in options.items() if name in names})
