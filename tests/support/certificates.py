"""One certificate in the place of a system's hundreds, which an HTTP client reads as it is made."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_FILE = Path(__file__).with_name("certificate.pem")


def read_one_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have HTTP clients of this process, and of those that it starts, read no more than that."""
    if "SSL_CERT_FILE" not in os.environ:
        monkeypatch.setenv("SSL_CERT_FILE", str(_FILE))
