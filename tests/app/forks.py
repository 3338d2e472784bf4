"""`python -m tests.app.forks`: runs commands one by one, each in a fork of this process.

Takes a line of JSON {words, environment, folder, said} and answers a line {code, out, err}. With a `log` instead of
something `said` the command stays: the answer is {pid}, and {ended: pid} is answered {code}, null while it runs. What
runs in a fork is the command line's own entry point.
"""

import gc
import json
import os
import signal
import sys
import tempfile
from typing import IO, Any, TypeAlias

from pilothouse.app.cli import main
from pilothouse.app.cli.lazy import COMMANDS, load

Line: TypeAlias = dict[str, Any]


def run(ask: Line) -> Line:
    with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        said.write(ask["said"])
        said.seek(0)
        pid = os.fork()
        if not pid:
            _become(ask, said, out, err)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        return {"code": code, "out": _text(out), "err": _text(err)}


def start(ask: Line) -> Line:
    with open(os.devnull) as nothing, open(ask["log"], "wb") as log:
        pid = os.fork()
        if not pid:
            _become(ask, nothing, log, log)
        return {"pid": pid}


def ended(pid: int) -> Line:
    found, status = os.waitpid(pid, os.WNOHANG)
    return {"code": os.waitstatus_to_exitcode(status) if found else None}


def answer(ask: Line) -> Line:
    if "ended" in ask:
        return ended(ask["ended"])
    return start(ask) if "log" in ask else run(ask)


def _become(ask: Line, *files: IO[Any]) -> None:
    for number, file in enumerate(files):
        os.dup2(file.fileno(), number)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(ask["environment"])
    os.chdir(ask["folder"])
    sys.argv = ["pilothouse", *ask["words"]]
    code: object = 1
    try:
        main()
        code = 0
    except SystemExit as ending:
        code = ending.code
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 0 if code is None else 1)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


if __name__ == "__main__":
    for name in COMMANDS:
        load(name)
    gc.freeze()  # or each command looks through all that was imported
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)
