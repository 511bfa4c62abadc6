"""`schema2model`, with other limits to how long its proxy waits for a server to end.

`python patient_proxy.py SECONDS proxy ...`
"""

from __future__ import annotations

import sys

from schema2model.apps.cli import main
from schema2model.apps.proxy import processes, relay

if __name__ == "__main__":
    relay.GRACE = relay.FAREWELL = float(sys.argv.pop(1))
    processes.LAST_WARNING = 0.1
    main()
