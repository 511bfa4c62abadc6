"""What is mentioned and not called: code in sentences, statements of programs, results of tools."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["RESULTS", "RESULT_END", "is_program", "mention_end"]

RESULTS: Final = {
    "<tool_response>": "</tool_response>",
    "<tool_result>": "</tool_result>",
    "<function_results>": "</function_results>",
    "[TOOL_RESULTS]": "[/TOOL_RESULTS]",
    "<|START_TOOL_RESULT|>": "<|END_TOOL_RESULT|>",
    "<｜tool▁outputs▁begin｜>": "<｜tool▁outputs▁end｜>",
}
"""What begins the result of a tool, and what ends it: no call in it is the model's."""
RESULT_END: Final = re.compile("|".join(map(re.escape, RESULTS.values())))
_INLINE_END: Final = re.compile(r"[`\n]")
"""What ends code within a sentence."""
_SENTENCE: Final = re.compile(r"[^\W\d_][^\n`]*(?:`[^\n`]*`[^\n`]*)*[^\s:`][ \t]+`\Z")
"""Words, and the mark with which code begins among them; behind a colon it stands for itself."""
_OBSERVATION: Final = re.compile(r"\s*Observation:")
_OBSERVATION_END: Final = re.compile(r"\n(?=\s{0,9}(?:Thought|Action|Final Answer|Question):)")
"""The same in ReAct's words."""
_BLOCK: Final = re.compile(r"```[ \t]*(?P<language>[^\s`]+)[^\n`]*(?P<above>[^`]*)\Z")
"""A code block that has not ended."""
_LANGUAGES: Final = frozenset(
    (
        *("bash", "sh", "shell", "zsh", "console", "powershell", "javascript", "js", "jsx"),
        *("typescript", "ts", "tsx", "java", "kotlin", "scala", "c", "cpp", "c++", "csharp", "cs"),
        *("c#", "go", "rust", "ruby", "rb", "php", "perl", "lua", "r", "swift", "sql", "html"),
        *("xml", "css", "yaml"),
    )
)
"""Languages in which a line that looks like a call in Python is something else."""


def mention_end(text: str) -> re.Pattern[str] | None:
    """What ends that which begins behind a text, if it is only mentioned.

    >>> bool(mention_end("You could call `")), bool(mention_end("Calling: `"))
    (True, False)
    >>> bool(mention_end("Observation: ")), bool(mention_end("Action: "))
    (True, False)
    """
    line = text.rpartition("\n")[2]
    if line[-1:] == "`":
        return _INLINE_END if _SENTENCE.search(line) else None
    return _OBSERVATION_END if _OBSERVATION.match(line) else None


def is_program(text: str) -> bool:
    r"""Whether a text ends within a program, which may have calls on lines of their own.

    >>> is_program("```python\n# the call:\nf"), is_program("```python\nimport os\nf")
    (False, True)
    >>> is_program("```sql\nSELECT f"), is_program("```sql\nSELECT\n```\nf")
    (True, False)
    """
    block = _BLOCK.search(text)
    if block is None:
        return False
    lines = [line.strip() for line in block["above"].split("\n")[:-1]]
    return block["language"].lower() in _LANGUAGES or any(
        line and not line.startswith(("#", "//")) for line in lines
    )
