"""`compile_schema` compiles an equal schema once, and what it returns is safe to share."""

from __future__ import annotations

import copy
import gc
import pickle
import subprocess
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from schema2model import Coercion, CompiledSchema, ToolError, compile_schema
from schema2model.cache import set_cache_size
from schema2model.coerce.engine import Validators
from schema2model.limits import MAX_CACHE_SIZE, MAX_CACHED_SCHEMAS, MAX_CACHED_SUBSCHEMAS

SCHEMA: dict[str, Any] = {
    "title": "cached",
    "type": "object",
    "properties": {"n": {"type": "integer"}, "tags": {"type": "array", "items": {}}},
    "required": ["n"],
}


def test_equal_content_gives_the_same_object() -> None:
    """However the schema was built, and whether its parts are shared."""
    part = {"type": "string"}
    shared = {"properties": {"a": part, "b": part}}
    spelled = {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
    assert compile_schema(shared) is compile_schema(spelled)
    assert compile_schema(SCHEMA) is compile_schema(copy.deepcopy(SCHEMA))
    assert compile_schema(SCHEMA) is compile_schema(type("Plain", (dict,), {})(SCHEMA))


def test_options_that_mean_the_same_give_the_same_object() -> None:
    """A preset by name or by value, a dialect by name or URI."""
    assert compile_schema(SCHEMA, coercion="lenient") is compile_schema(
        SCHEMA, coercion=Coercion.lenient
    )
    assert compile_schema(SCHEMA, coercion=Coercion()) is compile_schema(SCHEMA)
    assert compile_schema(SCHEMA, dialect="draft-07") is compile_schema(
        SCHEMA, dialect="http://json-schema.org/draft-07/schema#"
    )
    assert compile_schema(SCHEMA, resources={}) is compile_schema(SCHEMA)


@pytest.mark.parametrize(
    "options",
    [
        {"coercion": "off"},
        {"coercion": Coercion(json_text=False)},
        {"dialect": "draft-07"},
        {"name": "other"},
        {"formats": "assert"},
        {"resources": {"http://a.test/": {}}},
    ],
    ids=lambda options: next(iter(options)),
)
def test_every_option_is_part_of_the_key(options: Any) -> None:
    """None of them leaks into another's schema."""
    assert compile_schema(SCHEMA, **options) is not compile_schema(SCHEMA)
    assert compile_schema(SCHEMA, **options) is compile_schema(SCHEMA, **options)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param({"const": 1}, {"const": True}, id="one_and_true"),
        pytest.param({"const": 1}, {"const": 1.0}, id="one_and_its_float"),
        pytest.param({"const": 0.0}, {"const": -0.0}, id="zeros"),
        pytest.param({"const": [0]}, {"const": [False]}, id="inside"),
        pytest.param({"const": ""}, {"const": None}, id="nothings"),
        pytest.param({"maxLength": 1}, {"minLength": 1}, id="keywords"),
        pytest.param(True, {}, id="true_and_empty"),
        pytest.param(True, False, id="booleans"),
        pytest.param(
            {"properties": {"a": {}, "b": {}}}, {"properties": {"b": {}, "a": {}}}, id="order"
        ),
    ],
)
def test_what_python_takes_for_equal_is_told_apart(one: Any, other: Any) -> None:
    """1 is not true, and the order of properties is something to keep."""
    assert compile_schema(one) is not compile_schema(other)
    assert repr(compile_schema(one).schema) == repr(one)
    assert repr(compile_schema(other).schema) == repr(other)


def test_changing_a_schema_afterwards_changes_nothing() -> None:
    """It was copied; and what is handed out again is a copy, too."""
    schema = copy.deepcopy(SCHEMA)
    compiled = compile_schema(schema)
    schema["properties"]["n"]["type"] = "string"
    assert compiled.validate({"n": 1}) == {"n": 1}
    assert compiled.schema == SCHEMA
    handed_out: Any = compiled.schema
    handed_out["properties"].clear()
    assert compiled.schema == SCHEMA
    handed_out = compiled.model.model_json_schema()
    handed_out["properties"].clear()
    assert compiled.model.model_json_schema() == SCHEMA
    assert compile_schema(schema) is not compiled
    assert compile_schema(SCHEMA) is compiled


def test_the_cache_is_bounded() -> None:
    """A server that makes up schemas does not fill the memory."""
    first = compile_schema({"const": "bounded"})
    for number in range(MAX_CACHED_SCHEMAS + 1):
        compile_schema({"const": f"bounded {number}"})
    assert compile_schema({"const": "bounded"}) is not first


def test_the_cache_is_bounded_by_the_size_of_schemas() -> None:
    """Few large schemas take as much memory as many small ones."""

    def large(number: int) -> dict[str, Any]:
        return {"const": f"{number}" + "x" * 10_000}

    try:
        set_cache_size(25_000)
        first = compile_schema(large(0))
        assert compile_schema(large(0)) is first
        compile_schema(large(1))
        assert compile_schema(large(0)) is first
        compile_schema(large(2))
        assert compile_schema(large(0)) is first
        assert compile_schema(copy.deepcopy(large(0))) is first
        for number in range(3, 6):
            compile_schema(large(number))
        kept = weakref.ref(first)
        del first
        gc.collect()
        assert kept() is None
    finally:
        set_cache_size(MAX_CACHE_SIZE)
    for wrong in (-1, 1.5, "1", True):
        with pytest.raises(ValueError, match="max_size is a number of bytes"):
            set_cache_size(wrong)  # type: ignore[arg-type]


def test_the_cache_is_bounded_by_the_number_of_subschemas() -> None:
    """Which memory grows with: few schemas of many parts do not stay. The last one does."""

    def parts(number: int) -> dict[str, Any]:
        return {"properties": {f"p{number}_{n}": {} for n in range(MAX_CACHED_SUBSCHEMAS // 2)}}

    first = compile_schema(parts(0))
    assert compile_schema(parts(0)) is first
    last = compile_schema(parts(1))
    assert compile_schema(parts(1)) is last
    assert compile_schema(parts(0)) is not first


def test_an_error_is_not_remembered_as_a_schema() -> None:
    """It is raised every time."""
    for _ in range(2):
        with pytest.raises(ValueError, match="whole"):
            compile_schema({"type": "whole"})


@pytest.mark.parametrize("coercion", ["", "strict", "DEFAULT", None, 1, [], {}])
def test_an_unknown_coercion_is_refused(coercion: Any) -> None:
    """With the names that there are."""
    with pytest.raises(ValueError, match="default, off, untyped, forgiving, lenient"):
        compile_schema({}, coercion=coercion)


def test_a_misspelt_coercion_names_the_one_that_is_meant() -> None:
    """And not all of them."""
    with pytest.raises(ValueError, match="unknown coercion 'lenience'; did you mean 'lenient'"):
        compile_schema({}, coercion="lenience")  # type: ignore[arg-type]


def test_threads_may_race() -> None:
    """For the cache, the coercing schema and the model: everybody gets the same answers."""
    start = threading.Barrier(8)

    def work(number: int) -> tuple[CompiledSchema, Any, Any]:
        start.wait()
        compiled: Any = None
        for step in range(50):
            schema = {**SCHEMA, "title": f"racing {step}"}
            compiled = compile_schema(schema)
            assert compiled.validate({"n": str(number), "tags": "[1]"}) == {
                "n": number,
                "tags": [1],
            }
            assert compiled.model.model_validate({"n": str(number)}).model_dump() == {"n": number}
            with pytest.raises(ToolError):
                compiled.validate({"n": "x"})
        return compiled, compiled.model, compiled.schema

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(work, range(8)))
    again = compile_schema({**SCHEMA, "title": "racing 49"})
    assert all(schema == again.schema for _, _, schema in results)
    for compiled, model, _ in results:
        assert compiled.model is model


def test_threads_that_race_for_the_coercing_schema_leave_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of a schema that refers to itself: later calls are not refused by that of each thread."""
    schema = {"title": "raced", "properties": {"a": {"$ref": "#"}, "n": {"type": "integer"}}}
    engine = compile_schema(schema)._engine
    lowered, overtaken, asked = engine._lowered, [False], []

    def lower(*, coerces: bool) -> Any:
        if not overtaken[0]:
            overtaken[0] = True
            assert engine.recover({"n": "1"}) == {"n": 1}  # as another thread
        accept, accept_json = lowered(coerces=coerces)

        def counted(value: Any) -> Any:
            asked.append(value)
            return accept(value)

        return Validators(counted, accept_json)

    monkeypatch.setattr(engine, "_lowered", lower)
    assert engine.recover({"n": "2"}) == {"n": 2}
    asked.clear()
    with pytest.raises(ToolError):
        engine.validate({"n": "x"})
    assert len(asked) == 1


OPTIONS: list[dict[str, Any]] = [
    {},
    {"coercion": "lenient"},
    {"coercion": "off", "dialect": "draft-04"},
    {"coercion": Coercion.default.replace(boolean_words=False), "name": "other"},
    {"formats": "assert", "resources": {"http://a.test/": {"type": "null"}}},
    {"dialect": "gemini"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_it_can_be_pickled(options: Any, protocol: int) -> None:
    """Here it is found in the cache again."""
    compiled = compile_schema(SCHEMA, **options)
    assert pickle.loads(pickle.dumps(compiled, protocol)) is compiled  # noqa: S301
    assert copy.copy(compiled) is compiled
    assert copy.deepcopy(compiled) is compiled


def test_what_it_explains_can_be_pickled() -> None:
    """With its doubts, or with its error."""
    compiled = compile_schema({"properties": {"dryRun": {"type": "boolean"}}})
    for sent in ({"dry_run": True}, {"dryRun": "yes"}, {"dryRun": "perhaps"}):
        explanation = compiled.explain(sent)
        copied = pickle.loads(pickle.dumps(explanation))  # noqa: S301
        assert str(copied) == str(explanation)
        assert copied.doubts == explanation.doubts == copy.deepcopy(explanation).doubts
    assert compiled.explain({"dry_run": True}).doubts


def test_it_recompiles_on_the_other_side() -> None:
    """With the same schema and the same options."""
    sent = [compile_schema(SCHEMA, **options) for options in OPTIONS]
    program = (
        "import pickle, sys\n"
        "for line in sys.stdin.buffer.read().split():\n"
        "    compiled = pickle.loads(bytes.fromhex(line.decode()))\n"
        "    about = compiled.schema, compiled.dialect, compiled.coercion, compiled.name\n"
        "    print(pickle.dumps(about).hex())"
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", program],
        input="\n".join(pickle.dumps(compiled).hex() for compiled in sent),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    for options, compiled, line in zip(OPTIONS, sent, done.stdout.split(), strict=True):
        about = (compiled.schema, compiled.dialect, compiled.coercion, compiled.name)
        assert pickle.loads(bytes.fromhex(line)) == about, options  # noqa: S301


@pytest.mark.parametrize("name", ["name", "schema", "dialect", "coercion", "model", "_node", "new"])
def test_nothing_in_it_can_be_set(name: str) -> None:
    """It is shared by all who compile an equal schema."""
    compiled = compile_schema({**SCHEMA, "title": f"without {name}"})
    with pytest.raises(AttributeError):
        setattr(compiled, name, None)
    with pytest.raises(AttributeError):
        delattr(compiled, name)
    assert compiled.validate({"n": "1"}) == {"n": 1}
    assert compiled.name == f"without {name}"


def test_it_is_hashable_by_identity() -> None:
    """So that frameworks may keep things beside it."""
    one, other = compile_schema({"const": 1}), compile_schema({"const": 2})
    assert {one: 1, other: 2}[one] == 1
    assert one != other


def test_what_leaves_the_cache_is_freed_at_once() -> None:
    """Also after a refusal, and without a collection of garbage."""
    gc.disable()
    try:
        compiled = compile_schema({**SCHEMA, "title": "soon evicted"})
        with pytest.raises(ToolError):
            compiled.validate({"n": "x", "tags": [1]})
        verdicts = weakref.ref(compiled._engine.verdicts)
        set_cache_size(0)
        del compiled
        assert verdicts() is None
    finally:
        set_cache_size(MAX_CACHE_SIZE)
        gc.enable()
