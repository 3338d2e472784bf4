"""A block for tests of credentials only: it tells what it was trusted with, in every way a careless block could."""

from base64 import b64encode
from typing import Annotated, Literal
from urllib.parse import quote

from pydantic import Field

from pilothouse.blocks.contract import (
    AnyJson,
    BlockContext,
    BlockFailed,
    BlockInput,
    BlockOutput,
    Category,
    Effects,
    Example,
    block,
)
from pilothouse.blocks.credentials import ApiKey, CredentialRef, credentials_field

_REF = {"id": "00000000-0000-7000-8000-0000000000c2", "provider": "openai", "type": "api_key", "title": "Example"}
_OPENED = {"credentials": ApiKey(_REF["id"], "openai", "")}
ALMOST_TOO_LONG = 9_995  # characters before the secret, so that the end of a long message falls into it


class BlabIn(BlockInput):
    credentials: CredentialRef = credentials_field(
        "openai", "smtp", "http", types=("api_key", "user_password", "host_scoped")
    )
    way: Annotated[Literal["tell", "fail", "crash", "long"], Field(description="How to be careless.")] = "tell"


class BlabOut(BlockOutput):
    told: AnyJson = None


@block(
    id="0e57b10c-0000-4000-8000-000000000030",
    name="TestBlab",
    categories={Category.DEVELOPER_TOOLS},
    effects=Effects.READS,
    examples=[
        Example(ask={"credentials": {**_REF}}, credentials=_OPENED, fires=[("told", ["", "", "", "", "<>"])]),
        Example(ask={"credentials": {**_REF}, "way": "fail"}, credentials=_OPENED, fails="refused"),
    ],
)
async def blab(ask: BlabIn, ctx: BlockContext) -> BlabOut:
    """Tell a secret: as it is, in other spellings, in an error, in a crash, at the end of a long text."""
    secret = " ".join(ctx.credentials["credentials"].secrets())
    ctx.log.info(secret, secret=secret)
    ctx.progress(secret)
    match ask.way:
        case "fail":
            raise BlockFailed("refused", f"{secret} was refused", {"given": [secret], secret: 1}, retryable=True)
        case "crash":
            raise RuntimeError(secret)
        case "long":
            raise BlockFailed("refused", "x" * ALMOST_TOO_LONG + secret)
        case "tell":
            raw = secret.encode()
            spelled: list[AnyJson] = [secret, b64encode(raw).decode(), raw.hex(), quote(secret, safe="")]
            return BlabOut(told=[*spelled, f"<{b64encode(b'Basic ' + raw).decode() if raw else ''}>"])
