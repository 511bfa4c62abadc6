"""The promises of generated code: no schema makes it do anything, or fail with a traceback."""

from __future__ import annotations

import ast
import socket
import subprocess
import sys
import tokenize
from collections.abc import Callable
from encodings.aliases import aliases
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pydantic import ValidationError

pytest.importorskip("datamodel_code_generator", reason="needs the extra codegen")

from generated import (
    EVIL,
    agreed,
    dumped,
    held,
    hostile_source,
    imported,
    mcp,
    model_of,
    properties,
)

from schema2model import SchemaError
from schema2model.apps import codegen
from schema2model.apps.codegen.identifiers import attribute_names, class_name
from schema2model.apps.codegen.module_source import module, tools_registry
from schema2model.apps.codegen.proof import prove
from schema2model.coercing_models.tool_models import ToolModel


# --------------------------------------------------------------------------------- hostile schemas
def test_no_text_of_a_schema_becomes_code(tmp_path: Path) -> None:
    """Whatever is written in names, titles, descriptions, defaults and enums, none of it runs."""
    source = hostile_source()
    (tmp_path / "generated.py").write_text(source)
    (tmp_path / "canary.py").write_text("raise SystemExit('the canary has died')")
    program = (
        "import generated\n"
        "for model in generated.TOOLS.values():\n"
        "    model.model_rebuild()\n"
        "print(len(generated.TOOLS))"
    )
    done = subprocess.run(  # noqa: S603 - this Python
        [sys.executable, "-W", "error", "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{len(EVIL) + 2}\n", "")
    assert not {"\u202e", "\u2028", "\x85", "\0", "\r"} & {*source}


def test_texts_are_kept() -> None:
    """Names, choices, defaults and descriptions are what the schema says."""
    model = imported(hostile_source())["TOOLS"]["everywhere"]
    assert held(model) == EVIL
    call = dict.fromkeys(EVIL, "b") | {"_": "_"}
    assert dumped(model.model_validate(call)) == call
    with pytest.raises(ValidationError):
        model.model_validate({**call, "_": "c"})


EXTENSIONS: dict[str, Any] = {
    "customTypePath": "canary.Type",
    "customBasePath": "canary.Base",
    "customTypeName": "canary",
    "x-python-type": "canary.Type",
    "x-python-import": {"module": "canary", "name": "Type"},
    "default_factory": "canary.make",
    "serialization_alias": "canary",
    "x-is-base-class": True,
    "x-is-classvar": True,
    "x-propertyNames": {"type": "canary"},
    "x-enum-varnames": ["canary", "__init__"],
    "x-enumNames": ["canary"],
    "x-enum-descriptions": ["canary"],
    "x-enum-field-as-literal": "canary",
    "x-datamodel-code-generator-read-as-const": "canary",
    "typeOverrides": {"a": "canary.Type"},
    "discriminator": {"propertyName": "a", "mapping": {"a": "canary.json"}},
    "$anchor": "canary",
    "$comment": "canary",
    "contentEncoding": "canary",
    "contentMediaType": "canary/x",
    "format": "canary",
    "examples": ["canary"],
    "$vocabulary": {"https://example.com/canary": True},
    "xml": {"name": "canary"},
    "externalDocs": {"url": "file:///canary"},
    "nullable": "canary",
}
"""What datamodel-code-generator, or a later version of it, might read as more than a schema."""


@pytest.mark.parametrize("keyword", EXTENSIONS)
def test_extensions_of_the_generator_do_not_reach_it(keyword: str) -> None:
    """At the top, in a property, in items, in a definition: it makes no difference to classes."""

    def at(place: str) -> dict[str, Any]:
        value = EXTENSIONS[keyword]
        return {keyword: f"{value}-{place}" if keyword == "$anchor" else value}

    def schema(more: Callable[[str], dict[str, Any]]) -> Any:
        items = {**properties(c={"enum": ["x"], **more("c")}), **more("b")}
        return {
            **properties(
                a={"type": "string", **more("a")},
                b={"type": "array", "items": items},
                d={"$ref": "#/$defs/D"},
            ),
            "$defs": {"D": {**properties(e={"type": "integer"}), **more("D")}},
            **more("root"),
        }

    with_it = _without_schemas(codegen.generate([mcp("tool", schema(at))]))
    assert with_it == _without_schemas(codegen.generate([mcp("tool", schema(lambda _: {}))]))
    assert "canary" not in with_it


def _without_schemas(source: str) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "__schema__":
            node.value = None
    return ast.unparse(tree)


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """No connection can be made."""

    def refuse(*_: Any) -> None:
        pytest.fail("a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize(
    "reference",
    [
        "http://127.0.0.1:1/a.json",
        "file:///etc/passwd",
        "/etc/passwd",
        "other.json#/a",
        "../a.json",
    ],
)
def test_no_document_is_fetched(reference: str) -> None:
    """A reference to another document is refused before the generator sees it."""
    with pytest.raises(SchemaError, match=r"a\.json|passwd|other\.json"):
        codegen.generate([mcp("tool", properties(p={"$ref": reference}))])


def _fan(levels: int) -> Any:
    """Types of which each refers to the next one twice."""
    definitions: dict[str, Any] = {str(levels): {"type": "string"}}
    for level in range(levels):
        below = {"$ref": f"#/$defs/{level + 1}"}
        either = [
            {"type": "array", "items": below},
            {"type": "object", "additionalProperties": below},
        ]
        definitions[str(level)] = {"anyOf": either}
    return {**properties(p={"$ref": "#/$defs/0"}), "$defs": definitions}


def _deep(levels: int) -> Any:
    schema: Any = {"type": "string"}
    for _ in range(levels):
        schema = properties(p=schema)
    return schema


REFUSED: dict[str, tuple[list[Any], str]] = {
    "not a definition": ([1], "is an object, got int"),
    "not of objects": ([mcp("tool", {"type": "array"})], "are not an object"),
    "of nothing": ([mcp("tool", False)], "are not an object"),  # noqa: FBT003
    "an invalid schema": ([mcp("tool", {"type": "whole"})], "unknown type"),
    "one name twice": ([mcp("tool", {}), mcp("tool", {})], 'two tools of the name "tool"'),
    "no tools": ([], "no tools"),
    "too deep": ([mcp("tool", _deep(150))], "levels of nesting"),
    "too wide": (
        [mcp("tool", properties(**{f"p{index}": {} for index in range(30_000)}))],
        "more than 20000 parts",
    ),
    "too many choices": (
        [mcp("tool", properties(p={"enum": [str(index) for index in range(30_000)]}))],
        "more than 20000 parts",
    ),
    "too much required": (
        [mcp("tool", {"required": [str(index) for index in range(30_000)]})],
        "more than 20000 parts",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_generated_is_an_error(name: str) -> None:
    """Never a traceback of something else, nor a module with less in it."""
    definitions, message = REFUSED[name]
    with pytest.raises(SchemaError, match=message):
        codegen.generate(definitions)


HARD: dict[str, Callable[[], Any]] = {
    "fan": lambda: _fan(60),
    "deep": lambda: _deep(40),
    "arrays of themselves": lambda: {
        **properties(p={"$ref": "#/$defs/l"}),
        "$defs": {"l": {"type": "array", "items": {"$ref": "#/$defs/l"}}},
    },
    "circle": lambda: {
        **properties(a={"$ref": "#/$defs/a"}),
        "$defs": {
            "a": properties(b={"$ref": "#/$defs/b"}),
            "b": properties(a={"$ref": "#/$defs/a"}, root={"$ref": "#"}),
        },
    },
    "union of many": lambda: properties(
        p={"anyOf": [properties(k={"const": index}) for index in range(300)]}
    ),
    "choices": lambda: properties(p={"enum": [str(index) for index in range(1000)]}),
}


@pytest.mark.parametrize("name", HARD)
def test_hard_schemas_are_generated(name: str) -> None:
    """What a module cannot spell out is `Any`, and still checked."""
    schema = HARD[name]()
    model = model_of(schema)
    assert agreed(model, schema, {}) == {}
    assert agreed(model, schema, {"p": []} if name == "arrays of themselves" else {"p": 0}) != {}


PROGRAMS: dict[str, str] = {
    "a call": "print()",
    "an import": "import os",
    "another name imported": "from typing import NewType",
    "a name imported as another": "from typing import Any as Literal",
    "a module beside it": "from .typing import Any",
    "a decorator": "@print\nclass A(ExactModel):\n    pass",
    "another base": "class A(os.PathLike):\n    pass",
    "two bases": "class A(ExactModel, ToolModel):\n    pass",
    "a keyword": "class A(ExactModel, metaclass=print):\n    pass",
    "a call as a keyword": "class A(ExactModel, coercion=print()):\n    pass",
    "a method": "class A(ExactModel):\n    def f(self): pass",
    "a call in a class": "class A(ExactModel):\n    print()",
    "a default that is called": "class A(ExactModel):\n    a: int = print()",
    "a default factory": "class A(ExactModel):\n    a: Annotated[int, Field(default_factory=a)]",
    "a call as an annotation": "class A(ExactModel):\n    a: print()",
    "text as an annotation": "class A(ExactModel):\n    a: list['print()']",
    "text in a union": "class A(ExactModel):\n    a: int | 'print()'",
    "an unknown type": "class A(ExactModel):\n    a: BaseModel",
    "an unknown generic": "class A(ExactModel):\n    a: ImportString[Any]",
    "an attribute": "class A(ExactModel):\n    a: os.PathLike",
    "another annotation": "class A(ExactModel):\n    a: Annotated[int, print]",
    "a call in a literal": "class A(ExactModel):\n    a: Literal[print()]",
    "an f-string": "class A(ExactModel):\n    f'{print()}'",
    "another assignment": "class A(ExactModel):\n    __slots__ = 'a'",
    "another setting": "class A(ExactModel):\n    model_config = ConfigDict(title='a')",
    "a walrus": "class A(ExactModel):\n    a: int = (b := 1)",
    "a schema with a call": "class A(ToolModel):\n    __schema__: ClassVar[Any] = {'a': f()}",
    "a schema of names": "class A(ToolModel):\n    __schema__: ClassVar[Any] = {'a': print}",
    "another registry": "TOOLS: dict[str, Any] = {}",
    "a registry of others": "TOOLS: dict[str, type[CoercingModel]] = {'a': print}",
    "a registry of calls": "TOOLS: dict[str, type[CoercingModel]] = {'a': print()}",
    "a registry of another class": "COMPONENTS: dict[str, type[CoercingModel]] = {}",
    "a document with a call": "bind_document(COMPONENTS, {'a': print()})",
    "a document of names": "bind_document(COMPONENTS, print)",
    "a document for others": "bind_document(print(), {})",
    "a keyword next to a document": "bind_document(COMPONENTS, {}, a=print())",
    "another call": "print(COMPONENTS, {})",
    "an assignment": "a = 1",
    "an expression": "[print() for _ in 'a']",
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_proof_refuses_everything_else(name: str) -> None:
    """So that a hole in some version of the generator ends in an error, and not in a module."""
    with pytest.raises(ValueError, match=r"line \d is neither"):
        prove(PROGRAMS[name].encode())


ENCODINGS = sorted({*aliases.values(), "unicode_escape", "raw_unicode_escape", "nonsense"})
"""Every encoding that Python knows, and one that it does not."""


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_no_header_says_how_a_module_is_read(encoding: str) -> None:
    """Neither for Python, nor where somebody has taken the first line away."""
    for words in ("coding={}", "-*- coding: {} -*-", "a\n\nencoding:\t{}", "vim: fileencoding={}"):
        content = module(words.format(encoding), [], tools_registry({})).encode()
        for number in range(4):
            lines = content.split(b"\n")[number:]
            assert tokenize.detect_encoding(BytesIO(b"\n".join(lines)).readline)[0] == "utf-8"
        assert prove(content) == {}


@given(st.text() | st.text("codingutf=:-7 \n\r\f\x0b\x85\u2028#!\\"))
def test_a_header_is_a_comment(header: str) -> None:
    """Whatever characters it is made of; but for NUL, which Python does not read."""
    header = header.replace("\0", "")
    assert prove(module(header, [], tools_registry({})).encode()) == {}


@pytest.mark.parametrize("declared", ["utf-7", "latin-1", "utf-16", "rot13", "punycode"])
def test_the_proof_reads_what_python_reads(declared: str) -> None:
    """Bytes, by the encoding that they declare; there is only one for us."""
    with pytest.raises((ValueError, SyntaxError)):
        prove(f"# coding: {declared}\n# +AAo-import os".encode())


# ------------------------------------------------------------------------------------------ names
@given(st.lists(st.text(max_size=8) | st.sampled_from(EVIL), unique=True))
def test_attributes_have_different_names_that_are_free(names: list[str]) -> None:
    """ASCII identifiers, none of which means something else to pydantic or to the module."""
    attributes = attribute_names(names)
    assert [*attributes] == names
    assert len({*attributes.values()}) == len(names)
    for attribute in attributes.values():
        assert attribute.isascii()
        assert attribute.isidentifier()
        assert not hasattr(ToolModel, attribute)
        assert not attribute.startswith("_")


@given(st.text() | st.sampled_from(EVIL))
def test_classes_have_names(text: str) -> None:
    """ASCII identifiers that begin with a capital or `Tool`."""
    name = class_name(text)
    assert name.isascii()
    assert name.isidentifier()
    assert name[0].isupper()
