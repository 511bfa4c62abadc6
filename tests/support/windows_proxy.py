"""`schema2model`, with the pipes that its proxy uses on Windows: threads, and the event loop's own.

`python windows_proxy.py proxy ...`
"""

from __future__ import annotations

from schema2model.apps.cli import main
from schema2model.apps.proxy import processes, streams

if __name__ == "__main__":
    streams.HAS_POLLABLE_PIPES = False
    processes.USES_TRANSPORT = True
    main()
