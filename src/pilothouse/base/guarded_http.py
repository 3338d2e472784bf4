"""The one HTTP client of the product: guarded, capped, and with redirects re-checked at every hop."""

import asyncio
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import Message
from types import TracebackType
from typing import Self

import httpx2

from pilothouse.base.egress import EgressDenied, EgressPolicy
from pilothouse.base.guarded_transport import GuardedTransport, Resolver
from pilothouse.base.http_body import ACCEPTED, AnswerTooLarge, read_body
from pilothouse.kit.errors import Invalid, UpstreamError, UpstreamRefused, UpstreamTimeout
from pilothouse.kit.json import Json, dump_bytes, loads

__all__ = [
    "AnswerTooLarge",
    "EgressDenied",
    "EgressPolicy",
    "GuardedHttp",
    "GuardedTransport",
    "Reply",
    "Resolver",
    "TooManyRedirects",
]

MAX_BYTES = 10_000_000
MAX_REDIRECTS = 5
TIMEOUT = 60.0  # for a whole exchange, redirects and body included
CONNECT_TIMEOUT = 10.0
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
# The client itself decides these: a wrong value makes two parties read one message differently.
_OURS = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "te", "trailer", "upgrade", "expect"}
    | {"accept-encoding", "proxy-authorization", "proxy-connection", "keep-alive"}
)
_SECRET_WORDS = ("auth", "cookie", "token", "secret", "api-key", "apikey", "password", "signature")


class TooManyRedirects(UpstreamRefused):
    """The address kept redirecting."""

    wire_code = "too_many_redirects"


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole answer, within the cap, its content unpacked. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    url: str
    content: bytes

    @property
    def text(self) -> str:
        """The content in the charset it names, UTF-8 without one; what cannot be read becomes a question mark."""
        message = Message()
        message["content-type"] = self.headers.get("content-type", "")
        try:
            return self.content.decode(message.get_content_charset() or "utf-8", errors="replace")
        except (LookupError, UnicodeError):  # some codecs take no `errors`
            return self.content.decode("utf-8", errors="replace")

    def json(self) -> Json:
        """Raises `ValueError` when the content is not JSON."""
        return loads(self.content)


@dataclass(frozen=True, slots=True)
class _Ask:
    method: str
    url: httpx2.URL
    headers: dict[str, str]
    content: bytes | None
    private: frozenset[str] = frozenset()  # headers for this origin alone, in lower case


class GuardedHttp:
    """Made once per process and closed with it."""

    def __init__(self, transport: GuardedTransport) -> None:
        self._client = httpx2.AsyncClient(
            transport=transport,
            follow_redirects=False,
            trust_env=False,
            timeout=httpx2.Timeout(TIMEOUT, connect=CONNECT_TIMEOUT),
            headers={"User-Agent": "Pilothouse", "Accept-Encoding": ACCEPTED},
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._client.aclose()

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        private: Mapping[str, str] | None = None,
        json: Json = None,
        content: bytes | None = None,
        timeout: float | None = None,
        max_bytes: int | None = None,
    ) -> Reply:
        """One exchange, redirects followed. Raises `EgressDenied`, `UpstreamTimeout` or another `UpstreamError`.

        `private` headers are for this address: no other origin that it redirects to gets them. An answer of any status
        is an answer: what a 404 means is for the caller to say.
        """
        own = frozenset(name.lower() for name in private or ())
        usual = {name: value for name, value in (headers or {}).items() if name.lower() not in own}
        sent = {name: value for name, value in {**usual, **(private or {})}.items() if name.lower() not in _OURS}
        if json is not None:
            content = dump_bytes(json)
            sent = {"Content-Type": "application/json", **sent}
        with _as_ours():
            async with asyncio.timeout(timeout or TIMEOUT):
                ask = _Ask(method.upper(), httpx2.URL(url), sent, content, own)
                for _ in range(MAX_REDIRECTS + 1):
                    answer = await self._exchange(ask, max_bytes or MAX_BYTES)
                    if isinstance(answer, Reply):
                        return answer
                    ask = answer
        raise TooManyRedirects(f"more than {MAX_REDIRECTS} redirects")

    async def _exchange(self, ask: _Ask, limit: int) -> Reply | _Ask:
        """The answer, or what to ask next when it redirects."""
        stream = self._client.stream(ask.method, ask.url, headers=ask.headers, content=ask.content)
        async with stream as response:
            target = response.headers.get("location")
            if response.status_code in _REDIRECTS and target:
                return redirected(ask, response.status_code, target)
            body = await read_body(response.aiter_raw(), response.headers.get("content-encoding", ""), limit)
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Reply(response.status_code, headers, str(ask.url), body)


def redirected(ask: _Ask, status: int, location: str) -> _Ask:
    """The next request. Another origin gets no secrets, and a changed method no body."""
    url = ask.url.join(location)
    method, headers, content = ask.method, dict(ask.headers), ask.content
    if (status == 303 and method != "HEAD") or (status in (301, 302) and method == "POST"):
        method, content = "GET", None
        headers = {name: value for name, value in headers.items() if not name.lower().startswith("content-")}
    if _origin(url) != _origin(ask.url):
        told = {name: name.lower() in ask.private or is_secret_header(name) for name in headers}
        headers = {name: value for name, value in headers.items() if not told[name]}
    return _Ask(method, url, headers, content, ask.private)


def is_secret_header(name: str) -> bool:
    """Whether a header may carry a secret meant for one origin only."""
    return any(word in name.lower() for word in _SECRET_WORDS)


def _origin(url: httpx2.URL) -> tuple[str, str, int]:
    return url.scheme, url.host, url.port or {"http": 80, "https": 443}.get(url.scheme, 0)


@contextmanager
def _as_ours() -> Generator[None]:
    """What the library raises, said in our own errors. Addresses are left out of messages: they may hold secrets."""
    try:
        yield
    except (TimeoutError, httpx2.TimeoutException) as cause:
        raise UpstreamTimeout("the address did not answer in time") from cause
    except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as cause:
        raise EgressDenied("this is not an http or https URL") from cause
    except (httpx2.LocalProtocolError, UnicodeEncodeError, TypeError, ValueError) as cause:
        raise Invalid("the request cannot be sent: a header or the method is malformed") from cause
    except (httpx2.HTTPError, httpx2.StreamError) as cause:
        raise UpstreamError(f"the address could not be reached: {type(cause).__name__}") from cause
