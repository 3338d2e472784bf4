"""Lists by pages: a cursor says after which row to go on, and only we can write one."""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Generic, TypeVar

from fastapi import Depends, Query, Request
from pydantic import BaseModel

from pilothouse.base.http.auth import actor_of
from pilothouse.base.keyring import Keyring
from pilothouse.kit.errors import Invalid
from pilothouse.kit.json import Json, dump_bytes, loads

Item = TypeVar("Item")
Row = TypeVar("Row")
_MAC_BYTES = 16


class Page(BaseModel, Generic[Item]):
    """One page of a list, newest first."""

    items: list[Item]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class PageAsk:
    """Which page. Queries fetch `limit + 1` rows past `after`; the one too many says that there is more."""

    limit: int
    after: Json
    purpose: str
    keyring: Keyring

    @property
    def fetch(self) -> int:
        return self.limit + 1

    def page(self, rows: Sequence[Row], key: Callable[[Row], Json]) -> tuple[list[Row], str | None]:
        """The rows to show and the cursor behind the last one; `key` is what the list is ordered by."""
        shown = list(rows[: self.limit])
        if len(rows) <= self.limit:
            return shown, None
        return shown, self.cursor(key(shown[-1]))

    def cursor(self, after: Json) -> str:
        """For a list that finds out by itself where its next page begins."""
        return sign_cursor(self.keyring, self.purpose, after)


def sign_cursor(keyring: Keyring, purpose: str, after: Json) -> str:
    payload = dump_bytes(after)
    return urlsafe_b64encode(keyring.mac(purpose, payload)[:_MAC_BYTES] + payload).decode().rstrip("=")


def read_cursor(keyring: Keyring, purpose: str, cursor: str) -> Json:
    """Raises `Invalid` for a cursor that was not made by us for this list and caller."""
    try:
        raw = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except (NotBase64, ValueError):
        raw = b""
    mac, payload = raw[:_MAC_BYTES], raw[_MAC_BYTES:]
    if not payload or not hmac.compare_digest(mac, keyring.mac(purpose, payload)[:_MAC_BYTES]):
        raise Invalid("This cursor does not belong to this list.", hint="Start again without a cursor.")
    return loads(payload)


async def _page_ask(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[str | None, Query(max_length=1000)] = None,
) -> PageAsk:
    keyring: Keyring = request.app.state.keyring
    purpose = f"cursor {actor_of(request).user_id} {request.scope['path']}"
    after = None if cursor is None else read_cursor(keyring, purpose, cursor)
    return PageAsk(limit, after, purpose, keyring)


Paging = Annotated[PageAsk, Depends(_page_ask)]
