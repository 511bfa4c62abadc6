"""What a refusal costs: no more than a few times what accepting arguments of that size costs.

The costs are counted, or limited in a process of their own: processor time and memory, never the
time on the clock.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import costly
import mixtures
import pytest
from hypothesis import given, strategies as st
from pydantic_core import ValidationError

from schema2model import Coercion, SchemaError, ToolError, compile_schema
from schema2model.coerce.search.bulk import BulkValidator
from schema2model.coerce.search.reader import Reader
from schema2model.errors import Issue
from schema2model.json import names
from schema2model.schema.nodes import Node


def told(ask: Callable[[Any], Any], given: Any) -> Any:
    """The problems and the message of a refusal; None of arguments that can be read."""
    try:
        ask(given)
    except ToolError as error:
        return str(error), error.issues, [(i.expected, i.example) for i in error.issues]
    return None


def nested(random: Random) -> dict[str, Any]:
    """A schema of an object as tools have it, of properties that are thrown together."""
    inner = mixtures.document(random)
    made = {
        "type": "object",
        "properties": {
            "a": {name: value for name, value in inner.items() if name != "$defs"},
            "b": {"type": "array", "items": mixtures.schema(random)},
            "ab": mixtures.schema(random, 1),
        },
        "$defs": inner.get("$defs", {name: {"type": "integer"} for name in mixtures.NAMES}),
    }
    if random.randrange(2):
        made["required"] = ["a", "x"]
    if random.randrange(2):
        made["additionalProperties"] = False
    return made


TRIES = 200
"""Pairs of a schema and a value of which at least one is refused: one in five is."""


@given(seed=st.integers(0, 2**32), apart=st.booleans())
def test_a_value_and_its_text_are_refused_alike(seed: int, *, apart: bool) -> None:
    """The same arguments are refused, with the same problems in the same words."""
    random = Random(seed)  # noqa: S311 - to draw schemas
    for _ in range(TRIES):
        schema = nested(random) if apart else mixtures.document(random)
        coercion = random.choice((Coercion.default, Coercion.off, mixtures.coercion(random)))
        try:
            compiled = compile_schema(schema, coercion=coercion)
        except SchemaError:
            continue
        value = mixtures.near(random, schema, schema)
        refused = told(compiled.validate, value) if type(value) is dict else None
        if refused is not None:
            assert told(compiled.validate_json, json.dumps(value)) == refused
            return
    pytest.fail("nothing was refused")


@contextmanager
def searched() -> Iterator[list[Node]]:
    """The nodes under which values are searched meanwhile, each time that one is."""
    nodes: list[Node] = []
    search = Reader._search

    def noted(self: Reader, node: Node, *args: Any, **keywords: Any) -> Any:
        nodes.append(node)
        return search(self, node, *args, **keywords)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Reader, "_search", noted)
        yield nodes


@pytest.mark.parametrize("way", ["validate", "explain"])
@pytest.mark.parametrize("coercion", ["default", "forgiving", "lenient", "untyped"])
@pytest.mark.parametrize("bad", [0, 40, 1_999])
@pytest.mark.parametrize("kind", ["array", "object"])
def test_one_bad_member_of_many_that_can_be_read_is_told(
    kind: str, bad: int, coercion: Any, way: str
) -> None:
    """Only that one is searched, and only that one is blamed."""
    many = {"type": kind, "items": costly.ITEM, "additionalProperties": costly.ITEM}
    compiled = compile_schema({"properties": {"v": many}}, coercion=coercion)
    members = [{"id": str(index), "name": "a"} for index in range(2_000)]
    members[bad]["id"] = "ten"
    sent = members if kind == "array" else {str(key): each for key, each in enumerate(members)}
    with searched() as searches:
        if way == "explain":
            error = compiled.explain({"v": sent}).error
            assert error is not None
        else:
            with pytest.raises(ToolError) as raised:
                compiled.validate({"v": sent})
            error = raised.value
    assert [issue.path for issue in error.issues] == [f"/v/{bad}/id"]
    assert len(searches) < 60


@pytest.mark.parametrize(
    ("item", "at"),
    [
        pytest.param({"p7_0": "1"}, None, id="read"),
        pytest.param({"p7_0": "ten"}, "/v/0/p7_0", id="refused"),
        pytest.param({"p7_0": 1, "q": 1}, "/v/0/q", id="a name too many"),
        pytest.param({"p7_1": 1}, "/v/0/p7_0", id="a name too few"),
    ],
)
def test_of_many_branches_only_those_that_the_names_fit_are_searched(item: Any, at: Any) -> None:
    """A union of objects costs what its nearest branch costs."""
    items = {"oneOf": [costly.closed(number) for number in range(200)]}
    compiled = compile_schema({"properties": {"v": {"type": "array", "items": items}}})
    with searched() as searches:
        result = compiled.explain({"v": [item]})
    assert [issue.path for issue in result.error.issues] == [at] if result.error else at is None
    assert len({*searches}) < 10


@pytest.mark.parametrize("coercion", ["forgiving", "lenient", "untyped"])
@pytest.mark.parametrize("many", [["z"] * 5_000, {f"k{i}": "z" for i in range(5_000)}], ids=type)
def test_behind_enough_refused_members_no_more_are_read(coercion: Any, many: Any) -> None:
    """Where the search has to tell, too, it reads few more members than are told of."""
    integer = {"type": "integer"}
    schema = {"properties": {"v": {"items": integer, "additionalProperties": integer}}}
    compiled = compile_schema(schema, coercion=coercion)
    with searched() as searches, pytest.raises(ToolError):
        compiled.validate({"v": many})
    assert len(searches) < 200


@pytest.mark.parametrize("size", [10, 200])
def test_of_two_branches_that_is_told_of_which_reads_the_most(size: int) -> None:
    """What is read as it was sent does not count, however many members there are."""
    read = {**costly.ITEM, "minProperties": 1}
    branches = [{"type": "array", "items": read}, {"type": "object", "items": {"type": "object"}}]
    sent = [*({"id": 1} for _ in range(size)), {"id": "1"}, 5]
    with pytest.raises(ToolError) as refused:
        compile_schema({"properties": {"u": {"anyOf": branches}}}).validate({"u": sent})
    assert [issue.path for issue in refused.value.issues] == [f"/u/{size + 1}"]


@pytest.mark.parametrize("coercion", ["default", "forgiving"])
@pytest.mark.parametrize(
    ("said", "path"),
    [
        ({"uniqueItems": True}, "/v"),
        ({"maxItems": 299}, "/v"),
        ({"allOf": [{"minItems": 9}]}, None),
    ],
    ids=str,
)
def test_what_refuses_a_container_costs_no_search_of_its_members(
    said: Any, path: str | None, coercion: Any
) -> None:
    """They are read by pydantic-core, and the container is judged before it is searched."""
    schema = {"properties": {"v": {"type": "array", "items": costly.ITEM, **said}}}
    sent = [{"id": str(number)} for number in (*range(298), 5)]
    sent += [{"id": "5"}] if path else [{"id": "x"}]
    with searched() as searches:
        error = compile_schema(schema, coercion=coercion).explain({"v": sent}).error
    assert error is not None
    assert [issue.path for issue in error.issues] == [path or "/v/299/id"]
    assert len(searches) < 60


def test_a_member_under_a_union_is_reported_by_its_nearest_branch() -> None:
    """Also if the other members have readings, and only the invalid ones are searched."""
    branches = [
        {"properties": {"n": {"type": "integer"}}, "required": ["n", name]} for name in "ab"
    ]
    schema = {"properties": {"u": {"anyOf": branches}, "i": {"type": "integer"}}}
    with pytest.raises(ToolError) as refused:
        compile_schema(schema).validate({"u": {"n": "x", "a": 1}, "i": "1"})
    assert [issue.path for issue in refused.value.issues] == ["/u/n"]


def test_a_property_that_a_rule_omits_is_free_for_an_unknown_name() -> None:
    """An optional null is left out: then an unknown name may mean that property."""
    properties = {"limit": {"type": "integer"}, "query": {"type": "string"}}
    schema = {"properties": properties, "additionalProperties": False}
    with pytest.raises(ToolError, match='rename "limits" to "limit"'):
        compile_schema(schema).validate({"limit": None, "limits": 1})


def test_an_example_of_an_issue_is_its_own() -> None:
    """Who changes it changes no later issue."""
    inner = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    compiled = compile_schema({"properties": {"o": inner}})
    for _ in range(2):
        with pytest.raises(ToolError) as refused:
            compiled.validate({"o": 5})
        (issue,) = refused.value.issues
        assert issue.example == {"a": 1}
        issue.example["a"] = "changed"


def test_names_that_were_sent_are_not_kept() -> None:
    """They may be secrets, and outlive the call in no cache."""
    names.read_once.cache_clear()
    with pytest.raises(ToolError):
        compile_schema({"required": ["city"]}).validate({"a_secret_key": 1, "other": 2})
    assert not names.read_once.cache_info().currsize


def test_names_that_raise_are_no_arguments() -> None:
    """They are not looked up before their type is known."""

    class Name(str):
        __slots__ = ()

        def __hash__(self) -> int:
            return hash("kind")

        def __eq__(self, other: object) -> bool:
            raise RuntimeError

    branches = [
        {"type": "object", "properties": {"kind": {"const": kind}}, "required": ["kind"]}
        for kind in "ab"
    ]
    assert compile_schema({"anyOf": branches}).explain({Name("zz"): 1}).error is not None


@pytest.mark.parametrize("values", [range(5_000), map(str, range(5_000))], ids=["int", "str"])
def test_what_pydantic_core_says_of_many_choices_is_short(values: Any) -> None:
    """Its errors name none of them, nor do the ways to where they stand: hints cost little."""
    choice = {"enum": [*values]}
    engine = compile_schema({"properties": {"v": {"type": "array", "items": choice}}})._engine
    for _ in range(2):  # it coerces from the second time on
        with pytest.raises(ToolError):
            engine.recover({"v": ["wrong"]})
    with pytest.raises(ValidationError) as refused:
        engine.accept({"v": ["wrong"]})
    assert len(str(refused.value)) < 2_000


def test_a_word_is_compared_with_all_choices_or_with_none() -> None:
    """One that is like the first few of thousands may be likelier another."""
    for many, told in ((100, True), (2_000, False)):
        names = [f"value{number}x" for number in range(many)]
        with pytest.raises(ToolError) as refused:
            compile_schema({"properties": {"v": {"enum": names}}}).validate({"v": "Value7x!"})
        assert ("did you mean" in str(refused.value)) is told


def test_the_one_bad_leaf_of_a_recursive_tree_is_told() -> None:
    """What refers back to itself is followed as far as the value goes."""
    tree: dict[str, Any] = {
        "$ref": "#/$defs/tree",
        "$defs": {
            "tree": {
                "type": "object",
                "properties": {
                    "n": {"type": "integer"},
                    "below": {"type": "array", "items": {"$ref": "#/$defs/tree"}},
                },
            }
        },
    }
    leaves: list[Any] = [{"n": str(index)} for index in range(30)]
    leaves[20] = {"n": "ten"}
    with pytest.raises(ToolError) as raised:
        compile_schema(tree).validate({"below": [{"n": "1", "below": leaves} for _ in range(2)]})
    assert [issue.path for issue in raised.value.issues] == [
        "/below/0/below/20/n",
        "/below/1/below/20/n",
    ]


NO_JSON = {
    "key": {1: 2},
    "set": {1},
    "bytes": b"[1]",
    "type": int,
    "object": object(),
    "nan": float("nan"),
    "integer": 10**5000,
}


@pytest.mark.parametrize("value", NO_JSON.values(), ids=NO_JSON)
def test_what_is_no_json_is_told_first(value: Any) -> None:
    """Whatever else is wrong with the arguments."""
    schema = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {}}}
    compiled, sent = compile_schema(schema), {"a": "ten", "b": value}
    with pytest.raises(ToolError) as raised:
        compiled.validate(sent)
    assert [issue.keyword for issue in raised.value.issues] == ["json"]
    assert str(compiled.explain(sent).error) == str(raised.value)


@pytest.fixture(scope="module")
def measure() -> Iterator[Callable[..., int | str]]:
    """Return a function that says what a case takes, or how it ends."""
    with subprocess.Popen(  # noqa: S603 - our own code
        [sys.executable, costly.__file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        asked, told = process.stdin, process.stdout
        assert asked is not None
        assert told is not None

        def ask(*case: str) -> int | str:
            asked.write(json.dumps(case).encode() + b"\n")
            asked.flush()
            outcome: int | str = json.loads(told.readline())
            return outcome

        yield ask


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits on Windows")
@pytest.mark.parametrize("way", ["validate", "validate_json"])
@pytest.mark.parametrize("name", costly.CASES)
def test_a_refusal_of_much_is_bounded(
    measure: Callable[..., int | str], name: str, way: str
) -> None:
    """It takes less than 100 MB besides what parsing a text takes, and seconds at most."""
    used = measure(name, way)
    assert isinstance(used, int), used
    assert used < 100


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "array", "items": {"type": "integer"}}, ["x"] * 50_000),
        ({"properties": {"a": {"items": {"type": "integer"}}}}, {"a": ["x"] * 50_000}),
        (
            {"type": "object", "additionalProperties": {"type": "integer"}},
            {f"k{number}": "x" for number in range(50_000)},
        ),
    ],
    ids=["root array", "property", "root object"],
)
def test_of_many_wrong_members_only_the_reported_are_validated_one_by_one(
    schema: Any, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Arrays and objects at the root are refused as cheaply as those in properties."""
    validate, counted = BulkValidator._validate, []

    def counting(bulk: BulkValidator, node: Node, members: Any) -> Any:
        counted.append(len(members))
        return validate(bulk, node, members)

    monkeypatch.setattr(BulkValidator, "_validate", counting)
    with pytest.raises(ToolError):
        compile_schema(schema).validate(value)
    assert len(counted) < 500


LINE_OR_MARK = {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^x"}]}


@pytest.mark.parametrize(
    ("item", "wrong", "readable"),
    [
        pytest.param(LINE_OR_MARK, [1], "1", id="array"),
        pytest.param(LINE_OR_MARK, None, "1", id="null"),
        pytest.param(LINE_OR_MARK, {"line": 1}, "1", id="object"),
        pytest.param(
            {"type": "object", "properties": {"a": LINE_OR_MARK, "b": {"type": "integer"}}},
            {"a": "y", "b": "1"},
            {"a": "1", "b": "1"},
            id="property beside one that is read",
        ),
    ],
)
@pytest.mark.parametrize("kind", ["array", "object"])
def test_a_member_is_refused_alike_among_few_and_among_many(
    kind: str, item: Any, wrong: Any, readable: Any
) -> None:
    """Only what has no reading is told, as it was sent."""
    members = {"array": {"items": item, "maxItems": 501}, "object": {"additionalProperties": item}}
    compiled = compile_schema({"properties": {"v": {"type": kind, **members[kind]}}})

    def refused(count: int) -> tuple[Issue, ...]:
        values = [wrong] + [readable] * count
        sent = values if kind == "array" else {str(key): v for key, v in enumerate(values)}
        with pytest.raises(ToolError) as raised:
            compiled.validate({"v": sent})
        return raised.value.issues

    assert len(refused(5)) == 1
    assert refused(500) == refused(5)


def test_integers_of_any_length_are_no_faults_beside_one() -> None:
    """Only what no rule reads is named, however many long integers are around it."""
    items = ["x"] + [2**63 if index % 2 else "7" for index in range(100)]
    schema = {"properties": {"a": {"type": "array", "items": {"type": "integer"}}}}
    with pytest.raises(ToolError) as raised:
        compile_schema(schema).validate({"a": items})
    assert [issue.path for issue in raised.value.issues] == ["/a/0"]
