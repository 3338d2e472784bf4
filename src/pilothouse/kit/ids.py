"""Ids: UUIDv7 text, so that they sort by the moment they were made."""

import os
import re
import time
from hashlib import sha256
from typing import NewType
from uuid import UUID

UserId = NewType("UserId", str)
AgentId = NewType("AgentId", str)
RunId = NewType("RunId", str)
JobId = NewType("JobId", str)
ApiKeyId = NewType("ApiKeyId", str)

_PATTERN = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def new_id() -> str:
    """A fresh UUIDv7: 48 bits of Unix milliseconds, then 74 random bits."""
    raw = (time.time_ns() // 1_000_000).to_bytes(6, "big") + os.urandom(10)
    number = int.from_bytes(raw, "big")
    number = number & ~(0xF << 76) | (0x7 << 76)
    number = number & ~(0x3 << 62) | (0x2 << 62)
    text = f"{number:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def is_id(text: str) -> bool:
    """Whether this is a lowercase UUID as we write them."""
    return _PATTERN.fullmatch(text) is not None


def derived_id(namespace: str, name: str) -> str:
    """The same id for the same (namespace, name), for work that may be started twice but must exist once."""
    digest = bytearray(sha256(UUID(namespace).bytes + name.encode()).digest()[:16])
    digest[6] = digest[6] & 0x0F | 0x80  # version 8: the bits are ours
    digest[8] = digest[8] & 0x3F | 0x80
    return str(UUID(bytes=bytes(digest)))


def child_id(parent: str, name: str) -> str:
    """As `derived_id`, for what lists order by id: it sorts with the moment at which its parent was made."""
    return parent[:13] + derived_id(parent, name)[13:]
