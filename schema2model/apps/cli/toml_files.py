"""Files of settings in TOML."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from schema2model.apps.cli.output import InputError
from schema2model.faults import describe_error

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]

__all__ = ["read_toml"]


def read_toml(path: Path) -> tuple[dict[str, Any], str]:
    """Return the document of a file, and its text.

    Raises:
        InputError: if it cannot be read, or is not TOML.

    """
    try:
        text = path.read_text("utf-8-sig")
        return tomllib.loads(text), text
    except OSError as error:
        message = f"cannot read {path}: {describe_error(error)}"
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:  # the former has the line
        message = f"{path} is not TOML: {error}"
    raise InputError(message)
