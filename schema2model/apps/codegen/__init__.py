"""Static Python classes for the arguments of tools. It needs the extra `codegen`."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from schema2model.apps.codegen.identifiers import CONVERTED, attribute_names
from schema2model.apps.codegen.module_source import (
    class_bodies,
    document_registry,
    module,
    tools_registry,
)
from schema2model.apps.codegen.outlines import Outlines, references
from schema2model.apps.codegen.proof import UnprovenError, prove
from schema2model.coercions import Preset, coercion_named
from schema2model.compiled import compile_schema
from schema2model.documents import dialect_of_document, document_engine
from schema2model.errors import SchemaError
from schema2model.extras import extra
from schema2model.faults import describe_error
from schema2model.json.quoting import quoted
from schema2model.schema.dialects import dialect_named
from schema2model.schema.nodes import Node
from schema2model.tools.providers.definitions import Definition, read_definition
from schema2model.types import Defaults, Formats

__all__ = ["generate", "generate_document"]


def generate(  # noqa: PLR0913 - one option, one argument
    definitions: Iterable[Any],
    *,
    coercion: Preset = "default",
    dialect: str | None = None,
    formats: Formats = "annotate",
    defaults: Defaults | None = None,
    header: str = "Made by schema2model.apps.codegen.generate",
) -> str:
    """Return the source of a module with classes for the arguments of each tool.

    Objects within arguments have classes of their own. Write the source as UTF-8, which its first
    line declares.

    Args:
        definitions: tools, in the shape of any provider.
        coercion: the preset of rules by which arguments are read, as for `compile_schema`.
        dialect: that of schemas without `$schema`, as for `compile_schema`.
        formats: as for `compile_schema`; `"convert"` annotates dates, times, UUIDs and IP addresses
            with their Python types.
        defaults: as for `compile_schema`.
        header: what the comment at the top of the module says.

    Raises:
        SchemaError: if a schema cannot be compiled, is not of objects, or is too large or too deep
            for source code; if two tools have one name; or if there are none.
        ValueError: for an unknown preset, and an unknown value of `formats` or `defaults`.
        ImportError: without the extra.

    >>> from schema2model.apps import codegen
    >>> schema = {"properties": {"zone": {"type": "string"}}, "required": ["zone"]}
    >>> source = codegen.generate([{"name": "get-time", "inputSchema": schema}])
    >>> [line for line in source.splitlines() if line.startswith(("class", "    zone"))]
    ['class GetTime(ToolModel):', '    zone: str']

    """
    # both refuse an unknown value before any tool is read
    coercion_named(coercion)
    compile_schema({}, formats=formats, defaults=defaults)
    options = {"coercion": coercion, "formats": formats, "defaults": defaults}
    with _errors_of_the_generator():
        return _tools_source(map(read_definition, definitions), options, dialect, header)


def generate_document(  # noqa: PLR0913 - one option, one argument
    document: Mapping[str, Any],
    *,
    coercion: Preset = "default",
    dialect: str | None = None,
    formats: Formats = "annotate",
    defaults: Defaults | None = None,
    header: str = "Made by schema2model.apps.codegen.generate_document",
) -> str:
    """Return the source of a module with a class for each component of a document.

    A component that has no properties, such as an enumeration or a list, has no class: it is
    written where it is used. Objects within components have classes of their own.

    Args:
        document: an OpenAPI or JSON Schema document, as for `compile_document`.
        coercion: the preset of rules by which data is read.
        dialect: that of a document that declares none.
        formats: as for `generate`.
        defaults: as for `generate`.
        header: what the comment at the top of the module says.

    Raises:
        SchemaError: if the document cannot be compiled, is too large or too deep for source code,
            or has no component with properties.
        ValueError: see `generate`.
        ImportError: without the extra.

    >>> from schema2model.apps import codegen
    >>> line = {"type": "object", "properties": {"sku": {"type": "string"}}, "required": ["sku"]}
    >>> source = codegen.generate_document({"openapi": "3.1.0", "components": {"schemas": {
    ...     "Line": line,
    ...     "Order": {
    ...         "type": "object",
    ...         "properties": {
    ...             "lines": {"type": "array", "items": {"$ref": "#/components/schemas/Line"}}
    ...         },
    ...     },
    ... }}})
    >>> [line for line in source.splitlines() if line.startswith(("class", "    "))]
    ['class Line(ComponentModel):', '    sku: str', 'class Order(ComponentModel):',
     '    lines: list[Line] | None = None', '    "Line": Line,', '    "Order": Order,']

    """
    options = {"coercion": coercion, "formats": formats, "defaults": defaults}
    with _errors_of_the_generator():
        kept = _without_paths(document)
        compile_options: Any = {**options, "dialect": dialect}
        try:
            engine = document_engine(kept, **compile_options)
        except SchemaError:  # something refers to other parts of the document, if it is valid
            kept = dict(document) if isinstance(document, Mapping) else document
            engine = document_engine(kept, **compile_options)
        if dialect is not None and dialect_of_document(kept) is None:
            kept = _with_dialect(kept, dialect)
        return _document_source(kept, engine.components, options, header)


@contextmanager
def _errors_of_the_generator() -> Iterator[None]:
    try:
        yield
    except (SchemaError, ImportError):
        raise
    except UnprovenError as error:
        message = f"no source can be made of it: {error}"
        raise SchemaError(message) from None
    except Exception as error:  # whatever strange words do to the generator
        message = f"no source can be made of it: {describe_error(error)}"
        raise SchemaError(message) from error


def _with_dialect(schema: Any, dialect: str | None) -> Any:
    """Return a schema that declares its dialect, if that is not the default."""
    if schema is True:
        schema = {}  # as pydantic writes it
    if dialect is None or not isinstance(schema, dict) or "$schema" in schema:
        return schema
    return {"$schema": dialect_named(dialect).uri, **schema}


def _without_paths(document: Any) -> Any:
    """Return the parts of a document that describe its components."""
    if not isinstance(document, Mapping) or dialect_of_document(document) is None:
        return document
    components = document.get("components")
    kept = {name: value for name, value in document.items() if name in _OF_COMPONENTS}
    if isinstance(components, Mapping) and "schemas" in components:
        kept["components"] = {"schemas": components["schemas"]}
    return kept


_OF_COMPONENTS = ("openapi", "swagger", "jsonSchemaDialect", "$id", "$defs", "definitions")


def _document_source(
    document: Mapping[str, Any],
    nodes: Mapping[str, Node],
    options: Mapping[str, str | None],
    header: str,
) -> str:
    outlines = Outlines(converts=options["formats"] == "convert", components=nodes)
    made = {name: outlines.add_component(node) for name, node in nodes.items()}
    components = {name: kind for name, kind in made.items() if kind is not None}
    if not components:
        message = "no component has properties; a class is made for objects"
        raise SchemaError(message)
    bases = dict.fromkeys(components.values(), "ComponentModel")
    registry = document_registry(components, document)
    return _module_source(outlines, {**bases}, "ObjectModel", {}, registry, options, header)


def _tools_source(
    definitions: Iterable[Definition],
    options: Mapping[str, str | None],
    dialect: str | None,
    header: str,
) -> str:
    outlines = Outlines(converts=options["formats"] == "convert")
    tools: dict[str, str] = {}
    schemas: dict[str, Any] = {}
    for tool in definitions:
        if tool.name in tools:
            message = f"there are two tools of the name {quoted(tool.name)}"
            raise SchemaError(message)
        schema = _with_dialect(tool.schema, dialect or tool.dialect)
        try:
            compiled = compile_schema(schema, name=tool.name)
            name = outlines.add(tool.name, tool.description, compiled._engine.root)
        except SchemaError as error:
            message = f"{quoted(tool.name)}: {error}"
            raise SchemaError(message) from None
        tools[tool.name], schemas[name] = name, compiled.schema
    if not tools:
        message = "no tools are given"
        raise SchemaError(message)
    bases = dict.fromkeys(schemas, "ToolModel")
    held = {
        name: f"\n\n    __schema__: ClassVar[Any] = {schema!r}" for name, schema in schemas.items()
    }
    registry = tools_registry(tools)
    return _module_source(outlines, bases, "ExactModel", held, registry, options, header)


def _module_source(  # noqa: PLR0913, PLR0917 - the parts of a module
    outlines: Outlines,
    bases: Mapping[str, str],
    base_within: str,
    held: Mapping[str, str],
    registry: str,
    options: Mapping[str, str | None],
    header: str,
) -> str:
    """Return a module.

    Args:
        outlines: those of its classes.
        bases: the base of each class that has a schema of its own.
        base_within: the base of all others.
        held: the text after the fields of classes.
        registry: the statements after the classes.
        options: the class keywords.
        header: what the comment at the top says.

    """
    converts = options["formats"] == "convert"
    made = outlines.classes()
    reserved = [name for names in CONVERTED.values() for name in names] if converts else []
    attributes = {
        name: attribute_names(outline["properties"], [*reserved, *references(outline)])
        for name, outline in made.items()
    }
    bodies = class_bodies(_generate_classes(made, attributes))
    rules = _class_keywords({"coercion": options["coercion"]})
    classes = []
    for name in made:
        keywords = _class_keywords(options) if name in bases else rules
        base = bases.get(name, base_within)
        classes.append(f"class {name}({base}{keywords}):\n{bodies[name]}{held.get(name, '')}\n")
    source = _format_source(module(header, classes, registry, converts=converts))
    if prove(source.encode()) != attributes:
        message = "the classes have other fields than the schemas have properties"
        raise UnprovenError(message)
    return source


def _class_keywords(options: Mapping[str, str | None]) -> str:
    """Return the keywords of a class for the options that are not the default."""
    return "".join(
        f", {name}={given!r}"
        for name, given in options.items()
        if given not in {None, "default", "annotate"}
    )


def _generate_classes(
    outlines: Mapping[str, Any], attributes: Mapping[str, Mapping[str, str]]
) -> str:
    """Return the module that datamodel-code-generator makes of the outlines."""
    with extra("codegen"):
        import datamodel_code_generator as generator  # noqa: PLC0415 - an extra
        from datamodel_code_generator.enums import DataModelType  # noqa: PLC0415 - of that extra
        from datamodel_code_generator.format import DatetimeClassType  # noqa: PLC0415 - of that extra

    aliases = {
        f"{name}.{field}": attribute
        for name, fields in attributes.items()
        for field, attribute in fields.items()
        if field != attribute
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of defaults that later versions may change
        made = generator.generate(
            json.dumps({"$defs": outlines}),
            input_file_type=generator.InputFileType.JsonSchema,
            output_model_type=DataModelType.PydanticV2BaseModel,
            target_python_version=generator.PythonVersion.PY_310,
            base_class="schema2model.CoercingModel",
            skip_root_model=True,
            aliases=aliases,
            enum_field_as_literal=generator.LiteralType.All,
            use_annotated=True,
            field_constraints=True,
            strict_nullable=True,
            use_standard_collections=True,
            use_union_operator=True,
            use_schema_description=True,
            use_field_description=True,
            use_single_line_docstring=True,
            disable_timestamp=True,
            output_datetime_class=DatetimeClassType.Datetime,
            formatters=[],
        )
    return str(made)


def _format_source(source: str) -> str:
    """Return the source in the layout of black, which the generator comes with."""
    with extra("codegen"):
        from black import format_str  # noqa: PLC0415 - comes with the extra
        from black.mode import Mode, TargetVersion  # noqa: PLC0415 - comes with the extra

    formatted: str = format_str(source, mode=Mode(target_versions={TargetVersion.PY310}))
    return formatted
