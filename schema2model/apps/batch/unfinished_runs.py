"""Unfinished folders that runs with other inputs or settings have left next to an output."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from pyarrow import fs

from schema2model.apps.batch.inputs import filesystem_of, located

__all__ = ["Leftover", "find_leftovers", "remove_leftovers"]

_UNFINISHED = re.compile(r"\.unfinished-[0-9a-f]{16}\Z")


class Leftover(NamedTuple):
    """A folder of a run that was not finished."""

    store: str
    path: str
    size: int
    """Bytes of all files in it."""


def find_leftovers(output: str) -> list[Leftover]:
    """Return the unfinished folders of an output. After a run, they are those of other runs."""
    store, path = located(output)
    filesystem = filesystem_of(store)
    parent, _, name = path.rpartition("/")
    selector = fs.FileSelector(parent or "/", allow_not_found=True)
    found = [
        info
        for info in filesystem.get_file_info(selector)
        if info.type == fs.FileType.Directory
        and info.base_name.startswith(f"{name}.")
        and _UNFINISHED.fullmatch(info.base_name.removeprefix(name))
    ]
    return [Leftover(store, info.path, _size(filesystem, info.path)) for info in found]


def _size(filesystem: fs.FileSystem, path: str) -> int:
    files = filesystem.get_file_info(fs.FileSelector(path, recursive=True))
    return sum(info.size for info in files if info.is_file)


def remove_leftovers(leftovers: Iterable[Leftover]) -> None:
    """Delete unfinished folders.

    Raises:
        OSError: where one cannot be deleted.

    """
    for each in leftovers:
        filesystem_of(each.store).delete_dir(each.path)
