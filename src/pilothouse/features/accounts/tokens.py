"""Secrets that we hand out. All come from the system's random source and are kept as SHA-256.

A slow hash guards secrets that people choose, since those can be guessed. These hold 256 random bits, which
nobody guesses however fast the hash; and a key is checked on every request, where a slow hash would be felt.
"""

import re
import secrets
import string
from hashlib import sha256

_LETTERS = string.ascii_letters + string.digits
_API_KEY = re.compile(r"ph_[A-Za-z0-9]{8}_[A-Za-z0-9_-]{43}")


def new_token() -> str:
    """43 characters, 256 bits."""
    return secrets.token_urlsafe(32)


def new_api_key() -> str:
    """`ph_<8 id>_<43 secret>`: the prefix lets scanners find leaked ones."""
    handle = "".join(secrets.choice(_LETTERS) for _ in range(8))
    return f"ph_{handle}_{secrets.token_urlsafe(32)}"


def is_api_key(text: str) -> bool:
    return _API_KEY.fullmatch(text) is not None


def digest(token: str) -> str:
    return sha256(token.encode()).hexdigest()
