"""An installation per profile, with people who store files in it."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
import pytest_asyncio

from pilothouse.features.files import Cabinet, Limits
from tests.features.runs.installations import open_embedded, open_scaled, share_one_loop
from tests.features.runs.stand import Installation, Stand
from tests.lines import settings_of_lines

HERE = Path(__file__).parent
FILES = "/api/workspace/files"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    share_one_loop(items, HERE)


@dataclass(slots=True)
class Office:
    """A stand, and the files of its people."""

    stand: Stand

    @property
    def ann(self) -> httpx2.AsyncClient:
        return self.stand.ann.browser

    @property
    def cabinet(self) -> Cabinet:
        return self.stand.house.api.cabinet

    @property
    def user_id(self) -> str:
        return self.stand.ann.actor.user_id

    @property
    def root(self) -> Path:
        return self.stand.house.settings.files_dir

    def limited(self, limits: Limits) -> Cabinet:
        """A cabinet over the same store, with limits of its own; the doors use it until the test ends."""
        made = self.stand.house.app.state.cabinet = replace(self.cabinet, limits=limits)
        return made

    async def upload(
        self, path: str, content: bytes, kind: str = "application/octet-stream", **more: Any
    ) -> httpx2.Response:
        return await self.ann.post(
            FILES, params={"path": path, **more}, content=content, headers={"Content-Type": kind}
        )

    async def stored(self, path: str, content: bytes, kind: str = "application/octet-stream", **more: Any) -> Any:
        answer = await self.upload(path, content, kind, **more)
        assert answer.status_code == 201, answer.text
        return answer.json()

    async def download(
        self, file_id: str, headers: dict[str, str] | None = None, *, inline: bool = False
    ) -> httpx2.Response:
        return await self.ann.get(f"{FILES}/{file_id}/download", params={"inline": inline}, headers=headers)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def embedded_office(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Installation]:
    async with open_embedded(tmp_path_factory.mktemp("office"), user_max_runs=100) as opened:
        yield opened


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def scaled_office(
    tmp_path_factory: pytest.TempPathFactory, broker_url: str, own_redis_url: str
) -> AsyncGenerator[Installation]:
    lines = settings_of_lines(broker_url, own_redis_url)
    async with open_scaled(tmp_path_factory.mktemp("scaled_office"), lines, user_max_runs=100) as opened:
        yield opened


@pytest.fixture(params=["embedded_office", pytest.param("scaled_office", marks=pytest.mark.scaled)])
def installation(request: pytest.FixtureRequest) -> Installation:
    """On each profile in turn."""
    return request.getfixturevalue(request.param)


@pytest_asyncio.fixture(loop_scope="session")
async def office(installation: Installation) -> AsyncGenerator[Office]:
    async with installation.stand() as stand:
        yield Office(stand)
    installation.app.state.cabinet = installation.api.cabinet
