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
_VARIANT = {digit: "89ab"[int(digit, 16) % 4] for digit in "0123456789abcdef"}  # its first two bits say "RFC 9562"


def new_id() -> str:
    """A fresh UUIDv7: 48 bits of Unix milliseconds, then 74 random bits."""
    moment, chance = f"{time.time_ns() // 1_000_000:012x}", os.urandom(10).hex()
    return f"{moment[:8]}-{moment[8:]}-7{chance[:3]}-{_VARIANT[chance[3]]}{chance[4:7]}-{chance[7:19]}"


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
