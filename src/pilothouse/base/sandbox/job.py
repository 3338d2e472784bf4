"""What is to be run, within which bounds, and what came of it."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pilothouse.kit.json import Json, JsonObject

Stopped: TypeAlias = Literal["time", "memory", "output"]
MB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one program with all that it starts."""

    memory: int = 1024 * MB
    work: int = 64 * MB  # of files in its folder, and as much again in /tmp
    output: int = 4 * MB  # of what it prints
    processes: int = 128  # threads count
    files: int = 256  # open at once, by each process
    file_entries: int = 10_000  # looked at when it hands its folder back

    @property
    def archive(self) -> int:
        """A folder that is full, as an archive: every entry has a head and is rounded up."""
        return self.work + self.file_entries * 1536


@dataclass(frozen=True, slots=True)
class Job:
    """A program. Its variables are names in Python and JavaScript, and in the environment for the others."""

    language: str
    code: str
    seconds: float
    commands: tuple[str, ...] = ()  # run before it, by a shell
    variables: JsonObject = field(default_factory=dict[str, Json])
    wants_files: bool = False


@dataclass(frozen=True, slots=True)
class WorkFile:
    """A file that the program left in its folder."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Outcome:
    """How it ended. `code` is null when it was stopped."""

    code: int | None
    stopped: Stopped | None
    stdout: str
    stderr: str
    result: JsonObject | None = None  # of the last expression: `text`, and `json` when it has a value there
    files: tuple[WorkFile, ...] = ()
    archive: bytes = field(default=b"", repr=False)
