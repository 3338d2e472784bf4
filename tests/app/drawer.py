"""Files of a server's workspace, over HTTP with a key."""

import json
import urllib.request
from dataclasses import dataclass
from typing import TypedDict
from urllib.parse import urlencode


class File(TypedDict):
    """What is told of one, as far as tests look."""

    id: str
    path: str


@dataclass(frozen=True)
class Drawer:
    """One person's files."""

    url: str
    key: str

    def put(self, path: str, content: bytes, **options: bool) -> File:
        words = {name: str(value).lower() for name, value in options.items()}
        return json.loads(self._ask("POST", f"?{urlencode({'path': path, **words})}", content))

    def get(self, file_id: str) -> bytes:
        return self._ask("GET", f"/{file_id}/download")

    def delete(self, file_id: str) -> None:
        self._ask("DELETE", f"/{file_id}")

    def listed(self, *, deleted: bool = False) -> list[File]:
        return json.loads(self._ask("GET", f"?deleted={str(deleted).lower()}"))["items"]

    def _ask(self, method: str, where: str, content: bytes | None = None) -> bytes:
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/octet-stream"}
        request = urllib.request.Request(f"{self.url}/api/v1/files{where}", content, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.read()
