"""Compares two versions of tools by the calls that their schemas accept.

differences  locations at which two schemas differ
sampling     calls that probe the limits of two schemas
judging      which of two schemas accept a call, and which parts of the schemas matter
changes      records of changes, and their severity
tool_lists   the changes between two lists of tools
replaying    recorded calls, and those whose outcome changes
"""

from schema2model.apps.audit.diff.changes import Comparison, ToolChange
from schema2model.apps.audit.diff.tool_lists import compare_tools

__all__ = ["Comparison", "ToolChange", "compare_tools"]
