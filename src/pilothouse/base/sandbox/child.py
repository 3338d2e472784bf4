"""A child process of ours, held so that its end is seen and its signals reach no other.

The event loops' own way to start processes will not do here: uvloop's lets open files of this process through, and the
one of asyncio may take a process that just ended for another.
"""

import asyncio
import os
import signal
import subprocess
from collections.abc import Collection
from contextlib import ExitStack
from typing import IO

from pilothouse.base.sandbox.languages import PATH


class Child:
    """Started by `start`; `close` it, and it is gone."""

    def __init__(self, process: "subprocess.Popen[bytes]", ended: asyncio.Event, stack: ExitStack) -> None:
        self._process = process
        self._ended = ended
        self._stack = stack
        self._handle = os.pidfd_open(process.pid)
        self.code: int | None = None

    @property
    def pid(self) -> int:
        return self._process.pid

    @classmethod
    def start(cls, words: list[str], line: int, passed: Collection[int] = ()) -> "Child":
        """`line` is its standard input. Of ours it gets that, what is `passed`, and no environment."""
        with ExitStack() as stack:
            process = subprocess.Popen(
                words,
                stdin=line,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={"PATH": PATH},
                close_fds=True,
                pass_fds=tuple(passed),
                bufsize=0,
            )
            child = cls(process, asyncio.Event(), stack)
            stack.callback(os.close, child._handle)
            loop = asyncio.get_running_loop()
            loop.add_reader(child._handle, child._see_end)
            stack.callback(loop.remove_reader, child._handle)
            child._stack = stack.pop_all()
        return child

    async def streams(self) -> tuple[asyncio.StreamReader, asyncio.StreamReader]:
        """What it prints, and what it complains of."""
        return await self._reader(self._process.stdout), await self._reader(self._process.stderr)

    async def _reader(self, pipe: IO[bytes] | None) -> asyncio.StreamReader:
        assert pipe is not None
        reader = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
        self._stack.callback(transport.close)
        return reader

    def kill(self) -> None:
        """Its walls die with it, and everything behind them with its walls."""
        if self.code is None:
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    async def wait(self) -> int:
        await self._ended.wait()
        assert self.code is not None
        return self.code

    async def close(self) -> None:
        self.kill()
        await self.wait()
        self._stack.close()

    def _see_end(self) -> None:
        asyncio.get_running_loop().remove_reader(self._handle)
        self.code = self._process.wait()
        self._ended.set()
