"""Python signatures as schemas, and calls as arguments of the functions that have them.

Pydantic turns types into JSON Schema and JSON values into instances. What is here decides which
parameters a model may fill in, and how the function takes them.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Union

import typing_extensions
from pydantic import TypeAdapter
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema

from schema2model.coercions import Coercion
from schema2model.converting import Converter, Gate, core_parameters, is_plain
from schema2model.errors import SchemaError
from schema2model.instances import quoted

__all__ = ["Inject", "Parameters", "ReadFunction", "read_function", "read_handler", "standalone"]

Inject = Union[Iterable[Union[type, str]], type, str]
"""Types or names of parameters that the application fills in, never the model."""

_EMPTY = inspect.Parameter.empty
_POSITIONAL = inspect.Parameter.POSITIONAL_ONLY
_KEYWORD = inspect.Parameter.KEYWORD_ONLY
_VAR_KEYWORD = inspect.Parameter.VAR_KEYWORD
_UNPACK = (typing_extensions.Unpack, getattr(typing, "Unpack", None))
_ABSENT = types.SimpleNamespace()
"""The default of a key that a TypedDict does not require; it is never passed on."""


@dataclass(frozen=True, slots=True, eq=False)
class Parameters:
    """How a function takes the arguments of a call.

    `signature` has all that it takes, `injected` the parameters that the application fills in
    with the type or name that says so, `known` the names that may be injected without effect.
    `properties` has the property's name where it is not the parameter's. `whole` is the parameter
    that takes all arguments as one mapping.
    """

    function: Callable[..., Any]
    signature: inspect.Signature
    injected: Mapping[str, Any]
    asynchronous: bool = False
    known: frozenset[Any] = frozenset()
    properties: Mapping[str, str] = types.MappingProxyType({})
    convert: Callable[[Any], dict[str, Any]] | None = None
    whole: str | None = None

    def arrange(
        self, values: Mapping[str, Any], injected: Mapping[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The positional and the keyword arguments that pass on `values` and `injected`."""
        named = {self.whole: values} if self.whole else dict(values)
        named.update((name, injected[name]) for name in self.injected if name in injected)
        parameters = self.signature.parameters.values()
        positional = [p for p in parameters if p.kind is _POSITIONAL]
        while positional and positional[-1].name not in named:
            positional.pop()
        gaps = [p.name for p in positional if p.name not in named and p.default is _EMPTY]
        args = (named.pop(p.name, p.default) for p in positional if p.name not in gaps)
        return tuple(args), named

    def check(self, name: str, injected: Mapping[str, Any]) -> None:
        """Refuse injected values that are missing, or that the function does not take."""
        for parameter in self.injected:
            if parameter not in injected and self.signature.parameters[parameter].default is _EMPTY:
                message = (
                    f"`{name}` needs `{parameter}`, which the application has to fill in: "
                    f"pass it beside the arguments, as {parameter}=..."
                )
                raise TypeError(message)
        for given, value in injected.items():
            if given in self.injected or not self.known.isdisjoint((given, *type(value).__mro__)):
                continue  # a toolset is given what any of its tools may need
            takes = ", ".join(f"`{parameter}`" for parameter in self.injected) or "none"
            message = f"`{name}` takes no injected `{given}`; what can be injected: {takes}"
            raise TypeError(message)

    def taken(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """What the function was called with: the call's arguments, and what was injected.

        Raises:
            TypeError: for more positional arguments than it takes, or one of them twice.
        """
        parameters = self.signature.parameters
        named = {
            name: value
            for name, value in kwargs.items()
            if name in parameters and parameters[name].kind is not _VAR_KEYWORD
        }
        values = {**kwargs, **self.signature.bind_partial(*args, **named).arguments}
        injected = {name: values.pop(name) for name in self.injected if name in values}
        if self.whole:
            return values.get(self.whole, {}), injected
        # A default passed on by a framework need not be JSON, and the function has it anyway.
        arguments = {
            self.properties.get(name, name): value
            for name, value in values.items()
            if name not in parameters or value is not parameters[name].default
        }
        return arguments, injected


@dataclass(frozen=True, slots=True)
class ReadFunction:
    """What a function tells of itself as a tool."""

    name: str
    description: str
    schema: dict[str, Any]
    parameters: Parameters


def read_function(
    function: Callable[..., Any],
    *,
    name: str | None = None,
    inject: Inject = (),
    coercion: Coercion = Coercion.default,
) -> ReadFunction:
    """Read a function's name, docstring and signature.

    Raises:
        SchemaError: for what a JSON object cannot express.

    >>> def search(query: str, limit: int = 10) -> list[str]: ...
    >>> read_function(search).schema["properties"]
    {'query': {'type': 'string'}, 'limit': {'default': 10, 'type': 'integer'}}
    """
    label = name or _name(function)
    signature = _signature(function, label)
    wanted = tuple([inject] if isinstance(inject, (str, type)) else inject)
    injected: dict[str, Any] = {}
    fields: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        entry = _entry(parameter, function, wanted, label)
        if entry is not None:
            injected[parameter.name] = entry
        else:
            fields += _fields(parameter, function, label)
    adapter = _adapter(fields, label)
    description, documented = described(_docstring(function))
    schema = adapter.json_schema(schema_generator=_Generator)
    for described_name, text in documented.items():
        declared = schema["properties"].get(described_name)
        if isinstance(declared, dict):
            declared.setdefault("description", text)
    core = core_parameters(adapter)
    optional = frozenset(p.name for p in fields if _has_own_default(p) and not core[p.name])
    converter = Converter(
        label, adapter, optional=optional, unset=_ABSENT, reserved=frozenset(injected)
    )
    open_ended = any(p.kind is _VAR_KEYWORD for p in fields)
    # Where nothing has to be turned into an instance, arguments pass as they are.
    as_they_are = is_plain(adapter, optional) and coercion.integral_floats
    parameters = Parameters(
        function,
        signature,
        injected,
        asynchronous=is_coroutine_function(function),
        known=frozenset(typing.get_origin(kind) or kind for kind in wanted),
        properties={parameter: alias for parameter, alias in core.items() if alias},
        convert=None if as_they_are and not (open_ended and injected) else converter,
    )
    return ReadFunction(label, description, schema, parameters)


def read_handler(function: Callable[..., Any], name: str, schema: Any) -> Parameters:
    """How a function takes arguments of a schema that does not come from its signature.

    A parameter that is no property is the application's to fill in; one named `raw_arguments`
    takes the whole mapping, as LiveKit calls it.
    """
    signature = _signature(function, name)
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    declared = properties if isinstance(properties, Mapping) else {}
    parameters = [p for p in signature.parameters.values() if p.kind is not _VAR_KEYWORD]
    others = [p.name for p in parameters if p.name not in declared]
    whole = "raw_arguments" if "raw_arguments" in others else None
    takes_any = whole is not None or len(parameters) < len(signature.parameters)
    accepted = frozenset(declared).intersection(p.name for p in parameters)
    lacking = [] if takes_any else [known for known in declared if known not in accepted]
    if lacking:
        message = (
            f"the function of `{name}` takes no `{lacking[0]}`, which the schema declares; "
            "add the parameter, or take all of them as one mapping, `raw_arguments`"
        )
        raise SchemaError(message)
    injected = {other: other for other in others if other != whole}
    gate = Gate(
        name,
        accepted=None if takes_any else accepted,
        required=[p.name for p in parameters if p.name in accepted and p.default is _EMPTY],
        reserved=frozenset(injected),
    )
    return Parameters(
        function,
        signature,
        injected,
        asynchronous=is_coroutine_function(function),
        convert=None if whole else gate,
        whole=whole,
    )


def described(docstring: str | None) -> tuple[str, dict[str, str]]:
    """What a docstring in Google's, NumPy's or Sphinx' style says of a function and parameters.

    Without the package `docstring-parser`, the whole docstring is the description.
    """
    text = inspect.cleandoc(docstring or "")
    try:
        import docstring_parser  # noqa: PLC0415 - optional, and many tools bring descriptions
    except ImportError:
        return text, {}
    try:
        parsed = docstring_parser.parse(text)
    except docstring_parser.ParseError:
        return text, {}
    documented = {
        name.strip(" *`"): " ".join(param.description.split())
        for param in parsed.params
        if param.description
        for name in param.arg_name.split(",")
    }
    return (parsed.description or ("" if documented else text)).strip(), documented


# ------------------------------------------------------------------------------- the function
def _name(function: Any) -> str:
    named = function.func if isinstance(function, functools.partial) else function
    name = getattr(named, "__name__", None) or type(named).__name__
    if not isinstance(name, str) or name == "<lambda>":
        message = "a lambda has no name that a model could call; pass name="
        raise SchemaError(message)
    return name


def _underlying(function: Any) -> Any:
    """The plain function that was written, whose annotations and globals count."""
    while True:
        if isinstance(function, functools.partial):
            function = function.func
        elif hasattr(function, "__wrapped__") and "__signature__" not in vars(function):
            function = function.__wrapped__
        elif isinstance(function, type):
            function = function.__init__
        elif inspect.ismethod(function):
            function = function.__func__
        elif not inspect.isroutine(function) and inspect.isroutine(type(function).__call__):
            function = type(function).__call__
        else:
            return function


def _docstring(function: Any) -> str | None:
    if isinstance(function, functools.partial):
        return _docstring(function.func)
    if inspect.isroutine(function) or isinstance(function, type):
        return inspect.getdoc(function)
    return type(function).__call__.__doc__ or type(function).__doc__


def is_coroutine_function(function: Any) -> bool:
    """Whether calling it, or the `__call__` of an object, makes a coroutine."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(type(function), "__call__", None)  # noqa: B004 - the function is looked at
    )


def _signature(function: Any, label: str) -> inspect.Signature:
    """A signature without what `functools.partial` has settled, annotations unevaluated."""
    try:
        if sys.version_info >= (3, 14):
            from annotationlib import Format  # noqa: PLC0415

            signature = inspect.signature(function, annotation_format=Format.FORWARDREF)
        else:
            signature = inspect.signature(function)
    except (TypeError, ValueError) as error:
        message = f"`{label}` tells no signature ({error}); wrap it in a function with annotations"
        raise SchemaError(message) from None
    settled = function.keywords if isinstance(function, functools.partial) else {}
    kept = [p for name, p in signature.parameters.items() if name not in settled]
    if kept and kept[0].name in {"self", "cls"} and kept[0].annotation is _EMPTY:
        message = (
            f"`{label}` is a method of no object: `{kept[0].name}` is missing; "
            f"pass the bound method, as in Tool.from_function(instance.{label})"
        )
        raise SchemaError(message)
    for parameter in kept:
        if parameter.kind is parameter.VAR_POSITIONAL:
            message = (
                f"`{label}` takes `*{parameter.name}`, and JSON arguments have names; "
                f"declare a parameter `{parameter.name}: list[...]` instead"
            )
            raise SchemaError(message)
    return signature.replace(parameters=kept)


# ------------------------------------------------------------------------------ its parameters
def _resolve(annotation: Any, function: Any) -> Any:
    """An annotation with its strings evaluated where the function was written."""
    if annotation is _EMPTY:
        return Any
    written = _underlying(function)
    scope = getattr(written, "__globals__", None)
    if scope is None:
        scope = vars(sys.modules.get(getattr(written, "__module__", None) or "", types))
    local = {kind.__name__: kind for kind in getattr(written, "__type_params__", ())}

    def holder() -> None: ...

    holder.__annotations__ = {"it": annotation}
    return typing_extensions.get_type_hints(holder, scope, local, include_extras=True)["it"]


def _entry(parameter: inspect.Parameter, function: Any, inject: tuple[Any, ...], label: str) -> Any:
    """What of `inject` claims a parameter, or None."""
    if parameter.name in inject:
        return parameter.name
    kinds = [kind for kind in inject if not isinstance(kind, str)]
    try:
        annotation = _resolve(parameter.annotation, function)
    except (NameError, AttributeError, TypeError, SyntaxError) as error:
        # An injected type may be imported for type checkers only: then its name has to do.
        spelled = re.findall(r"\w+", str(parameter.annotation))
        for kind in kinds:
            if getattr(kind, "__name__", None) in spelled:
                return kind
        message = (
            f"the annotation of `{parameter.name}` of `{label}` cannot be resolved: {error}; define "
            "what it names at the module's level, or pass inject= if the application fills it in"
        )
        raise SchemaError(message) from None
    return next((kind for kind in kinds if _mentions(annotation, kind)), None)


def _mentions(annotation: Any, kind: Any) -> bool:
    """Whether an annotation is of a type: itself, a subclass, optional, annotated or generic."""
    annotation = getattr(annotation, "__value__", annotation)  # type X = ...
    origin = typing.get_origin(annotation)
    if origin is Annotated:
        return _mentions(annotation.__origin__, kind)
    if origin is Union or origin is types.UnionType:
        return any(_mentions(member, kind) for member in typing.get_args(annotation))
    kind = typing.get_origin(kind) or kind
    return kind in (annotation, origin) or kind in getattr(origin or annotation, "__mro__", ())


def _fields(parameter: inspect.Parameter, function: Any, label: str) -> Iterable[inspect.Parameter]:
    """A parameter as pydantic is to see it: by keyword, its annotation evaluated."""
    annotation = _resolve(parameter.annotation, function)
    if parameter.kind is not _VAR_KEYWORD:
        yield parameter.replace(kind=_KEYWORD, annotation=annotation)
    elif typing.get_origin(annotation) not in _UNPACK:
        yield parameter.replace(annotation=annotation)
    else:
        kind = typing.get_args(annotation)[0]
        hints = typing_extensions.get_type_hints(kind, include_extras=True)
        for name in hints:
            needed = name in kind.__required_keys__
            default = _EMPTY if needed else _ABSENT
            yield inspect.Parameter(name, _KEYWORD, default=default, annotation=_bare(hints[name]))


def _bare(annotation: Any) -> Any:
    """The annotation of a TypedDict's key without Required and NotRequired."""
    return annotation.__args__[0] if _is_requirement(annotation) else annotation


def _is_requirement(annotation: Any) -> bool:
    origin = typing.get_origin(annotation)
    return getattr(origin, "_name", None) in {"Required", "NotRequired", "ReadOnly"}


def _has_own_default(parameter: inspect.Parameter) -> bool:
    """Whether the function itself knows what to do without it."""
    return parameter.default is not _EMPTY and not isinstance(parameter.default, FieldInfo)


class _Generator(GenerateJsonSchema):
    """JSON Schema without the titles that only repeat names; a model pays for every word."""

    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012 - pydantic's

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False


def _adapter(fields: list[inspect.Parameter], label: str) -> TypeAdapter[Any]:
    """Pydantic's reading of the parameters; what it validates to are the named arguments."""
    fields = [p for p in fields if p.kind is not _VAR_KEYWORD] + [
        p for p in fields if p.kind is _VAR_KEYWORD
    ]

    def collect(**named: Any) -> dict[str, Any]:
        return named

    try:
        signature = inspect.Signature(fields)
        collect.__signature__ = signature  # type: ignore[attr-defined]
        collect.__annotations__ = {p.name: p.annotation for p in fields}
        adapter: TypeAdapter[Any] = TypeAdapter(collect)
        adapter.json_schema(schema_generator=_Generator)
    except (PydanticUserError, NameError, TypeError, ValueError) as error:
        if len(fields) > 1:
            for parameter in fields:
                _adapter([parameter], label)
        name = fields[0].name if len(fields) == 1 else "parameters"
        reason = quoted(str(error).split("\n", 1)[0])
        message = (
            f"`{name}` of `{label}` has no JSON form: {reason}; annotate it with a type that has "
            f'one, or pass inject=("{name}",) if the application fills it in'
        )
        raise SchemaError(message) from None
    return adapter


# ------------------------------------------------------------------------------ and back again
def standalone(
    parameters: Parameters, run: Callable[[tuple[Any, ...], dict[str, Any]], Any]
) -> Callable[..., Any]:
    """A function with the name, signature and docstring of another, that does what `run` does."""
    template = _asynchronous if is_coroutine_function(parameters.function) else _synchronous
    made = template(run)
    function, written = parameters.function, _underlying(parameters.function)
    scope = getattr(written, "__globals__", None)
    if scope is not None:
        # Annotations may be strings, which frameworks evaluate in the function's own globals.
        made = types.FunctionType(made.__code__, scope, None, None, made.__closure__)
    signature = parameters.signature
    annotations = {p.name: p.annotation for p in signature.parameters.values()}
    annotations["return"] = signature.return_annotation
    name = _name(function)
    made.__name__ = name
    made.__qualname__ = getattr(function, "__qualname__", name)
    made.__module__ = getattr(written, "__module__", None) or __name__
    made.__doc__ = function.__doc__ if inspect.isroutine(function) else _docstring(function)
    made.__annotations__ = {key: kind for key, kind in annotations.items() if kind is not _EMPTY}
    made.__signature__ = signature  # type: ignore[attr-defined]
    return made


def _synchronous(run: Callable[..., Any]) -> types.FunctionType:
    def function(*args: Any, **kwargs: Any) -> Any:
        return run(args, kwargs)

    return function  # type: ignore[return-value]


def _asynchronous(run: Callable[..., Any]) -> types.FunctionType:
    async def function(*args: Any, **kwargs: Any) -> Any:
        return await run(args, kwargs)

    return function  # type: ignore[return-value]
