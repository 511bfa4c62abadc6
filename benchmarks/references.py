"""What the library is measured against, written by hand for the schemas of `schemas`.

- `coerced_by_schema`: the recursive function that plugin authors write; it validates nothing.
- `MODELS`: ordinary pydantic models, and `LooseSearch` with before-validators that read text.
- `LIMITS`: pydantic-core validators for exactly these types, without any coercion. Nothing that
  is native to pydantic can be faster.
- `typed_dicts`: the same types for msgspec.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypedDict

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model
from pydantic_core import SchemaValidator, core_schema as cs

__all__ = ["LIMITS", "MODELS", "LooseSearch", "coerced_by_schema", "typed_dicts"]


# ------------------------------------------------------------------ coercion, written by hand
def coerced_by_schema(value: Any, schema: dict[str, Any]) -> Any:  # noqa: C901 - calls cost
    """The value with its strings read as the schema's types ask for."""
    if "anyOf" in schema:
        return _coerced_by_any(value, schema["anyOf"])
    kind = schema.get("type")
    if kind == "object":
        if isinstance(value, str):
            value = _parsed(value)
        if isinstance(value, dict):
            properties = schema.get("properties", {})
            return {
                name: coerced_by_schema(item, properties[name]) if name in properties else item
                for name, item in value.items()
            }
    elif kind == "array":
        if isinstance(value, str):
            value = _parsed(value)
        items = schema.get("items")
        if isinstance(value, list) and items:
            return [coerced_by_schema(item, items) for item in value]
    elif isinstance(value, str):
        if isinstance(kind, list):
            return _coerced_by_any(value, [{**schema, "type": name} for name in kind])
        if kind in _SCALARS:
            return _SCALARS[kind](value)
    return value


def _coerced_by_any(value: Any, branches: list[dict[str, Any]]) -> Any:
    for branch in branches:
        if _fits(value, branch):
            return coerced_by_schema(value, branch)
    for branch in branches:
        coerced = coerced_by_schema(value, branch)
        if _fits(coerced, branch):
            return coerced
    return value


def _fits(value: Any, branch: dict[str, Any]) -> bool:
    if not isinstance(value, _PYTHON_TYPES.get(branch.get("type", ""), object)):
        return False
    if isinstance(value, dict):
        return all(
            value.get(name) == schema["const"]
            for name, schema in branch.get("properties", {}).items()
            if "const" in schema
        )
    return True


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _integer(text: str) -> Any:
    try:
        return int(text)
    except ValueError:
        return text


def _number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


def _boolean(text: str) -> Any:
    word = text.strip().lower()
    if word in {"true", "1", "yes", "on"}:
        return True
    if word in {"false", "0", "no", "off"}:
        return False
    return text


def _null(text: str) -> Any:
    return None if text.strip().lower() in {"null", "none"} else text


_SCALARS: dict[str, Callable[[str], Any]] = {
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "null": _null,
}
_PYTHON_TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}


# -------------------------------------------------------------------- models, written by hand
class _Open(BaseModel):
    model_config = ConfigDict(extra="allow")


class _Price(_Open):
    least: float
    most: float = 0.0
    currencies: list[str] = []


class _Search(_Open):
    text: str
    statuses: list[str] = []
    page_size: Annotated[int, Field(ge=1, le=200)]
    with_totals: bool = False
    customer: int | None = None
    order: Literal["oldest", "newest", "dearest"] = "newest"
    price: _Price | None = None


class _Row(_Open):
    file: str
    line: int
    replacement: str = ""


class _Rows(_Open):
    rows: list[_Row]


class _Owner(_Open):
    id: int
    active: bool = True


class _Task(_Open):
    title: str
    hours: float = 0.0
    owner: _Owner


class _Section(_Open):
    heading: str
    tasks: list[_Task]


class _Project(_Open):
    name: str
    sections: list[_Section]


class _Plan(_Open):
    project: _Project


class _Heading(_Open):
    kind: Literal["heading"]
    level: int
    text: str


class _Picture(_Open):
    kind: Literal["picture"]
    url: str
    width: int


class _Table(_Open):
    kind: Literal["table"]
    columns: list[str]


class _Page(_Open):
    blocks: list[Annotated[_Heading | _Picture | _Table, Field(discriminator="kind")]]
    parent: int | None = None
    labels: list[str] | None = None
    reference: int | str = ""


_WIDE_TYPES = (str, int, bool, float)
_WIDE: dict[str, Any] = {
    f"option_{place}": (_WIDE_TYPES[place % 4], ... if place < 2 else None) for place in range(40)
}

MODELS: dict[str, type[BaseModel]] = {
    "ordinary": _Search,
    "40 properties": create_model("Wide", __base__=_Open, **_WIDE),
    "100 objects": _Rows,
    "nested": _Plan,
    "unions": _Page,
}


def _read(value: Any) -> Any:
    return _parsed(value) if isinstance(value, str) else value


class LooseSearch(_Open):
    """The model of the ordinary tool, made to read text where it is not a string."""

    text: str
    statuses: Annotated[list[str], BeforeValidator(_read)] = []
    page_size: Annotated[int, Field(ge=1, le=200)]
    with_totals: bool = False
    customer: Annotated[int | None, BeforeValidator(_read)] = None
    order: Literal["oldest", "newest", "dearest"] = "newest"
    price: Annotated[_Price | None, BeforeValidator(_read)] = None


# ----------------------------------------------------------- the limit: pydantic-core, no coercion
_TEXT = cs.str_schema(strict=True)
_INTEGER = cs.int_schema(strict=True)
_NUMBER = cs.float_schema(strict=True)
_BOOLEAN = cs.bool_schema(strict=True)
_TEXTS = cs.list_schema(_TEXT, strict=True)


def _object(required: dict[str, Any], optional: dict[str, Any] | None = None) -> Any:
    fields = {name: cs.typed_dict_field(schema) for name, schema in required.items()}
    for name, schema in (optional or {}).items():
        fields[name] = cs.typed_dict_field(schema, required=False)
    return cs.typed_dict_schema(fields, extra_behavior="allow", strict=True)


def _list(items: Any) -> Any:
    return cs.list_schema(items, strict=True)


_WIDE_LIMIT = {f"option_{n}": (_TEXT, _INTEGER, _BOOLEAN, _NUMBER)[n % 4] for n in range(40)}
_OWNER = _object({"id": _INTEGER}, {"active": _BOOLEAN})
_TASKS = _list(_object({"title": _TEXT, "owner": _OWNER}, {"hours": _NUMBER}))
_SECTIONS = _list(_object({"heading": _TEXT, "tasks": _TASKS}))
_BLOCKS: dict[str, Any] = {
    "heading": {"level": _INTEGER, "text": _TEXT},
    "picture": {"url": _TEXT, "width": _INTEGER},
    "table": {"columns": _TEXTS},
}
_ANY_BLOCK = cs.tagged_union_schema(
    {
        kind: _object({"kind": cs.literal_schema([kind]), **fields})
        for kind, fields in _BLOCKS.items()
    },
    discriminator="kind",
)

LIMITS: dict[str, SchemaValidator] = {
    name: SchemaValidator(schema)
    for name, schema in {
        "ordinary": _object(
            {"text": _TEXT, "page_size": cs.int_schema(strict=True, ge=1, le=200)},
            {
                "statuses": _TEXTS,
                "with_totals": _BOOLEAN,
                "customer": cs.nullable_schema(_INTEGER),
                "order": cs.literal_schema(["oldest", "newest", "dearest"]),
                "price": _object({"least": _NUMBER}, {"most": _NUMBER, "currencies": _TEXTS}),
            },
        ),
        "40 properties": _object(
            dict(list(_WIDE_LIMIT.items())[:2]), dict(list(_WIDE_LIMIT.items())[2:])
        ),
        "100 objects": _object(
            {"rows": _list(_object({"file": _TEXT, "line": _INTEGER}, {"replacement": _TEXT}))}
        ),
        "nested": _object({"project": _object({"name": _TEXT, "sections": _SECTIONS})}),
        "unions": _object(
            {"blocks": _list(_ANY_BLOCK)},
            {
                "parent": cs.nullable_schema(_INTEGER),
                "labels": cs.nullable_schema(_TEXTS),
                "reference": cs.union_schema([_INTEGER, _TEXT], mode="left_to_right"),
            },
        ),
    }.items()
}


# ------------------------------------------------------------------------------ msgspec's types
class _PriceDict(TypedDict, total=False):
    least: float
    most: float
    currencies: list[str]


class _RowDict(TypedDict, total=False):
    file: str
    line: int
    replacement: str


class _RowsDict(TypedDict):
    rows: list[_RowDict]


class _OwnerDict(TypedDict, total=False):
    id: int
    active: bool


class _TaskDict(TypedDict, total=False):
    title: str
    hours: float
    owner: _OwnerDict


class _SectionDict(TypedDict):
    heading: str
    tasks: list[_TaskDict]


class _ProjectDict(TypedDict):
    name: str
    sections: list[_SectionDict]


class _PlanDict(TypedDict):
    project: _ProjectDict


def typed_dicts(meta: Callable[..., Any]) -> dict[str, Any]:
    """The types as msgspec takes them; `meta` is its `Meta`. It has no unions of dicts."""
    search = {
        "text": str,
        "statuses": list[str],
        "page_size": Annotated[int, meta(ge=1, le=200)],
        "with_totals": bool,
        "customer": int | None,
        "order": Literal["oldest", "newest", "dearest"],
        "price": _PriceDict,
    }
    wide = {name: kind for name, (kind, _) in _WIDE.items()}
    return {
        "ordinary": TypedDict("_SearchDict", search, total=False),  # type: ignore[misc]
        "40 properties": TypedDict("_WideDict", wide, total=False),  # type: ignore[misc]
        "100 objects": _RowsDict,
        "nested": _PlanDict,
    }
