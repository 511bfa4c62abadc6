"""Code for each provider and framework type-checks strictly: one module each, without an ignore."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from type_checkers import CHECKERS, installed

MODULES = Path(__file__).with_name("frameworks")
PACKAGES = {
    "anthropic_messages": ("anthropic",),
    "fastmcp_servers": ("fastmcp",),
    "google_genai": ("google.genai", "PIL"),
    "instructor_models": ("instructor", "openai"),
    "langchain_agents": ("langchain", "langchain_core"),
    "litellm_callback": ("litellm",),
    "mcp_servers": ("mcp.server",),
    "openai_agents": ("agents",),
    "openai_chat": ("openai",),
    "pydantic_ai_agents": ("pydantic_ai",),
}
"""What each module imports; without Pillow, the types of google-genai are incomplete."""


def test_every_module_is_checked() -> None:
    """Each says what it covers, and takes no exception from the rules of the checkers."""
    assert {path.stem for path in MODULES.glob("*.py")} == PACKAGES.keys()
    for name in PACKAGES:
        text = (MODULES / f"{name}.py").read_text("utf-8")
        assert ast.get_docstring(ast.parse(text))
        assert not re.search(r"type: *ignore|pyright:|\bcast\(", text)


@pytest.mark.parametrize("checker", CHECKERS)
def test_type_checkers_accept_the_modules(checker: str, tmp_path: Path) -> None:
    """In their strict modes, with the types of the installed packages."""
    pytest.importorskip(checker, reason=f"needs {checker}")
    names = [name for name, packages in PACKAGES.items() if installed(packages)]
    if not names:
        pytest.skip(f"needs one of {', '.join(PACKAGES)}")
    assert [*CHECKERS[checker]([MODULES / f"{name}.py" for name in names], tmp_path)] == []
