"""Lowers a node to a pydantic-core schema.

There are two lowered schemas of every node. The strict one accepts what is valid as it stands;
most calls need no other. The coercing one tries the strict type first, then what may be read as
it: each property of the arguments by itself, each container below them strictly as a whole
before any part of it is read. What it accepts it returns as the one reading that the rules
allow; what it refuses is either invalid or needs the search in `readings`.

Neither ever refuses the valid value of a single type, and so never rewrites one. Where a lowered
schema may accept too much, `Lowered.exact` is False and the whole is to be checked by
jsonschema-rs afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic_core import CoreSchema, core_schema as cs

from schema2model.coercions import RULES, Coercion, Rule, exact_number_text, null_word
from schema2model.engine.core_schemas import (
    BOOLEAN,
    INTEGER,
    NEVER,
    NULL,
    NULL_WORD,
    NUMBERS,
    OMIT,
    OPEN,
    STRING,
    first_of,
    judged,
    open_schema,
    refusing_integral_floats,
)
from schema2model.schema.nodes import Node, Place, tagged
from schema2model.values import TYPES, type_of

__all__ = ["Lowered", "before_functions", "lower"]

EXACT_FLOATS = 2**53
"""Integers up to here are floats too, without loss (IEEE 754 binary64)."""

MAX_INT = 2**63 - 1

_NATIVE_GUESS = 1
"""Rules that guess no further than this are tried in pydantic-core, the others in the search."""

_CONTAINERS = frozenset(("array", "object"))
_JSON_SCALARS = frozenset(("boolean", "integer", "number"))

# most properties say no more than one of these types, beside their schema and their place
_SIMPLE_SIZE = 3
_SIMPLE: dict[tuple[str, ...] | None, CoreSchema] = {
    ("null",): NULL,
    ("boolean",): BOOLEAN,
    ("integer",): INTEGER,
    ("string",): STRING,
}

Judge = Callable[[Place], Callable[[Any], bool]]


@dataclass(frozen=True, slots=True)
class Lowered:
    """A core schema, and whether it accepts no more than the schema does."""

    schema: CoreSchema
    exact: bool


def lower(root: Node, coercion: Coercion, judge: Judge, *, coerces: bool) -> Lowered:
    """The strict or the coercing core schema of a node, with definitions for what it refers to.

    `judge` gives the verdict on the subschema at a place.
    """
    lowering = _Lowering(coercion, judge)
    if coerces and (wanted := _one_type(root)) and wanted[0] in _CONTAINERS:
        lowering.note(root)
        schema = lowering.strict(root, wanted[0], coerces=True)
    else:
        schema = lowering.node(root, coerces=coerces)
    definitions: list[CoreSchema] = []
    lowering.within = True
    while lowering.queue:
        name, lowered = lowering.queue.pop()
        definitions.append({**lowered(), "ref": name})
    if definitions:
        schema = cs.definitions_schema(schema, definitions)
    # of a union that is not exact, another branch may have been meant than the one that accepts
    settled = lowering.settled and (lowering.exact or not lowering.chooses)
    if coercion.integral_floats and not settled:
        schema = refusing_integral_floats(schema)
    return Lowered(schema, lowering.exact)


def before_functions(node: Node, coercion: Coercion) -> tuple[Callable[[Any], Any], ...]:
    """The functions that run before the strict check of a node which asks for one type."""
    wanted = _one_type(node)
    if wanted is None:
        return ()
    kind, nullable = wanted
    rules = [rule.function for rule in RULES[kind] if _is_native(rule, coercion)]
    if kind == "number" and "integer" in (node.types or ()) and coercion.number_text:
        rules.insert(0, exact_number_text)
    if nullable and kind != "string" and coercion.null_words:
        rules.append(null_word)
    return tuple(rules)


def _is_native(rule: Rule, coercion: Coercion) -> bool:
    return rule.guess <= _NATIVE_GUESS and bool(getattr(coercion, rule.name))


def _one_type(node: Node) -> tuple[str, bool] | None:
    """The only type a node asks for besides null, and whether null is one; None if not so."""
    if node.choices is not None or node.types is None:
        return None
    kinds = [kind for kind in node.types if kind != "null"]
    if "number" in kinds and "integer" in kinds:
        kinds.remove("integer")
    return (kinds[0], "null" in node.types) if len(kinds) == 1 else None


class _Lowering:
    def __init__(self, coercion: Coercion, judge: Judge) -> None:
        self.coercion = coercion
        self.judge = judge
        self.exact = True
        self.settled = True
        self.chooses = False
        self.within = False
        self.queue: list[tuple[str, Callable[[], CoreSchema]]] = []
        self.names: dict[tuple[int, str, bool], str] = {}
        self.open = OPEN[coercion.allow_inf_nan, not coercion.reads_strings]

    # ----------------------------------------------------------------------------- any node
    def node(self, node: Node, *, coerces: bool) -> CoreSchema:
        """The core schema of a node, strict throughout unless it coerces."""
        if not coerces and len(vars(node)) == _SIMPLE_SIZE and node.types in _SIMPLE:
            return _SIMPLE[node.types]
        if node.never:
            return NEVER
        self.note(node)
        if node.asserts() or not node.applies_in_place():
            return self.assertions(node, coerces=coerces)
        parts = node.reference + node.all_of
        alternatives = node.any_of or node.one_of
        if len(parts) == 1 and not alternatives:
            return self.refer(parts[0], coerces=coerces)
        if alternatives and not parts:
            return self.any_of(alternatives, coerces=coerces)
        return self.unread()

    def unread(self) -> CoreSchema:
        """Any value, for jsonschema-rs to judge, below which subschemas may want integers."""
        self.exact = self.settled = False
        return self.open

    def note(self, node: Node) -> None:
        """Note whether a node says more than is lowered."""
        exclusive = node.one_of and not self.tags(node.one_of)
        if node.residual:
            self.exact = False
        if exclusive or node.conditions or node.dependent:
            self.exact = self.settled = False
        elif node.applies_in_place():
            kinds = sum(map(bool, (node.any_of, node.one_of, node.reference, node.all_of)))
            if kinds > 1 or node.asserts():
                self.exact = self.settled = False

    def refer(self, node: Node, *, coerces: bool) -> CoreSchema:
        """A reference to the definition that a node becomes."""
        if not isinstance(node.schema, dict):
            return self.node(node, coerces=coerces)
        return self.defined(node, "", coerces, lambda: self.node(node, coerces=coerces))

    def defined(
        self,
        node: Node,
        kind: str,
        coerces: bool,  # noqa: FBT001 - a part of the key
        lowered: Callable[[], CoreSchema],
    ) -> CoreSchema:
        """A reference to a definition, which is lowered later, once."""
        key = (id(node), kind, coerces)
        name = self.names.get(key)
        if name is None:
            name = self.names[key] = f"{len(self.names)}#{node.place.pointer}"
            self.queue.append((name, lowered))
        return cs.definition_reference_schema(name)

    def any_of(self, branches: tuple[Node, ...], *, coerces: bool) -> CoreSchema:
        """A union: strict, but for the one branch beside null that only null competes with."""
        if tags := self.tags(branches):
            return self.tagged(*tags, nullable=any(map(Node.is_null, branches)), coerces=coerces)
        textual = any(node.accepts("string") for node in branches)
        if textual and self.coercion.reads_strings:
            # the search is to tell what its strings mean
            branches = tuple(node for node in branches if not node.accepts("string"))
            coerces = False
        others = [node for node in branches if not node.is_null()]
        self.chooses |= len(others) > 1
        if coerces and len(others) == 1 and not others[0].accepts("null"):
            choices: list[CoreSchema] = [self.node(others[0], coerces=True)]
            if len(branches) > 1:
                choices[0] = cs.nullable_schema(choices[0])
                if self.coercion.null_words and not textual:
                    choices.append(NULL_WORD)
            return first_of(choices)
        rivals = (sum(node.accepts(kind) for node in branches) for kind in _CONTAINERS)
        if max(rivals, default=0) > 1:
            return NEVER if self.coercion.reads_strings else self.judged(branches)
        return first_of([self.node(node, coerces=False) for node in branches] or [NEVER])

    def tags(self, branches: tuple[Node, ...]) -> tuple[str, dict[str, Node]] | None:
        """What tells the branches of a union apart; under `untyped`, strings may mean others."""
        return None if self.coercion.reads_strings else tagged(branches)

    def tagged(
        self, name: str, branches: dict[str, Node], *, nullable: bool, coerces: bool
    ) -> CoreSchema:
        """A union of objects in which one property tells which of them is meant."""

        def union(coerces: bool) -> CoreSchema:  # noqa: FBT001
            choices: Any = {text: self.branch(node, coerces) for text, node in branches.items()}
            return cs.tagged_union_schema(choices, name)

        if not coerces:
            strict = union(coerces=False)
            return cs.nullable_schema(strict) if nullable else strict
        choices = self.containers(union(coerces=False), union(coerces=True), nullable=nullable)
        if nullable and self.coercion.null_words:
            choices.append(NULL_WORD)
        return first_of(choices)

    def branch(self, node: Node, coerces: bool) -> CoreSchema:  # noqa: FBT001
        """A reference to an object, of which the coercing one reads its properties only."""
        self.note(node)
        return self.defined(node, "object", coerces, lambda: self.object(node, coerces=coerces))

    def judged(self, branches: tuple[Node, ...]) -> CoreSchema:
        """A union of containers: pydantic-core would look at all of every branch, and of theirs."""
        self.settled = False
        verdicts = [self.judge(node.place) for node in branches if not node.never]
        return judged(verdicts, allow_inf_nan=self.coercion.allow_inf_nan)

    # --------------------------------------------------------------------- own assertions
    def assertions(self, node: Node, *, coerces: bool) -> CoreSchema:
        """What a node says itself: a type with its bounds, or several, or choices."""
        if node.choices is not None:
            return self.choices(node)
        if node.types is None:
            return self.untyped(node, coerces=coerces)
        wanted = _one_type(node)
        if wanted is None:
            kinds = [kind for kind in node.types if kind != "integer" or "number" not in node.types]
            if self.coercion.reads_strings and "string" in kinds:
                kinds.remove("string")
            return first_of([self.strict(node, kind, coerces=False) for kind in kinds] or [NULL])
        kind, nullable = wanted
        if nullable and kind == "string" and self.coercion.reads_strings:
            return NULL
        strict = self.strict(node, kind, coerces=False)
        if not coerces:
            return cs.nullable_schema(strict) if nullable else strict
        return first_of(self.readings(node, kind, strict, nullable=nullable))

    def readings(
        self, node: Node, kind: str, strict: CoreSchema, *, nullable: bool
    ) -> list[CoreSchema]:
        """The strict type, and behind it what may be read as it."""
        if kind in _CONTAINERS:
            coercing = self.defined(
                node, kind, True, lambda: self.strict(node, kind, coerces=True)  # noqa: FBT003
            )  # fmt: skip
            choices = self.containers(strict, coercing, nullable=nullable)
        else:
            choices = [cs.nullable_schema(strict) if nullable else strict]
            lossless = kind == "integer" or "integer" not in (node.types or ())
            if kind in _JSON_SCALARS and lossless and self.coercion.json_text:
                choices.append(cs.json_schema(strict))
        for function in before_functions(node, self.coercion):
            target = NULL if function is null_word else strict
            choices.append(cs.no_info_before_validator_function(function, target))
        return choices

    def containers(
        self, strict: CoreSchema, coercing: CoreSchema, *, nullable: bool
    ) -> list[CoreSchema]:
        """A container as it is, as text, and part by part."""
        # one strict attempt on the way down, or they would multiply
        choices = [] if self.within else [strict]
        if self.coercion.json_text:  # the likelier mistake, and told at once from the other
            choices.append(cs.json_schema(coercing))
        choices.append(coercing)
        if nullable:
            choices[0:1] = [cs.nullable_schema(choices[0])]
        return choices

    def untyped(self, node: Node, *, coerces: bool) -> CoreSchema:
        """No type: its assertions hold for the types they speak of, the others are free."""
        spoken = {
            "object": node.speaks_of_objects(),
            "array": node.speaks_of_arrays(),
            "string": bool(node.lengths),
            "number": bool(node.bounds),
        }
        kinds = [kind for kind, speaks in spoken.items() if speaks]
        if not kinds:
            return self.open
        if self.coercion.reads_strings:
            return self.unread()
        free = frozenset(TYPES) - set(kinds)
        if "number" in kinds:
            free -= {"integer"}
        rest = open_schema(allow_inf_nan=self.coercion.allow_inf_nan, strings=True, kinds=free)
        return first_of([*(self.strict(node, kind, coerces=coerces) for kind in kinds), rest])

    def choices(self, node: Node) -> CoreSchema:
        """`enum` and `const`: literals, by type, since 1 equals True in Python."""
        if node.bounds or node.lengths or node.speaks_of_objects() or node.speaks_of_arrays():
            self.exact = False
        by_type: dict[str, list[Any]] = {}
        for choice in node.choices or ():
            kind = type_of(choice)
            if node.types is None or kind in node.types or (
                kind == "integer" and "number" in node.types
            ):  # fmt: skip
                by_type.setdefault(kind, []).append(choice)
            elif kind == "number":  # 1.0, where integers are wanted
                self.exact = False
                by_type.setdefault(kind, []).append(choice)
        if self.coercion.reads_strings and len(by_type) > 1:
            by_type.pop("string", None)
        return first_of(
            [self.literals(kind, values) for kind, values in by_type.items()] or [NEVER]
        )

    def literals(self, kind: str, values: list[Any]) -> CoreSchema:
        if kind == "null":
            return NULL
        if kind == "string":
            return cs.literal_schema(values)
        if kind == "boolean":
            return cs.chain_schema([BOOLEAN, cs.literal_schema(values)])
        if kind == "integer" and all(-MAX_INT <= value <= MAX_INT for value in values):
            return cs.chain_schema([INTEGER, cs.literal_schema(values)])
        return self.unread()

    # ------------------------------------------------------------------------ single types
    def strict(self, node: Node, kind: str, *, coerces: bool) -> CoreSchema:
        """One type and the assertions for it; below it, subschemas coerce or do not."""
        lowered: CoreSchema = getattr(self, kind)(node, coerces=coerces)
        return lowered

    def null(self, node: Node, *, coerces: bool) -> CoreSchema:  # noqa: ARG002
        return NULL

    def boolean(self, node: Node, *, coerces: bool) -> CoreSchema:  # noqa: ARG002
        return BOOLEAN

    def string(self, node: Node, *, coerces: bool) -> CoreSchema:  # noqa: ARG002
        lengths: Any = node.lengths
        return cs.str_schema(strict=True, **lengths) if lengths else STRING

    def integer(self, node: Node, *, coerces: bool) -> CoreSchema:  # noqa: ARG002
        if not node.bounds:
            return INTEGER
        bounds: dict[str, Any] = {}
        for name, bound in node.bounds.items():
            if isinstance(bound, float):
                if name == "multiple_of":
                    self.exact = False
                    continue
                # the nearest integers have the same effect on integers
                name, bound = _WHOLE_BOUNDS[name](bound)  # noqa: PLW2901
            if name in bounds:
                bound = (max if name == "ge" else min)(bound, bounds[name])  # noqa: PLW2901
            bounds[name] = bound
        return cs.int_schema(strict=True, **bounds)

    def number(self, node: Node, *, coerces: bool) -> CoreSchema:
        inf_nan = self.coercion.allow_inf_nan
        if not node.bounds:
            return NUMBERS[inf_nan]
        bounds = dict(node.bounds)
        if "multiple_of" in bounds:  # pydantic-core allows for rounding there
            del bounds["multiple_of"]
            self.exact = False
        for name, bound in node.bounds.items():
            if isinstance(bound, int) and abs(bound) > EXACT_FLOATS:
                bounds.pop(name, None)
                self.exact = False
        # as a float, an integer beyond these might slip through a bound that it exceeds; floats
        # as great are left to the search
        bounds["lt"] = min(bounds.get("lt", EXACT_FLOATS), EXACT_FLOATS)
        bounds["gt"] = max(bounds.get("gt", -EXACT_FLOATS), -EXACT_FLOATS)
        floats = cs.float_schema(strict=True, allow_inf_nan=inf_nan, **bounds)
        return cs.union_schema([floats, self.integer(node, coerces=coerces)], mode="smart")

    def array(self, node: Node, *, coerces: bool) -> CoreSchema:
        items = self.open if node.items is None else self.node(node.items, coerces=coerces)
        if node.prefix:
            items = self.unread()
        sizes: Any = node.sizes
        return cs.list_schema(items, strict=True, **sizes)

    def object(self, node: Node, *, coerces: bool) -> CoreSchema:
        fields = {
            name: self.field(node, name, child, coerces=coerces)
            for name, child in node.properties.items()
        }
        extra = self.open
        if node.patterns:
            self.unread()
        elif node.additional is not None:
            extra = self.node(node.additional, coerces=coerces)
        for name in node.required - node.properties.keys():
            fields[name] = cs.typed_dict_field(extra)
        if node.additional is not None and node.additional.never and not node.patterns:
            return cs.typed_dict_schema(fields, strict=True, extra_behavior="forbid")
        return cs.typed_dict_schema(
            fields, strict=True, extra_behavior="allow", extras_schema=extra
        )

    def field(self, node: Node, name: str, child: Node, *, coerces: bool) -> cs.TypedDictField:
        """A property; one that a pattern describes too is left to jsonschema-rs."""
        schema = self.open if node.patterns else self.node(child, coerces=coerces)
        required = name in node.required
        if coerces and not required and self.coercion.drop_null and not child.accepts("null"):
            flat = schema["type"] == "union" and schema.get("mode") == "left_to_right"
            choices: Any = schema["choices"] if flat else [schema]
            schema = first_of([*choices, OMIT])
        return {"type": "typed-dict-field", "schema": schema, "required": required}


_WHOLE_BOUNDS: dict[str, Callable[[float], tuple[str, int]]] = {
    "ge": lambda bound: ("ge", math.ceil(bound)),
    "gt": lambda bound: ("ge", math.floor(bound) + 1),
    "le": lambda bound: ("le", math.floor(bound)),
    "lt": lambda bound: ("le", math.ceil(bound) - 1),
}
