"""Where settings come from, and which source wins."""

from pathlib import Path

import pytest

from pilothouse.base.dotenv import parse_dotenv
from pilothouse.base.settings_sources import NAMES, SettingsWrong, read_settings


@pytest.mark.parametrize(
    ("spelled", "meant"),
    [("", ()), ("127.0.0.1:8080", ("127.0.0.1:8080",)), ("ollama.local, 10.0.0.0/8,", ("ollama.local", "10.0.0.0/8"))],
)
def test_a_list_is_spelled_with_commas(tmp_path: Path, spelled: str, meant: tuple[str, ...]):
    assert read_settings({"PILOTHOUSE_EGRESS_ALLOW": spelled}, tmp_path).settings.egress_allow == meant


def test_each_source_wins_over_those_before_it(tmp_path: Path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "pilothouse.toml").write_text('port = 1\nhost = "toml"\nlog_level = "error"\negress_allow = ["a", "b"]\n')
    (tmp_path / ".env").write_text("PILOTHOUSE_PORT=2\nPILOTHOUSE_HOST=dotenv\nPILOTHOUSE_ENV=local\n")
    environ = {"PILOTHOUSE_DATA_DIR": str(data), "PILOTHOUSE_PORT": "3"}

    reading = read_settings(environ, tmp_path, {"port": 4, "host": None})

    settings, sources = reading.settings, reading.sources
    assert (settings.port, sources["port"]) == (4, "option")
    assert (settings.host, sources["host"]) == ("dotenv", ".env")
    assert (settings.log_level, sources["log_level"]) == ("error", "pilothouse.toml")
    assert settings.egress_allow == ("a", "b")
    assert sources["data_dir"] == "environment"
    assert sources["redis_url"] == "default"
    assert read_settings(environ, tmp_path).settings.port == 3
    assert set(sources) == set(NAMES)
    assert reading.warnings == ()


def test_a_value_may_lie_in_a_file(tmp_path: Path):
    (tmp_path / "url").write_text("postgresql://u:p@db/x\n")
    reading = read_settings({"PILOTHOUSE_DATABASE_URL_FILE": str(tmp_path / "url")}, tmp_path)
    assert reading.settings.database_url is not None
    assert reading.settings.database_url.get_secret_value() == "postgresql://u:p@db/x"
    assert reading.sources["database_url"] == "PILOTHOUSE_DATABASE_URL_FILE"


def test_a_value_and_a_file_for_it_is_one_too_many(tmp_path: Path):
    environ = {"PILOTHOUSE_HMAC_KEY": "hush-hush", "PILOTHOUSE_HMAC_KEY_FILE": str(tmp_path / "key")}
    with pytest.raises(SettingsWrong, match="PILOTHOUSE_HMAC_KEY and PILOTHOUSE_HMAC_KEY_FILE") as caught:
        read_settings(environ, tmp_path)
    assert "hush-hush" not in str(caught.value)


def test_a_missing_file_is_named_by_its_variable(tmp_path: Path):
    with pytest.raises(SettingsWrong, match="PILOTHOUSE_HMAC_KEY_FILE"):
        read_settings({"PILOTHOUSE_HMAC_KEY_FILE": str(tmp_path / "none")}, tmp_path)


@pytest.mark.parametrize(
    ("name", "value"), [("PORT", "hush"), ("ENV", "hush"), ("LEASE_SECONDS", "-9.75"), ("TEST_BLOCKS", "hush")]
)
def test_a_bad_value_names_the_variable_and_never_the_value(tmp_path: Path, name: str, value: str):
    with pytest.raises(SettingsWrong, match=f"PILOTHOUSE_{name}: ") as caught:
        read_settings({f"PILOTHOUSE_{name}": value}, tmp_path)
    assert value not in str(caught.value)


def test_an_unknown_name_is_told_with_its_nearest_match(tmp_path: Path):
    (tmp_path / "pilothouse.toml").write_text("prot = 8001\n")
    environ = {"PILOTHOUSE_PROT": "1", "PILOTHOUSE_ZZZ_QQQ": "1", "PILOTHOUSE_DATA_DIR": str(tmp_path), "OTHER": "1"}
    told = read_settings(environ, tmp_path).warnings
    assert told == (
        "PILOTHOUSE_PROT (environment) is not a setting. Did you mean PILOTHOUSE_PORT?",
        "PILOTHOUSE_ZZZ_QQQ (environment) is not a setting.",
        "prot (pilothouse.toml) is not a setting. Did you mean port?",
    )


@pytest.mark.parametrize("text", ["port = \n", 'data_dir = "/elsewhere"\n'])
def test_a_file_of_settings_that_makes_no_sense_stops_the_start(tmp_path: Path, text: str):
    (tmp_path / "pilothouse.toml").write_text(text)
    with pytest.raises(SettingsWrong, match=r"pilothouse\.toml"):
        read_settings({"PILOTHOUSE_DATA_DIR": str(tmp_path)}, tmp_path)


def test_a_relative_data_directory_is_read_where_the_process_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert read_settings({"PILOTHOUSE_DATA_DIR": "here"}, tmp_path).settings.data_dir == tmp_path / "here"


def test_a_dotenv_file_is_read_as_shells_read_it():
    text = """
        # a comment
        A=plain # and a comment
        export B="two\\nlines" # said
        C='as $it is'
        D=
        E=a#b
        not an assignment
    """
    assert parse_dotenv(text) == {"A": "plain", "B": "two\nlines", "C": "as $it is", "D": "", "E": "a#b"}
