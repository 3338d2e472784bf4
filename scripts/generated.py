"""Files that are made from the code and committed: `python -m scripts.generated [--write]`.

Without `--write` it fails when one of them differs from what the code says now.
"""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from scripts import block_pages as pages

OPENAPI = Path("docs/reference/openapi.json")
TYPES = Path("web/src/api/schema.gen.ts")
TOOLS = Path("docs/reference/tools.md")


def openapi(write: bool) -> str | None:
    """`pilothouse.app.openapi` prints the API document."""
    if find_spec("pilothouse.app.openapi") is None:
        return None
    made = subprocess.run([sys.executable, "-m", "pilothouse.app.openapi"], check=True, capture_output=True).stdout
    if write:
        OPENAPI.parent.mkdir(parents=True, exist_ok=True)
        OPENAPI.write_bytes(made)
    elif not OPENAPI.exists() or OPENAPI.read_bytes() != made:
        return f"{OPENAPI} is not what the routes say; run `make openapi`"
    return None


def api_types(write: bool) -> str | None:
    """The web client's types, from the committed document."""
    if not OPENAPI.exists():
        return None
    command = ["npx", "--no-install", "openapi-typescript", f"../{OPENAPI}", "--output", "src/api/schema.gen.ts"]
    done = subprocess.run([*command, *([] if write else ["--check"])], cwd="web", check=False, capture_output=True)
    if done.returncode != 0:
        return f"{TYPES} is not what {OPENAPI} says; run `make openapi`\n{done.stderr.decode()[-500:]}"
    return None


def block_index(write: bool) -> str | None:
    """The index of blocks."""
    if find_spec("pilothouse.blocks.index") is None:
        return None
    command = [sys.executable, "-m", "pilothouse.blocks.index", "--write" if write else "--check"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        return f"{done.stdout}{done.stderr}the block index differs; run `make docs-blocks`"
    return None


def block_pages(write: bool) -> str | None:
    """A page of the reference for each category of blocks."""
    if write:
        pages.write()
    elif wrong := pages.stale():
        return f"{', '.join(wrong)}: not what the blocks say; run `make docs-blocks`"
    return None


def tool_page(write: bool) -> str | None:
    """The page about AutoPilot's tools, from their declarations."""
    command = [sys.executable, "-m", "pilothouse.autopilot.reference"]
    made = subprocess.run(command, check=True, capture_output=True).stdout
    if write:
        TOOLS.write_bytes(made)
    elif not TOOLS.exists() or TOOLS.read_bytes() != made:
        return f"{TOOLS} is not what the tools say; run `python -m scripts.generated --write`"
    return None


def rules_page(write: bool) -> str | None:
    """Which tests hold which rule of the engine."""
    command = [sys.executable, "-m", "scripts.requirements", *(["--write"] if write else [])]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode else None


MAKERS = (openapi, api_types, block_index, block_pages, tool_page, rules_page)


def main() -> int:
    write = "--write" in sys.argv
    complaints = [complaint for make in MAKERS if (complaint := make(write))]
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
