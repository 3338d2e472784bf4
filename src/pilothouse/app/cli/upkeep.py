"""Commands for whoever keeps an installation running."""

from typing import Annotated

import typer
from pydantic import SecretStr

from pilothouse.app.cli.desk import open_desk
from pilothouse.app.cli.terminal import AsJson, await_, brief_settings, read_all, say, show, show_table
from pilothouse.app.doctor import Finding, examine
from pilothouse.app.migrate import await_revision
from pilothouse.app.migrate import migrate as migrate_database
from pilothouse.app.profile import profile_of
from pilothouse.base import telemetry
from pilothouse.base.actor import SYSTEM
from pilothouse.base.database import Database
from pilothouse.base.settings import Settings
from pilothouse.base.settings_sources import NAMES, PREFIX
from pilothouse.features.accounts import make_owner_link
from pilothouse.kit.json import Json
from pilothouse.migrations import HEAD


def migrate(as_json: AsJson = False) -> None:
    """Bring the database to the schema of this version."""
    settings = brief_settings()
    before = await_(_migrate(settings))
    if as_json:
        show({"before": before, "after": HEAD})
    elif before == HEAD:
        say(f"The schema is up to date ({HEAD}).")
    else:
        say(f"The schema went from {before or 'nothing'} to {HEAD}.")


async def _migrate(settings: Settings) -> str | None:
    profile = profile_of(settings)
    settings.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    database = Database(profile.database_url, pool_size=2)
    try:
        before = await await_revision(database, settings.database_connect_timeout)
        await migrate_database(profile, database)
        return before
    finally:
        await database.close()


def owner_link(as_json: AsJson = False) -> None:
    """Print a new link that makes the owner, once."""
    settings = brief_settings()

    async def act() -> str:
        async with open_desk(settings) as desk, desk.units.write(SYSTEM) as work:
            return await make_owner_link(work, settings.public_url)

    link = await_(act())
    if as_json:
        show({"link": link})
    else:
        say(link)


def config(as_json: AsJson = False) -> None:
    """Print every setting, its value and its source."""
    reading = read_all()
    rows: list[dict[str, Json]] = [
        {
            "name": PREFIX + name.upper(),
            "value": _plain(getattr(reading.settings, name)),
            "source": reading.sources[name],
        }
        for name in NAMES
    ]
    if as_json:
        show(rows)
    else:
        show_table(rows, ["name", "value", "source"])


def _plain(value: object) -> Json:
    if isinstance(value, SecretStr):
        return "********"
    if isinstance(value, tuple):
        return ",".join(str(part) for part in value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return value if isinstance(value, bool | int | float | None) else str(value)


def doctor(
    strict: Annotated[bool, typer.Option("--strict", help="Warnings count as broken.")] = False, as_json: AsJson = False
) -> None:
    """Look for what is broken, and say how to mend it."""
    reading = read_all()
    telemetry.configure_logging("error", reading.settings.log_format)
    findings = await_(examine(reading))
    if as_json:
        show([finding.as_json() for finding in findings])
    else:
        for finding in findings:
            _tell(finding)
    bad = {"fail", "warn"} if strict else {"fail"}
    if any(finding.level in bad for finding in findings):
        raise typer.Exit(1)


def _tell(finding: Finding) -> None:
    say(f"{finding.level:<4}  {finding.check}: {finding.words}")
    if finding.remedy:
        say(f"      {finding.remedy}")
