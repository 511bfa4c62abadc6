"""What a program in a process of its own has imported."""

from __future__ import annotations

import json
import subprocess
import sys


def loaded_by(program: str) -> set[str]:
    """The modules that a program of its own process has loaded at its end."""
    program += "\nimport json, sys; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


IMPORT = "import json, schema2model"
COMPILE = f"""{IMPORT}
compiled = schema2model.compile_schema(
    {{"type": "object", "properties": {{"a": {{"type": "array", "items": {{"type": "integer"}}}}}}}}
)"""
