"""What every page may know of the installation."""

from pathlib import Path

import pytest

from pilothouse.app.api import public_flags
from pilothouse.app.house import open_house
from pilothouse.base.actor import SYSTEM
from pilothouse.base.settings import Settings
from pilothouse.features.models import ConnectionIn, create_model_connection


async def test_a_page_knows_whether_a_model_is_connected_and_not_which_key(tmp_path: Path) -> None:
    async with open_house(Settings(data_dir=tmp_path), serves=False) as house:
        assert await public_flags(house) == {"model_connected": False}
        async with house.units.write(SYSTEM) as work:
            ask = ConnectionIn.model_validate({"kind": "openai", "api_key": "sk-canary"})
            await create_model_connection(work, house.keyring, ask)
        assert await public_flags(house) == {"model_connected": True}


@pytest.mark.parametrize("told", [{"groq_api_key": "sk-canary"}, {"ollama_base_url": "http://localhost:11434"}])
async def test_the_environment_counts_too(tmp_path: Path, told: dict[str, str]) -> None:
    settings = Settings.model_validate({"data_dir": tmp_path, **told})
    async with open_house(settings, serves=False) as house:
        assert await public_flags(house) == {"model_connected": True}
