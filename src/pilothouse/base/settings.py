"""Every setting of the product, read once by the process that starts and handed down."""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias
from urllib.parse import unquote, urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr

from pilothouse.base.places import default_data_dir


def _split(value: object) -> object:
    """`a, b` from the environment is the list [a, b]."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


def _absolute(value: object) -> object:
    """`~` and relative paths are read where the process starts, not where it later happens to be."""
    return Path(value).expanduser().absolute() if isinstance(value, str | Path) else value


def _file_url(value: str) -> str:
    """Object stores are not spoken to yet, and a file must not land where nobody looks for it."""
    url = urlsplit(value)
    if url.scheme != "file" or url.netloc or not url.path.startswith("/"):
        raise ValueError("must be like file:///srv/pilothouse/files")
    return value


Words: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(_split)]
Place: TypeAlias = Annotated[Path, BeforeValidator(_absolute)]


class Settings(BaseModel):
    """Names are those of `docs/reference/settings.md`; the environment spells them `PILOTHOUSE_<NAME>`.

    A plain model: `settings_sources.py` finds the values, so that it can also say where each came from.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    # Core
    data_dir: Place = Field(default_factory=default_data_dir)
    env: Literal["local", "production"] = "local"
    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8000
    public_url: str = "http://localhost:8000"
    cors_origins: Words = ()
    trusted_proxies: Words = ()
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["auto", "console", "json"] = "auto"

    # State
    database_url: SecretStr | None = None  # absent: SQLite in the data directory
    database_pool_size: Annotated[int, Field(ge=2, le=200)] = 12
    database_connect_timeout: Annotated[float, Field(gt=0)] = 60.0
    broker_url: SecretStr | None = None  # absent: bells ring in process
    broker_prefix: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")] = "pilothouse"
    redis_url: SecretStr | None = None
    # A `file:` address that every process sees; absent: a directory under the data directory.
    files_url: Annotated[str, AfterValidator(_file_url)] | None = None
    max_file_bytes: Annotated[int, Field(ge=1, le=1 << 40)] = 100 * 1024 * 1024
    zip_file_bytes: Annotated[int, Field(ge=1, le=1 << 40)] = 50 * 1024 * 1024  # larger files stay out of a zip
    zip_total_bytes: Annotated[int, Field(ge=1, le=1 << 40)] = 200 * 1024 * 1024
    workspace_quota: Annotated[int, Field(ge=1)] | None = None  # bytes for each person; absent: no limit
    migrate: Literal["auto", "check"] | None = None  # absent: auto embedded, check scaled

    # Secrets; absent ones are made at first start
    encryption_keys: SecretStr | None = None
    signing_key: SecretStr | None = None
    hmac_key: SecretStr | None = None
    metrics_token: SecretStr | None = None
    backup_passphrase: SecretStr | None = None  # never made: it seals the secrets inside a backup

    # Work
    worker_concurrency: Annotated[int, Field(ge=1, le=10_000)] = 50
    lease_seconds: Annotated[float, Field(ge=1, le=600)] = 4.0
    shutdown_grace_seconds: Annotated[float, Field(ge=0, le=3600)] = 30.0
    max_parallel_runs: Annotated[int, Field(ge=1)] = 25
    user_max_runs: Annotated[int, Field(ge=1)] = 100
    rate_limit_per_minute: Annotated[int, Field(ge=1)] = 600
    max_steps_per_run: Annotated[int, Field(ge=1)] = 100_000
    max_parallel_steps: Annotated[int, Field(ge=1)] = 64
    run_log_days: Annotated[int, Field(ge=0)] = 30  # how long an ended run keeps its log; 0: for ever
    run_days: Annotated[int, Field(ge=0)] = 90  # and its row
    egress_allow: Words = ()
    sqlite_dir: Place | None = None  # a folder of SQLite files that agents may query; absent: none
    block_plugins: Words = ()  # packages whose blocks may be used
    sandbox: Literal["auto", "bubblewrap", "off"] = "auto"  # where code blocks run; never outside of one
    disabled_blocks: Words = ()  # ids, categories or packages
    metrics_port: Annotated[int, Field(ge=1, le=65535)] | None = None
    failpoint: str | None = None  # where a fault test wants this process to die
    test_blocks: bool = False  # the blocks and tools of the fault tests

    # Models; those of other makers are also read under the names that their own tools use
    openai_api_key: SecretStr | None = None
    openai_base_url: str | None = None  # anything that speaks OpenAI's chat completions
    anthropic_api_key: SecretStr | None = None
    anthropic_base_url: str | None = None
    openrouter_api_key: SecretStr | None = None
    openrouter_base_url: str | None = None
    gemini_api_key: SecretStr | None = None
    gemini_base_url: str | None = None
    groq_api_key: SecretStr | None = None
    groq_base_url: str | None = None
    ollama_base_url: str | None = None
    chat_model: str | None = None  # provider/name; absent: Claude where it is served, else the first connection's
    chat_advanced_model: str | None = None
    chat_title_model: str | None = None  # names conversations; absent: a small one if its provider is there
    chat_context_window: Annotated[int, Field(ge=4_000)] | None = None  # tokens; absent: as is known of the model
    chat_vision: bool | None = None  # whether models take pictures; absent: as is known of the model
    chat_fallback_model: str | None = None  # goes on where another fails, with a notice
    disabled_models: Words = ()  # provider/name, or provider/* for all of one
    thinking_budget_tokens: Annotated[int, Field(ge=0, le=128_000)] = 8192  # 0: no request asks for thinking
    thinking_effort: Literal["low", "medium", "high", "max"] | None = None  # absent: as the budget says
    show_reasoning: bool = True  # whether clients are shown what models think; the log has it either way
    prompt_cache_ttl: Literal["5m", "1h"] = "1h"  # how long Anthropic's keeps what is marked

    # Money, in microdollars; 0 is no limit
    autopilot_daily_cost_limit_microdollars: Annotated[int, Field(ge=0)] = 0
    autopilot_weekly_cost_limit_microdollars: Annotated[int, Field(ge=0)] = 0
    turn_cost_ceiling_microdollars: Annotated[int, Field(ge=0)] = 0

    @property
    def files_dir(self) -> Path:
        """Where files are kept."""
        return self.data_dir / "files" if self.files_url is None else Path(unquote(urlsplit(self.files_url).path))
