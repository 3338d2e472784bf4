"""`backup`, `restore`, `resume`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from pilothouse.app.backup import make_backup, restore_backup
from pilothouse.app.cli.desk import open_desk
from pilothouse.app.cli.terminal import AsJson, WrongCall, await_, brief_settings, hint, say, show
from pilothouse.app.holds import HELD_LINE
from pilothouse.app.holds import resume as let_go
from pilothouse.base.settings import Settings


def backup(
    target: Annotated[
        Path | None,
        typer.Argument(metavar="FILE_OR_DIR", help="Where to put it; `backups` in the data directory if left out."),
    ] = None,
    with_secrets: Annotated[
        bool, typer.Option("--with-secrets", help="Put the secrets in too, sealed with a passphrase.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write everything into one file, while the server runs.

    The passphrase is PILOTHOUSE_BACKUP_PASSPHRASE, or is asked for.
    """
    settings = brief_settings()
    passphrase = _passphrase(settings, confirm=True) if with_secrets else None
    made = await_(make_backup(settings, target, passphrase))
    if as_json:
        show(
            {
                "path": str(made.path),
                "made_at": made.made_at,
                "rows": made.rows,
                "files": made.files,
                "bytes": made.size,
                "with_secrets": made.with_secrets,
            }
        )
        return
    say(str(made.path))
    hint(f"{made.rows} rows, {made.files} files, {made.size} bytes, as of {made.made_at:%Y-%m-%d %H:%M:%S} UTC.")
    if not made.with_secrets:
        hint(f"Without secrets: keep {settings.data_dir / 'secrets'} in another place, or say --with-secrets.")


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A backup.", exists=True, dir_okay=False)],
    to: Annotated[Path, typer.Option(metavar="DIR", help="The data directory to fill.")],
    force: Annotated[bool, typer.Option("--force", help="Move aside what is there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Fill an empty data directory from a backup.

    With PILOTHOUSE_DATABASE_URL set, rows go into that database, whichever kind the backup came from. Secrets are
    restored if the backup holds them and PILOTHOUSE_BACKUP_PASSPHRASE is set. Nothing runs until `resume`.
    """
    settings = brief_settings(data_dir=to)
    passphrase = settings.backup_passphrase.get_secret_value() if settings.backup_passphrase else None
    done = await_(restore_backup(settings, file, force=force, passphrase=passphrase))
    if as_json:
        show(
            {
                "data_dir": str(done.data_dir),
                "made_at": done.made_at,
                "rows": done.rows,
                "files": done.files,
                "with_secrets": done.with_secrets,
                "moved_aside": str(done.moved_aside) if done.moved_aside else None,
            }
        )
        return
    say(str(done.data_dir))
    hint(f"{done.rows} rows and {done.files} files, as of {done.made_at}.")
    if done.moved_aside:
        hint(f"What was there is in {done.moved_aside}.")
    if not done.with_secrets:
        hint(f"Without secrets: put those of the old installation into {done.data_dir / 'secrets'} before you start.")
    hint(HELD_LINE)


def resume() -> None:
    """Let a restored installation go on with its unfinished work."""
    settings = brief_settings()

    async def act() -> bool:
        async with open_desk(settings) as desk:
            return await let_go(desk.units)

    say("Unfinished work goes on." if await_(act()) else "This installation was not held.")


def _passphrase(settings: Settings, *, confirm: bool) -> str:
    if settings.backup_passphrase is not None:
        return settings.backup_passphrase.get_secret_value()
    if not sys.stdin.isatty():
        raise WrongCall("There is no terminal to ask for the passphrase. Set PILOTHOUSE_BACKUP_PASSPHRASE.")
    return typer.prompt("Passphrase", hide_input=True, confirmation_prompt=confirm)
