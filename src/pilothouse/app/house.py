"""The house: every part of a process, made from the settings and handed to those who need it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

import structlog

from pilothouse import __version__
from pilothouse.app.asking import HouseModel
from pilothouse.app.catalogue import open_registry
from pilothouse.app.holds import is_held, until_released
from pilothouse.app.migrate import ready_schema
from pilothouse.app.outside import judge_addresses, open_folder
from pilothouse.app.profile import Profile, profile_of
from pilothouse.app.reactions import reactions, stopper_of, together
from pilothouse.app.sealed import SEALED
from pilothouse.app.turns import probe, turn_handler
from pilothouse.app.upkeep import LOOK_SECONDS, upkeep, upkeep_of_chat, upkeep_of_files, upkeep_of_runs
from pilothouse.base import failpoints
from pilothouse.base.committer import Committer
from pilothouse.base.committer_postgres import PostgresCommitter
from pilothouse.base.committer_sqlite import SqliteCommitter
from pilothouse.base.database import Database
from pilothouse.base.directory_lock import hold_directory
from pilothouse.base.directory_store import DirectoryStore
from pilothouse.base.egress import EgressPolicy
from pilothouse.base.fanout import Fanout, LocalFanout
from pilothouse.base.guarded_http import GuardedHttp
from pilothouse.base.guarded_transport import GuardedTransport
from pilothouse.base.jobs.bells import Bell, LocalBell
from pilothouse.base.jobs.sweeper import Sweeper
from pilothouse.base.jobs.worker import Worker
from pilothouse.base.keyring import Keyring, open_keyring
from pilothouse.base.loops import end_tasks
from pilothouse.base.outside import GuardedOutside
from pilothouse.base.periodic import PeriodicRunner
from pilothouse.base.postgres import dsn_of
from pilothouse.base.reader import PostgresReader, Reader, SqliteReader
from pilothouse.base.sandbox import Sandboxes, open_sandboxes
from pilothouse.base.settings import Settings
from pilothouse.base.work import Units
from pilothouse.blocks.registry import Registry
from pilothouse.engine.ports import Limits
from pilothouse.features.accounts import Memories, Reception
from pilothouse.features.agents import Plans, agents_naming
from pilothouse.features.chat import KIND as TURN_KIND
from pilothouse.features.chat import BlockPilot, Chat, Drive, Lines
from pilothouse.features.credentials import Safe, Vault, check_keys, system_credentials
from pilothouse.features.files import Cabinet, FileUpkeep
from pilothouse.features.files import Limits as FileLimits
from pilothouse.features.models import ModelDesk, Spending, Stockroom, limits_of
from pilothouse.features.reviews import Reviews
from pilothouse.features.runs import Retention, Runs
from pilothouse.features.runs.desk import Counter
from pilothouse.features.runs.files import RunFiles
from pilothouse.features.runs.heavy import Helpers
from pilothouse.features.runs.keys import Keys
from pilothouse.features.runs.loading import Loader
from pilothouse.features.runs.memory import RunMemories
from pilothouse.features.runs.motor import Motor
from pilothouse.features.runs.stage import Stage
from pilothouse.features.runs.writes import KIND, Caps
from pilothouse.kit.ids import new_id

log = structlog.get_logger()


@dataclass(slots=True)
class House:
    """What a process has."""

    settings: Settings
    profile: Profile
    keyring: Keyring
    database: Database
    units: Units
    committer: Committer
    reader: Reader
    bell: Bell
    fanout: Fanout
    registry: Registry
    plans: Plans
    reception: Reception
    motor: Motor
    runs: Runs
    reviews: Reviews
    retention: Retention
    chat: Chat
    credentials: Safe
    cabinet: Cabinet
    models: ModelDesk
    sweeper: Sweeper
    upkeep: PeriodicRunner
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    worker: Worker | None = None
    released: asyncio.Event = field(default_factory=asyncio.Event)  # not held, or not any more
    _tasks: list["asyncio.Task[None]"] = field(default_factory=list["asyncio.Task[None]"])

    async def begin_work(self, drive: Drive | None = None) -> None:
        """Take jobs from now on; in a held installation, once it is resumed. `drive` works on turns: AutoPilot."""
        if self.released.is_set():
            await self._take_jobs(drive)
        else:
            self._tasks.append(asyncio.create_task(self._take_jobs(drive)))

    async def begin_sweeping(self) -> None:
        """As `begin_work`, for the sweeper and the upkeep."""
        if not await is_held(self.reader):
            self.released.set()
            await self.sweeper.start()
            await self.upkeep.start()
        else:
            self._tasks.append(asyncio.create_task(self._await_release()))

    async def _await_release(self) -> None:
        await until_released(self.reader)
        await self.sweeper.start()
        await self.upkeep.start()
        self.released.set()
        log.info("house.resumed")

    async def close(self) -> None:
        await end_tasks(*self._tasks)
        await self.upkeep.close()
        await self.sweeper.close()

    async def _take_jobs(self, drive: Drive | None) -> None:
        await self.released.wait()
        if self.stopping.is_set():
            return
        self.worker = Worker(
            self.committer,
            self.reader,
            self.bell,
            {KIND: self.motor.advance, TURN_KIND: turn_handler(self, drive)},
            slots=self.settings.worker_concurrency,
            lease_seconds=None if self.profile.embedded else self.settings.lease_seconds,
            version=__version__,
            foresee={} if self.profile.embedded else {KIND: self.motor.loader.foresee},
        )
        await self.worker.start()
        if self.profile.embedded:
            self.runs.worker = self.worker  # a run admitted here can start here, without another commit

    async def end_work(self) -> None:
        """Finish or hand on what this process works on."""
        self.stopping.set()
        if self.worker is not None:
            self.runs.worker = None
            await self.worker.stop(self.settings.shutdown_grace_seconds)


@asynccontextmanager
async def open_house(settings: Settings, *, serves: bool) -> AsyncGenerator[House]:
    """Build everything, and take it down in the opposite order. `serves`: take the data directory's lock."""
    profile = profile_of(settings)
    settings.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    if settings.failpoint is not None:
        failpoints.arm(settings.failpoint)
    async with AsyncExitStack() as stack:
        if profile.embedded and serves:
            stack.enter_context(hold_directory(settings.data_dir))
        keyring = open_keyring(settings)
        await ready_schema(profile, settings)
        database = Database(profile.database_url, pool_size=settings.database_pool_size)
        stack.push_async_callback(database.close)
        committer, reader = await _open_writers(stack, profile, database)
        if serves:
            await check_keys(reader, keyring, SEALED)
        bell, fanout = await _open_lines(stack, profile, settings)
        policy = EgressPolicy(settings.egress_allow)
        http = await stack.enter_async_context(GuardedHttp(GuardedTransport(policy)))
        outside = await stack.enter_async_context(GuardedOutside(policy, sqlite_dir=open_folder(settings)))
        helpers = Helpers(test_blocks=settings.test_blocks, plugins=settings.block_plugins)
        stack.push_async_callback(helpers.close)
        sandboxes = await open_sandboxes(settings.sandbox, settings.data_dir)
        stack.callback(sandboxes.close)
        lines = (bell, fanout, http, outside)
        house = _furnish(settings, profile, keyring, database, committer, reader, *lines, helpers, sandboxes)
        judge_addresses(house.registry, policy)
        if serves:
            stack.push_async_callback(house.close)
            await house.begin_sweeping()
        yield house


async def _open_writers(stack: AsyncExitStack, profile: Profile, database: Database) -> tuple[Committer, Reader]:
    if profile.embedded:
        committer = SqliteCommitter(profile.sqlite_path, database.write_turn)
        reader = SqliteReader(profile.sqlite_path)
    else:
        dsn = dsn_of(profile.database_url)
        committer, reader = PostgresCommitter(dsn), PostgresReader(dsn)
    stack.push_async_callback(reader.close)
    await committer.start()
    stack.push_async_callback(committer.close)
    return committer, reader


async def _open_lines(stack: AsyncExitStack, profile: Profile, settings: Settings) -> tuple[Bell, Fanout]:
    if profile.broker_url is None or profile.redis_url is None:
        return LocalBell(), LocalFanout()
    # Only this profile needs them, and they cost the other a quarter of its start.
    from pilothouse.base.fanout_redis import RedisFanout  # noqa: PLC0415
    from pilothouse.base.jobs.rabbit import RabbitBell  # noqa: PLC0415

    fanout = RedisFanout(profile.redis_url)
    await fanout.start()
    stack.push_async_callback(fanout.close)
    bell = RabbitBell(profile.broker_url, prefix=settings.broker_prefix, prefetch=settings.worker_concurrency)
    await bell.start()
    stack.push_async_callback(bell.close)
    return bell, fanout


def _furnish(
    settings: Settings,
    profile: Profile,
    keyring: Keyring,
    database: Database,
    committer: Committer,
    reader: Reader,
    bell: Bell,
    fanout: Fanout,
    http: GuardedHttp,
    outside: GuardedOutside,
    helpers: Helpers,
    sandboxes: Sandboxes,
) -> House:
    memories = Memories()
    registry = open_registry(settings, sandboxes.reason)
    plans = Plans(reader, registry)
    units = Units(database, together(memories.handlers(), plans.handlers(), reactions(registry)))
    vault = Vault(reader, committer, keyring, system_credentials(settings))
    spending, stockroom = Spending(reader, limits_of(settings)), Stockroom(settings, reader, keyring)
    asked = HouseModel(stockroom, spending, committer)
    counter = Counter(committer, reader, bell, plans, _caps(settings), keyring, vault, asked)
    cabinet = _cabinet(settings, committer, reader)
    remembered = RunMemories(reader)
    with_files = RunFiles(cabinet, reader, remembered)
    stage = Stage(registry, http, remembered, helpers, Keys(vault, reader), outside, with_files, sandboxes)
    motor = _motor(settings, counter, fanout, stage)
    runs = Runs(committer, reader, bell, plans, motor, counter.caps, motor.process_id)
    reception = Reception(units, keyring, memories)
    retention = Retention(committer, reader, plans, settings.run_log_days, settings.run_days)
    reviews = Reviews(committer, reader, bell)
    tidying = FileUpkeep(cabinet.store, committer, reader, cabinet.limits.quota_bytes)
    chores = [*upkeep(units, reception), *upkeep_of_runs(retention, reviews), *upkeep_of_chat(committer, reader)]
    chores += upkeep_of_files(tidying)
    return House(
        *(settings, profile, keyring, database, units),
        *(committer, reader, bell, fanout),
        registry=registry,
        plans=plans,
        reception=reception,
        motor=motor,
        runs=runs,
        reviews=reviews,
        retention=retention,
        chat=_chat(runs, Lines(committer, fanout, bell), spending),
        credentials=Safe(keyring, vault.system, agents_naming),
        cabinet=cabinet,
        models=ModelDesk(units, keyring, stockroom, spending, probe),
        sweeper=Sweeper(committer, reader, bell, shared=not profile.embedded),
        upkeep=PeriodicRunner(committer, chores, tick_seconds=LOOK_SECONDS),
    )


def _cabinet(settings: Settings, committer: Committer, reader: Reader) -> Cabinet:
    limits = FileLimits(
        settings.max_file_bytes,
        settings.workspace_quota,
        zip_file_bytes=settings.zip_file_bytes,
        zip_total_bytes=settings.zip_total_bytes,
    )
    return Cabinet(DirectoryStore(settings.files_dir), committer, reader, limits)


def _motor(settings: Settings, counter: Counter, fanout: Fanout, stage: Stage) -> Motor:
    limits = Limits(parallel_steps=settings.max_parallel_steps, steps=settings.max_steps_per_run)
    made = (counter.committer, fanout, counter.bell, counter.plans, Loader(counter.reader), stage)
    return Motor(*made, stage.memories, limits, counter, new_id())


def _chat(runs: Runs, lines: Lines, spending: Spending) -> Chat:
    """The two need each other: turns start runs, and runs ask for turns."""
    chat = Chat(runs.reader, lines, runs.plans.check_owner, stopper_of(runs), spending.check)
    runs.motor.pilot = BlockPilot(chat)
    return chat


def _caps(settings: Settings) -> Caps:
    return Caps(per_user=settings.user_max_runs, per_agent=settings.max_parallel_runs)
