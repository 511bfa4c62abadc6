"""Lowers a node to a pydantic-core schema.

Every node has two lowered schemas. The strict one accepts valid values unchanged; most calls need
no other. The coercing one tries the strict type first, then what the rules can read as that type.
It reads the properties of the arguments one by one. It tries a container below them strictly as a
whole, and reads its members only if that fails. What the coercing schema accepts, it returns as the
one reading that the rules allow. What it refuses is either invalid or needs `search`.

For `{"type": "integer"}`, the strict schema is a strict `int`. The coercing one is a union, left to
right, of that, of the same in JSON text, and of a function for each further rule.

If a node expects a single type, neither schema refuses a valid value, so that none is rewritten.
There is one exception: a node that says more than its core schema refuses `3.0`, because only the
search can decide whether it means `3`. If any node says more than its core schema, the whole schema
is inexact (`Lowered.exact`): then jsonschema-rs checks whatever pydantic-core accepts.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Set as AbstractSet
from types import MappingProxyType
from typing import Any, NamedTuple

from pydantic_core import CoreSchema, core_schema as cs

from schema2model.coerce.native import core_schemas as core
from schema2model.coerce.rules import scalars
from schema2model.coerce.rules.active_rules import ActiveRules, one_type
from schema2model.json.values import (
    NUMBERS,
    TYPES,
    any_scalar,
    is_integral_float,
    is_string,
    type_of,
)
from schema2model.schema.discriminators import branches_by_text
from schema2model.schema.nodes import Node, leading_to
from schema2model.schema.verdicts import Verdicts
from schema2model.schema.vocabularies.python_types import PYTHON_TYPE, USUAL_TEXTS, text_check

__all__ = ["Lowered", "lower"]

_CONTAINERS = frozenset(("array", "object"))
_JSON_SCALARS = NUMBERS | {"boolean"}

_LOWERED = {"types", "properties", "additional", "required", "items", "lengths", "sizes"}
"""Attributes of a `Node` that a core schema always includes."""

_MAX_INT = 2**63 - 1
"""The greatest integer that a literal of pydantic-core may be."""

# most properties say no more than one of these types
_SIMPLE: dict[tuple[str, ...] | None, CoreSchema] = {
    ("null",): core.NULL,
    ("boolean",): core.BOOLEAN,
    ("integer",): core.INTEGER,
    ("string",): core.STRING,
}

_NATIVE: dict[Callable[[Any], Any], Callable[[Any], Any]] = {
    scalars.scalar_text: scalars.whole_text,
    scalars.integral_float: scalars.exact_integral_float,
}
"""Rules that leave a float to the search, which knows how the text of the call spells it."""


class Lowered(NamedTuple):
    """A core schema, and whether it accepts no more than the schema does."""

    schema: CoreSchema
    exact: bool


def lower(  # noqa: PLR0913 - what a core schema depends on
    root: Node,
    rules: ActiveRules,
    verdicts: Verdicts,
    *,
    coerces: bool,
    required: AbstractSet[Node] = frozenset(),
    components: Mapping[str, Node] = MappingProxyType({}),
) -> Lowered:
    """Return the strict or the coercing core schema of a node, with its definitions.

    Args:
        root: the node.
        rules: the rules by which values are read.
        verdicts: those of the schema.
        coerces: whether it is the coercing one.
        required: further required properties. If pydantic-core cannot distinguish their objects,
            the core schema refuses everything.
        components: nodes by name, instead of the root. The core schema is that of an object of a
            `name`, and the `value` or its `text`.

    """
    lowering = _Lowering(root, rules, verdicts, required)
    if components:
        schema = lowering.components(components, coerces=coerces)
    else:
        schema = lowering.whole(root, coerces=coerces)
    if definitions := lowering.definitions():
        schema = cs.definitions_schema(schema, definitions)
    return Lowered(schema, lowering.exact or bool(components))


class _Lowering:
    def __init__(
        self, root: Node, rules: ActiveRules, verdicts: Verdicts, required: AbstractSet[Node]
    ) -> None:
        self.root = root
        self.required = required
        self.rules = rules
        self.coercion = rules.coercion
        self.reads_strings = rules.coercion.reads_strings
        self.verdicts = verdicts
        self.exact = True
        self.within = False
        self.queue: list[tuple[str, Node, str, bool]] = []
        self.names: dict[tuple[Node, str, bool], str] = {}
        self.made: list[Any] = []
        self.open = self.open_to(None)

    def whole(self, node: Node, *, coerces: bool) -> CoreSchema:
        """Return the core schema of the arguments as a whole."""
        if self.required and node in self.unknown:
            return core.NEVER
        if coerces and (expected := one_type(node)) and expected[0] in _CONTAINERS:
            return self.finish(node, self.strict(node, expected[0], coerces=True))
        return self.node(node, coerces=coerces)

    def components(self, nodes: Mapping[str, Node], *, coerces: bool) -> CoreSchema:
        """Return the core schema of each of some nodes, by a name."""
        choices: dict[Any, CoreSchema] = {}
        for name, node in nodes.items():
            schema = self.whole(node, coerces=coerces)
            if node in self.inexact:
                verdicts, inf_nan = self.verdicts.within(node.place), self.coercion.allow_inf_nan
                require = verdicts.requirement(infinities=inf_nan)
                schema = cs.no_info_after_validator_function(require, schema)
            self.made.append({**schema, "ref": f"component {name}"})
            value = cs.definition_reference_schema(f"component {name}")
            given = {"value": value, "text": cs.json_schema(value)}
            choices[name] = cs.typed_dict_schema(
                {key: cs.typed_dict_field(each, required=False) for key, each in given.items()}
            )
        return cs.tagged_union_schema(choices, "name")

    def definitions(self) -> list[Any]:
        """Return what was referred to, from a queue: schemas may refer to themselves."""
        self.within = True
        while self.queue:
            name, node, kind, inner = self.queue.pop()
            make = functools.partial(self.strict, kind=kind) if kind else self.node
            self.made.append({**make(node, coerces=inner), "ref": name})
        return self.made

    # ----------------------------------------------------------------------------- any node
    def node(self, node: Node, *, coerces: bool) -> CoreSchema:
        """Return the core schema of a node, strict throughout unless it coerces."""
        if not coerces and node.types in _SIMPLE and node.has_only({"types"}):
            return _SIMPLE[node.types]
        if node.is_false:
            return core.NEVER
        schema = self.finish(node, self.own_or_inherited(node, coerces=coerces))
        if self.reads_strings and node.accepts("string") and len(node.possible_types) > 1:
            return core.no_text(schema)  # only the search knows what its strings mean
        return schema

    def own_or_inherited(self, node: Node, *, coerces: bool) -> CoreSchema:
        """Lower the assertions of a node, or else those of its one subschema or union."""
        if node.has_assertions() or not node.has_in_place_subschemas():
            return self.assertions(node, coerces=coerces)
        parts = node.reference + node.all_of
        alternatives = node.any_of or node.one_of
        if len(parts) == 1 and not alternatives:
            return self.referred(parts[0].dereferenced(), coerces=coerces)
        if alternatives and not parts:
            return self.any_of(alternatives, coerces=coerces)
        return self.open

    def says_more(self, node: Node) -> bool:
        """Return whether a node says more than its core schema: then jsonschema-rs checks it, too.

        A core schema is complete in two cases: a node has only assertions, or it has none and a
        single subschema, or a single union, says everything.
        """
        if node.has_only(_LOWERED):
            return False
        if self.text_check(node) is None and node.residual:
            return True
        if self.omits_subschemas(node):
            return True
        if node.one_of and not self.tags(node.one_of):
            return True
        if node.choices is not None:
            return not _are_literals(node)
        whole = node.types is not None and "number" not in node.types
        return not all(core.is_native_bound(*each, whole=whole) for each in node.bounds.items())

    def omits_subschemas(self, node: Node) -> bool:
        """Return whether jsonschema-rs has to apply some of a node's subschemas."""
        if node.conditions or node.dependent or node.prefix or node.patterns:
            return True
        groups = sum(map(bool, (node.any_of, node.one_of, node.reference, node.all_of)))
        return groups > 1 or (groups > 0 and node.has_assertions()) or len(node.conjuncts()) > 1

    def hides(self, node: Node) -> bool:
        """Return whether a property below a node may be required, and its core schema not know."""
        union = node.any_of or node.one_of
        is_judged = bool(union) and not self.tags(union) and _are_rivals(union)
        return is_judged or node.choices is not None or self.omits_subschemas(node)

    @functools.cached_property
    def unknown(self) -> set[Node]:
        """The nodes of whose values core schemas do not know whether they have what is required."""
        leading = leading_to(
            [self.root],
            lambda node: not self.required.isdisjoint(node.properties.values()),
            Node.subschemas,
        )
        return leading_to(
            [self.root], lambda node: node in leading and self.hides(node), Node.subschemas
        )

    def text_check(self, node: Node) -> Callable[[str], bool] | None:
        """Return the test of a node's strings, if their Python type is all that pydantic lacks."""
        if node.residual != (PYTHON_TYPE,) or node.types != ("string",):
            return None
        return text_check(node.schema[PYTHON_TYPE])

    def tags(self, branches: tuple[Node, ...]) -> tuple[str, dict[str, Node]] | None:
        """Return the discriminator of a union, and the branch for each of its texts.

        None if rules read strings that are valid, too: such a text may mean something else.
        """
        return None if self.reads_strings else branches_by_text(branches)

    def finish(self, node: Node, schema: CoreSchema) -> CoreSchema:
        """Refuse floats that may mean integers, if a node says more than its core schema."""
        if not self.says_more(node):
            return schema
        self.exact = False
        if node.has_in_place_subschemas() or node.prefix or node.choices is not None:
            return self.refuse_integral_floats(schema)
        return schema

    def refuse_integral_floats(self, schema: CoreSchema) -> CoreSchema:
        """Refuse values that contain 3.0: only the search knows whether it means 3."""
        return core.refusing(is_integral_float, schema) if self.coercion.integral_floats else schema

    def referred(self, target: Node, *, coerces: bool) -> CoreSchema:
        """Lower what a node refers to, which may refer to itself, too.

        A container is one definition and not two, with what may be read as it: pydantic-core
        follows 255 within one another, so that all levels of a value are read.
        """
        expected = one_type(target) if coerces else None
        if expected is None or expected[0] not in _CONTAINERS:
            return self.defined(target, "", coerces=coerces)
        kind, nullable = expected
        return self.finish(target, self.container(target, kind, None, nullable=nullable))

    def defined(self, node: Node, kind: str, *, coerces: bool) -> CoreSchema:
        """Return a reference to a definition, of one type or any, that is lowered later, once."""
        key = (node, kind, coerces)
        name = self.names.get(key)
        if name is None:
            name = self.names[key] = str(len(self.names))
            self.queue.append((name, *key))
        return cs.definition_reference_schema(name)

    # ------------------------------------------------------------------------------- unions
    def any_of(self, branches: tuple[Node, ...], *, coerces: bool) -> CoreSchema:
        """Lower a union. Its branches are strict: only the search can compare their readings.

        A single branch in addition to null may coerce: a value that is not null can only mean that.
        """
        if tagged := self.tags(branches):
            return self.tagged(*tagged, nullable=any(map(Node.is_null, branches)), coerces=coerces)
        others = [node for node in branches if not node.is_null()]
        if any(node.types == ("string",) and node.has_only({"types"}) for node in others):
            others = [
                node for node in others if self.text_check(node) is None
            ]  # any string will do
        others.sort(key=lambda node: node.accepts("number"))  # last: they refuse slowly
        nullable = len(others) < len(branches)
        if coerces and len(others) == 1 and not others[0].accepts("null"):
            first, *readings = core.choices_of(self.node(others[0], coerces=True))
            choices = [core.first_of([first], nullable=nullable), *readings]
            has_words = nullable and not others[0].accepts("string")
            return core.first_of(self.with_null(choices) if has_words else choices)
        if _are_rivals(branches):
            return core.NEVER if self.reads_strings else self.judged(branches)
        strict = [self.node(node, coerces=False) for node in others]
        union = core.first_of(strict, nullable=nullable)
        # a branch that is not lowered completely may accept what only a later one allows
        doubtful = len(others) > 1 and not self.inexact.isdisjoint(others)
        return self.refuse_integral_floats(union) if doubtful else union

    @functools.cached_property
    def inexact(self) -> set[Node]:
        """The nodes that say more than their core schema, and those that lead to one."""
        return leading_to([self.root], self.says_more, Node.subschemas)

    def tagged(
        self, name: str, branches: dict[str, Node], *, nullable: bool, coerces: bool
    ) -> CoreSchema:
        """Lower a union of objects that one property discriminates."""

        def union(coerces: bool) -> CoreSchema:  # noqa: FBT001
            # only its properties coerce, not the whole
            choices: Any = {
                text: self.finish(node, self.defined(node, "object", coerces=coerces))
                for text, node in branches.items()
            }
            return cs.tagged_union_schema(choices, name)

        if not coerces:
            return core.first_of([union(coerces=False)], nullable=nullable)
        strict = None if self.within else union(coerces=False)
        coercing = union(coerces=True)
        choices = self.containers(strict, coercing, nullable=nullable, has_names=True)
        return core.first_of(self.with_null(choices) if nullable else choices)

    def with_null(self, choices: list[CoreSchema]) -> list[CoreSchema]:
        """Return the schemas of a nullable type and of what may be read as it, null included."""
        strict, *readings = choices
        texts = [core.NULL_TEXT] if self.coercion.json_text else []
        words = [core.NULL_WORD] if self.coercion.null_words else []
        return [strict, *texts, *readings, *words]

    def judged(self, branches: tuple[Node, ...]) -> CoreSchema:
        """Leave a union to jsonschema-rs in which several branches accept containers.

        pydantic-core would try every branch to its end, and again every union within it.
        """
        is_valid = self.verdicts.any_valid_at(tuple(node.place for node in branches))
        judged = core.checked(is_valid, allow_inf_nan=self.coercion.allow_inf_nan)
        return self.refuse_integral_floats(judged)

    # --------------------------------------------------------------------- own assertions
    def assertions(self, node: Node, *, coerces: bool) -> CoreSchema:
        """Lower the assertions of a node itself: a type with its bounds, or several, or choices."""
        if node.choices is not None:
            return self.choices(node)
        if node.types is None:
            return self.any_type(node, coerces=coerces)
        expected = one_type(node)
        if expected is None:
            implied = {"null", "integer"} if "number" in node.types else {"null"}
            kinds = [kind for kind in node.types if kind not in implied]
            kinds.sort(key="number".__eq__)  # last: its schema refuses slowly
            strict_kinds = [self.strict(node, kind, coerces=False) for kind in kinds]
            return core.first_of(strict_kinds, nullable="null" in node.types)
        kind, nullable = expected
        if coerces and kind in _CONTAINERS:
            # one strict attempt on the way down, or they would multiply
            strict = None if self.within else self.strict(node, kind, coerces=False)
            return self.container(node, kind, strict, nullable=nullable)
        schema = self.strict(node, kind, coerces=coerces)
        # other subschemas apply to this scalar: only the search can choose its reading
        if not coerces or node.has_in_place_subschemas():
            return core.first_of([schema], nullable=nullable)
        return core.first_of(self.readings(node, kind, schema, nullable=nullable))

    def container(
        self, node: Node, kind: str, strict: CoreSchema | None, *, nullable: bool
    ) -> CoreSchema:
        """Return the schema of an object or array, and of what may be read as it."""
        coercing = self.defined(node, kind, coerces=True)
        has_names = kind == "object" or _may_contain_objects(node)
        choices = self.containers(strict, coercing, nullable=nullable, has_names=has_names)
        return core.first_of(self.with_null(choices) if nullable else choices)

    def readings(
        self, node: Node, kind: str, strict: CoreSchema, *, nullable: bool
    ) -> list[CoreSchema]:
        """Return the schema of a scalar's strict type, then those of what may be read as it."""
        choices = [core.first_of([strict], nullable=nullable)]
        functions = []
        for rule, function, *_ in self.rules.native_alternatives(node):
            if (
                rule == "json_text"
                and kind in _JSON_SCALARS
                and function is not scalars.exact_json_text
            ):
                choices.append(core.json_string_of(strict))
            elif function is not scalars.null_word:
                functions.append(_NATIVE.get(function, function))
        if functions:
            choices.append(core.rewritten(functions, strict))
        return self.with_null(choices) if nullable and kind != "string" else choices

    def containers(
        self, strict: CoreSchema | None, coercing: CoreSchema, *, nullable: bool, has_names: bool
    ) -> list[CoreSchema]:
        """Return schemas of a container as it is, member by member, and as text.

        Text is last: to refuse a container in JSON, pydantic-core copies all of it into an error.
        """
        choices = [coercing] if strict is None else [strict, coercing]
        if self.coercion.json_text:
            choices.append(core.json_string_of(core.first_of(choices), has_names=has_names))
        return [core.first_of(choices[:1], nullable=nullable), *choices[1:]]

    def open_to(self, kinds: frozenset[str] | None) -> CoreSchema:
        """Return a schema of any JSON value of some types; without strings if rules read them."""
        return _open_to(kinds, self.reads_strings, self.coercion.allow_inf_nan)

    def any_type(self, node: Node, *, coerces: bool) -> CoreSchema:
        """Lower a node without a type: its assertions limit the types that they apply to."""
        limited = {
            "object": node.has_object_keywords(),
            "array": node.has_array_keywords(),
            "string": bool(node.lengths),
            "number": bool(node.bounds),
        }
        kinds = [kind for kind, is_limited in limited.items() if is_limited]
        if not kinds:
            return self.open
        free = frozenset(TYPES) - set(kinds)
        if "number" in kinds:
            free -= {"integer"}
        rest = self.open_to(free)
        return core.first_of([*(self.strict(node, kind, coerces=coerces) for kind in kinds), rest])

    def choices(self, node: Node) -> CoreSchema:
        """Lower `enum` and `const` to literals, by type, since 1 equals True in Python."""
        by_type: dict[str, list[Any]] = {}
        for choice in node.choices or ():
            kind = type_of(choice)
            if _may_be(kind, node.types):
                by_type.setdefault(kind, []).append(choice)
        return core.first_of([self.literals(kind, values) for kind, values in by_type.items()])

    def literals(self, kind: str, values: list[Any]) -> CoreSchema:
        if kind == "null":
            return core.NULL
        if kind == "string":
            return cs.literal_schema(values)
        if kind == "boolean":
            return cs.chain_schema([core.BOOLEAN, cs.literal_schema(values)])
        if kind == "integer" and all(-_MAX_INT <= value <= _MAX_INT for value in values):
            return cs.chain_schema([core.INTEGER, cs.literal_schema(values)])
        return self.open

    # ------------------------------------------------------------------------ single types
    def strict(self, node: Node, kind: str, *, coerces: bool) -> CoreSchema:
        """Return the schema of one type with its assertions; its subschemas coerce or do not."""
        if kind == "object":
            return self.object(node, coerces=coerces)
        if kind == "array":
            return self.array(node, coerces=coerces)
        if kind == "string":
            lengths: Any = node.lengths
            schema = {**core.STRING, **lengths} if lengths else core.STRING
            test = self.text_check(node)
            if test is None:
                return schema
            usual = USUAL_TEXTS.get(node.schema[PYTHON_TYPE])
            tested = core.tested(test, schema)
            return (
                tested if usual is None else core.first_of([{**schema, "pattern": usual}, tested])
            )
        if kind == "integer":
            return core.integer_schema(node.bounds)
        if kind == "number":
            inf_nan = self.coercion.allow_inf_nan
            return core.number_schema(node.bounds, allow_inf_nan=inf_nan, expects_text=coerces)
        return core.NULL if kind == "null" else core.BOOLEAN

    def array(self, node: Node, *, coerces: bool) -> CoreSchema:
        every = None if node.prefix else node.items
        items = self.open if every is None else self.node(every, coerces=coerces)
        sizes: Any = node.sizes
        return {"type": "list", "items_schema": items, "strict": True, "fail_fast": True, **sizes}

    def object(self, node: Node, *, coerces: bool) -> CoreSchema:
        fields = {
            name: self.field(node, name, child, coerces=coerces)
            for name, child in node.properties.items()
        }
        # jsonschema-rs checks the values of all names that a pattern describes
        extra = self.refuse_integral_floats(self.open) if node.patterns else self.open
        if node.additional is not None and not node.patterns:
            extra = self.node(node.additional, coerces=coerces)
            if not node.forbids_additional and not node.properties and not node.required:
                return cs.dict_schema(core.STRING, extra, strict=True, fail_fast=True)
        for name in node.required:
            if name not in node.properties:
                fields[name] = cs.typed_dict_field(extra)
        if node.forbids_additional and not node.patterns:
            return cs.typed_dict_schema(fields, strict=True, extra_behavior="forbid")
        return {  # a record, as for arrays: its function compares a dozen options with defaults
            "type": "typed-dict",
            "fields": fields,
            "strict": True,
            "extra_behavior": "allow",
            "extras_schema": extra,
        }

    def field(self, node: Node, name: str, child: Node, *, coerces: bool) -> cs.TypedDictField:
        """Lower a property; jsonschema-rs checks one that a pattern describes, too."""
        if node.patterns and any(pattern.matches(name) for pattern in node.patterns):
            schema = self.refuse_integral_floats(self.open)
        else:
            schema = self.node(child, coerces=coerces)
        required = name in node.required or child in self.required
        if coerces and not required and not child.accepts("null"):
            words = self.coercion.drop_null_words and not child.accepts("string")
            if omitted := core.OMISSIONS.get((self.coercion.drop_null, words)):
                schema = core.first_of([*core.choices_of(schema), omitted])
        return {"type": "typed-dict-field", "schema": schema, "required": required}


@functools.cache
def _open_to(kinds: frozenset[str] | None, reads_strings: bool, allow_inf_nan: bool) -> CoreSchema:  # noqa: FBT001
    def is_open(value: Any) -> bool:
        is_one = kinds is None or type_of(value) in kinds
        return is_one and not (reads_strings and any_scalar(value, is_string))

    is_any = kinds is None and not reads_strings
    return core.checked(None if is_any else is_open, allow_inf_nan=allow_inf_nan)


def _are_rivals(branches: tuple[Node, ...]) -> bool:
    """Return whether several branches of a union accept objects, or arrays."""
    return any(sum(node.accepts(kind) for node in branches) > 1 for kind in _CONTAINERS)


def _may_contain_objects(array: Node) -> bool:
    """Return whether an item of an array may be an object, or contain one."""
    items = None if array.prefix else array.items
    return items is None or not _CONTAINERS.isdisjoint(items.possible_types)


def _are_literals(node: Node) -> bool:
    """Return whether a node has only choices and types for which pydantic-core has literals."""
    if not node.has_only({"choices", "types"}):
        return False
    return all(
        kind in {"null", "boolean", "string"} or (kind == "integer" and abs(choice) <= _MAX_INT)
        for choice in node.choices or ()
        if _may_be((kind := type_of(choice)), node.types)
    )


def _may_be(kind: str, types: tuple[str, ...] | None) -> bool:
    """Return whether a value of a type may be of certain types; 1.0 may be an integer."""
    return types is None or kind in types or (kind in NUMBERS and not NUMBERS.isdisjoint(types))
