"""`proxy --config FILE`: options of the proxy in a TOML file; the command line comes first."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from schema2model.apps.cli.options import FILE
from schema2model.apps.cli.output import InputError
from schema2model.apps.cli.toml_files import read_toml
from schema2model.coercions import PRESETS
from schema2model.json.names import suggestion
from schema2model.json.quoting import quoted

__all__ = ["coercion_by_tool", "config_option"]

_KEYS = (
    *("servers", "server", "url", "header", "coercion", "unknown-arguments", "strict"),
    *("results", "log", "json", "listen", "token-file", "allow-host"),
)
_FILES = ("servers", "log", "token-file")
_TOOLS = "tools"
_BY_TOOL = "schema2model.coercion_by_tool"


def coercion_by_tool(context: click.Context) -> Mapping[str, Any]:
    """The coercion of the tools that have one of their own in the file of `--config`."""
    found: Mapping[str, Any] = context.meta.get(_BY_TOOL, {})
    return found


class _Settings:
    """A file of settings, which knows the line of each key."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.document, self._text = read_toml(path)

    def error(self, key: str, reason: str, *, tool: str | None = None) -> InputError:
        """The error for a key, which names its line."""
        is_there, line = tool is None, 0
        for number, text in enumerate(self._text.splitlines(), 1):
            if text.lstrip().startswith("["):
                if tool is None and re.match(rf"""\s*\[+\s*["']?{re.escape(key)}\b""", text):
                    line = number
                    break
                is_there = tool is not None and tool in text
                line = line or (number if is_there else 0)
            if is_there and re.match(rf"""\s*["']?{re.escape(key)}["']?\s*[=.]""", text):
                line = number
                break
        place = f", line {line}" if line else ""
        return InputError(f"{self._path}{place}: {reason}")

    def check_key(self, key: str, known: tuple[str, ...], tool: str | None = None) -> None:
        """Refuse a key that is not known.

        Raises:
            InputError: with the nearest key.

        """
        if key not in known:
            raise self.error(
                key, f"there is no setting {quoted(key)}; {suggestion(key, known)}", tool=tool
            )

    def option(self, context: click.Context, key: str, value: Any) -> tuple[str, Any]:
        """The name of the option's parameter, and its value.

        Raises:
            InputError: if the value is wrong.

        """
        option = next(
            each
            for each in context.command.params
            if isinstance(each, click.Option) and f"--{key}" in each.opts
        )
        kind = "true or false" if option.is_flag else "a string"
        kind = "a list of strings" if option.multiple else kind
        values = value if isinstance(value, list) and option.multiple else [value]
        is_list = isinstance(value, list) == option.multiple
        if not is_list or not all(
            isinstance(each, bool if option.is_flag else str) for each in values
        ):
            raise self.error(key, f"{key} has to be {kind}")
        if option.is_flag:
            return str(option.name), value
        try:
            for each in values:
                option.type.convert(each, option, context)
        except click.BadParameter as error:
            raise self.error(key, f"{key}: {error.message}") from None
        values = [self._relative(key, each) for each in values]
        return str(option.name), values if option.multiple else values[0]

    def _relative(self, key: str, value: str) -> str:
        folder = self._path.parent
        if key == "header" and value.startswith("@"):
            return f"@{folder / value[1:]}"
        return str(folder / value) if key in _FILES and value != "-" else value

    def by_tool(self, tables: Any) -> dict[str, Any]:
        """The coercion of each tool in the tables `tools.NAME`.

        Raises:
            InputError: if one is wrong.

        """
        if not isinstance(tables, dict):
            raise self.error(_TOOLS, "tools has to be tables, such as [tools.search]")
        found: dict[str, Any] = {}
        for name, table in tables.items():
            if not isinstance(table, dict):
                raise self.error(_TOOLS, f"tools.{name} has to be a table")
            for key, value in table.items():
                self.check_key(key, ("coercion",), name)
                if not isinstance(value, str) or value not in PRESETS:
                    reason = f"unknown coercion; {suggestion(value, PRESETS)}"
                    raise self.error(key, reason, tool=name)
                found[name] = value
        return found


def _read(context: click.Context, _: click.Parameter, path: Path | None) -> None:
    if path is None:
        return
    settings = _Settings(path)
    defaults: dict[str, Any] = {}
    for key, value in settings.document.items():
        settings.check_key(key, (*_KEYS, _TOOLS))
        if key == _TOOLS:
            context.meta[_BY_TOOL] = settings.by_tool(value)
        else:
            name, converted = settings.option(context, key, value)
            defaults[name] = converted
    context.default_map = {**(context.default_map or {}), **defaults}


config_option = click.option(
    "--config",
    type=FILE,
    is_eager=True,
    expose_value=False,
    callback=_read,
    metavar="FILE",
    help="A TOML file with these options, and coercion by tool. The command line comes first.",
)
