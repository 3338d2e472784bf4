"""Ways out beside HTTP, each guarded like it. One port, so that one stand-in serves a dry run."""

from collections.abc import Sequence
from typing import Protocol

from pilothouse.kit.outside import DatabaseQuery, Letter, Login, MailSearch, RawMail, Rows, ToolAnswer, ToolCall


class Outside(Protocol):
    """Mail servers, databases and tool servers. Refuses private addresses; what it raises never holds a password."""

    async def send_mail(self, login: Login, letter: Letter) -> None:
        """Hand a mail over, to all its recipients or to none."""
        ...

    async def read_mail(self, login: Login, search: MailSearch) -> Sequence[RawMail]:
        """Look into a mailbox, newest mail first, and leave it as it was."""
        ...

    async def query_database(self, login: Login, query: DatabaseQuery) -> Rows:
        """Run one statement in a session of its own."""
        ...

    async def call_tool(self, call: ToolCall) -> ToolAnswer:
        """Call a tool of an MCP server in a session of its own."""
        ...
