"""Safety limits: the maximum that hostile or careless input may cost, in one table.

The docstring of each names its unit, and what it protects. Input beyond a limit is refused, by a
`SchemaError`, a `ToolError` or a JSON-RPC error, or cut. Constants that only tune the speed, or a
layout, are where they are used.
"""

from __future__ import annotations

from typing import Final

# ------------------------------------------------------------------------------------------- values
MAX_DEPTH: Final = 200
"""Maximum levels of containers in arguments, schemas and messages: protects the stack. The parser
of pydantic-core stops there, too."""
MAX_VALUES: Final = 2_000_000
"""Maximum values in one document, but for valid arrays up to three deep: protects from Python
objects that share parts exponentially."""
MAX_DIGITS: Final = 4300
"""Maximum digits of an integer, as `sys.set_int_max_str_digits`: protects from slow conversions."""

# ------------------------------------------------------------------------------------------ schemas
MAX_SCHEMA_SIZE: Final = 64 * 2**20
"""Maximum bytes of a marshalled schema: protects the memory."""
MAX_CACHED_SCHEMAS: Final = 4096
"""Maximum compiled schemas that are kept: protects the memory."""
MAX_CACHE_SIZE: Final = 2 * 2**20
"""Maximum bytes of marshalled schemas whose compiled ones are kept: protects the memory."""
MAX_CACHED_SUBSCHEMAS: Final = 6_000
"""Maximum subschemas of the compiled schemas that are kept: protects the memory. Each takes 5 to 15
KiB once calls were corrected."""
MAX_CACHED_FACTS: Final = 10_000
"""Maximum facts about one schema that are kept: protects the memory."""
MAX_SUBSCHEMAS: Final = 100_000
"""Maximum subschemas of a compiled schema: protects from slow compilation."""
MAX_IN_PLACE: Final = 50_000
"""Maximum subschemas that apply to one value, counted each time they do: protects from references
that multiply."""
MAX_APPLIED: Final = 4_000_000
"""Maximum subschemas that apply to one part of a value; deeper values are refused: protects from
references that multiply with each level."""
MAX_EVALUATED: Final = 1_000_000
"""Maximum subschemas that apply to one value, with those that `unevaluated…` has to know of:
protects from keywords that evaluate one another."""
MAX_REFERRED: Final = 1_000
"""Maximum subschemas nested in, or referring to, one another for one value: protects the stack."""
MAX_REFERENCE_CHAIN: Final = 100
"""Maximum references from one to the next in a tool's definition: protects from cycles."""
MAX_INLINED_REFERENCES: Final = 1_000
"""Maximum references that are replaced by their definitions: protects from references that
multiply."""
MAX_GROUPS: Final = 500
"""Maximum groups of a regular expression: protects the memory of its engine."""
MAX_CLASS_ESCAPES: Final = 1_000
"""Maximum escapes such as `\\d` in a regular expression, or in several at the same cost, which is
quadratic in each: protects from slow compilation."""
MAX_DERIVED_SUBSCHEMAS: Final = 50_000
"""Maximum subschemas that are compiled again for the parts of a document that refer to it: protects
the memory. Other parts are not coerced."""
MAX_AUDITED_SUBSCHEMAS: Final = 2_000
"""Maximum subschemas of a tool that the audit examines one by one: protects from slow audits."""
MAX_COMPARED_BRANCHES: Final = 50
"""Maximum branches of a union that the audit compares with one another: protects from their
square."""
MAX_GENERATED_TYPES: Final = 20_000
"""Maximum types and choices in the annotations of one generated module: protects from modules
without an end."""

# ------------------------------------------------------------------------------------- strict modes
MAX_COMBINATIONS: Final = 10_000
"""Maximum combinations of subschemas that a projection merges: protects from unions that
multiply."""
MAX_MERGED_BRANCHES: Final = 500
"""Maximum branches of a union in a projection, multiplied by those of others next to it: protects
from their square."""
MAX_PROJECTED: Final = 20_000
"""Maximum subschemas of a projection: protects from definitions that multiply inline."""
MAX_STRICT_REQUESTS: Final = 100
"""Maximum lists of tools whose projections an adapter remembers: protects its memory."""
MAX_BUDGETED_TOOLS: Final = 500
"""Maximum tools of a list that the audit projects for one request: protects from slow audits."""

# ----------------------------------------------------------------------------------------- coercion
MAX_READINGS: Final = 200_000
"""Maximum readings in one call: protects from unions that multiply."""
MAX_NESTED_SEARCHES: Final = 2_000
"""Maximum searches that wait for one another: protects from searches without an end."""
MAX_REINTERPRETATIONS: Final = 4
"""Maximum reinterpretations of one value, such as a string in a string: protects from values that
become one another."""
MAX_ROUNDS: Final = 10
"""Maximum passes over one call under `untyped`: protects from results that change with each
pass."""
MAX_ENVELOPES: Final = 4
"""Maximum envelopes around one another: protects from reading one call many times."""
MAX_PATH_STEPS: Final = 20
"""Maximum steps of a path in a flattened key: protects from objects far larger than their text."""

# ---------------------------------------------------------------------------------- compiled models
MAX_INSTANCE_DEPTH: Final = 50
"""Maximum levels of a value that are searched for instances of models: protects the stack."""
MAX_INSTANCES: Final = 100_000
"""Maximum values that are searched for instances of models: protects from objects that share
parts."""
MAX_UNION_BRANCHES: Final = 1_000
"""Maximum branches of nested unions that are compared with one value: protects from unions that
multiply."""
MAX_DEFAULT_CHECKS: Final = 500
"""Maximum validations of one value to find the defaults that it can have: protects from slow
schemas."""
MAX_ADDED_DEFAULTS: Final = 10_000
"""Maximum defaults that are added to one value: protects from defaults that multiply."""
MAX_CONTEXT_DEPTH: Final = 6
"""Maximum levels of an instance whose errors have a context: protects from errors of unions that
multiply."""

# --------------------------------------------------------------------------------------------- text
MAX_MALFORMED_TEXT: Final = 400_000
"""Maximum characters of malformed text in one call: protects from slow repairs."""
MAX_REPAIR_STEPS: Final = 30_000
"""Maximum steps of the repair in one call: protects from exponential searches."""
MAX_REPAIRED_VALUES: Final = 24
"""Maximum values that the repair makes of one text: protects from texts with many readings."""
MAX_KEPT_QUOTES: Final = 2_000
"""Maximum quotes that are kept in one string: protects from texts of quotes."""
MAX_ENCODINGS: Final = 4
"""Maximum levels of JSON strings in JSON strings: protects from reading one text many times."""
MAX_ESCAPE_LEVELS: Final = 3
"""Maximum levels of backslashes that are undone: protects from reading one text many times."""
MAX_FENCES: Final = 20
"""Maximum closing fences that are tried for an opening one: protects from texts of fences."""
MAX_EMBEDDED_VALUES: Final = 100
"""Maximum values in the prose of one text: protects from texts of brackets."""

# ------------------------------------------------------------------------------------ calls in text
MAX_CALLS: Final = 10_000
"""Maximum calls in one text: protects the memory."""
MAX_REFUSED_CALLS: Final = 1_000
"""Maximum calls in one text that are refused: protects from slow texts of broken calls."""
MAX_CALL_STARTS: Final = 100_000
"""Maximum places of one text at which a call may begin: protects from slow texts of markers."""
MAX_FAILED_PARSING: Final = 1_000_000
"""Maximum characters that the standard parser reads in vain: protects from parsing in vain."""
MAX_TOOL_NAME: Final = 200
"""Maximum characters of a name that is compared with those of tools: protects from long names."""
MAX_CACHED_NAMES: Final = 1_000
"""Maximum wrong tool names that are kept: protects the memory."""
MAX_SUGGESTIONS: Final = 100
"""Maximum unknown names of one text that get suggestions: protects from slow comparisons."""

# ----------------------------------------------------------------------------------------- messages
MAX_ISSUES: Final = 10
"""Maximum issues in a message: protects the model's context."""
MAX_MESSAGE: Final = 2_000
"""Maximum characters of a message: protects the model's context."""
MAX_QUOTED: Final = 80
"""Maximum characters of a value that a message quotes: protects the model's context."""
MAX_SHOWN_LINE: Final = 80
"""Maximum characters of a malformed line that a message quotes: protects the model's context."""
MAX_SHOWN_PATH: Final = 160
"""Maximum characters of a path in a message: protects the model's context. `Issue.path` is
complete."""
MAX_SHOWN_NAME: Final = 80
"""Maximum characters of a tool's name in a message: protects the model's context."""
MAX_COMPARED_NAMES: Final = 1_000
"""Maximum names that one name is compared with, to suggest one: protects from slow comparisons."""
MAX_COMPARED_LENGTH: Final = 80
"""Maximum characters of a name that are compared: protects from the square of its length."""

# ------------------------------------------------------------------------------ servers and streams
MAX_MESSAGE_LINE: Final = 64 * 2**20
"""Maximum bytes of a message that a proxy parses: protects the memory. A longer one of the client
is refused, since it cannot be checked; a longer one of a single server is forwarded in pieces."""
MAX_TOOL_PAGES: Final = 100
"""Maximum pages of a server's list of tools: protects from a list without an end."""
MAX_HELD_LINES: Final = 100
"""Maximum lines that wait for a list of tools: protects the memory; the client waits, too."""
MAX_REQUEST_BODY: Final = 4 * 2**20
"""Maximum bytes of the body of a request to `proxy --listen`: protects the memory."""
MAX_SESSIONS: Final = 32
"""Maximum sessions of `proxy --listen` at a time: protects the machine from server processes, which
each session has of its own."""
MAX_OPEN_REQUESTS: Final = 1000
"""Maximum requests of one session of `proxy --listen` that wait for an answer: protects the
memory."""
MAX_CONNECTIONS: Final = 256
"""Maximum connections to `proxy --listen` at a time: protects the memory and file handles."""
MAX_RESTARTS: Final = 5
"""Maximum restarts of a server that ends again and again: protects the machine from a server that
cannot run."""
MAX_PROBE_SIZE: Final = 4096
"""Maximum bytes in which a server shows which transport it speaks: protects from an answer without
an end."""
MAX_STREAMED_TEXT: Final = 16_000_000
"""Maximum characters of one stream that are held back or searched for calls: protects the memory.
The rest is forwarded as it is."""

# -------------------------------------------------------------------------------- files and reports
MAX_ARGUMENTS_SIZE: Final = 64 * 2**20
"""Maximum bytes of arguments on standard input: protects the memory."""
MAX_HEADERS_SIZE: Final = 2**16
"""Maximum bytes of a file of headers: protects the memory."""
MAX_BATCH_LINE: Final = 64 * 2**20
"""Maximum bytes of a line of a batch: protects the memory. The beginning of a longer line is kept,
and the line is refused."""
MAX_BATCH_LIST: Final = 2**30
"""Maximum bytes of a JSON list in a batch, which is read at once: protects the memory."""
MAX_COLUMNS: Final = 100
"""Maximum columns that are searched for calls: protects from rows with columns without an end."""
MAX_DETECTED_TEXT: Final = 20_000
"""Maximum characters at the end of a text that are searched for calls to find the layout: protects
from a slow start."""
MAX_CACHED_TOOL_LISTS: Final = 256
"""Maximum compiled lists of tools from rows: protects the memory."""
MAX_CACHED_TOOL_LIST: Final = 2**18
"""Maximum bytes of a list of tools that is kept to be recognised: protects the memory."""
MAX_LISTED_TOOLS: Final = 1_000
"""Maximum tools named in a summary: protects the reader."""
MAX_COUNTED_NAME: Final = 200
"""Maximum characters of a name that is counted: protects the memory."""
MAX_COUNTED_PAIRS: Final = 10_000
"""Maximum pairs of a model and a tool that are counted: protects the memory. Others count as
unnamed."""
MAX_COUNTED_REASONS: Final = 1_000
"""Maximum reasons that are counted: protects the memory. Others count without their subject."""
MAX_COUNTED_RULES: Final = 100
"""Maximum rules that are counted: protects the memory. Others count as unnamed."""
MAX_COUNTED_MODELS: Final = 50
"""Maximum models that are counted for one mistake: protects the memory. Others count as unnamed."""
