"""Where pip is set up to look for packages, in the words of uv: lines for a shell to evaluate.

An index that adds to the others comes last for pip, which takes the best file of all of them. uv
takes a file of the first index that has the version, so the order is turned round.
"""

from __future__ import annotations

import ast
import os
import shlex
import subprocess
import sys

NAMES = {
    "index-url": ("UV_DEFAULT_INDEX", " "),
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "no-index": ("UV_NO_INDEX", " "),
    "cert": ("SSL_CERT_FILE", " "),
    "proxy": ("ALL_PROXY", " "),
    "timeout": ("UV_HTTP_TIMEOUT", " "),
    "default-timeout": ("UV_HTTP_TIMEOUT", " "),
}
"""What uv calls a setting of pip's, and what stands between several values of it."""


def settings() -> dict[str, str]:
    """The settings that `pip install` follows: the environment's before those of files."""
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    )
    lines = [line.partition("=") for line in listed.stdout.splitlines() if "=" in line]
    return {
        key.removeprefix(section): ast.literal_eval(value)
        for section in ("global.", "install.", ":env:.")
        for key, _, value in lines
        if key.startswith(section)
    }


def main() -> None:
    """Write what the environment does not say already."""
    for key, value in settings().items():
        name, between = NAMES.get(key, ("", ""))
        if name and name not in os.environ:
            values = reversed(value.split()) if name == "UV_INDEX" else value.split()
            sys.stdout.write(f"export {name}={shlex.quote(between.join(values))}\n")


if __name__ == "__main__":
    main()
