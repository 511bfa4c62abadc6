"""`ToolParts`: what a tool is made of, how it is made, and how it is pickled.

A function is pickled by its reference, and its parameters are read anew after loading.
"""

from __future__ import annotations

import dataclasses
import functools
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from operator import attrgetter, index
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from schema2model.coercions import coercion_named
from schema2model.compiled import CompiledSchema, compile_typed
from schema2model.errors import SchemaError
from schema2model.json.quoting import printable
from schema2model.schema.undeclared import UnknownArguments, require_unknown_arguments
from schema2model.schema.vocabularies.python_types import TypeMarks
from schema2model.tools.developer_mistakes import require_observer
from schema2model.tools.execution import HookObserver
from schema2model.tools.parameters import Inject, Parameters
from schema2model.tools.providers.definitions import Definition, read_definition

if TYPE_CHECKING:
    from schema2model.strict.strict_schema import StrictSchema

__all__ = [
    "COMPILING",
    "LARGE_RESULT",
    "CallOptions",
    "ToolParts",
    "call_options",
    "definition_parts",
    "function_parts",
]

LARGE_RESULT: Final = 50_000
"""Characters of a result's JSON that are worth a warning: some ten thousand tokens."""

_TYPING: Final = frozenset({"type", "enum", "const"})
"""Keywords that say which types of values a schema takes."""

COMPILING: Final = frozenset({"coercion", "dialect", "formats", "fallback_reader", "messages"})
"""The options of a tool that are those of `compile_schema`."""

_HOOKS: Final = ("on_prepared", "on_started", "on_finished")
"""The options that make an observer."""


@dataclass(frozen=True)  # no slots: with them, Python 3.10 ignores a `__setstate__` of its own
class CallOptions:
    """The options of `ToolOptions` that concern calls; hooks are part of the observer."""

    observer: Any = None
    warn_above: int | None = LARGE_RESULT
    truncate_above: int | None = None
    refuse_markup: bool = False
    unknown_arguments: UnknownArguments = "keep"

    def __post_init__(self) -> None:
        """Check the values of options.

        Raises:
            ValueError: for an unknown word, or a limit that is not a number of characters.

        """
        require_unknown_arguments(self.unknown_arguments)
        for name in ("warn_above", "truncate_above"):
            limit = getattr(self, name)
            if limit is None:
                continue
            try:
                number = -1 if isinstance(limit, bool) else index(limit)
            except TypeError:
                number = -1
            if number < 0:
                message = f"{name} is a number of characters, or None, not {limit!r}"
                raise ValueError(message)
            object.__setattr__(self, name, number)

    def __reduce__(self) -> tuple[Any, ...]:
        values = [getattr(self, each.name) for each in dataclasses.fields(self)]
        return CallOptions, tuple(values)


def _observer(options: Mapping[str, Any], observer: Any) -> Any:
    """Return the observer that options make; None if nothing observes the calls."""
    hooks = {name: options.get(name) for name in _HOOKS}
    for name, hook in hooks.items():
        if hook is not None and not callable(hook):
            message = f"{name} is a function, not {hook!r}"
            raise TypeError(message)
    require_observer(observer)
    if all(hook is None for hook in hooks.values()):
        return observer
    return HookObserver(observer=observer, **hooks)


@dataclass(frozen=True, slots=True)
class ToolParts:
    """The parts of one tool."""

    name: str
    description: str
    compiled: CompiledSchema
    parameters: Parameters | None = None
    """The parameters of its function, if it has one."""
    options: CallOptions = field(default_factory=CallOptions)
    definition: Definition | None = None
    """The definition that it was made of."""
    strict: StrictSchema | None = None
    has_decimals: bool = field(init=False)
    """Whether its function takes a Decimal."""

    def __post_init__(self) -> None:
        types = self.compiled._engine.source.types
        object.__setattr__(self, "has_decimals", any(name == "decimal" for _, name in types))

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
        """Pickle the function by its reference.

        Raises:
            TypeError: if the function or a hook cannot be pickled.

        """
        options = _picklable(self.options, self.name)
        function = None
        if (parameters := self.parameters) is not None:
            inject = (*parameters.injected.values(), *parameters.known)
            pickled = _pickled_function(parameters.function, self.name)
            function = (*pickled, tuple(dict.fromkeys(inject)))
        rest = (self.name, self.description, self.compiled, options, self.definition, self.strict)
        return _restored, (function, *rest)


# -------------------------------------------------------------------------------- making
def definition_parts(
    definition: Any,
    function: Callable[..., Any] | None,
    options: Mapping[str, Any],
    types: TypeMarks = (),
) -> ToolParts:
    """Return the parts of a tool that is made of a definition, or of a schema and a name.

    `types` are the Python types of its strings, if the schema is known to be made of annotations.

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
    try:
        compiled = _compiled(schema, read.name, {**options, "dialect": read.dialect}, types)
    except SchemaError as error:  # of many definitions, a developer has to find this one
        message = f"the schema of `{printable(read.name)}`: {error}"
        raise SchemaError(message, pointer=error.pointer) from None
    parameters = None
    if function is not None:
        from schema2model.tools.schema_binding import bind_to_schema  # noqa: PLC0415 - many have none

        parameters = bind_to_schema(function, read.name, read.json_schema)
    own = call_options(options)
    return ToolParts(read.name, read.description, compiled, parameters, own, read)


def function_parts(function: Callable[..., Any], options: Mapping[str, Any]) -> ToolParts:
    """Return the parts of a tool that is made of a function.

    The function may have none of the injected parameters.

    Raises:
        SchemaError: for a signature that a JSON object cannot express.

    """
    from schema2model.tools.signatures import read_function  # noqa: PLC0415 - it imports all of pydantic

    coercion = coercion_named(options.get("coercion", "default"))
    inject: Inject = options.get("inject", ())
    read = read_function(function, name=options.get("name"), inject=inject, coercion=coercion)
    compiled = _compiled(read.schema, read.name, options, read.types)
    description = options.get("description")
    text = read.description if description is None else description
    return ToolParts(read.name, text, compiled, read.parameters, call_options(options))


def _compiled(
    schema: Any, name: str, options: Mapping[str, Any], types: TypeMarks = ()
) -> CompiledSchema:
    given: dict[str, Any] = {key: options[key] for key in COMPILING if key in options}
    return compile_typed(schema, types, name=name, **given)


def call_options(options: Mapping[str, Any]) -> CallOptions:
    """Return those of the options of a tool that say what becomes of its calls."""
    names = [each.name for each in dataclasses.fields(CallOptions)]
    given = {name: options[name] for name in names if name in options}
    return CallOptions(**{**given, "observer": _observer(options, options.get("observer"))})


# ------------------------------------------------------------------------------ pickling
def _picklable(value: Any, name: str) -> Any:
    """Return a part of a tool, if it can be pickled.

    Raises:
        TypeError: if it cannot, with the reason.

    """
    if "cloudpickle" not in sys.modules:  # which also pickles functions by their code
        import pickle  # noqa: PLC0415 - few tools are pickled

        try:
            pickle.dumps(value)
        except Exception as error:
            message = (
                f"the tool `{name}` cannot be pickled: {error}; its function and hooks have to be "
                "importable, so define them at the top level of a module"
            )
            raise TypeError(message) from error
    return value


def _pickled_function(function: Callable[..., Any], name: str) -> tuple[Any, bool]:
    """Return what a function is pickled as, and whether that is a tool that it was decorated with.

    Raises:
        TypeError: if it cannot be pickled.

    """
    module: Any = getattr(function, "__module__", None)
    path = getattr(function, "__qualname__", "")
    try:
        found = attrgetter(path)(sys.modules[module])
    except (AttributeError, KeyError, TypeError):
        found = function
    if found is not function and getattr(found, "function", None) is function:
        # `@tool` has put the tool in the place of its function
        return functools.partial(_imported, module, path), True
    return _picklable(function, name), False


def _imported(module: str, path: str) -> Any:
    """Return the function of a tool by its reference."""
    __import__(module)
    return attrgetter(path)(sys.modules[module]).function


def _restored(  # noqa: PLR0913, PLR0917 - what was pickled, by position
    function: Any,
    name: str,
    description: str,
    compiled: CompiledSchema,
    options: CallOptions,
    definition: Definition | None,
    strict: StrictSchema | None,
) -> ToolParts:
    """Return pickled parts, the parameters of the function as they were read at first."""
    parameters = None
    if function is not None:
        reference, is_decorated, inject = function
        from schema2model.tools.schema_binding import bind_to_schema  # noqa: PLC0415 - see above
        from schema2model.tools.signatures import read_function  # noqa: PLC0415 - see above

        made = reference() if is_decorated else reference
        if definition is not None:
            parameters = bind_to_schema(made, name, definition.json_schema)
        else:
            coercion = compiled.coercion
            parameters = read_function(made, name=name, inject=inject, coercion=coercion).parameters
    return ToolParts(name, description, compiled, parameters, options, definition, strict)
