"""Put the built web app into the wheel. Without it the build still works, and the server says that it has no pages."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WebHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        built = Path(self.root) / "web" / "dist"
        if version == "standard" and (built / "index.html").exists():
            build_data["force_include"][str(built)] = "pilothouse/web"
