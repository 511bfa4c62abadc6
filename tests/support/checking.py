"""`schema2model check` in this process, and tools of which it finds more or less."""

from __future__ import annotations

from typing import Any

from click.testing import CliRunner, Result

from schema2model.apps.cli.application import application

SCHEMA = {"type": "object", "properties": {"q": {"type": "string", "description": "words"}}}
GOOD = {"name": "good", "description": "Look up.", "inputSchema": SCHEMA}
NOTE = {**GOOD, "name": "note", "inputSchema": {"type": "object", "properties": {"q": {
    "type": ["string", "null"], "description": "words"}}}}  # fmt: skip
WARNING = {**GOOD, "name": "warning", "description": ""}
ERROR = {**GOOD, "name": "an error"}

MIXED = [{**WARNING, "name": "an error"}, NOTE]


def run(*arguments: str, **options: Any) -> Result:
    """`schema2model check` with these arguments, in this process."""
    return CliRunner().invoke(application, ["check", *arguments], **options)
