"""Nobody else opens sockets: a second way out would be an unguarded one (security:S5)."""

import ast
from pathlib import Path

import pilothouse

SOURCE = Path(pilothouse.__file__).parent
WEB = {"httpx2", "httpx", "httpcore2", "requests", "aiohttp", "urllib3", "websockets", "http.client", "urllib.request"}
OTHER = {"socket", "smtplib", "ftplib", "telnetlib", "poplib", "imaplib", "xmlrpc", "mcp", "asyncpg"}
WAYS_OUT = WEB | OTHER
GUARDS = {
    *("base/egress.py", "base/guarded_http.py", "base/guarded_transport.py"),
    *(f"base/outside/{name}.py" for name in ("door", "smtp", "imap", "postgres", "tools")),
}


def imported(file: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def is_way_out(name: str) -> bool:
    return any(name == way or name.startswith(f"{way}.") for way in WAYS_OUT)


def test_blocks_and_features_reach_out_only_through_the_guarded_client():
    rooms = [SOURCE / room for room in ("kit", "graph", "engine", "blocks", "features")]
    culprits = {
        f"{file.relative_to(SOURCE)}: {name}"
        for room in rooms
        for file in room.rglob("*.py")
        for name in imported(file)
        if is_way_out(name)
    }
    assert culprits == set()


def test_the_guard_itself_is_found_by_this_test():
    assert all(any(is_way_out(name) for name in imported(SOURCE / guard)) for guard in GUARDS)
