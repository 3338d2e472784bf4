"""Where settings come from: built-in < pilothouse.toml < .env < environment < command-line option."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pilothouse.base.dotenv import parse_dotenv
from pilothouse.base.settings import Settings
from pilothouse.kit.errors import PilothouseError

PREFIX = "PILOTHOUSE_"
FILE = "_FILE"
NAMES = tuple(Settings.model_fields)
# Also read without the prefix, under the names that the makers' own tools use; the prefixed one wins.
BARE = {
    "OPENAI_API_KEY": "openai_api_key",
    "OPENAI_BASE_URL": "openai_base_url",
    "ANTHROPIC_API_KEY": "anthropic_api_key",
    "GEMINI_API_KEY": "gemini_api_key",
    "GROQ_API_KEY": "groq_api_key",
    "OPEN_ROUTER_API_KEY": "openrouter_api_key",
    "OPENROUTER_API_KEY": "openrouter_api_key",
    "OLLAMA_BASE_URL": "ollama_base_url",
}


class SettingsWrong(PilothouseError):
    """The settings are wrong."""

    hint = "`pilothouse config` shows every setting and where it comes from."


@dataclass(frozen=True, slots=True)
class Reading:
    """The settings, where each value came from, and what looked odd on the way."""

    settings: Settings
    sources: Mapping[str, str]
    warnings: tuple[str, ...]


@dataclass(slots=True)
class _Found:
    """Values gathered so far; a later source overwrites an earlier one."""

    values: dict[str, Any] = field(default_factory=dict[str, Any])
    sources: dict[str, str] = field(default_factory=dict[str, str])
    warnings: list[str] = field(default_factory=list[str])

    def put(self, name: str, value: object, source: str) -> None:
        self.values[name], self.sources[name] = value, source


def read_settings(environ: Mapping[str, str], directory: Path, options: Mapping[str, object] | None = None) -> Reading:
    """Read every source. Raises `SettingsWrong`, which names the variable and never its value."""
    dotenv = _read_dotenv(directory / ".env")
    named = _Found()
    for variables, source in ((dotenv, ".env"), (environ, "environment")):
        _take_variables(named, variables, source)
    _take_files(named, dotenv, environ)
    for name, value in (options or {}).items():
        if value is not None:
            named.put(name, value, "option")
    found = _Found(warnings=named.warnings)
    data_dir = _checked({name: named.values[name] for name in ("data_dir",) if name in named.values}).data_dir
    _take_toml(found, data_dir / "pilothouse.toml")
    for name, value in named.values.items():
        found.put(name, value, named.sources[name])
    settings = _checked(found.values)
    return Reading(settings, {name: found.sources.get(name, "default") for name in NAMES}, tuple(found.warnings))


def _read_dotenv(path: Path) -> dict[str, str]:
    try:
        return parse_dotenv(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsWrong(f"{path} cannot be read: {type(error).__name__}.") from error


def _take_variables(found: _Found, variables: Mapping[str, str], source: str) -> None:
    for variable, name in BARE.items():
        if variables.get(variable):
            found.put(name, variables[variable], source)
    for variable, value in variables.items():
        if not variable.startswith(PREFIX):
            continue
        name = variable.removeprefix(PREFIX).lower()
        if name in NAMES:
            found.put(name, value, source)
        elif name.removesuffix(FILE.lower()) not in NAMES:
            found.warnings.append(_unknown(variable, source))


def _take_files(found: _Found, *layers: Mapping[str, str]) -> None:
    """`NAME_FILE`: the value is what that file holds, as container secrets are handed over."""
    variables = {name: value for layer in layers for name, value in layer.items()}
    for name in NAMES:
        variable = PREFIX + name.upper()
        place = variables.get(variable + FILE)
        if place is None or (name + FILE.lower()) in NAMES:
            continue
        if variable in variables:
            raise SettingsWrong(f"{variable} and {variable}{FILE} are both set.", hint="Keep one of them.")
        try:
            found.put(name, Path(place).read_text(encoding="utf-8").strip(), f"{variable}{FILE}")
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsWrong(f"{variable}{FILE}: the file cannot be read ({type(error).__name__}).") from error


def _take_toml(found: _Found, path: Path) -> None:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsWrong(f"{path} cannot be read: {type(error).__name__}.") from error
    for key, value in table.items():
        name = key.lower()
        if name == "data_dir":
            raise SettingsWrong(f"{path} cannot say where it lies itself.", hint="Set PILOTHOUSE_DATA_DIR instead.")
        if name in NAMES:
            found.put(name, value, "pilothouse.toml")
        else:
            found.warnings.append(_unknown(key, "pilothouse.toml"))


def _unknown(name: str, source: str) -> str:
    prefix = PREFIX if name.startswith(PREFIX) else ""
    near = get_close_matches(name.removeprefix(prefix).lower(), NAMES, n=1)
    meant = prefix + near[0].upper() if prefix and near else "".join(near)
    return f"{name} ({source}) is not a setting." + (f" Did you mean {meant}?" if meant else "")


def _checked(values: Mapping[str, Any]) -> Settings:
    try:
        return Settings.model_validate(dict(values))
    except ValidationError as error:
        faults = error.errors(include_input=False, include_url=False, include_context=False)
        lines = [f"{PREFIX}{str(fault['loc'][0]).upper()}: {fault['msg']}." for fault in faults]
        raise SettingsWrong("\n".join(lines)) from None
