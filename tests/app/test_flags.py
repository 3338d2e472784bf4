"""What every page may know of the installation."""

from pathlib import Path

from pydantic import SecretStr

from pilothouse.app.api import public_flags
from pilothouse.base.settings import Settings


def test_a_page_knows_whether_a_model_is_connected_and_not_which_key(tmp_path: Path) -> None:
    plain = Settings(data_dir=tmp_path)
    assert public_flags(plain) == {"model_connected": False}
    keyed = plain.model_copy(update={"openai_api_key": SecretStr("sk-canary")})
    assert public_flags(keyed) == {"model_connected": True}
