"""Where blocks may have code run: apart from everything, and by nobody's rights."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from pilothouse.kit.json import Json, JsonObject

# The blocks that cannot do without one; where there is no sandbox they are switched off.
NEED_A_SANDBOX: Final = frozenset(
    {
        "0b02b072-abe7-11ef-8372-fb5d162dd712",
        "82b59b8e-ea10-4d57-9161-8b169b0adba6",
        "ff0861c9-1726-4aec-9e5b-bf53f3622112",
    }
)


@dataclass(frozen=True, slots=True)
class CodeOrder:
    """A program to run. Its variables are names in Python and JavaScript, else in the environment."""

    language: str
    code: str
    seconds: float
    commands: Sequence[str] = ()  # run before it, by a shell
    variables: Mapping[str, Json] = field(default_factory=dict[str, Json])
    wants_files: bool = False


class CodeFile(Protocol):
    """A file that a program left in its folder."""

    @property
    def path(self) -> str: ...
    @property
    def content(self) -> bytes: ...


class CodeOutcome(Protocol):
    """How a program ended. `code` is null when it was stopped, for `time`, `memory` or `output`."""

    @property
    def code(self) -> int | None: ...
    @property
    def stopped(self) -> str | None: ...
    @property
    def stdout(self) -> str: ...
    @property
    def stderr(self) -> str: ...
    @property
    def result(self) -> JsonObject | None: ...  # of its last expression: `text`, and `json` when it has a value there
    @property
    def files(self) -> Sequence[CodeFile]: ...


class Sandbox(Protocol):
    """No network, no files but its own folder, nothing of this installation; bounded in all that it uses."""

    async def run(self, order: CodeOrder) -> CodeOutcome:
        """In a sandbox of its own, which is gone afterwards."""
        ...

    def create(self) -> str:
        """A sandbox for later steps of this run; the same one when this step is repeated. Gives its id."""
        ...

    async def run_in(self, sandbox_id: str, order: CodeOrder) -> CodeOutcome:
        """With the files that earlier programs left there. A program that is stopped leaves them as they were."""
        ...

    def dispose(self, sandbox_id: str) -> None:
        """Forget it with all its files."""
        ...
