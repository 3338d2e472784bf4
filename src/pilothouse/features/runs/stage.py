"""Puts the catalogue's blocks on the engine's stage: the two know nothing of each other."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random

from pilothouse.base import failpoints
from pilothouse.base.sandbox import Sandboxes
from pilothouse.blocks.context import ChildOrder, Decision, Http, PilotAnswer, PilotOrder, Question
from pilothouse.blocks.credentials import NONE_OPENED, Credential
from pilothouse.blocks.outside import Outside
from pilothouse.blocks.pins import BlockFailed
from pilothouse.blocks.registry import Registry
from pilothouse.blocks.runner import Fired
from pilothouse.blocks.runner import Runnable as BlockRunnable
from pilothouse.engine.context import StepContext, Waiting
from pilothouse.engine.ports import Runnable
from pilothouse.features.runs.absent import AbsentBlock
from pilothouse.features.runs.desk import Desk
from pilothouse.features.runs.files import RunFiles, StepFiles
from pilothouse.features.runs.heavy import Helpers
from pilothouse.features.runs.keys import Hider, Keys, credential_pins
from pilothouse.features.runs.memory import RunMemories, StepMemory
from pilothouse.features.runs.sandbox import StepSandbox
from pilothouse.features.runs.stage_log import StageLog
from pilothouse.features.runs.values import checked, step_failed
from pilothouse.graph.catalogue import BlockSpec, Effects
from pilothouse.graph.fields import ERROR_PIN
from pilothouse.kit.clock import from_micros, to_micros
from pilothouse.kit.errors import UserError
from pilothouse.kit.json import Json, JsonObject

_FAILED: Fired = [(ERROR_PIN, None)]


class StageContext:
    """The engine's step context, in the words of the block contract."""

    __slots__ = (
        *("_desk", "_files", "_http", "_memories", "_outside", "_sandboxes", "_step"),
        *("credentials", "used_files", "used_memory"),
    )

    def __init__(
        self,
        step: StepContext,
        http: Http,
        memories: RunMemories,
        desk: Desk | None,
        credentials: Mapping[str, Credential] = NONE_OPENED,
        outside: Outside | None = None,
        files: RunFiles | None = None,
        sandboxes: Sandboxes | None = None,
    ) -> None:
        self._step = step
        self._files = files
        self._outside = outside
        self._sandboxes = sandboxes
        self.credentials = credentials
        self._http = http
        self._memories = memories
        self._desk = desk
        self.used_memory: StepMemory | None = None
        self.used_files: StepFiles | None = None

    @property
    def run_id(self) -> str:
        return self._step.run_id

    @property
    def node_id(self) -> str:
        return self._step.node_id

    @property
    def step_id(self) -> str:
        return str(self._step.step_id)

    @property
    def attempt(self) -> int:
        return self._step.attempt

    @property
    def is_last_attempt(self) -> bool:
        return self._step.is_last_attempt

    @property
    def random(self) -> Random:
        return Random()

    @property
    def http(self) -> Http:
        return self._http

    @property
    def outside(self) -> Outside:
        if self._outside is None:
            raise BlockFailed("not_available", "Nothing but HTTP can be reached from here.")
        return self._outside

    @property
    def log(self) -> StageLog:
        return StageLog(self._step.run_id, self._step.step_id)

    @property
    def memory(self) -> StepMemory:
        if self.used_memory is None:
            self.used_memory = self._memories.of_step(self._step.run_id)
        return self.used_memory

    @property
    def files(self) -> StepFiles:
        if self._files is None:
            raise BlockFailed("not_available", "There are no files here.")
        if self.used_files is None:
            self.used_files = self._files.of_step(self._step.run_id, str(self._step.step_id), self._http)
        return self.used_files

    def leave(self, *, keep: bool) -> None:
        """The step is over, or waits; `keep` what it put and wrote unless it failed."""
        if self.used_memory is not None:
            self.used_memory.leave(keep=keep)
        if self.used_files is not None:
            self.used_files.leave(keep=keep)

    @property
    def sandbox(self) -> StepSandbox:
        return StepSandbox(self._sandboxes, self._step.run_id, self._step.idempotency_key("sandbox"))

    def now(self) -> datetime:
        return from_micros(self._step.now())

    async def timezone(self) -> str:
        return await self._memories.timezone_of(self._step.run_id)

    def idempotency_key(self, label: str = "") -> str:
        return self._step.idempotency_key(label)

    def progress(self, message: str, fraction: float | None = None) -> None:
        """Not shown yet."""

    def spend(self, provider: str, microdollars: int, tokens: Mapping[str, int] | None = None) -> None:
        self._step.spend(provider, microdollars, tokens)

    @property
    def kept(self) -> Json:
        return self._step.kept

    async def wait_timer(self, until: datetime, *, keep: Json = None) -> datetime:
        due = await self._step.wait("timer", due=to_micros(until), keep=keep)
        return from_micros(due) if isinstance(due, int) else until

    async def wait_fact(self, name: str) -> Json:
        """Wait for somebody to send a fact of this name to the run."""
        return await self._step.wait("fact", ref=name)

    async def wait_review(self, question: Question) -> Decision:
        return await self._at_desk().wait_review(self._step, question)

    def run_agent(self, order: ChildOrder) -> AsyncGenerator[tuple[str, Json]]:
        return self._at_desk().run_agent(self._step, order)

    async def run_autopilot(self, order: PilotOrder) -> PilotAnswer:
        return await self._at_desk().run_autopilot(self._step, order)

    def _at_desk(self) -> Desk:
        if self._desk is None:
            raise BlockFailed("not_available", "Only blocks of the kinds `agent`, `ai` and `review` may ask for this.")
        return self._desk


@dataclass(frozen=True, slots=True)
class StagedBlock:
    """A block as the engine calls it."""

    block: BlockRunnable
    http: Http
    memories: RunMemories
    desk: Desk | None = None  # of the one run that it serves, if it may ask for more than others
    helpers: Helpers | None = None  # where it runs, if it is a heavy one
    keys: Keys | None = None  # who opens what its credentials pins name
    key_pins: tuple[str, ...] = ()
    outside: Outside | None = None
    files: RunFiles | None = None
    sandboxes: Sandboxes | None = None

    @property
    def spec(self) -> BlockSpec:
        return self.block.spec

    @property
    def is_generator(self) -> bool:
        return self.block.is_generator and self.helpers is None

    def effects_of(self, inputs: JsonObject) -> Effects:
        return self.block.effects_of(inputs)

    def _context(self, ctx: StepContext, opened: Mapping[str, Credential] = NONE_OPENED) -> StageContext:
        return StageContext(ctx, self.http, self.memories, self.desk, opened, self.outside, self.files, self.sandboxes)

    async def call(self, inputs: JsonObject, ctx: StepContext) -> Fired:
        if self.helpers is not None:
            return await self._call_helper(self.helpers, inputs, ctx)
        if self.key_pins:
            return await self._call_with_keys(inputs, ctx)
        staged = self._context(ctx)
        fired: Fired = _FAILED
        try:
            fired = checked(await self.block.call(inputs, staged))
        except BlockFailed as failure:
            raise step_failed(failure) from failure
        except Waiting:
            fired = []
            raise
        finally:
            staged.leave(keep=not fired or fired[-1][0] != ERROR_PIN)
        if self.block.spec.effects is Effects.WRITES:
            failpoints.hit("effect_done_not_journaled")
        return fired

    async def _call_with_keys(self, inputs: JsonObject, ctx: StepContext) -> Fired:
        """Credentials are opened for this call; what the block then says has none of what is secret in them."""
        fired = [fired async for part in self._with_keys(inputs, ctx) for fired in part]
        if self.block.spec.effects is Effects.WRITES:
            failpoints.hit("effect_done_not_journaled")
        return fired

    async def _with_keys(self, inputs: JsonObject, ctx: StepContext) -> AsyncGenerator[Fired]:
        hider = Hider(NONE_OPENED)
        try:
            opened = await self.keys.open_for(ctx.run_id, self.spec, inputs) if self.keys is not None else {}
            hider = Hider(opened)
            staged = self._context(ctx, opened)
            async for fired in self._stream(inputs, staged):
                yield hider.fired(fired)
        except BlockFailed as failure:
            raise step_failed(hider.failure(failure)) from None  # its cause may say more

    async def _call_helper(self, helpers: Helpers, inputs: JsonObject, ctx: StepContext) -> Fired:
        try:
            return checked(await helpers.call(self.spec.id, inputs, ctx))
        except BlockFailed as failure:
            raise step_failed(failure) from failure

    async def stream(self, inputs: JsonObject, ctx: StepContext) -> AsyncGenerator[Fired]:
        if self.key_pins:
            async for fired in self._with_keys(inputs, ctx):
                yield fired
            return
        try:
            async for fired in self._stream(inputs, self._context(ctx)):
                yield fired
        except BlockFailed as failure:
            raise step_failed(failure) from failure

    async def _stream(self, inputs: JsonObject, staged: StageContext) -> AsyncGenerator[Fired]:
        keep, failed = False, False
        try:
            async for fired in self.block.stream(inputs, staged):
                failed = bool(fired) and fired[-1][0] == ERROR_PIN
                yield checked(fired)  # who drives it may leave a stream that fired an error here
            keep = not failed
        except Waiting:
            keep = True
            raise
        finally:
            staged.leave(keep=keep)


class Stage:
    """The engine's `Blocks`: staged once, used by every run. Without helpers, heavy blocks run like others."""

    def __init__(
        self,
        registry: Registry,
        http: Http,
        memories: RunMemories,
        helpers: Helpers | None = None,
        keys: Keys | None = None,
        outside: Outside | None = None,
        files: RunFiles | None = None,
        sandboxes: Sandboxes | None = None,
    ) -> None:
        self._files = files
        self._sandboxes = sandboxes
        self._keys = keys
        self._outside = outside
        self._registry = registry
        self._http = http
        self.memories = memories
        self._helpers = helpers
        self._staged: dict[str, StagedBlock] = {}

    def get(self, block_id: str) -> Runnable:
        spec = self._registry[block_id]
        if spec.disabled:
            return AbsentBlock(spec)
        found = self._staged.get(block_id)
        if found is None:
            try:
                block = self._registry.runnable(block_id)
                helpers = self._helpers if block.spec.cpu_heavy else None
                found = self._staged[block_id] = StagedBlock(
                    *(block, self._http, self.memories, None, helpers),
                    *(self._keys, credential_pins(block.spec), self._outside, self._files, self._sandboxes),
                )
            except UserError:  # it cannot be loaded, as was found out just now
                return AbsentBlock(replace(spec, disabled=True))
        return found
