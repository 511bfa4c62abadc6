"""The program: its commands, its version, what holds for all commands."""

from __future__ import annotations

import click

from schema2model.cli.batch import batch
from schema2model.cli.call import call
from schema2model.cli.check import check
from schema2model.cli.codegen import codegen
from schema2model.cli.proxy import proxy
from schema2model.cli.read import read
from schema2model.cli.report import report
from schema2model.cli.tools import tools
from schema2model.cli.validate import validate
from schema2model.extras import DISTRIBUTION

__all__ = ["application"]


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Try 'schema2model validate --help' for options, examples and exit codes.",
)
@click.version_option(package_name=DISTRIBUTION, message="schema2model %(version)s")
def application() -> None:
    """Make the arguments of a language model's tool call what the tool's JSON Schema asks for."""


application.add_command(batch)
application.add_command(call)
application.add_command(check)
application.add_command(codegen)
application.add_command(proxy)
application.add_command(read)
application.add_command(report)
application.add_command(tools)
application.add_command(validate)
