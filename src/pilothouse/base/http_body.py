"""Reading an answer's body: unpacked as it comes, and never more of it than was asked for."""

import zlib
from collections.abc import AsyncIterator

from pilothouse.kit.errors import UpstreamRefused

ACCEPTED = "gzip, deflate"
_CHUNK = 65_536


class AnswerTooLarge(UpstreamRefused):
    """The answer is larger than allowed."""

    wire_code = "answer_too_large"


class UnknownEncoding(UpstreamRefused):
    """The answer is packed in a way that was not asked for."""

    wire_code = "unknown_encoding"


async def read_body(raw: AsyncIterator[bytes], encoding: str, limit: int) -> bytes:
    """The body without its packing; a bomb is dropped when it passes the limit, not after it went off."""
    unpack = _Unpacker(encoding)
    body = bytearray()
    async for part in raw:
        rest = part
        while rest:
            piece, rest = unpack.some(rest)
            body += piece
            if len(body) > limit:
                raise AnswerTooLarge(f"the answer is larger than {limit:,} bytes", limit=limit)
    return bytes(body)


class _Unpacker:
    def __init__(self, encoding: str) -> None:
        names = [name.strip().lower() for name in encoding.split(",") if name.strip().lower() not in ("", "identity")]
        if len(names) > 1 or not set(names) <= {"gzip", "x-gzip", "deflate"}:
            raise UnknownEncoding(f"the answer is packed as {encoding}")
        self._packed = bool(names)
        self._zlib = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)  # gzip or zlib, by their headers
        self._is_first = True

    def some(self, data: bytes) -> tuple[bytes, bytes]:
        """At most one chunk of plain bytes, and the packed bytes still to do."""
        if not self._packed:
            return data, b""
        try:
            piece = self._zlib.decompress(data, _CHUNK)
        except zlib.error as cause:
            if not self._is_first:
                raise UpstreamRefused("the answer is packed wrongly") from cause
            self._zlib = zlib.decompressobj(wbits=-zlib.MAX_WBITS)  # some send deflate without its header
            self._is_first = False
            return self.some(data)
        self._is_first = False
        rest = b"" if self._zlib.eof else self._zlib.unconsumed_tail
        return piece, rest
