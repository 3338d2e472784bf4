"""`python -m pilothouse.app.openapi` prints the API document. It needs no database: only the routes are read."""

import sys
from typing import Any, cast

from fastapi import FastAPI

from pilothouse.app.api import api_routes
from pilothouse.base.http import Door, create_app, describe
from pilothouse.base.settings import Settings
from pilothouse.kit.json import pretty


def documented_app() -> FastAPI:
    """The routes over a house that is not there; good for its description alone."""
    nobody = cast(Any, None)
    return create_app(Door(Settings(), keyring=nobody, units=nobody, identity=nobody), api_routes())


if __name__ == "__main__":
    sys.stdout.write(pretty(describe(documented_app())))
