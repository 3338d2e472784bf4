"""Models on the wire. A key goes in and never comes out."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, SecretStr, StringConstraints

from pilothouse.base.http import In, Out, WireTime
from pilothouse.features.models.kinds import KindName
from pilothouse.features.models.resolving import Mode

TierName = Literal["standard", "advanced"]
SourceName = Literal["stored", "environment"]

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?")
_MODEL = re.compile(r"[!-~]+")


def _name(text: str) -> str:
    if not _NAME.fullmatch(text) or text == "offline":
        raise ValueError("must be lower-case letters, digits and dashes, and not `offline`")
    return text


def _model(text: str) -> str:
    if not _MODEL.fullmatch(text):
        raise ValueError("must be a name without spaces")
    return text


ConnectionName = Annotated[str, StringConstraints(max_length=32), AfterValidator(_name)]
ModelName = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(_model)]
Key = Annotated[SecretStr, Field(min_length=1, max_length=4000)]
Url = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]


class ConnectionIn(In):
    """A provider to connect."""

    kind: KindName
    name: Annotated[
        ConnectionName | None, Field(description="What model names begin with; the kind's name if left out.")
    ] = None
    base_url: Annotated[Url | None, Field(description="Needed for an OpenAI-compatible server.")] = None
    api_key: Key | None = None
    model: Annotated[ModelName | None, Field(description="The one that answers when none is named.")] = None
    advanced_model: ModelName | None = None
    free: Annotated[bool, Field(description="Asking costs nothing, though the address is public.")] = False


class ConnectionPatch(In):
    """What to change; what is left out stays. A new key replaces the old one."""

    base_url: Url | None = None
    api_key: Key | None = None
    model: ModelName | None = None
    advanced_model: ModelName | None = None
    free: bool | None = None


class ConnectionOut(Out):
    """A connection. Those that come from the environment have no dates and cannot be changed here."""

    id: str
    name: str
    kind: KindName
    base_url: str
    key_hint: str | None
    model: str | None
    advanced_model: str | None
    free: bool
    source: SourceName
    created_at: WireTime | None
    tested_at: WireTime | None
    test_code: Annotated[str | None, Field(description="Why the last test failed; null when it did not.")]


class ConnectionsOut(Out):
    items: list[ConnectionOut]


class TestedOut(Out):
    """What came of a small call to the provider."""

    ok: bool
    code: str | None
    message: str
    model: Annotated[str | None, Field(description="The model that answered, or was asked.")]
    latency_ms: int


class ChoiceIn(In):
    """The model of one cell; null takes the choice back."""

    mode: Mode
    tier: TierName
    model: ModelName | None


class ChoicesIn(In):
    choices: Annotated[list[ChoiceIn], Field(min_length=1, max_length=4)]


class CellOut(Out):
    """What answers to a mode and a tier."""

    mode: Mode
    tier: TierName
    model: str
    provider: str | None
    available: bool
    chosen_by: Literal["administrator", "user", "configuration", "default"]
    instead_of: Annotated[str | None, Field(description="The model that was wanted, where the fallback answers.")]


class ChatModelsOut(Out):
    """The four cells, as they are for the caller."""

    cells: list[CellOut]
    offline: bool


class WindowOut(Out):
    percent_used: float
    resets_at: str


class UsageOut(Out):
    """How much of what may be spent is spent: no amount, only a share."""

    daily: WindowOut | None
    weekly: WindowOut | None
    tier: str
    reset_cost: int | None
    degraded: Annotated[bool, Field(description="The figures could not be read, and are shown as nothing.")] = False
