"""Starts our processes without their two seconds of imports: it has imported everything, and forks.

What runs in a fork is the command line's own entry point, in a session of its own. The full run of the fault tests
starts plain `python -m pilothouse` processes instead.
"""

import gc
import json
import os
import select
import signal
import sys
from typing import Any

import pilothouse.app.serve
import pilothouse.autopilot
from pilothouse.app.cli import main
from pilothouse.autopilot.providers import anthropic_wire, openai_wire

IMPORTED = (pilothouse.app.serve, pilothouse.autopilot, anthropic_wire, openai_wire)


def bear(ask: dict[str, Any]) -> int:
    """Fork a process that runs these words of the command line."""
    pid = os.fork()
    if pid:
        return pid
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    log = os.open(ask["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(source, target)
    os.environ.clear()
    os.environ.update(ask["environment"])
    sys.argv = ["pilothouse", *ask["words"]]
    main()
    return 0


def tell(**said: int) -> None:
    os.write(1, json.dumps(said).encode() + b"\n")


def reap() -> None:
    """Say how those that ended ended."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        tell(ended=pid, code=os.waitstatus_to_exitcode(status))


def watch() -> None:
    """Serve one tester, until it closes the line."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the tester ends us
    assert pilothouse.app.serve
    gc.freeze()  # or each child looks through all that was imported, again and again while it starts
    heard = b""
    tell(ready=os.getpid())
    while True:
        if select.select([0], [], [], 0.01)[0]:
            more = os.read(0, 65536)
            if not more:
                return
            heard += more
        while b"\n" in heard:
            line, _, heard = heard.partition(b"\n")
            if not (pid := bear(json.loads(line))):
                return  # this is the child, and it has ended
            tell(born=pid)
        reap()


if __name__ == "__main__":
    watch()
