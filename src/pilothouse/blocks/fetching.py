"""Files that lie at an address."""

from pilothouse.blocks.context import Http
from pilothouse.blocks.files import MAX_READ, FileBytes, name_in
from pilothouse.blocks.pins import BlockFailed
from pilothouse.kit.upstream import asked_rest, is_passing


async def fetched(http: Http, address: str, limit: int) -> FileBytes:
    """Fails the step with `file_unreachable`, or as the client does."""
    answer = await http.request("GET", address, max_bytes=min(limit, MAX_READ))
    if not 200 <= answer.status < 300:
        raise BlockFailed(
            "file_unreachable",
            f"The address of the file answered with status {answer.status}.",
            {"status": answer.status},
            retryable=is_passing(answer.status),
            retry_after=asked_rest(answer.headers),
        )
    kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    return FileBytes(name_in(answer.url), kind or "application/octet-stream", answer.content)
