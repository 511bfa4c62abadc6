"""`Engine`: the validators of a compiled schema.

Compiled schemas, models, streams and batches all ask an engine; none compiles a schema itself.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Mapping, Set as AbstractSet
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic_core import SchemaError as CoreSchemaError, SchemaValidator, core_schema as cs

from schema2model.coerce.native.core_schemas import refusing, validator_of
from schema2model.coerce.native.lowering import lower
from schema2model.coerce.node_view import NodeView
from schema2model.coerce.rules.active_rules import ActiveRules
from schema2model.coerce.rules.scalars import has_entity
from schema2model.coercions import Coercion
from schema2model.errors import Issue, SchemaError, ToolError
from schema2model.json.canonical import has_json_text
from schema2model.json.parsing import NOTHING
from schema2model.json.quoting import quoted
from schema2model.json.repeated_names import require_unique_names
from schema2model.json.values import plain_copy, require_text, shallow_only
from schema2model.schema.dialects import Dialect, dialect_for, with_python_types
from schema2model.schema.nodes import Node, Place, reachable
from schema2model.schema.openapi_and_gemini import with_nullable_types
from schema2model.schema.references import DOCUMENT_URI, Documents
from schema2model.schema.verdicts import Verdicts
from schema2model.schema.vocabularies.python_types import TypeMarks, mark_types
from schema2model.schema.walking import walk

if TYPE_CHECKING:
    from schema2model.coerce.engine_search import Search

__all__ = [
    "CallReading",
    "Defaults",
    "Engine",
    "FallbackReader",
    "Formats",
    "Messages",
    "Recipe",
    "search_class",
]

Formats = Literal["annotate", "assert", "convert"]
Defaults = Literal["fill"]
Messages = Literal["plain", "corrected"]
FallbackReader = Callable[[str], Any]
"""Makes a value of a text that no grammar reads, or raises any exception."""

_Accept = Literal["accept", "accept_json"]

_HALF_A_PAIR = b"\xed"
"""The first byte of half a surrogate pair in marshalled text, and of few other characters."""

_IDENTIFIER_MARKS = (b"$id", b"nchor")
"""Parts of the keywords that identify subschemas, but for draft 4's `id`."""

_NULLABLE = b"nullable"
"""The keyword of OpenAPI 3.0, in a marshalled schema."""

_UNIQUE = b"uniqueItems"
"""A keyword in a marshalled schema: most have none, and are not walked for it."""

_TOO_DEEP = Issue("", "json", "arguments less deeply nested", "more levels than can be read")


class Recipe(NamedTuple):
    """The source of an engine: a schema and resources, marshalled, and the options.

    It identifies a compiled schema, and is pickled in its place.
    """

    content: bytes
    coercion: Coercion
    dialect: Dialect
    name: str | None
    formats: Formats | None
    resources: bytes
    fallback_reader: FallbackReader | None = None
    defaults: Defaults | None = None
    types: TypeMarks = ()
    """The Python types of strings, where the schema was made of annotations."""
    messages: Messages = "plain"

    def own_resources(self) -> dict[str, Any]:
        """Return the resources, by URI, in a copy for the caller alone."""
        return marshal.loads(self.resources) if self.resources else {}  # noqa: S302


class Validators(NamedTuple):
    """Validators of values and texts by pydantic-core. They raise anything at all to refuse one."""

    accept: Callable[[Any], Any]
    accept_json: Callable[[str | bytes | bytearray], Any]


class CallReading(NamedTuple):
    """The text of a call, read once."""

    arguments: Any
    """The valid arguments; None if there is an error."""
    spelled: Any
    """The value that the text spells, before coercion; `NOTHING` if it spells none."""
    error: ToolError | None = None


class Engine:
    """The validators and the search of one schema. Thread-safe; made by `compile_schema`.

    >>> from schema2model import compile_schema
    >>> engine = compile_schema({"type": "integer"})._engine
    >>> engine.accept(10), engine.recover("10"), engine.search.read("10").steps
    (10, 10, (((), 'json_text', '10', 10),))
    """

    anchors: NodeView
    """The schema as the grammar of argument text sees it."""
    dynamic: bool
    """True if there is a `$dynamicRef`: then a subschema alone may have another meaning than
    within the whole schema."""
    size: int
    """The number of subschemas, which its memory grows with."""
    accept: Callable[[Any], Any]
    """Makes the arguments of a Python value, by pydantic-core alone. It is one of `strict`, and of
    `coercing` after the first wrong call; `recover` has to be asked about what it refuses."""
    accept_json: Callable[[str | bytes | bytearray], Any]
    """The same from text."""
    model: Any
    """The pydantic model, once somebody has made it."""
    whole: Engine | None = None
    """The engine of the whole schema, where this is one of a part."""

    def __init__(self, source: Recipe, given: Any = None) -> None:
        """Compile a source; `given` is the schema that it spells, a copy for the engine alone."""
        if given is None:
            given = marshal.loads(source.content)  # noqa: S302 - our own bytes
        resources = source.own_resources()
        dialect = dialect_for(given, source.dialect, resources)
        has_nullable = _NULLABLE in source.content or _NULLABLE in source.resources
        is_json_schema = dialect.rewrite is None
        self._may_be_nullable = has_nullable and is_json_schema and not source.coercion.is_off
        if self._may_be_nullable:
            given = with_nullable_types(given)
            resources = {uri: with_nullable_types(each) for uri, each in resources.items()}
        if source.types:
            mark_types(given, source.types)
            dialect = with_python_types(dialect)
        documents = Documents(given, source.content, dialect, resources)
        if resources or sum(map(source.content.count, _IDENTIFIER_MARKS)) > 1:
            documents.require_unique_identifiers()
        assert_formats = source.formats in {"assert", "convert"}
        self.source = source
        self.coercion = source.coercion
        has_unique_items = _UNIQUE in source.content or len(documents.by_uri) > 1
        self.verdicts = Verdicts(
            documents, assert_formats=assert_formats, has_unique_items=has_unique_items
        )
        if _HALF_A_PAIR in source.content:  # no other library takes it: refuse it now
            self.verdicts.compile()
        walked = walk(
            documents,
            assert_formats=assert_formats,
            on_first_risky_keyword=self.verdicts.compile,
            on_unchecked_target=self.verdicts.require_valid_schema,
        )
        self.dynamic, self.size = walked.dynamic, walked.size
        self.verdicts.is_dynamic = walked.dynamic
        self.verdicts.limit_depth(walked.max_depth)
        self._bounded = walked.may_explode
        self._may_explode = walked.may_explode or has_unique_items  # items are compared as a whole
        self.root = walked.root
        self.verdicts.components = {
            node.dereferenced().place: name for name, node in self.components.items()
        }
        title = given.get("title") if isinstance(given, dict) else None
        name = source.name or (title if isinstance(title, str) and title else "tool")
        self._begin_at(walked.root, name)

    def _begin_at(self, root: Node, name: str) -> None:
        """Validate values by a node, which need not be the schema's root."""
        self.root, self.name = root, name
        self.rules = ActiveRules(self.coercion, name)
        self.anchors = NodeView((root,))
        self.model = None
        # where strings are read even if they are valid, the strict schema would accept too much
        self.accept, self.accept_json = (
            self.coercing if self.coercion.reads_strings else self.strict
        )

    def within(self, node: Node, name: str) -> Engine:
        """Return the engine of the values of a node alone; `name` is theirs in messages."""
        made = object.__new__(type(self))
        for key, value in {**vars(self)}.items():  # threads may add to it
            if not isinstance(getattr(type(self), key, None), cached_property):
                setattr(made, key, value)
        made.whole = self.whole or self
        made.verdicts = self.verdicts.within(node.place)
        made._begin_at(node, name)
        return made

    def variant(self, kind: type[Engine], **options: Any) -> Engine:
        """Return an engine of the same values with other options of `Recipe`, compiled once."""

        def compiled() -> Engine:
            if self.whole is None:
                return kind(self.source._replace(**options))
            whole = self.whole.variant(kind, **options)
            return whole.within(whole.nodes[self.root.place], self.name)

        return self.verdicts.memo(("variant", kind, *options.items()), compiled)

    @property
    def nodes(self) -> Mapping[Place, Node]:
        """The nodes by their places."""
        return self.verdicts.memo(
            "nodes",
            lambda: {node.place: node for node in reachable([self.root], Node.subschemas)},
        )

    @property
    def components(self) -> Mapping[str, Node]:
        """The components of a document, by name; none of a schema that is not one."""
        if DOCUMENT_URI not in self.verdicts.documents.by_uri:
            return {}
        named = (self.whole or self).root.properties.items()
        return {name: node.reference[0] for name, node in named if node.reference}

    @property
    def required(self) -> AbstractSet[Node]:
        """The properties without which arguments are not accepted at once."""
        return frozenset()

    @cached_property
    def strict(self) -> Validators:
        """The validators that coerce nothing."""
        return self._lowered(coerces=False)

    @cached_property
    def coercing(self) -> Validators:
        """The validators that also coerce, compiled for the first wrong call, if there is one."""
        return self.strict if self.coercion.is_off else self._lowered(coerces=True)

    def _lowered(self, *, coerces: bool) -> Validators:
        """Return the validators of Python values and of text."""
        component = self.verdicts.components.get(self.root.place)
        if component is not None and self.whole is not None:
            shared = (self.whole.coercing if coerces else self.whole.strict).accept
            validate, validate_json = _accepting_component(component, shared)
        else:
            validator = self._core_validator(coerces=coerces)
            validate, validate_json = validator.validate_python, validator.validate_json
        properties = self.root.properties.items()
        objects = [
            name
            for name, node in properties
            if "object" in node.possible_types and node.possible_types <= {"object", "null"}
        ]
        is_bounded = self._bounded and (self.whole is not None or not self.components)
        accept_json = require_unique_names(validate_json, objects, coerces=coerces)
        return Validators(shallow_only(validate) if is_bounded else validate, accept_json)

    def _core_validator(self, *, coerces: bool) -> SchemaValidator:
        components = {} if self.whole else self.components
        lowered = lower(
            self.root,
            self.rules,
            self.verdicts,
            coerces=coerces,
            required=self.required,
            components={name: node.dereferenced() for name, node in components.items()},
        )
        core = lowered.schema
        if self.coercion.html_entities:
            core = refusing(has_entity, core)
        if not lowered.exact:
            require = self.verdicts.requirement(infinities=self.coercion.allow_inf_nan)
            core = cs.no_info_after_validator_function(require, core)
        try:
            return validator_of(core)
        except (CoreSchemaError, RecursionError) as error:
            message = f"pydantic-core cannot compile it: {quoted(str(error))}"
            raise SchemaError(message) from None

    @property
    def uncoerced(self) -> Engine:
        """The engine without coercion, and without null for what is only `nullable`."""
        return self if self.coercion.is_off else self.variant(type(self), coercion=Coercion.off)

    # ------------------------------------------------------------------------- validation
    def validate(self, value: Any) -> Any:
        """Return the valid arguments that a value means.

        Raises:
            ToolError: if no reading of the value satisfies the schema.

        """
        try:
            return self.accept(value)
        except Exception:  # noqa: BLE001, S110 - a hostile value may raise anything
            pass
        return self.recover(value)

    def is_valid(self, value: Any) -> bool:
        """Return whether a value satisfies the schema as it is. Never raises."""
        if self._may_be_nullable:
            return self.uncoerced.is_valid(value)
        try:
            # jsonschema-rs first, which builds nothing; it takes things for JSON that are none
            if not self._may_explode and not self.verdicts.is_valid(value):
                marshal.dumps(value)  # takes no subclasses: jsonschema-rs says they are no numbers
                return False
            if not self.coercion.allow_inf_nan:
                self.strict.accept(value)
                return True
        except Exception:  # noqa: BLE001, S110 - a subclass, no JSON, or a hostile value
            pass
        try:
            plain = plain_copy(value)
            return has_json_text(plain, is_copied=True) and self.verdicts.is_valid(plain)
        except Exception:  # noqa: BLE001 - no JSON, or a hostile value, which may raise anything
            return False

    def validate_json(self, text: str | bytes | bytearray) -> Any:
        """Return the valid arguments that a text means.

        Raises:
            ToolError: if no reading of the text satisfies the schema.

        """
        try:
            return self.accept_json(text)
        except Exception:  # noqa: BLE001, S110 - a hostile value may raise anything
            pass
        return self.recover_json(text)

    def validate_call(self, text: str | bytes | bytearray) -> CallReading:
        """Return the arguments that a text means, and the value that it spells. Never raises.

        One reading of the text gives both. `accept_json` has rejected the text before.
        """
        require_text(text)
        try:
            result = self._accept_coerced("accept_json", text)
            if result is not NOTHING:
                return CallReading(result, NOTHING)
            return CallReading(*self.search.read_call(text))
        except RecursionError:  # the caller's own stack was nearly full
            return CallReading(None, NOTHING, self.too_deep())

    def recover(self, value: Any) -> Any:
        """Search for a valid reading of a value that `accept` has rejected.

        Raises:
            ToolError: if there is none.

        """
        try:
            result = self._accept_coerced("accept", value)
            if result is not NOTHING:
                return result
            search = self.search
            return search.result(search.read(value, fail_fast=True))
        except RecursionError:  # the caller's own stack was nearly full
            raise self.too_deep() from None

    def recover_json(self, text: str | bytes | bytearray) -> Any:
        """Search for a valid reading of a text that `accept_json` has rejected.

        Raises:
            ToolError: if there is none.

        """
        call = self.validate_call(text)
        if call.error is not None:
            raise call.error
        return call.arguments

    def try_accept(self, accept: _Accept, given: Any) -> Any:
        """Return what pydantic-core makes of a value or text, or `NOTHING` if it rejects it."""
        try:
            return getattr(self, accept)(given)
        except Exception:  # noqa: BLE001, S110 - a hostile value may raise anything
            pass
        return self._accept_coerced(accept, given)

    def _accept_coerced(self, accept: _Accept, given: Any) -> Any:
        """Return what the coercing validator makes of a value or text, and use it from now on.

        `NOTHING` if it rejects the value, or if it is in use, so that it has rejected it.
        """
        if self.accept is self.coercing.accept:
            return NOTHING
        self.accept, self.accept_json = self.coercing
        vars(self).pop("strict", None)  # it takes memory, and few ask for it again
        return self.try_accept(accept, given)

    @property
    def search(self) -> Search:
        """The search for what arguments mean that the validators reject."""
        return search_class()(self)

    def too_deep(self) -> ToolError:
        """Return the error for arguments that cannot be read, so deep they are nested."""
        return ToolError.for_arguments(self.name, (_TOO_DEEP,))


def _accepting_component(name: str, shared: Callable[[Any], Any]) -> Validators:
    """Return the validators of a component, by the one of all components of its document."""
    return Validators(
        lambda value: shared({"name": name, "value": value})["value"],
        lambda text: shared({"name": name, "text": text})["text"],
    )


@cache
def search_class() -> type[Search]:
    """Return `Search`, which wrong calls alone import, once: each import takes 0.7 us."""
    from schema2model.coerce.engine_search import Search  # noqa: PLC0415 - wrong calls alone need it

    return Search
