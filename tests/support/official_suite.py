"""The official JSON Schema test suite, as the source distribution of python-jsonschema ships it.

pip fetches the archive once, checks it against `SHA256` before anything in it is read, and it is
kept in a cache folder of the user's, outside the repository: `$SCHEMA2MODEL_CACHE`, or else
`schema2model` in `$XDG_CACHE_HOME` or `~/.cache`.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

PROJECT, VERSION = "jsonschema", "4.26.0"
ARCHIVE = f"{PROJECT}-{VERSION}.tar.gz"
SHA256 = "0c26707e2efad8aa1bfc5b7ce170f3fccc2e4918ff85989ba9ffa9facb2be326"

DRAFTS = {
    "draft4": "draft-04",
    "draft6": "draft-06",
    "draft7": "draft-07",
    "draft2019-09": "2019-09",
    "draft2020-12": "2020-12",
}
"""The suite's folders, and our names for the dialects."""

REMOTES_URI = "http://localhost:1234/"
"""Where the suite's schemas expect to find its remote documents."""

Suite = dict[PurePosixPath, Any]
"""Every JSON file of the suite, by its path below `json/`."""


class SuiteError(RuntimeError):
    """The suite cannot be had; without it, exactness is not known."""


@dataclass(frozen=True)
class Group:
    """A schema of the suite, and the cases for it."""

    draft: str
    file: str
    """The path below the draft's folder, without its suffix: `ref`, `optional/format/date`."""
    description: str
    schema: Any
    cases: list[dict[str, Any]]


def suite() -> Suite:
    """The suite's files, fetched if need be.

    Raises:
        SuiteError: if they cannot be fetched, or are not what they should be.

    """
    return dict(_files(_archive()))


def own_tests(module: str) -> str:
    """The source of one of python-jsonschema's own test modules, which is not installed with it.

    Raises:
        SuiteError: as for `suite`.

    """
    with tarfile.open(_archive()) as members:
        file = members.extractfile(f"{PROJECT}-{VERSION}/{PROJECT}/tests/{module}.py")
        assert file is not None
        return file.read().decode()


def _archive() -> Path:
    """The source distribution, fetched if need be, and none but that."""
    archive = _cache() / ARCHIVE
    if not archive.exists():
        _fetch(archive)
    if hashlib.sha256(archive.read_bytes()).hexdigest() != SHA256:
        message = f"{archive} is not {PROJECT} {VERSION}: its SHA-256 differs; delete it"
        raise SuiteError(message)
    return archive


def _cache() -> Path:
    given = os.environ.get("SCHEMA2MODEL_CACHE")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "schema2model"


def _fetch(archive: Path) -> None:
    """Have pip download the archive: from wherever it is set up to, and only with that hash."""
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder) / "requirements.txt"
        wanted.write_text(f"{PROJECT}=={VERSION} --hash=sha256:{SHA256}\n")
        options = ("--no-deps", "--no-binary", PROJECT, "--require-hashes", "--dest", folder)
        command = [sys.executable, "-m", "pip", "download", "-q", *options, "-r", str(wanted)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode:
            message = (
                f"pip cannot fetch {ARCHIVE}, which holds the official JSON Schema test suite "
                f"(pytest --no-official-suite goes without):\n{done.stderr}"
            )
            raise SuiteError(message)
        archive.parent.mkdir(parents=True, exist_ok=True)
        partial = archive.with_suffix(f".{os.getpid()}")
        partial.write_bytes((Path(folder) / ARCHIVE).read_bytes())
        partial.replace(archive)  # at once, for other runs may be reading


def _files(archive: Path) -> Iterator[tuple[PurePosixPath, Any]]:
    """The JSON files in the archive. They are read in place: nothing is written anywhere."""
    with tarfile.open(archive) as members:
        for member in members:
            _, *folders = PurePosixPath(member.name).parts
            file = members.extractfile(member) if member.isfile() else None
            if file and folders[:1] == ["json"] and member.name.endswith(".json"):
                yield PurePosixPath(*folders[1:]), json.load(file)


def remotes(files: Suite) -> dict[str, Any]:
    """The documents that the suite's schemas refer to, by URI; those of no draft of ours aside."""
    return {
        f"{REMOTES_URI}{path.relative_to('remotes')}": document
        for path, document in files.items()
        if path.is_relative_to("remotes") and "draft-next" not in path.parts
    }


def groups(files: Suite) -> Iterator[Group]:
    """Every group of cases of the drafts that we know."""
    for path, content in files.items():
        if path.parts[0] == "tests" and path.parts[1] in DRAFTS:
            draft, file = path.parts[1], str(PurePosixPath(*path.parts[2:]).with_suffix(""))
            for group in content:
                yield Group(draft, file, group["description"], group["schema"], group["tests"])
