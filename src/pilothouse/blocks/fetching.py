"""Files that lie at an address."""

from pilothouse.blocks.context import Http
from pilothouse.blocks.files import MAX_READ, FileBytes, name_in
from pilothouse.blocks.pins import BlockFailed


async def fetched(http: Http, address: str, limit: int) -> FileBytes:
    """Fails the step with `file_unreachable`, or as the client does."""
    answer = await http.request("GET", address, max_bytes=min(limit, MAX_READ))
    if not 200 <= answer.status < 300:
        told = f"The address of the file answered with status {answer.status}."
        raise BlockFailed("file_unreachable", told, {"status": answer.status}, retryable=answer.status >= 500)
    kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    return FileBytes(name_in(answer.url), kind or "application/octet-stream", answer.content)
