"""Settings in TOML: of `check`, in `pyproject.toml` or a file, and of `proxy --config FILE`.

The command line comes first. Paths are relative to the file. An error names the file and the key.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from schema2model.apps.cli.options import FILE, NumberRange, option
from schema2model.apps.cli.output import InputError
from schema2model.coercions import PRESETS
from schema2model.faults import describe_error
from schema2model.json.names import suggestion
from schema2model.json.quoting import quoted

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]

__all__ = [
    "ProxyTables",
    "check_config_option",
    "proxy_config_option",
    "proxy_tables",
]


def _read_toml(path: Path) -> dict[str, Any]:
    """Return the document of a file.

    Raises:
        InputError: if it cannot be read, or is not TOML.

    """
    try:
        document: dict[str, Any] = tomllib.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        message = f"cannot read {path}: {describe_error(error)}"
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:  # the former has the line
        message = f"{path} is not TOML: {error}"
    else:
        return document
    raise InputError(message)


def _require_known(path: Path, owner: str, key: str, known: Collection[str]) -> None:
    """Refuse a key that is not a setting.

    Raises:
        InputError: with the likeliest key.

    """
    if key not in known:
        message = f"{path}: {owner} has no setting {quoted(key)}; {suggestion(key, known)}"
        raise InputError(message)


# ----------------------------------------------------------------------------------------- options
def _config_option(read: Callable[..., Any], words: str) -> Any:
    """Declare the file that `read` makes defaults of, before all other options."""
    return option("--config", type=FILE, is_eager=True, callback=read, help=words)


def _set_defaults(
    context: click.Context, path: Path, table: Mapping[str, Any], *others: str
) -> None:
    """Make the settings of a file the defaults of the command's options.

    Args:
        context: of the command.
        path: the file.
        table: the settings.
        others: keys of the file that are not options.

    """
    options = {
        name.removeprefix("--"): each
        for each in context.command.params
        if isinstance(each, click.Option) and each.name != "config"
        for name in each.opts
    }
    defaults = dict(context.default_map or {})
    for key, value in table.items():
        _require_known(path, str(context.command.name), key, (*others, *options))
        defaults[str(options[key].name)] = _option_default(context, options[key], path, key, value)
    context.default_map = defaults


def _option_default(
    context: click.Context, option: click.Option, path: Path, key: str, value: Any
) -> Any:
    """Return the default of an option, with paths relative to the file.

    Raises:
        InputError: if the value is wrong. click's own error would name the command line.

    """
    kind = "true or false" if option.is_flag else "a string"
    kind = "a list of strings" if option.multiple else kind
    values = value if isinstance(value, list) and option.multiple else [value]
    if isinstance(option.type, (click.IntRange, NumberRange)):
        kind = "a number"  # which click reads from text: it would make 1 of 1.5
        values = [str(each) if type(each) in {int, float} else each for each in values]
    expected = bool if option.is_flag else str
    is_list = isinstance(value, list) == option.multiple
    if not is_list or not all(isinstance(each, expected) for each in values):
        message = f"{path}: {key} has to be {kind}"
        raise InputError(message)
    if option.is_flag:
        return value
    try:
        for each in values:
            option.type.convert(each, option, context)
    except click.BadParameter as error:
        message = f"{path}: {key}: {error.message}"
        raise InputError(message) from None
    folder = path.parent
    if option.type is FILE:
        values = [each if each == "-" else str(folder / each) for each in values]
    elif key == "header":
        values = [f"@{folder / each[1:]}" if each.startswith("@") else each for each in values]
    return values if option.multiple else values[0]


# ------------------------------------------------------------------------------------------- check
_FILES = "files"


def _read_check_settings(
    context: click.Context, _: click.Parameter, path: Path | None
) -> tuple[Path, ...]:
    """Read the table `tool.schema2model.check` of `pyproject.toml`, or a file of its own.

    Returns:
        The files to check that it names.

    """
    if path is None:
        here = Path.cwd()
        found = (each / "pyproject.toml" for each in (here, *here.parents))
        path = next((each for each in found if each.is_file()), None)
        if path is None:
            return ()
    document = _read_toml(path)
    table = document.get("tool", {}).get("schema2model", {}).get("check")
    if path.name != "pyproject.toml" and table is None:
        table = document.get("check", document)
    if table is None:
        return ()
    if not isinstance(table, dict):
        message = f"{path}: the settings of check are not a table"
        raise InputError(message)
    files = table.pop(_FILES, [])
    if not _is_strings(files):
        message = f"{path}: {_FILES} has to be a list of strings"
        raise InputError(message)
    _set_defaults(context, path, table, _FILES)
    return tuple(_from_current_folder(path.parent / each) for each in files)


def _from_current_folder(path: Path) -> Path:
    """Return a path relative to the current folder if it is below that: reports show it."""
    absolute = path.absolute()
    here = Path.cwd()
    return absolute.relative_to(here) if absolute.is_relative_to(here) else path


def check_config_option() -> Any:
    """Declare the file with the settings of `check`; its value is the files to check."""
    words = "Take settings from a TOML file; by default, from pyproject.toml."
    return _config_option(_read_check_settings, words)


# ------------------------------------------------------------------------------------------- proxy
_TABLES = {"tools": ("coercion", "hidden"), "users": ("only",)}
"""The settings of a tool, and of the user of a token."""


@dataclass(frozen=True, slots=True)
class ProxyTables:
    """The settings of single tools and users in the file of `--config`."""

    coercion_by_tool: Mapping[str, Any] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    only_for: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Patterns of the tools that the clients of a token may use, by its name."""


def proxy_tables(path: Path | None) -> ProxyTables:
    """Read the tables `tools.NAME` and `users.NAME` in the file of `--config`, if there is one.

    Raises:
        InputError: if the file cannot be read, or one is wrong.

    """
    if path is None:
        return ProxyTables()
    document = _read_toml(path)
    tools, users = (_tables(path, document, name) for name in _TABLES)
    return ProxyTables(
        {name: table["coercion"] for name, table in tools.items() if "coercion" in table},
        frozenset(name for name, table in tools.items() if table.get("hidden")),
        {name: table["only"] for name, table in users.items() if "only" in table},
    )


def _read_proxy_settings(
    context: click.Context, _: click.Parameter, path: Path | None
) -> Path | None:
    if path is not None:
        table = {key: each for key, each in _read_toml(path).items() if key not in _TABLES}
        _set_defaults(context, path, table, *_TABLES)
        proxy_tables(path)
    return path


def _tables(path: Path, document: Mapping[str, Any], kind: str) -> dict[str, dict[str, Any]]:
    """Return the tables `kind.NAME` of a file.

    Raises:
        InputError: if one is wrong.

    """
    tables: dict[str, dict[str, Any]] = document.get(kind, {})
    if not isinstance(tables, dict):
        message = f"{path}: {kind} has to be tables, such as [{kind}.NAME]"
        raise InputError(message)
    known = _TABLES[kind]
    for name, table in tables.items():
        if not isinstance(table, dict):
            message = f"{path}: {kind}.{name} has to be a table"
            raise InputError(message)
        for key, value in table.items():
            _require_known(path, f"{kind}.{name}", key, known)
            if key == "coercion" and (not isinstance(value, str) or value not in PRESETS):
                message = f"{path}: {kind}.{name}: unknown coercion; {suggestion(value, PRESETS)}"
                raise InputError(message)
            if key == "hidden" and type(value) is not bool:
                message = f"{path}: {kind}.{name}: hidden has to be true or false"
                raise InputError(message)
            if key == "only" and not _is_strings(value):
                message = f"{path}: {kind}.{name}: only has to be a list of names of tools"
                raise InputError(message)
    return tables


def _is_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def proxy_config_option() -> Any:
    """Declare the file with the options of `proxy`, and with its tables."""
    return _config_option(
        _read_proxy_settings,
        "A TOML file with these options, and with tables for single tools and users. The command "
        "line comes first.",
    )
