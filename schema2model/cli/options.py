"""Options that several commands have."""

from __future__ import annotations

import click

from schema2model.dialects import DIALECTS

__all__ = ["COERCIONS", "coercion_option", "dialect_option"]

COERCIONS = click.Choice(["default", "off", "untyped", "lenient"])

coercion_option = click.option(
    "--coercion",
    type=COERCIONS,
    default="default",
    show_default=True,
    help="What is undone, as for 'schema2model validate'.",
)

dialect_option = click.option(
    "--dialect",
    metavar="NAME",
    help=f"The dialect of schemas without $schema: {', '.join(d.name for d in DIALECTS)}, or a "
    f"$schema URI.  [default: {DIALECTS[0].name}]",
)
