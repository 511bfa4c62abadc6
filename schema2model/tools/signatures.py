"""Python signatures as schemas: the parameters that a model may fill in, and their descriptions.

Injected parameters are those that the application fills in; the schema does not have them.
Pydantic turns the types into JSON Schema.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import operator
import re
import sys
import types
import typing
from collections.abc import Callable, Iterable, Iterator
from dataclasses import InitVar, dataclass
from typing import Annotated, Any, TypeGuard, Union

import typing_extensions
from pydantic import RootModel, TypeAdapter
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo

from schema2model.coercions import Coercion
from schema2model.errors import SchemaError, first_line
from schema2model.schema.vocabularies.python_types import TypeMarks
from schema2model.tools.annotations import (
    TypedJsonSchema,
    require_named_fields,
    schema_with_types,
)
from schema2model.tools.converting import ABSENT, Converter, class_converter
from schema2model.tools.parameters import (
    Inject,
    Parameters,
    docstring_of,
    name_of,
    unwrap_function,
)
from schema2model.tools.widening import arguments_schema, float_parameters, widener

__all__ = [
    "ReadFunction",
    "UntitledSchema",
    "core_parameters",
    "parameter_adapter",
    "parameter_classes",
    "parameter_fields",
    "parse_docstring",
    "read_function",
    "return_annotation",
    "signature_of",
]

_UNRESOLVED = (NameError, AttributeError, TypeError, SyntaxError, RecursionError)
"""The errors of an annotation that cannot be evaluated."""

_EMPTY = inspect.Parameter.empty
_KEYWORD = inspect.Parameter.KEYWORD_ONLY
_VAR_KEYWORD = inspect.Parameter.VAR_KEYWORD
_UNPACK = (typing_extensions.Unpack, getattr(typing, "Unpack", typing_extensions.Unpack))


@dataclass(frozen=True, slots=True)
class ReadFunction:
    """A function's signature and docstring, read for a tool."""

    name: str
    description: str
    schema: dict[str, Any]
    types: TypeMarks
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
    label = name or name_of(function)
    signature = signature_of(function, label)
    wanted = tuple([inject] if isinstance(inject, (str, type)) else inject)
    injected: dict[str, Any] = {}
    fields: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        entry, own = _read_parameter(parameter, function, wanted, label)
        fields += own
        if entry is not None:
            injected[parameter.name] = entry
    adapter = parameter_adapter(fields, label)
    require_named_fields(adapter.core_schema, label)
    description, documented = parse_docstring(docstring_of(function))
    schema, types = schema_with_types(adapter, UntitledSchema)
    core = core_parameters(adapter)
    for parameter_name, text in documented.items():
        declared = schema["properties"].get(core.get(parameter_name) or parameter_name)
        if isinstance(declared, dict):
            declared.setdefault("description", text)
    optional = frozenset(p.name for p in fields if _has_own_default(p) and not core[p.name])
    open_ended = any(p.kind is _VAR_KEYWORD for p in fields)
    floats = float_parameters(adapter, optional) if coercion.integral_floats else None
    convert: Callable[[Any], dict[str, Any]] | None
    if floats is None or (open_ended and injected):
        reserved = frozenset(injected)
        convert = Converter(label, adapter, optional=optional, reserved=reserved, schema=schema)
    else:
        convert = widener(label, floats) if floats else None
    if _validates_fields(function) and not injected:
        instances = TypeAdapter[Any](function)
        if instances.pydantic_complete or instances.rebuild(raise_errors=False):
            require_named_fields(instances.core_schema, label)
            whole = Converter(
                label, instances, optional=optional, reserved=frozenset(), schema=schema
            )
            convert = class_converter(convert, whole)
    parameters = Parameters(
        function,
        signature,
        injected,
        known=frozenset(typing.get_origin(kind) or kind for kind in wanted),
        properties={parameter: alias for parameter, alias in core.items() if alias},
        convert=convert,
    )
    return ReadFunction(label, description, schema, types, parameters)


def _validates_fields(function: Any) -> TypeGuard[type]:
    """Return whether calling a function is pydantic's validation of a class's fields by name."""
    return (
        isinstance(function, type)
        and hasattr(function, "__pydantic_validator__")
        and not getattr(function, "__pydantic_custom_init__", False)
        and not getattr(function, "__pydantic_root_model__", False)
    )


def parse_docstring(docstring: str | None) -> tuple[str, dict[str, str]]:
    r"""Split a docstring into the function's description and those of its parameters.

    Google's, NumPy's and Sphinx' styles are known.

    >>> parse_docstring("Search.\n\nArgs:\n    query: what to look for.")
    ('Search.', {'query': 'what to look for.'})
    """
    import docstring_parser  # noqa: PLC0415 - not all tools are functions

    text = inspect.cleandoc(docstring or "")
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


def signature_of(function: Any, label: str) -> inspect.Signature:
    """Return the signature, without the keywords that a `functools.partial` has set.

    Annotations are not evaluated yet.
    """
    try:
        if sys.version_info >= (3, 14):
            from annotationlib import Format  # noqa: PLC0415 - a module of Python 3.14

            signature = inspect.signature(function, annotation_format=Format.FORWARDREF)
        else:
            signature = inspect.signature(function)
    except (TypeError, ValueError) as error:
        message = f"`{label}` has no signature ({error}); wrap it in a function with annotations"
        raise SchemaError(message) from None
    settled = function.keywords if isinstance(function, functools.partial) else {}
    kept = [p for name, p in signature.parameters.items() if name not in settled]
    if kept and kept[0].name in {"self", "cls"} and kept[0].annotation is _EMPTY:
        message = (
            f"`{label}` is a method of no object: `{kept[0].name}` is missing; "
            f"pass the bound method, as in Tool(instance.{label})"
        )
        raise SchemaError(message)
    if isinstance(function, type) and getattr(function, "__init__", None) is RootModel.__init__:
        kept = [_root_parameter(function, kept[0])]
    for parameter in kept:
        if parameter.kind is parameter.VAR_POSITIONAL:
            message = (
                f"`{label}` takes `*{parameter.name}`, and JSON arguments have names; "
                f"declare a parameter `{parameter.name}: list[...]` instead"
            )
            raise SchemaError(message)
    return signature.replace(parameters=kept)


def _root_parameter(model: Any, parameter: inspect.Parameter) -> inspect.Parameter:
    """Return the parameter of a root model with its own type in the place of a variable."""
    root = model.model_fields["root"]
    default = _EMPTY if root.is_required() else root.get_default(call_default_factory=True)
    return parameter.replace(annotation=root.rebuild_annotation(), default=default)


def return_annotation(function: Callable[..., Any], label: str) -> Any:
    """Return what a function says that it returns; `inspect.Signature.empty` if it does not say.

    An annotation that cannot be evaluated, as of a type that only type checkers import, counts as
    none.

    >>> def rooms() -> "list[str]": ...
    >>> return_annotation(rooms, "rooms")
    list[str]
    """
    annotation = signature_of(function, label).return_annotation
    if annotation is _EMPTY or annotation is None:  # not NoneType, which FastMCP tells from None
        return annotation
    try:
        return _evaluate_annotation(annotation, function)
    except _UNRESOLVED:
        return _EMPTY


# ------------------------------------------------------------------------------ its parameters
def _evaluate_annotation(annotation: Any, function: Any) -> Any:
    """Evaluate the strings in an annotation where the function was written."""
    if annotation is _EMPTY:
        return Any
    written = unwrap_function(function)
    scope = getattr(written, "__globals__", None)
    if scope is None:
        scope = vars(sys.modules.get(getattr(written, "__module__", None) or "", types))
    method = function.func if isinstance(function, functools.partial) else function
    owner = getattr(method, "__self__", None if inspect.isroutine(method) else method)
    owners = reversed((owner if isinstance(owner, type) else type(owner)).__mro__)
    if isinstance(function, type):  # pydantic has written the `__init__` of its dataclasses
        scope = {**vars(sys.modules.get(function.__module__, types)), **scope}
    generics = (vars(each).get("__type_params__", ()) for each in owners)
    own = getattr(written, "__type_params__", ())
    local = {kind.__name__: kind for kind in (*itertools.chain(*generics), *own)}

    def holder() -> None: ...

    holder.__annotations__ = {"it": annotation}
    hints = typing_extensions.get_type_hints(holder, scope, local, include_extras=True)
    hint = hints["it"]
    return _replace_typed_dicts(hint.type if isinstance(hint, InitVar) else hint)


def _replace_typed_dicts(annotation: Any, above: tuple[Any, ...] = ()) -> Any:
    """Replace each `typing.TypedDict` in an annotation by one of `typing_extensions`.

    Pydantic takes no others before Python 3.12.
    """
    if sys.version_info >= (3, 12) or annotation in above:
        return annotation
    if typing.is_typeddict(annotation) and type(annotation).__module__ == "typing":
        make: Any = typing_extensions.TypedDict
        return make(annotation.__name__, _typed_dict_keys(annotation, (*above, annotation)))
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        inner = (_replace_typed_dicts(inner[0], above), *inner[1:])
        return Annotated[inner]
    if not (isinstance(origin, type) or origin is Union):
        return annotation
    modern = tuple(_replace_typed_dicts(part, above) for part in inner)
    if modern == inner:
        return annotation
    is_union = origin in {Union, types.UnionType}
    generic: Any = origin
    return functools.reduce(operator.or_, modern) if is_union else generic[modern]


def _typed_dict_keys(kind: Any, above: tuple[Any, ...] = ()) -> dict[str, Any]:
    """Return the keys of a TypedDict with their types; optional ones are marked `NotRequired`."""
    keys = {}
    origin = typing.get_origin(kind) or kind
    given = dict(zip(getattr(origin, "__parameters__", ()), typing.get_args(kind), strict=False))
    for key, hint in typing_extensions.get_type_hints(origin, include_extras=True).items():
        marker: Any = typing.get_origin(hint) if _is_requirement(hint) else None
        bare = _replace_typed_dicts(_specialised(_without_requirement(hint), given), above)
        if marker is None and key not in origin.__required_keys__:
            marker = typing_extensions.NotRequired
        keys[key] = bare if marker is None else marker[bare]
    return keys


def _read_parameter(
    parameter: inspect.Parameter, function: Any, inject: tuple[Any, ...], label: str
) -> tuple[Any, list[inspect.Parameter]]:
    """Return the entry of `inject` for a parameter, or None and the parameter as pydantic sees it.

    Raises:
        SchemaError: for an annotation that cannot be resolved.

    """
    try:
        entry = _injection_entry(parameter, function, inject)
        return entry, [*parameter_fields(parameter, function)] if entry is None else []
    except _UNRESOLVED as error:
        message = (
            f"the annotation of `{parameter.name}` of `{label}` cannot be resolved: {error}; "
            "define what it names at the module's level, or pass inject= if the application "
            "fills it in"
        )
        raise SchemaError(message) from None


def _injection_entry(parameter: inspect.Parameter, function: Any, inject: tuple[Any, ...]) -> Any:
    """Return the entry of `inject` that names a parameter or its type, or None."""
    if parameter.name in inject:
        return parameter.name
    kinds = [kind for kind in inject if not isinstance(kind, str)]
    try:
        annotation = _evaluate_annotation(parameter.annotation, function)
    except _UNRESOLVED:
        # An injected type may be imported for type checkers only: then its name has to do.
        spelled = re.findall(r"\w+", str(parameter.annotation))
        for kind in kinds:
            if getattr(kind, "__name__", None) in spelled:
                return kind
        raise
    return next((kind for kind in kinds if _is_annotation_of(annotation, kind)), None)


def _is_annotation_of(annotation: Any, kind: Any) -> bool:
    """Return whether an annotation is a type, a subclass of it, or either inside a wrapper."""
    kind = typing.get_origin(kind) or kind
    return any(
        kind is each or kind in getattr(each, "__mro__", ()) for each in _types_in(annotation)
    )


def parameter_classes(function: Any, name: str) -> tuple[type, ...]:
    """Return the classes that the annotation of a parameter names, but for Python's own types.

    >>> class Session: ...
    >>> def book(session: Session | None, room: int) -> None: ...
    >>> parameter_classes(book, "session"), parameter_classes(book, "room")
    ((<class 'schema2model.tools.signatures.Session'>,), ())
    """
    parameter = signature_of(function, name).parameters[name]
    try:
        kinds = [*_types_in(_evaluate_annotation(parameter.annotation, function))]
    except _UNRESOLVED:  # imported for type checkers only
        return ()
    own = (kind for kind in kinds if isinstance(kind, type) and kind is not Any)
    return tuple(kind for kind in own if kind.__module__ != "builtins")


def _types_in(annotation: Any) -> Iterator[Any]:
    """Yield the types in `Optional`, unions, `Annotated`, aliases and generics."""
    annotation = _resolve_alias(annotation)
    origin = typing.get_origin(annotation)
    if origin is Annotated:
        yield from _types_in(annotation.__origin__)
    elif origin is Union or origin is types.UnionType:
        for member in typing.get_args(annotation):
            yield from _types_in(member)
    else:
        yield origin or annotation


def _resolve_alias(annotation: Any) -> Any:
    """Return what a type alias means: `A | None` for `X[A]`, with `type X[T] = T | None`."""
    alias = typing.get_origin(annotation) or annotation
    if not hasattr(alias, "__value__"):
        return annotation
    given = dict(zip(alias.__type_params__, typing.get_args(annotation), strict=False))
    return _resolve_alias(_specialised(alias.__value__, given))


def _specialised(annotation: Any, given: dict[Any, Any]) -> Any:
    """Return an annotation with types in place of type parameters."""
    if isinstance(annotation, (typing.TypeVar, typing_extensions.TypeVar)):
        return given.get(annotation, annotation)
    parameters = getattr(annotation, "__parameters__", ()) if typing.get_origin(annotation) else ()
    return annotation[tuple(given.get(p, p) for p in parameters)] if parameters else annotation


def parameter_fields(parameter: inspect.Parameter, function: Any) -> Iterable[inspect.Parameter]:
    """Yield a parameter as pydantic sees it: by keyword, its annotation evaluated."""
    annotation = _evaluate_annotation(parameter.annotation, function)
    if parameter.kind is not _VAR_KEYWORD:
        yield parameter.replace(kind=_KEYWORD, annotation=annotation)
    elif typing.get_origin(annotation) not in _UNPACK:
        yield parameter.replace(annotation=annotation)
    else:
        kind = _resolve_alias(typing.get_args(annotation)[0])
        for name, hint in _typed_dict_keys(kind).items():
            marker = getattr(typing.get_origin(hint), "_name", None)
            default = ABSENT if marker == "NotRequired" else _EMPTY
            yield inspect.Parameter(
                name, _KEYWORD, default=default, annotation=_without_requirement(hint)
            )


def _without_requirement(annotation: Any) -> Any:
    """Return the annotation of a TypedDict's key without Required and NotRequired."""
    return annotation.__args__[0] if _is_requirement(annotation) else annotation


def _is_requirement(annotation: Any) -> bool:
    origin = typing.get_origin(annotation)
    return getattr(origin, "_name", None) in {"Required", "NotRequired", "ReadOnly"}


def _has_own_default(parameter: inspect.Parameter) -> bool:
    """Return whether the function has a plain default, and no `Field(...)` of pydantic, for it."""
    return parameter.default is not _EMPTY and not isinstance(parameter.default, FieldInfo)


class UntitledSchema(TypedJsonSchema):
    """JSON Schema without titles, which only repeat names: models are charged for every word."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        """Return False: no parameter gets a title."""
        return False


def parameter_adapter(fields: list[inspect.Parameter], label: str) -> TypeAdapter[Any]:
    """Return pydantic's adapter for the parameters, which returns the arguments as a dict.

    Raises:
        SchemaError: which names the parameter whose type has no JSON form.

    """
    fields = [p for p in fields if p.kind is not _VAR_KEYWORD] + [
        p for p in fields if p.kind is _VAR_KEYWORD
    ]

    def named(**arguments: Any) -> dict[str, Any]:
        return arguments

    collect: Any = named
    try:
        collect.__signature__ = inspect.Signature(fields)
        collect.__annotations__ = {p.name: p.annotation for p in fields}
        adapter: TypeAdapter[Any] = TypeAdapter(collect)
        adapter.json_schema(schema_generator=UntitledSchema)
    except (PydanticUserError, NameError, TypeError, ValueError) as error:
        if len(fields) > 1:
            for parameter in fields:
                parameter_adapter([parameter], label)
        name = fields[0].name if len(fields) == 1 else "parameters"
        reason = first_line(str(error))
        message = (
            f"`{name}` of `{label}` has no JSON form: {reason}; annotate it with a type that has "
            f'one, or pass inject=("{name}",) if the application fills it in'
        )
        raise SchemaError(message) from None
    return adapter


def core_parameters(adapter: TypeAdapter[Any]) -> dict[str, str | None]:
    """Return the parameters that pydantic sees, each with its alias or None.

    >>> def search(query: str, limit: int = 10) -> None: ...
    >>> core_parameters(TypeAdapter(search))
    {'query': None, 'limit': None}
    """
    found: dict[str, str | None] = {}
    for parameter in arguments_schema(adapter)["arguments_schema"]:
        alias = parameter.get("alias")
        if alias is not None and not isinstance(alias, str):
            message = f"`{parameter['name']}` has several aliases; give it one, Field(alias=...)"
            raise SchemaError(message)
        found[parameter["name"]] = alias
    return found
