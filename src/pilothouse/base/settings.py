"""Every setting of the product, read once by the process that starts and handed down."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from pilothouse.base.places import default_data_dir


class Settings(BaseSettings):
    """Names are those of `docs/reference/settings.md`; the environment spells them `PILOTHOUSE_<NAME>`."""

    model_config = SettingsConfigDict(
        env_prefix="PILOTHOUSE_", env_file=".env", extra="ignore", frozen=True, hide_input_in_errors=True
    )

    # Core
    data_dir: Path = Field(default_factory=default_data_dir)
    env: Literal["local", "production"] = "local"
    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8000
    public_url: str = "http://localhost:8000"
    cors_origins: Annotated[tuple[str, ...], NoDecode] = ()
    trusted_proxies: Annotated[tuple[str, ...], NoDecode] = ()
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["auto", "console", "json"] = "auto"

    # State
    database_url: SecretStr | None = None  # absent: SQLite in the data directory
    database_pool_size: Annotated[int, Field(ge=2, le=200)] = 12
    database_connect_timeout: Annotated[float, Field(gt=0)] = 60.0
    broker_url: SecretStr | None = None  # absent: bells ring in process
    redis_url: SecretStr | None = None
    files_url: str | None = None  # absent: a directory under the data directory
    migrate: Literal["auto", "check"] | None = None  # absent: auto embedded, check scaled

    # Secrets; absent ones are made at first start
    encryption_keys: SecretStr | None = None
    signing_key: SecretStr | None = None
    hmac_key: SecretStr | None = None
    metrics_token: SecretStr | None = None

    # Work
    worker_concurrency: Annotated[int, Field(ge=1, le=10_000)] = 50
    lease_seconds: Annotated[float, Field(ge=1, le=600)] = 4.0
    shutdown_grace_seconds: Annotated[float, Field(ge=0, le=3600)] = 30.0
    max_parallel_runs: Annotated[int, Field(ge=1)] = 25
    user_max_runs: Annotated[int, Field(ge=1)] = 100
    rate_limit_per_minute: Annotated[int, Field(ge=1)] = 600
    max_steps_per_run: Annotated[int, Field(ge=1)] = 100_000
    max_parallel_steps: Annotated[int, Field(ge=1)] = 64
    egress_allow: Annotated[tuple[str, ...], NoDecode] = ()
    metrics_port: int | None = None
    test_blocks: bool = False  # the effect and probe blocks of the fault tests
