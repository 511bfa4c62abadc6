"""URIs: absolute and in one spelling (RFC 3986, sections 5, 6.2.2 and 6.2.3)."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urljoin, urlsplit, urlunsplit

from schema2model.errors import SchemaError
from schema2model.json.quoting import quoted

__all__ = ["absolute_uri", "normalized_uri"]

_PORTS = {"http": ":80", "https": ":443"}
_PERCENT = re.compile("%([0-9A-Fa-f]{2})")
_UNRESERVED = re.compile(r"[A-Za-z0-9._~-]")
_SEGMENT = r"[\w$:-]+"
_PLAIN = re.compile(
    rf"(?:https?://[a-z0-9.-]+/|urn:)(?:{_SEGMENT}(?:[./]{_SEGMENT})*[./]?)?(?:#[\w$/.:-]*)?",
    re.ASCII,
)
"""URIs that are normalised already: most of them. No text matches it in two ways."""


def absolute_uri(base: str, reference: str) -> str:
    """Return a reference as an absolute, normalised URI.

    Raises:
        SchemaError: if it is not a URI reference.

    >>> absolute_uri("http://example.com/a/b", "c#d")
    'http://example.com/a/c#d'
    >>> absolute_uri("urn:example:a", "#d")
    'urn:example:a#d'

    """
    try:
        if reference.startswith("#"):  # urljoin leaves the base out unless it knows the scheme
            return normalized_uri(base.partition("#")[0] + reference)
        return normalized_uri(urljoin(base, reference))
    except ValueError:
        message = f"{quoted(reference)} is not a URI"
        raise SchemaError(message) from None


def normalized_uri(uri: str) -> str:
    """Return the spelling that equivalent URIs have in common.

    Raises:
        ValueError: if it is not a URI.

    >>> normalized_uri("HTTP://Example.com:80/a/../%7euser?q#%66oo")
    'http://example.com/~user?q#foo'

    """
    if _PLAIN.fullmatch(uri):
        return uri
    parts = urlsplit(uri)
    host = parts.netloc.removesuffix(_PORTS.get(parts.scheme, ":"))
    user, at, name = host.rpartition("@")
    path = _decoded(parts.path)
    if host:  # a path that begins with // by itself would be another host
        path = urlsplit(urljoin("http://host", f"/.{path}")).path
    return urlunsplit(
        SplitResult(
            parts.scheme,
            user + at + _decoded(name).lower(),
            path,
            _decoded(parts.query),
            _decoded(parts.fragment),
        )
    ) + ("#" if uri.endswith("#") and not parts.fragment else "")


def _decoded(text: str) -> str:
    """Decode what needs no percent-encoding; write the rest in capitals."""

    def character(match: re.Match[str]) -> str:
        decoded = chr(int(match[1], 16))
        return decoded if _UNRESERVED.fullmatch(decoded) else match[0].upper()

    return _PERCENT.sub(character, text)
