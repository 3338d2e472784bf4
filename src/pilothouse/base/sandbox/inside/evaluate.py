"""Runs inside the sandbox, and nowhere else: the program, and then what its last line is worth.

It knows nothing of Pilothouse, and whatever it writes is read as data by somebody who does not trust it.
"""

import ast
import asyncio
import inspect
import json
import sys
import traceback
from types import CodeType, TracebackType

MAIN = "/job/main.py"
MOST = 200_000  # characters


def run(code: CodeType, names: dict[str, object]) -> object:
    value: object = eval(code, names)
    return asyncio.run(value) if code.co_flags & inspect.CO_COROUTINE and inspect.iscoroutine(value) else value


def evaluate(source: str, names: dict[str, object]) -> object:
    """Run it all; the value of the last statement when that is an expression, as a notebook shows it."""
    tree = ast.parse(source, MAIN)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    run(compile(tree, MAIN, "exec", flags), names)
    if not isinstance(last, ast.Expr):
        return None
    return run(compile(ast.Expression(last.value), MAIN, "eval", flags), names)


def told(value: object) -> dict[str, object]:
    found: dict[str, object] = {"text": (value if isinstance(value, str) else repr(value))[:MOST]}
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return found
    return found | {"json": value} if len(text) <= MOST else found


def complain(kind: type[BaseException], fault: BaseException, trace: TracebackType | None) -> None:
    """As always, but for the part that is ours."""
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    traceback.print_exception(kind, fault, trace)


def main() -> None:
    sys.path[0] = "/work"
    sys.excepthook = complain
    with open("/job/variables.json") as file:
        names: dict[str, object] = json.load(file)
    with open(MAIN) as file:
        source = file.read()
    value = evaluate(source, {"__name__": "__main__", "__builtins__": __builtins__} | names)
    if value is not None:
        with open("/out/result.json", "w") as file:
            json.dump(told(value), file)


if __name__ == "__main__":
    main()
