"""`python -m tests.app.forks`: runs commands one by one, each in a fork of this process.

Takes a line of JSON {words, environment, folder, said} and answers a line {code, out, err}. What runs in a fork is
the command line's own entry point.
"""

import json
import os
import sys
import tempfile
from typing import IO, Any

from pilothouse.app.cli import main
from pilothouse.app.cli.lazy import COMMANDS, load


def run(ask: dict[str, Any]) -> dict[str, Any]:
    with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        said.write(ask["said"])
        said.seek(0)
        pid = os.fork()
        if not pid:
            _become(ask, said, out, err)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        return {"code": code, "out": _text(out), "err": _text(err)}


def _become(ask: dict[str, Any], *files: IO[Any]) -> None:
    for number, file in enumerate(files):
        os.dup2(file.fileno(), number)
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
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line))), flush=True)
