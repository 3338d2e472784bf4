"""A stage for examples: prepared HTTP answers, a fixed clock, waits that are over at once. No network."""

from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import Random

from pilothouse.blocks.context import ChildOrder, Decision, PilotAnswer, PilotOrder, Question, Scope
from pilothouse.blocks.credentials import Credential
from pilothouse.blocks.example import Ran, Reply, Said
from pilothouse.blocks.rehearsed_files import KeptFiles
from pilothouse.blocks.sandbox import CodeOrder
from pilothouse.kit.errors import PilothouseError
from pilothouse.kit.json import Json, JsonObject, dump_bytes, loads
from pilothouse.kit.outside import DatabaseQuery, Letter, Login, MailSearch, RawMail, Rows, ToolAnswer, ToolCall


@dataclass(frozen=True, slots=True)
class Sent:
    """One request a block made; header names in lower case."""

    method: str
    url: str
    headers: dict[str, str]
    content: bytes | None


@dataclass(frozen=True, slots=True)
class Answer:
    """A prepared answer as a block reads it."""

    status: int
    headers: dict[str, str]
    url: str
    content: bytes

    @property
    def text(self) -> str:
        return self.content.decode()

    def json(self) -> Json:
        return loads(self.content)


class PreparedHttp:
    """Answers in order; a request too many fails the example."""

    def __init__(self, replies: Iterable[Reply] = ()) -> None:
        self.replies = list(replies)
        self.sent: list[Sent] = []

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
    ) -> Answer:
        body = content if json is None else dump_bytes(json)
        told = {**(headers or {}), **(private or {})}
        self.sent.append(Sent(method, url, {name.lower(): value for name, value in told.items()}, body))
        if not self.replies:
            raise AssertionError(f"the example has no answer for {method} {url}")
        reply = self.replies.pop(0)
        if isinstance(reply.body, dict | list):
            return Answer(
                reply.status, {"content-type": "application/json", **reply.headers}, url, dump_bytes(reply.body)
            )
        return Answer(
            reply.status, reply.headers, url, reply.body.encode() if isinstance(reply.body, str) else reply.body
        )


class PreparedSandbox:
    """Runs nothing; says in order what became of it."""

    def __init__(self, ran: Iterable[Ran] = ()) -> None:
        self.ran = list(ran)
        self.orders: list[tuple[str, CodeOrder]] = []
        self.disposed: list[str] = []

    async def run(self, order: CodeOrder) -> Ran:
        return await self.run_in("", order)

    def create(self) -> str:
        return "sandbox"

    async def run_in(self, sandbox_id: str, order: CodeOrder) -> Ran:
        self.orders.append((sandbox_id, order))
        if not self.ran:
            raise AssertionError("the example does not say what became of its program")
        return self.ran.pop(0)

    def dispose(self, sandbox_id: str) -> None:
        self.disposed.append(sandbox_id)


class PreparedOutside:
    """Says what was prepared, in order; keeps what it was asked."""

    def __init__(self, said: Iterable[Said] = ()) -> None:
        self.said = list(said)
        self.logins: list[Login] = []
        self.asked: list[Letter | MailSearch | DatabaseQuery | ToolCall] = []

    async def send_mail(self, login: Login, letter: Letter) -> None:
        self.logins.append(login)
        assert self._next(letter) is None

    async def read_mail(self, login: Login, search: MailSearch) -> list[RawMail]:
        self.logins.append(login)
        said = self._next(search)
        assert isinstance(said, list)
        return said

    async def query_database(self, login: Login, query: DatabaseQuery) -> Rows:
        self.logins.append(login)
        said = self._next(query)
        assert isinstance(said, Rows)
        return said

    async def call_tool(self, call: ToolCall) -> ToolAnswer:
        said = self._next(call)
        assert isinstance(said, ToolAnswer)
        return said

    def _next(self, ask: Letter | MailSearch | DatabaseQuery | ToolCall) -> Said:
        self.asked.append(ask)
        if not self.said:
            raise AssertionError(f"the example has no answer for {ask}")
        said = self.said.pop(0)
        if isinstance(said, PilothouseError):
            raise said
        return said


class KeptLog:
    """Keeps what a block said."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def info(self, message: str, **facts: Json) -> None:
        self.lines.append(message)

    def warning(self, message: str, **facts: Json) -> None:
        self.lines.append(message)


class KeptMemory:
    """Remembers for as long as the stage stands."""

    def __init__(self) -> None:
        self.values: dict[tuple[str, str], Json] = {}

    async def get(self, key: str, scope: Scope, default: Json = None) -> Json:
        return self.values.get((scope, key), default)

    def put(self, key: str, value: Json, scope: Scope) -> None:
        self.values[scope, key] = value

    @asynccontextmanager
    async def alone(self) -> AsyncGenerator[None]:
        yield


@dataclass(slots=True)
class Rehearsal:
    """A `BlockContext` in which equal asks give equal answers."""

    http: PreparedHttp = field(default_factory=PreparedHttp)
    outside: PreparedOutside = field(default_factory=PreparedOutside)
    log: KeptLog = field(default_factory=KeptLog)
    memory: KeptMemory = field(default_factory=KeptMemory)
    stored: KeptFiles | None = None
    sandbox: PreparedSandbox = field(default_factory=PreparedSandbox)
    credentials: Mapping[str, Credential] = field(default_factory=dict[str, Credential])
    run_id: str = "00000000-0000-7000-8000-000000000001"
    node_id: str = "node"
    step_id: str = "00000000-0000-7000-8000-000000000002"
    attempt: int = 1
    is_last_attempt: bool = True
    zone: str = "UTC"
    random: Random = field(default_factory=lambda: Random(0))
    moment: datetime = datetime(2026, 1, 1, 12, tzinfo=UTC)
    waits: list[datetime] = field(default_factory=list[datetime])

    @property
    def files(self) -> KeptFiles:
        if self.stored is None:
            self.stored = KeptFiles(self.http)
        return self.stored

    def now(self) -> datetime:
        return self.moment

    async def timezone(self) -> str:
        return self.zone

    def idempotency_key(self, label: str = "") -> str:
        return f"key-{self.step_id}-{label}" if label else f"key-{self.step_id}"

    def progress(self, message: str, fraction: float | None = None) -> None:
        self.log.info(message)

    def spend(self, provider: str, microdollars: int, tokens: Mapping[str, int] | None = None) -> None:
        """A rehearsal costs nothing."""

    @property
    def kept(self) -> Json:
        return None

    async def wait_timer(self, until: datetime, *, keep: Json = None) -> datetime:
        self.waits.append(until)
        return until

    async def wait_fact(self, name: str) -> Json:
        return name

    async def wait_review(self, question: Question) -> Decision:
        """Approved at once, without a word."""
        return Decision(True, question.data)

    async def run_agent(self, order: ChildOrder) -> AsyncIterator[tuple[str, Json]]:
        """As if the child handed its inputs on."""
        for name, value in order.inputs.items():
            yield name, value

    async def run_autopilot(self, order: PilotOrder) -> PilotAnswer:
        """As if it said what it was asked, in a session that nobody made."""
        said: list[JsonObject] = [{"role": role, "content": order.prompt} for role in ("user", "assistant")]
        session_id = order.session_id or "00000000-0000-7000-8000-00000000000b"
        return PilotAnswer(session_id, order.prompt, [], said, 0, 0)
