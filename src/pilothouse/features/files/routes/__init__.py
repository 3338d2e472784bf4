"""The HTTP door of files."""

from pilothouse.base.http import Router
from pilothouse.features.files.routes.files import of_the_app, router
from pilothouse.features.files.routes.folders import of_folders


def routers() -> list[Router]:
    return [router, of_the_app, of_folders]
