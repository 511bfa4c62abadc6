"""From measurements to `benchmarks/results.md`, what it comes to, and the README's table."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.chart import Bar, chart
from benchmarks.documents import between_markers, table
from benchmarks.findings import PAGE, TABLES, findings
from benchmarks.results import Ratio, Results, growth
from benchmarks.schemas import CASES

__all__ = ["write", "write_readme"]

ROOT = Path(__file__).parent.parent
CHART = ROOT / "docs" / "benchmarks.svg"
README = ROOT / "README.md"

VALIDATE = "schema2model validate"
MODEL = "schema2model model_validate + model_dump"
HAND = "hand-written coercion"
BASE_MODEL = "hand-written BaseModel"
LIMIT = "limit: pydantic-core alone"
PACKAGES = (
    "pydantic-schema2model",
    "pydantic",
    "pydantic-core",
    "jsonschema-rs",
    "fastjsonschema",
    "jsonschema",
    "msgspec",
    "jiter",
    "json-repair",
    "json-schema-to-pydantic",
    "datamodel-code-generator",
    "pytest-benchmark",
    "pydantic-ai-slim",
    "langchain-core",
    "openai-agents",
    "mcp",
    "fastmcp",
)

_HEAD = """\
# All benchmark tables

Written by `python -m benchmarks`. Only ratios within one run mean anything: a cell is the ratio
of two medians over the rounds, and in brackets the ratios of their opposite quartiles. Of
{passes} passes, each benchmark counts as in the one that disturbed it least. Processor time is
measured, with the garbage collector off. Every benchmark first asserts that its result is right;
what gives another result is not timed, and its cell stays empty."""
_HOT_PATH = """\
## Python values in, arguments out

*Hand-written coercion* is the recursive function that plugin authors write: it reads strings by
the schema and validates nothing. *The limit* is a pydantic-core validator built by hand for
exactly these types, without any coercion: nothing that is native to pydantic can be faster. It
reads no stringified arguments, so those are compared with its time for correct ones. Contenders
named `is_valid` only answer yes or no."""
_TEXT = """\
## Argument text in, arguments out

Ratios to `json.loads` of the correct text. What ends in *alone* parses, and neither reads strings
by the schema nor validates."""
_MODELS = """\
## Models that people write

Correct data, as a ratio to the same models on pydantic's `BaseModel`. In a type that is no
`CoercingModel` itself, each instance costs a call of Python; data that the model refuses costs
more, as it is read by the model's schema then."""
_CALLS = """\
## Calls of typed functions

A function of a date, an enumeration, a model, a list and an integer is called with JSON text, as a
ratio to pydantic's `validate_json` of a model of these parameters and the call."""
_LARGE_TEXT = """\
## Malformed text of 43 KB

Ratios to `json.loads` of the correct text."""
_COMPILE = """\
## Compiling a schema that was never seen

Ratios to a bare `create_model` with as many fields, one level, no constraints."""
_CACHE = """\
## Finding a compiled schema again

`compile_schema` with a schema that was compiled before, as a ratio to
`json.dumps(schema, sort_keys=True)`, the usual key of a cache made by hand."""
_IMPORT = """\
## A new process

Importing, to the first result, as a ratio to importing pydantic alone."""
_MEMORY = """\
## Memory

Growth of the process for each distinct schema of a median tool (three properties, 537 bytes) that
is compiled and kept."""
_PARTIAL = """\
## Arguments that arrive in chunks

Milliseconds for a whole call of so many characters, as much of it as is known being asked for after
each chunk, and the exponent of growth over the last step: 1 is linear, 2 what parsing again after
each chunk comes to. Cells that would take minutes stay empty. Only `partial` reads values by a
schema, and shows none that it takes back."""
_SCALING = """\
## Scaling

Microseconds, and the exponent of growth over the last step: 1 is linear. Sent as text are all
values of the properties that are no strings, one number of each item and of each level, and one
number of the last branch."""


def write(results: Results, passes: int) -> None:
    """Write everything that is made from measurements."""
    document = _document(results, passes)
    TABLES.write_text(document, encoding="utf-8")
    between_markers(PAGE, "found", findings(document))
    title = "Calls, compared with hand-written coercion"
    CHART.write_text(chart(title, HAND, _panels(results)), encoding="utf-8")
    write_readme(results)


def write_readme(results: Results) -> None:
    """Write the README's table alone."""
    short = _short(results)
    print(short)
    between_markers(README, "benchmarks", short)


def _panels(results: Results) -> dict[str, list[Bar]]:
    """Everyone on the ordinary tool, and the library on every schema: also where it is slow."""
    panels: dict[str, list[Bar]] = {}
    for spelling in ("correct", "stringified"):
        case = f"{CASES[0]}, {spelling}"
        shown = [name for name in results.contenders("hot path", case) if name != HAND]
        ratios = [(name, results.ratio("hot path", case, name, HAND)) for name in shown]
        panel = f"an ordinary tool with seven parameters, {spelling} arguments"
        panels[panel] = [(name, ratio) for name, ratio in ratios if ratio]
    cases = [f"{case}, {spelling}" for spelling in ("correct", "stringified") for case in CASES]
    ratios = [(case, results.ratio("hot path", case, VALIDATE, HAND)) for case in cases]
    panels[f"{VALIDATE} on other schemas"] = [(case, ratio) for case, ratio in ratios if ratio]
    return panels


# -------------------------------------------------------------------------------- the document
def _document(results: Results, passes: int) -> str:
    parts = [
        _HEAD.format(passes=passes),
        _environment(results),
        "What they come to is on [one page with a chart](../docs/benchmarks.md).",
        _HOT_PATH,
        *_hot_path(results),
        _TEXT,
        _text(results),
        _LARGE_TEXT,
        _against(results, "large text", "json.loads of correct text"),
        _MODELS,
        _models(results),
        _CALLS,
        _against(results, "calls", "pydantic: validate_json, call"),
        _COMPILE,
        _against(results, "compile", "bare create_model"),
        _CACHE,
        _against(results, "cache", "json.dumps(sort_keys=True) alone"),
        _IMPORT,
        _against(results, "import", "import pydantic"),
        _MEMORY,
        _memory(results),
        _SCALING,
        *_growing(results, "scaling", 1e6),
        _PARTIAL,
        *_growing(results, "partial", 1e3),
    ]
    return "\n\n".join(parts) + "\n"


def _environment(results: Results) -> str:
    machine = results.machine
    brand = machine.get("cpu", {}).get("brand_raw") or machine.get("processor") or "unknown"
    commit = results.commit
    changed = ", with uncommitted changes" if commit.get("dirty") else ""
    rows = [
        ["date", results.datetime[:10]],
        ["machine", f"{brand}, {os.cpu_count()} cores, {machine['system']} {machine['machine']}"],
        ["Python", f"{platform.python_implementation()} {machine['python_version']}"],
        ["commit", f"{str(commit.get('id'))[:12]}{changed}"],
        *([name, _version(name)] for name in PACKAGES),
    ]
    return table(["", "this run"], rows)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _cell(ratio: Ratio | None) -> str:
    return "" if ratio is None else str(ratio)


def _hot_path(results: Results) -> list[str]:
    parts = []
    for base in (HAND, LIMIT, BASE_MODEL):
        for spelling in ("correct", "stringified"):
            cases = [f"{case}, {spelling}" for case in CASES]
            if base == BASE_MODEL and base not in results.contenders("hot path", cases[0]):
                continue  # which reads no text
            shown = [name for name in results.contenders("hot path", cases[0]) if name != base]
            rows = [
                [name, *(_cell(_hot_ratio(results, case, name, base)) for case in cases)]
                for name in shown
            ]
            parts.append(f"### {spelling.capitalize()} arguments, as a ratio to {_the(base)}")
            parts.append(table(["", *map(str, CASES)], rows))
    return parts


def _the(base: str) -> str:
    return "the limit on correct ones" if base == LIMIT else base


def _hot_ratio(results: Results, case: str, name: str, base: str) -> Ratio | None:
    """The limit reads no text: stringified calls are compared with its time for correct ones."""
    of_base = case.replace("stringified", "correct") if base == LIMIT else case
    one, other = results.get("hot path", case, name), results.get("hot path", of_base, base)
    return Ratio.of(one, other) if one and other else None


def _text(results: Results) -> str:
    base = results.get("text", "correct", "json.loads alone")
    cases = results.cases("text")
    rows = []
    for name in results.contenders("text"):
        measured = [results.get("text", case, name) for case in cases]
        rows.append([name, *(_cell(Ratio.of(m, base)) if m and base else "" for m in measured)])
    return table(["", *cases], rows)


def _against(results: Results, group: str, base: str) -> str:
    cases = results.cases(group)
    rows = [
        [name, *(_cell(results.ratio(group, case, name, base)) for case in cases)]
        for name in results.contenders(group)
        if name != base
    ]
    return table(["", *cases], rows)


def _models(results: Results) -> str:
    ratios = [
        [way, _cell(results.ratio("coercing models", way, "CoercingModel", "BaseModel"))]
        for way in results.cases("coercing models")
    ]
    return table(["", "CoercingModel"], ratios)


def _memory(results: Results) -> str:
    rows = []
    for name in results.contenders("memory"):
        measured = results.get("memory", "median tool", name)
        if measured:
            extra = measured.extra
            rows.append([name, f"{extra['schemas']:,}", f"{extra['KiB per schema']:.1f}"])
    return table(["", "schemas", "KiB for each"], rows)


def _growing(results: Results, group: str, per_second: float) -> list[str]:
    """A table of each case: contenders by sizes, in the unit of which there are so many."""
    parts = []
    for case in results.cases(group):
        sizes = results.sizes(group, case)
        rows = []
        for name in results.contenders(group, case):
            found = [results.get(group, case, name, size) for size in sizes]
            shown = [f"{m.median * per_second:,.1f}" if m else "" for m in found]
            exponent = growth(sizes, found)
            rows.append([name, *shown, "" if exponent is None else f"{exponent:.2f}"])
        parts.append(table([case, *(f"{size:,}" for size in sizes), "exponent"], rows))
    return parts


# ----------------------------------------------------------------------------- the README's table
def _short(results: Results) -> str:
    ordinary = str(CASES[0])
    hot = [
        ("`validate`, correct arguments", f"{ordinary}, correct", VALIDATE, LIMIT),
        ("`validate`, correct arguments", f"{ordinary}, correct", VALIDATE, HAND),
        ("`validate`, stringified arguments", f"{ordinary}, stringified", VALIDATE, HAND),
        ("`model_validate` + `model_dump`", f"{ordinary}, correct", MODEL, BASE_MODEL),
    ]
    rows = [
        [what, base, _cell(results.ratio("hot path", case, one, base))]
        for what, case, one, base in hot
    ]
    others = [
        ("`validate_json`, correct text", "text", "correct", "schema2model validate_json"),
        (
            "`Tool.call`, text of five typed arguments",
            "calls",
            "one call",
            "schema2model Tool.call",
        ),
        ("a new schema of three properties", "compile", "median tool", "schema2model"),
        ("import and first compile", "import", "a new process", "schema2model, first compile"),
    ]
    bases = {
        "text": "json.loads alone",
        "calls": "pydantic: validate_json, call",
        "compile": "bare create_model",
        "import": "import pydantic",
    }
    for what, group, case, one in others:
        base = bases[group]
        rows.append([what, base, _cell(results.ratio(group, case, one, base))])
    return table(["", "compared with", "time"], rows)
