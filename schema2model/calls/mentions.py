"""Mentions that are not calls: code in sentences, statements of programs, results of tools."""

from __future__ import annotations

import re
from typing import Final

__all__ = [
    "INLINE_END",
    "OBSERVATION",
    "OBSERVATION_END",
    "RESULTS",
    "RESULT_END",
    "is_definition",
    "is_in_program",
    "is_inline_code",
    "is_program",
]

RESULTS: Final = {
    "<tool_response>": "</tool_response>",
    "<tool_result>": "</tool_result>",
    "<tool_results>": "</tool_results>",
    "<tool_output>": "</tool_output>",
    "<|tool_response:start|>": "<|tool_response:end|>",
    "<function_results>": "</function_results>",
    "[TOOL_RESULTS]": "[/TOOL_RESULTS]",
    "<|START_TOOL_RESULT|>": "<|END_TOOL_RESULT|>",
    "<｜tool▁outputs▁begin｜>": "<｜tool▁outputs▁end｜>",
    "<｜tool▁output▁begin｜>": "<｜tool▁output▁end｜>",
}
"""The beginning and the end of a tool's result: no call in it is the model's."""
RESULT_END: Final = re.compile("|".join(map(re.escape, RESULTS.values())))
INLINE_END: Final = re.compile(r"[`\n]")
"""The end of code within a sentence."""
_DEFINITION: Final = re.compile(
    r"""["'](?:inputSchema|input_schema|type["']\s{0,9}:\s{0,9}["']object)["']"""
)
"""A member of a tool's definition, which is not a call."""
_DESCRIPTION: Final = re.compile(r"""["']description["']""")
_INNER: Final = re.compile(r"""["'](?:arguments|args|parameters|input)["']\s*:?\s*\{[^{}]*""")
"""Arguments, in which a description is one of them."""
_ECHO: Final = re.compile(
    r"""["']properties["']\s*:\s*\{\s*["'][^"']{1,200}["']\s*:\s*
    (?:[^\s{]|\{\s*["'](?!type|title|description|default|enum|const|items|properties|\$ref|\w+Of))""",
    re.VERBOSE,
)
"""Arguments in the shape of a schema: a value where a definition has a subschema."""
_CALLED: Final = re.compile(
    r"""["']name["']\s?:\s?["'][^"']{1,200}["']\s?,\s{0,99}["'](?:arguments|args|parameters|input)["']
    \s?:\s?(?!\{\s{0,99}["'](?:type|properties)["'])""",
    re.VERBOSE,
)
"""A name right before arguments, as no definition has them."""
_DATA: Final = re.compile(r"```(?:json|xml)\b")
_LETTER: Final = re.compile(r"[^\W\d_]")
OBSERVATION: Final = "Observation:"
OBSERVATION_END: Final = re.compile(r"\n(?=\s{0,9}(?:Thought|Action|Final Answer|Question):)")
"""The result of a tool in ReAct."""
_BLOCK: Final = re.compile(r"```[ \t]*(?P<language>[^\s`]+)[^\n`]*(?P<above>[^`]*)\Z")
"""An unclosed code block."""
_LANGUAGES: Final = frozenset(
    (
        *("bash", "sh", "shell", "zsh", "console", "powershell", "javascript", "js", "jsx"),
        *("typescript", "ts", "tsx", "java", "kotlin", "scala", "c", "cpp", "c++", "csharp", "cs"),
        *("c#", "go", "rust", "ruby", "rb", "php", "perl", "lua", "r", "swift", "sql", "html"),
        *("xml", "css", "yaml"),
    )
)
"""Languages in which a line that looks like a call in Python is something else."""


def is_definition(text: str) -> bool:
    """Return whether a text is the definition of a tool, and not a call that echoes it."""
    if _DEFINITION.search(text):
        return _ECHO.search(text) is None
    return not _CALLED.search(text) and bool(_DESCRIPTION.search(_INNER.sub("", text)))


def is_inline_code(text: str) -> bool:
    """Return whether a text ends with a backtick that begins code within a sentence.

    Such a backtick is after words, and not after a colon.

    >>> is_inline_code("Use `a` or `"), is_inline_code("Now: `"), is_inline_code("Use `a `")
    (True, False, False)
    """
    before = text.rpartition("\n")[2][:-1]
    words = before.rstrip(" \t")
    if text[-1:] != "`" or words == before or words[-1:].isspace() or words[-1:] in {"", ":"}:
        return False
    outside = words[:-1].split("`")[::-2]
    return any(map(_LETTER.search, outside))


def is_in_program(text: str) -> bool:
    """Return whether a text ends within a program; JSON and XML in a fence are not programs."""
    return is_program(_DATA.sub("```", text))


def is_program(text: str) -> bool:
    r"""Whether a text ends within a program, which may have calls on lines of their own.

    >>> is_program("```python\n# the call:\nf"), is_program("```python\nimport os\nf")
    (False, True)
    >>> is_program("```sql\nSELECT f"), is_program("```sql\nSELECT\n```\nf")
    (True, False)
    """
    block = _BLOCK.search(text)
    if block is None or block["language"].startswith("tool_"):
        return False  # `tool_code` holds calls
    lines = [line.strip() for line in block["above"].split("\n")[:-1]]
    return block["language"].lower() in _LANGUAGES or any(
        line and not line.startswith(("#", "//")) for line in lines
    )
