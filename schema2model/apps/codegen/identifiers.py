"""Names for classes and their attributes: ASCII, free, and alike in every version of Python."""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from collections.abc import Iterable, Set as AbstractSet

from schema2model.coercing_models.component_models import ComponentModel

__all__ = [
    "CONVERTED",
    "IMPORTED",
    "Names",
    "attribute_names",
    "class_name",
]

MAX_LENGTH = 60
"""Maximum characters of a name."""

IMPORTED = {
    "typing": ("Annotated", "Any", "ClassVar", "Literal"),
    "pydantic": ("ConfigDict", "Field"),
    "schema2model": ("CoercingModel",),
    "schema2model.coercing_models.component_models": (
        "ComponentModel",
        "ObjectModel",
        "bind_document",
    ),
    "schema2model.coercing_models.exact_models": ("ExactModel",),
    "schema2model.coercing_models.tool_models": ("ToolModel",),
}
"""Modules that a generated module may import."""

CONVERTED = {
    "datetime": ("date", "datetime", "time"),
    "ipaddress": ("IPv4Address", "IPv6Address"),
    "uuid": ("UUID",),
}
"""Further modules, and the types that it imports of them where formats are converted."""

_OWN = {
    "COMPONENTS",
    "TOOLS",
    *keyword.kwlist,
    *(name for names in IMPORTED.values() for name in names),
}
_NO_CLASS = _OWN | {*dir(builtins), "Model"}  # which the generator calls the whole document
_ATTRIBUTES = {*dir(ComponentModel), *dir(type(ComponentModel))}
_NO_ATTRIBUTE = _OWN | _ATTRIBUTES | {"bool", "dict", "float", "int", "list", "str"}
_PROTECTED = ("model_dump", "model_validate")
"""Prefixes that no attribute may have: pydantic's `protected_namespaces`."""


class Names:
    """Names that are in use."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {*taken}

    def reserve(self, wanted: str) -> str:
        """Reserve a name, or the next free one with a number, and return it."""
        name, number = wanted, 1
        while name in self._taken:
            number += 1
            name = f"{wanted}{number}"
        self._taken.add(name)
        return name


def class_name(text: str, kind: str = "Tool") -> str:
    """Return the name that a class would have, were it free; `kind` completes one that cannot be.

    >>> class_name("get-file.info"), class_name("listURLs"), class_name("2d"), class_name("any")
    ('GetFileInfo', 'ListURLs', 'Tool2d', 'AnyTool')
    """
    name = "".join(word[0].upper() + word[1:] for word in _words(text))[:MAX_LENGTH]
    name = name if name.isidentifier() else f"{kind}{name}"
    return f"{name}{kind}" if name in _NO_CLASS else name


def attribute_names(properties: Iterable[str], reserved: Iterable[str] = ()) -> dict[str, str]:
    """Return the attribute names of an object's properties: their own, if these are possible.

    Args:
        properties: the names of the properties.
        reserved: names that no attribute may have, in addition to those of the module.

    >>> attribute_names(["limit", "foo-bar", "foo_bar", "class", "_x", "größer", "%"])
    {'limit': 'limit', 'foo-bar': 'foo_bar2', 'foo_bar': 'foo_bar', 'class': 'class_', '_x': 'x',
     'größer': 'groer', '%': 'field_'}

    """
    taken = _NO_ATTRIBUTE.union(reserved)
    wanted = {name: _attribute_name(name, taken) for name in properties}
    names = Names(name for name, own in wanted.items() if own == name)
    return {name: own if own == name else names.reserve(own) for name, own in wanted.items()}


def _attribute_name(text: str, taken: AbstractSet[str]) -> str:
    name = text if text.isascii() and text.isidentifier() else "_".join(_words(text))
    name = name.lstrip("_")[:MAX_LENGTH]
    if not name.isidentifier() or name.startswith(_PROTECTED):
        name = f"field_{name}"
    return f"{name}_" if name in taken else name


def _words(text: str) -> list[str]:
    """Return the ASCII words in a text; accents are left out."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.findall("[0-9A-Za-z]+", plain)
