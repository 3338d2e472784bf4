"""Rules of the house that import-linter and ruff cannot say. Each gives complaints about one module's tree."""

import ast
from collections.abc import Iterator

from tests.house.source import calls, imports

PREFIX = "pilothouse.features."
ROOMS = {"models", "queries", "service", "routes", "jobs", "tools", "schemas"}
DOORS = {"routes", "jobs", "tools"}

RUNS_TEXT_AS_CODE = {"eval", "exec", "compile", "__import__"}
LOADS_CODE = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "jsonpickle"}
BUILDS_FROM_YAML = {"load", "load_all", "full_load", "unsafe_load", "Loader", "UnsafeLoader", "FullLoader"}
STARTERS = {"subprocess", "pty", "multiprocessing", "ctypes", "cffi"}
STARTS_PROGRAMS = {
    "system",
    "popen",
    "startfile",
    "create_subprocess_exec",
    "create_subprocess_shell",
    "subprocess_exec",
}
STARTS_BY_PREFIX = ("execv", "execl", "spawnv", "spawnl", "posix_spawn")
WIRES = {"socket", "httpx", "httpx2", "requests", "aiohttp", "urllib3", "urllib.request", "http.client", "ftplib"}
OPENS_WIRES = {"open_connection", "create_connection", "create_datagram_endpoint", "open_unix_connection"}
MACHINE = {"os", "pathlib", "shutil", "tempfile", "glob", "fcntl", "mmap", "signal", "sqlite3", "random", "time"}
NO_NAMES = {"utils", "util", "helpers", "helper", "common", "manager", "managers", "misc"}


def reaches_past_a_face(tree: ast.AST, slice_name: str | None) -> Iterator[tuple[ast.AST, str]]:
    """Another slice's rooms are private: ids, functions, errors and events come from its `__init__`."""
    for node, module, name in imports(tree):
        target, *inside = f"{module}.".removeprefix(PREFIX).rstrip(".").split(".")
        if not module.startswith(PREFIX) or target == slice_name:
            continue
        if inside or name in ROOMS:
            yield node, f"reaches into {target}: use `from pilothouse.features import {target}`"


def commits(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """One unit, one commit, at the edge: a commit in the middle tears what should stand or fall together."""
    for node, name in calls(tree):
        if name == "commit":
            yield node, "commits: only `base` does, when the unit ends"


def runs_data_as_code(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """What users, models and other services send is data and stays data."""
    for node, name in calls(tree):
        if name in RUNS_TEXT_AS_CODE and isinstance(node.func, ast.Name):
            yield node, f"calls {name}()"
    for node, module, _ in imports(tree):
        if module.split(".")[0] in LOADS_CODE:
            yield node, f"imports {module}, which runs what it loads"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and _is_named(node.value, "yaml") and node.attr in BUILDS_FROM_YAML:
            yield node, f"uses yaml.{node.attr}, which builds what the text asks for"


def starts_programs(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """A process that starts no programs cannot be talked into starting one."""
    for node, module, _ in imports(tree):
        if module.split(".")[0] in STARTERS:
            yield node, f"imports {module}"
    for node, name in calls(tree):
        if name in STARTS_PROGRAMS or name.startswith(STARTS_BY_PREFIX):
            yield node, f"calls {name}()"
        if any(word.arg == "shell" for word in node.keywords):
            yield node, f"calls {name}() with a shell"


def _is_named(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def opens_a_wire(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """All that goes out passes the guarded client, or an address that a user typed reaches the inner network."""
    for node, module, name in imports(tree):
        if module in WIRES or module.split(".")[0] in WIRES or f"{module}.{name}" in WIRES:
            yield node, f"imports {module}: go out through the guarded client"
    for node, name in calls(tree):
        if name in OPENS_WIRES:
            yield node, f"calls {name}(): go out through the guarded client"


def reaches_the_machine(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """What a block needs of the world comes by its context: only then can a dry run stand in for it (Q5)."""
    for node, module, _ in imports(tree):
        if module.split(".")[0] in MACHINE:
            yield node, f"imports {module}: use the context"
    for node, name in calls(tree):
        if name == "open" and isinstance(node.func, ast.Name):
            yield node, "opens a file: use the context"


def error_names(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """An error is named for the state it finds, and its wire code is the same words."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name.endswith("Error"):
            yield node, f"{node.name}: name it for the state, without `Error`"
