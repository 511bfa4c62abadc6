"""The result of a tool's function as text for a model.

Pydantic writes what it knows. Other values have a form here, or show no more than their type.
"""

from __future__ import annotations

import marshal
from base64 import b64encode
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set as AbstractSet, ValuesView
from contextlib import suppress
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, Final

from pydantic_core import to_json

from schema2model.json.values import SCALARS
from schema2model.limits import MAX_DEPTH

__all__ = ["collected", "encodable", "result_json", "result_text"]

_CONTAINERS: Final = (dict, list, tuple, set, frozenset, deque)
"""Types of results that may hold bytes or iterators."""
_TEXTS: Final = (str, bytes, bytearray)
_DATA: Final = (*SCALARS, *_CONTAINERS, *_TEXTS, Iterator)
"""Types of what Python's own `str` may show: they hold nothing that was to be left out."""
_SERIALIZER: Final = "__pydantic_serializer__"
"""An attribute of pydantic's models and dataclasses."""


def result_text(result: Any) -> str:
    r"""Write the result of a tool for a model: text as it is, other values as JSON.

    Models, dataclasses, attrs' objects, mappings, ranges, views, dates, sets and bytes have a JSON
    form. Bytes are UTF-8 text if all in the result are, or else Base64, unless `ser_json_bytes` of
    their model says otherwise. Half of a surrogate pair is a question mark; NaN is a string. An
    exception is its type and message; any other object is its `str`. Of what cannot be written,
    such as a model whose serializer fails, only the type is shown.

    >>> result_text("sunny"), result_text({"days": {3}}), result_text(KeyError("x"))
    ('sunny', '{"days":[3]}', "KeyError: 'x'")
    >>> result_text(b"sunny"), result_text(b"\xff"), result_text([b"\xff"])
    ('sunny', '/w==', '["/w=="]')
    """
    if isinstance(result, str):
        return encodable(result)
    if isinstance(result, BaseException):
        return encodable(_shown(result))
    if isinstance(result, (bytes, bytearray, memoryview)):
        try:
            return bytes(result).decode()
        except UnicodeDecodeError:
            return b64encode(result).decode()
    value = collected(result)  # what it yields has to be there if some of it are bytes
    try:
        return _written(value, bytes_mode="utf8")
    except ValueError:  # bytes or strings that are not Unicode text, or a circular reference
        try:
            return _written(_as_text(value), bytes_mode="base64")
        except (TypeError, ValueError, RecursionError):  # a key of bytes within another, too
            is_plain = all(isinstance(part, _DATA) for part in _parts(result))
            return encodable(_python_text(value)) if is_plain else _unwritable(result)


def result_json(result: Any) -> str:
    """Return the JSON of a result, or its text; nothing in it is shown by its `str`.

    Raises:
        TypeError: for what has no JSON form, and an iterator, which writing would use up.
        ValueError: for what has none in Unicode, is circular, or fails.

    >>> result_json({"days": {3}}), result_json("sunny")
    ('{"days":[3]}', 'sunny')

    """
    if isinstance(result, _TEXTS):
        return result_text(result)
    if _holds_iterator(result):
        raise _no_form(result)
    return to_json(result, fallback=_json_form).decode()


def _written(value: Any, *, bytes_mode: Any) -> str:
    options: Any = {"fallback": _shown, "bytes_mode": bytes_mode, "inf_nan_mode": "strings"}
    return to_json(value, **options).decode()


def collected(result: Any) -> Any:
    """Return a result with lists of what its iterators yield: their errors are those of its call.

    >>> collected({"a": [map(str, range(2))]}), collected((1, 2))
    ({'a': [['0', '1']]}, (1, 2))
    """
    return _with_lists(result) if _holds_iterator(result) else result


def _holds_iterator(result: Any) -> bool:
    """Return whether a result is an iterator, or one is in its containers."""
    if type(result) in SCALARS:
        return False
    with suppress(ValueError):
        marshal.dumps(result)  # plain data alone has this form, in a third of the time of JSON
        return False
    return any(isinstance(part, Iterator) for part in _parts(result))


def _parts(result: Any) -> Iterator[Any]:
    """Yield a result and all that is in its containers, dataclasses and models."""
    found, parts = set[int](), [result]
    for part in parts:  # which grows on the way
        yield part
        if type(part) not in SCALARS and id(part) not in found:
            found.add(id(part))
            parts += _members(part)


def _members(value: Any) -> Iterable[Any]:
    """Return the members of a container, a dataclass or a model."""
    if isinstance(value, _CONTAINERS):
        return (*value, *value.values()) if isinstance(value, dict) else value
    if (members := _fields(value)) is None:
        members = vars(value) if hasattr(type(value), _SERIALIZER) else {}
    return members.values()


def _fields(value: Any) -> dict[str, Any] | None:
    """Return the fields of a dataclass that is not pydantic's; None of any other value."""
    kind = type(value)
    if not is_dataclass(kind) or hasattr(kind, _SERIALIZER):
        return None
    return {each.name: getattr(value, each.name) for each in fields(value)}


def _with_lists(value: Any, around: tuple[int, ...] = ()) -> Any:
    """Return a value with lists for the iterators in it; `around` identifies its containers.

    Those in a pydantic model are left to its own way of writing them.
    """
    members = _fields(value)
    is_container = members is not None or isinstance(value, (*_CONTAINERS, Iterator))
    if not is_container or id(value) in around or len(around) == MAX_DEPTH:
        return value  # what is circular, or too deep, has no JSON form
    around = (*around, id(value))
    value = value if members is None else members
    if isinstance(value, dict):
        return {key: _with_lists(item, around) for key, item in value.items()}
    return [_with_lists(item, around) for item in value]


def _as_text(value: Any) -> Any:
    r"""Return a value with Unicode text for what JSON cannot spell in it.

    Bytes become standard Base64, since pydantic's has an alphabet for URLs.

    Raises:
        ValueError: for a model that holds itself, and for keys that become equal.

    >>> _as_text({"-_": ["-_", b"\xff", "\ud800"]})
    {'-_': ('-_', '/w==', '?')}

    """
    if isinstance(value, (bytes, bytearray)):
        return b64encode(value).decode()
    if type(value) is str:
        return encodable(value)
    if isinstance(value, dict):
        may_have = (bytes, bytearray, tuple, str)
        keys = [_as_text(key) if isinstance(key, may_have) else key for key in value]
        made = dict(zip(keys, map(_as_text, value.values()), strict=True))
        if len(made) < len(value):
            message = "two keys are written alike"
            raise ValueError(message)
        return made
    if isinstance(value, _CONTAINERS):
        return (*map(_as_text, value),)  # which may be a key
    if isinstance(value, Enum):
        return _as_text(value.value)
    if hasattr(type(value), _SERIALIZER):
        try:
            to_json(value, fallback=_shown)
        except ValueError:  # it has no JSON form of its own
            return _model_as_text(value)
        return value
    members = _fields(value)
    if members is not None:
        return _as_text(members)
    with suppress(TypeError):
        return _as_text(_json_form(value))
    return value


def _model_as_text(value: Any) -> Any:
    """Return the members of a model that cannot write its JSON, as `_as_text` does; or its type.

    It shows nothing that the model masks in JSON alone, or excludes by a serializer that fails.
    """
    if _masks_in_json(getattr(type(value), "__pydantic_core_schema__", None)):
        return _unwritable(value)
    try:
        members = getattr(value, _SERIALIZER).to_python(value, by_alias=True, warnings=False)
    except ValueError:
        return _unwritable(value)
    return _as_text(members)


def _masks_in_json(part: Any) -> bool:
    """Return whether a part of a core schema has a serializer for JSON alone."""
    if isinstance(part, dict):
        is_own = str(part.get("when_used", "")).startswith("json")
        return is_own or any(map(_masks_in_json, part.values()))
    return isinstance(part, (list, tuple)) and any(map(_masks_in_json, part))


def _json_form(value: Any) -> Any:
    """Return what pydantic can write of an object that it does not know.

    Raises:
        TypeError: if pydantic cannot write it.

    """
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, memoryview):
        return bytes(value)
    if isinstance(value, (Sequence, AbstractSet, ValuesView)) and not isinstance(value, _TEXTS):
        return [*value]
    members = getattr(type(value), "__attrs_attrs__", None)
    if members is not None:  # but for those that its own `repr` leaves out
        return {each.name: getattr(value, each.name) for each in members if each.repr}
    raise _no_form(value)


def _no_form(value: Any) -> TypeError:
    return TypeError(f"a {type(value).__name__} has no JSON form")


def encodable(text: str) -> str:
    r"""Replace lone surrogates by question marks: with them, a request could not be sent.

    >>> encodable("a\ud800")
    'a?'
    """
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _shown(value: Any) -> Any:
    """Return the form of an object that pydantic does not know: its JSON, or else its `str`."""
    if isinstance(value, BaseException):
        return _python_text(value)
    try:
        return _json_form(value)
    except Exception:  # noqa: BLE001 - a mapping of one's own may raise anything
        return _python_text(value)


def _python_text(value: Any) -> str:
    name = type(value).__name__
    try:
        return f"{name}: {value}" if isinstance(value, BaseException) else str(value)
    except RecursionError:
        return f"a {name} that is nested too deeply to be written"
    except Exception:  # noqa: BLE001 - the function has run, and so have others: the model gets an answer
        return _unwritable(value)


def _unwritable(value: Any) -> str:
    return f"a {type(value).__name__} that cannot be written"
