"""A turn with a scripted provider behind it, and what the cost log says afterwards."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from pilothouse.base.committer import WriteSet
from pilothouse.base.jobs.moves import micros
from pilothouse.features.models import ALLOWANCE, CostRow, insert_cost
from pilothouse.kit.ids import new_id
from tests.autopilot.bridge import Bridge, leave_nothing, open_bridge
from tests.autopilot.switch import Switch
from tests.features.runs.stand import Installation
from tests.providers.script import Answer, Refusal, Script
from tests.providers.server import provider

NAMES = CostRow._fields
KEY = "sk-canary-0123456789"


@dataclass(slots=True)
class Till:
    """One per test; Ann's session, and providers that the test connects."""

    bridge: Bridge
    installation: Installation
    switch: Switch
    stack: AsyncExitStack
    urls: dict[str, str] = field(default_factory=dict[str, str])

    async def serve(self, wire: str, *answers: Answer | Refusal) -> tuple[Script, str]:
        script = Script(list(answers))
        return script, await self.stack.enter_async_context(provider(script, wire))

    def connect(self, settings: Mapping[str, Any]) -> None:
        models = self.switch.connect(self.installation, **settings)
        self.stack.push_async_callback(models.aclose)

    async def play(self, wire: str, *answers: Answer | Refusal, model: str = "maker/test", **settings: Any) -> Script:
        """This provider answers from now on."""
        script, url = await self.serve(wire, *answers)
        keys = {f"{wire}_base_url": url, f"{wire}_api_key": KEY, "chat_model": f"{wire}/{model}"}
        self.connect(keys | settings)
        return script

    async def rows(self) -> list[dict[str, Any]]:
        """Ann's rows of the cost log, oldest first."""
        listed = ", ".join(NAMES)
        found = await self.bridge.stand.rows(
            f"select {listed} from cost_log where user_id=?1 order by at, step", self.user_id
        )
        return [dict(zip(NAMES, row, strict=True)) for row in found]

    async def spend(self, cost: int, *, at: int | None = None, payer: str = ALLOWANCE) -> None:
        """As if Ann had spent this, now or at that microsecond."""
        row = CostRow(new_id(), self.user_id, new_id(), 1, "openai", "m", 1, 1, 0, 0, cost, "reported", payer, 0)
        write = insert_cost(row._replace(at=micros() if at is None else at))
        await self.installation.worker.committer.land(WriteSet((write,)))

    @property
    def user_id(self) -> str:
        return self.bridge.stand.ann.actor.user_id


@asynccontextmanager
async def open_till(switched: tuple[Installation, Switch]) -> AsyncGenerator[Till]:
    installation, switch = switched
    async with installation.stand() as stand, AsyncExitStack() as stack:
        try:
            yield Till(await open_bridge(stand), installation, switch, stack)
        finally:
            await leave_nothing(stand)
