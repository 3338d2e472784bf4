"""How much memory a process and everything below it hold, as the kernel tells."""

from collections.abc import Iterator
from pathlib import Path

_COUNTED = (b"RssAnon:", b"RssShmem:")


def memory_of(pid: int) -> int:
    """In bytes. A process that ends meanwhile holds nothing."""
    return sum(_held(each) for each in tree(pid))


def tree(pid: int) -> Iterator[int]:
    """The process and everything below it. Orphans of a sandbox stay below its first process."""
    yield pid
    for child in _children(pid):
        yield from tree(child)


def _children(pid: int) -> list[int]:
    found: list[int] = []
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_bytes().split())
    except OSError:  # it ended while we looked
        return found
    return found


def _held(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_bytes().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(_COUNTED))
