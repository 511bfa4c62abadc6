"""Safety limits: the maximum that hostile or careless input may cost, in one table.

Each is named with its unit and with what it protects from. Input beyond a limit ends in a
`SchemaError`, a `ToolError`, or a JSON-RPC error. Constants that only tune the speed are where they
are used.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "MAX_ARGUMENTS_SIZE",
    "MAX_CACHED_FACTS",
    "MAX_CACHED_SCHEMAS",
    "MAX_CALLS",
    "MAX_CALL_STARTS",
    "MAX_DEPTH",
    "MAX_DIGITS",
    "MAX_ENVELOPES",
    "MAX_EVALUATED",
    "MAX_GROUPS",
    "MAX_HELD_LINES",
    "MAX_IN_PLACE",
    "MAX_ISSUES",
    "MAX_MALFORMED_TEXT",
    "MAX_MESSAGE",
    "MAX_MESSAGE_LINE",
    "MAX_NESTED_SEARCHES",
    "MAX_OUTBOX_LINES",
    "MAX_PATH_STEPS",
    "MAX_QUOTED",
    "MAX_READINGS",
    "MAX_REFERRED",
    "MAX_REINTERPRETATIONS",
    "MAX_REPAIR_STEPS",
    "MAX_SCHEMA_SIZE",
    "MAX_SUBSCHEMAS",
    "MAX_TOOL_PAGES",
    "MAX_VALUES",
]

# ------------------------------------------------------------------------------------ values
MAX_DEPTH: Final = 200
"""Maximum levels of containers in arguments, schemas and messages: protects the stack. The parser
of pydantic-core stops there, too."""
MAX_VALUES: Final = 2_000_000
"""Maximum values in one document: protects from Python objects that share parts exponentially."""
MAX_DIGITS: Final = 4300
"""Maximum digits of an integer, as `sys.set_int_max_str_digits`: protects from slow conversions."""

# ----------------------------------------------------------------------------------- schemas
MAX_SCHEMA_SIZE: Final = 64 * 2**20
"""Maximum bytes of a marshalled schema: protects the memory."""
MAX_CACHED_SCHEMAS: Final = 4096
"""Maximum compiled schemas that are kept: protects the memory."""
MAX_SUBSCHEMAS: Final = 100_000
"""Maximum subschemas of a compiled schema: protects from slow compilation."""
MAX_IN_PLACE: Final = 50_000
"""Maximum subschemas that apply to one value, counted each time they do: protects from references
that multiply."""
MAX_EVALUATED: Final = 1_000_000
"""Maximum subschemas that apply to one value, with those that `unevaluated…` has to know of."""
MAX_REFERRED: Final = 1_000
"""Maximum subschemas nested in, or referring to, one another for one value: protects the stack."""
MAX_GROUPS: Final = 500
"""Maximum groups of a regular expression: protects the memory of its engine."""
MAX_CACHED_FACTS: Final = 10_000
"""Maximum facts about one schema that are kept: protects the memory."""

# ---------------------------------------------------------------------------------- coercion
MAX_READINGS: Final = 200_000
"""Maximum readings in one call: protects from unions that multiply."""
MAX_NESTED_SEARCHES: Final = 2_000
"""Maximum searches that wait for one another: protects from searches without an end."""
MAX_REINTERPRETATIONS: Final = 4
"""Maximum reinterpretations of one value: a string in a string in a string in a string is read."""
MAX_ENVELOPES: Final = 4
"""Maximum envelopes around one another."""
MAX_PATH_STEPS: Final = 20
"""Maximum steps of a path in a flattened key."""

# -------------------------------------------------------------------------------------- text
MAX_MALFORMED_TEXT: Final = 400_000
"""Maximum characters of malformed text in one call: protects from slow repairs."""
MAX_REPAIR_STEPS: Final = 30_000
"""Maximum steps of the repair in one call: protects from exponential searches."""

# ----------------------------------------------------------------------------- calls in text
MAX_CALLS: Final = 10_000
"""Maximum calls in one text."""
MAX_CALL_STARTS: Final = 100_000
"""Maximum places of one text at which a call may begin: protects from slow texts of markers."""

# ---------------------------------------------------------------------------------- messages
MAX_ISSUES: Final = 10
"""Maximum issues in a message: protects the model's context."""
MAX_MESSAGE: Final = 2_000
"""Maximum characters of a message."""
MAX_QUOTED: Final = 80
"""Maximum characters of a value that a message quotes."""

# ------------------------------------------------------------------------- servers and files
MAX_MESSAGE_LINE: Final = 64 * 2**20
"""Maximum bytes of a message that a proxy parses: protects the memory. A longer one of the client
is refused, since it cannot be checked; a longer one of a single server is forwarded in pieces."""
MAX_TOOL_PAGES: Final = 100
"""Maximum pages of a server's list of tools: protects from a list without an end."""
MAX_HELD_LINES: Final = 100
"""Maximum lines that wait for a list of tools: protects the memory; the client waits, too."""
MAX_OUTBOX_LINES: Final = 1000
"""Maximum lines that wait for one server: protects the memory, if it never reads."""
MAX_ARGUMENTS_SIZE: Final = 64 * 2**20
"""Maximum bytes of arguments on standard input: protects the memory."""
