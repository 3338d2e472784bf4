"""The sandbox as the steps of one run see it: what they keep there is theirs."""

from dataclasses import dataclass

from pilothouse.base.sandbox import Job, Outcome, Sandboxes
from pilothouse.blocks.pins import BlockFailed
from pilothouse.blocks.sandbox import CodeOrder

NO_SANDBOX = "This process has no sandbox."


@dataclass(frozen=True, slots=True)
class StepSandbox:
    """One per step that asks for it."""

    sandboxes: Sandboxes | None
    run_id: str
    key: str  # of the step: equal over crashes and retries

    async def run(self, order: CodeOrder) -> Outcome:
        return await self._sandboxes().run(_job(order))

    def create(self) -> str:
        return self._sandboxes().create(self.run_id, self.key)

    async def run_in(self, sandbox_id: str, order: CodeOrder) -> Outcome:
        return await self._sandboxes().run_in(self.run_id, sandbox_id, _job(order))

    def dispose(self, sandbox_id: str) -> None:
        self._sandboxes().dispose(self.run_id, sandbox_id)

    def _sandboxes(self) -> Sandboxes:
        if self.sandboxes is None:
            raise BlockFailed("sandbox_unusable", NO_SANDBOX)
        return self.sandboxes


def _job(order: CodeOrder) -> Job:
    return Job(
        order.language,
        order.code,
        order.seconds,
        tuple(order.commands),
        dict(order.variables),
        order.wants_files,
    )
