"""mypy and pyright in their strict modes, as a user without our configuration runs them."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

TYPING = Path(__file__).parents[1] / "typing"
FRAMEWORKS = {
    "anthropic_messages": ("anthropic",),
    "fastmcp_servers": ("fastmcp",),
    "google_genai": ("google.genai", "PIL"),
    "instructor_models": ("instructor", "openai"),
    "langchain_agents": ("langchain", "langchain_core"),
    "litellm_callback": ("litellm",),
    "mcp_servers": ("mcp.server",),
    "no_sdk": (),
    "openai_agents": ("agents",),
    "openai_chat": ("openai",),
    "pydantic_ai_agents": ("pydantic_ai",),
}
"""What each module in `frameworks` imports; without Pillow, google-genai's types lack some."""
LOOPS = {
    "openai_loop": ("openai", "httpx2"),
    "responses_loop": ("openai", "httpx2"),
    "anthropic_loop": ("anthropic", "httpx2"),
    "gemini_loop": ("google.genai", "httpx", "PIL"),
    "langchain_loop": ("langchain_core",),
    "openai_streaming_loop": ("openai", "httpx2"),
    "responses_streaming_loop": ("openai", "httpx2"),
    "anthropic_streaming_loop": ("anthropic", "httpx2"),
    "gemini_streaming_loop": ("google.genai", "httpx", "PIL"),
    "langchain_streaming_loop": ("langchain_core",),
    "terminal_loop": ("openai", "httpx2"),
}
"""The same of each loop."""
SCRIPTS = {"user_script": (), "sdk_script": ("openai", "anthropic", "google.genai")}
"""The same of each script with mistakes, which is not read in the strict mode of pyright."""

_FOLDER = tempfile.TemporaryDirectory()


class Diagnostic(NamedTuple):
    """What a type checker says of a line."""

    module: str
    line: int
    severity: str
    message: str


def diagnostics(checker: str) -> list[Diagnostic]:
    """What a checker says of all modules whose packages are installed: it reads each SDK once."""
    paths = [
        TYPING / folder / f"{name}.py"
        for folder, packages in (("frameworks", FRAMEWORKS), ("loops", LOOPS), (".", SCRIPTS))
        for name, needed in packages.items()
        if installed(needed)
    ]
    with tempfile.TemporaryDirectory() as folder:
        if checker == "mypy":
            lines = errors_of_mypy(paths, Path(folder))
            found = [re.match(r"(?:.*[/\\])?(.+?)\.py:(\d+): error: (.*)", each) for each in lines]
            assert all(found)
            return [Diagnostic(each[1], int(each[2]), "error", each[3]) for each in found if each]
        return [
            Diagnostic(
                Path(each["file"]).stem,
                each["range"]["start"]["line"],  # counted from 0, after a line of ours
                each["severity"],
                each["message"],
            )
            for each in _run_pyright(paths, Path(folder))
        ]


def errors_of_mypy(paths: Sequence[Path], folder: Path) -> Iterator[str]:
    """The errors of mypy in its strict mode."""
    cache = f"--cache-dir={_FOLDER.name}"  # of what it knows of the packages, for all tests
    options = ["--strict", "--config-file=", cache]
    command = [sys.executable, "-m", "mypy", *options, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)  # noqa: S603
    assert "no issues found" in done.stdout or "error:" in done.stdout, done.stdout + done.stderr
    return (line for line in done.stdout.splitlines() if "error:" in line)


def errors_of_pyright(paths: Sequence[Path], folder: Path) -> Iterator[str]:
    """What pyright says in its strict mode."""
    return (f"{each['file']}: {each['message']}" for each in _run_pyright(paths, folder))


def _run_pyright(paths: Sequence[Path], folder: Path) -> list[dict[str, Any]]:
    """Its diagnostics of copies, which are in its strict mode but for the scripts."""
    names = [path.name for path in paths]
    for path in paths:
        mode = "basic" if path.stem in SCRIPTS else "strict"
        text = f"# pyright: {mode}\n{path.read_text('utf-8')}"
        (folder / path.name).write_text(text, "utf-8")
    options = ["--pythonpath", sys.executable, "--outputjson", *names]
    command = [sys.executable, "-m", "pyright", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)  # noqa: S603
    found = json.loads(done.stdout)
    assert found["summary"]["filesAnalyzed"] == len(names)
    return [*found["generalDiagnostics"]]


def installed(packages: tuple[str, ...]) -> bool:
    """Return whether all of these packages can be imported."""
    try:
        return all(importlib.util.find_spec(package) for package in packages)
    except ModuleNotFoundError:  # of a parent
        return False


CHECKERS = {"mypy": errors_of_mypy, "pyright": errors_of_pyright}
