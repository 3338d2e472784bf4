"""Check of the sandbox: by running something in it."""

from pilothouse.app.doctor.finding import Finding, ok, warn
from pilothouse.base.sandbox import find_walls
from pilothouse.base.settings import Settings


async def sandbox(settings: Settings) -> Finding:
    if settings.sandbox == "off":
        remedy = "For blocks that run code, leave PILOTHOUSE_SANDBOX out."
        return warn("sandbox", "It is switched off: blocks that run code are not there.", remedy)
    found = await find_walls(settings.data_dir)
    if isinstance(found, str):
        remedy = "Mend that, and restart the server: docs/explanation/sandbox.md."
        return warn("sandbox", f"{found} Blocks that run code are switched off.", remedy)
    return ok("sandbox", f"Code runs in bubblewrap {found.version}, apart from everything.")
