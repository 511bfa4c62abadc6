"""Settings of `schema2model check`: of a file, or of the `pyproject.toml` above the folder."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schema2model.apps.cli.output import InputError
from schema2model.apps.cli.toml_files import read_toml
from schema2model.json.names import meant
from schema2model.json.quoting import quoted

__all__ = ["CheckSettings", "check_settings"]

_LISTS = ("files", "select", "ignore")
_TEXTS = ("fail-on", "baseline", "dialect")
_LEVELS = ("error", "warning", "note", "never")


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """The options that a file sets and the command line leaves out; None if there are none."""

    files: tuple[Path, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: Any = None
    baseline: Path | None = None
    dialect: str | None = None


def check_settings(path: Path | None) -> CheckSettings:
    """Read the table `tool.schema2model.check` of `pyproject.toml`, or a file of its own.

    Args:
        path: the file; None looks for `pyproject.toml` here and in the folders above.

    Raises:
        InputError: if a file cannot be read, or has what is not a setting.

    """
    if path is None:
        here = Path.cwd()
        found = (each / "pyproject.toml" for each in (here, *here.parents))
        path = next((each for each in found if each.is_file()), None)
        if path is None:
            return CheckSettings()
    document, _ = read_toml(path)
    table = document.get("tool", {}).get("schema2model", {}).get("check")
    if path.name != "pyproject.toml" and table is None:
        table = document.get("check", document)
    return CheckSettings() if table is None else _settings(path, table)


def _settings(path: Path, table: Any) -> CheckSettings:
    if not isinstance(table, dict):
        message = f"{path}: the settings of check are not a table"
        raise InputError(message)
    known = (*_LISTS, *_TEXTS)
    for name, value in table.items():
        if name not in known:
            close = meant(name, known)
            hint = f"; did you mean {close}?" if close else f"; there are {', '.join(known)}"
            message = f"{path}: check has no setting {quoted(name)}{hint}"
            raise InputError(message)
        is_list = isinstance(value, list) and all(isinstance(each, str) for each in value)
        if not (is_list if name in _LISTS else isinstance(value, str)):
            kind = "a list of strings" if name in _LISTS else "a string"
            message = f"{path}: the setting {name} has to be {kind}"
            raise InputError(message)
    level = table.get("fail-on")
    if level is not None and level not in _LEVELS:
        message = f"{path}: the setting fail-on has to be one of {', '.join(_LEVELS)}"
        raise InputError(message)
    folder = path.parent  # paths are relative to the file
    own = CheckSettings(
        tuple(folder / each for each in table.get("files", ())),
        tuple(table.get("select", ())),
        tuple(table.get("ignore", ())),
        level,
        folder / table["baseline"] if "baseline" in table else None,
        table.get("dialect"),
    )
    return dataclasses.replace(own, files=tuple(_shortened(each) for each in own.files))


def _shortened(path: Path) -> Path:
    """A path relative to the current folder, where it is below that."""
    absolute = path.absolute()
    here = Path.cwd()
    return absolute.relative_to(here) if absolute.is_relative_to(here) else path
