"""Ways out beside HTTP, each guarded like it. One port, so that one stand-in serves a dry run."""

from collections.abc import Sequence
from typing import Protocol

from pilothouse.kit.outside import Letter, Login, MailSearch, RawMail


class Outside(Protocol):
    """Mail servers. Refuses private addresses; what it raises never holds a password."""

    async def send_mail(self, login: Login, letter: Letter) -> None:
        """Hand a mail over, to all its recipients or to none."""
        ...

    async def read_mail(self, login: Login, search: MailSearch) -> Sequence[RawMail]:
        """Look into a mailbox, newest mail first, and leave it as it was."""
        ...
