"""Schemas as tools declare them: a zoo in our own words, one for each habit of tool authors."""

from __future__ import annotations

import json
from typing import Any

from cases import DATA

TOOLS: dict[str, Any] = json.loads((DATA / "tools.json").read_text("ascii"))
"""By name; `anything` says nothing at all, as some tools do."""
