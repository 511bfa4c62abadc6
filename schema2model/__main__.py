"""`python -m schema2model` is the command `schema2model`."""

from __future__ import annotations

from schema2model.apps.cli import main

if __name__ == "__main__":
    main()
