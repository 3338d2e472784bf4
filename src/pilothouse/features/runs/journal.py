"""A run's journal on disk: entries gather for a moment, then land as one segment under the job's fence."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import structlog

from pilothouse.base import failpoints
from pilothouse.base.committer import Clash, Committer, Refused, Write, WriteSet
from pilothouse.base.fanout import Fanout, Notice
from pilothouse.base.jobs.claims import Claimed
from pilothouse.base.jobs.lease import Lease
from pilothouse.engine.entries import FINISH, FINISHED, RESULT, WAITING, Entry
from pilothouse.engine.large import LIMIT, Kept, pack_entries
from pilothouse.engine.ports import LeaseLost
from pilothouse.features.runs.shots import Shots
from pilothouse.features.runs.writes import Segment, flush_journal, forgive, in_name_of, save_snapshot
from pilothouse.kit.errors import Unavailable
from pilothouse.kit.json import dump_bytes, join_arrays

log = structlog.get_logger()

FLUSH_SECONDS = 0.05
FLUSH_ENTRIES = 200
FLUSH_CHARACTERS = 1_000_000
FULL_CHARACTERS = 2 * FLUSH_CHARACTERS
RETRY_SECONDS = 0.25
MAX_NOTICE = 256 * 1024
_CLOSING = (FINISHED, WAITING)


@dataclass(slots=True)
class Gathered:
    """Entries for one segment. They are written down as they come: then their size is known, and nobody can change
    what will be committed.
    """

    texts: list[str] = field(default_factory=list[str])
    count: int = 0
    size: int = 0
    values: Kept = field(default_factory=dict[str, str])  # what was too large to stand in an entry

    def add(self, entries: Sequence[Entry]) -> None:
        text = dump_bytes(entries)
        if len(text) > LIMIT:
            kept: Kept = {}
            packed = pack_entries(entries, kept)
            if kept:
                text = dump_bytes(packed)
                self.values |= kept
                self.size += sum(map(len, kept.values()))
        self.texts.append(text.decode())
        self.count += len(entries)
        self.size += len(text)

    def append(self, other: "Gathered") -> None:
        self.texts += other.texts
        self.count += other.count
        self.size += other.size
        self.values |= other.values

    def body(self) -> str:
        return self.texts[0] if len(self.texts) == 1 else join_arrays(self.texts)


class News(Protocol):
    """How somebody else is told that this run has given something, in the very flush that commits it."""

    def write(self) -> Write: ...

    def heard(self, answer: object) -> None: ...


class RunJournal:
    """Implements the engine's `Journal`. At most one flush of a run is under way at a time."""

    def __init__(
        self,
        job: Claimed,
        head: int,
        committer: Committer,
        fanout: Fanout,
        lease: Lease,
        *,
        started_at: int | None = None,
        shots: Shots | None = None,
        news: News | None = None,
    ) -> None:
        self._job = job
        self._news = news
        self._has_news = False
        self._committer, self._fanout, self._lease = committer, fanout, lease
        self.head = head  # the last entry that was handed to the committer
        self.started_at = started_at  # of the run; its row learns it with the first flush
        self._shots = shots
        self._kept: set[str] = set()  # hashes of values that were handed to the committer
        self._gathered = Gathered()
        self._closing = Gathered()  # lands with the rows that say that the run ended or sleeps, never before
        self._also: list[Write] = []
        self._next: list[Write] = []  # waits for the entries that it belongs to
        self._flushing: asyncio.Task[None] | None = None
        self._again = False  # somebody asked for a flush while one was under way
        self._timer: asyncio.TimerHandle | None = None
        self._lost = False
        self._forgiven = job.attempt <= 1

    def add(self, entries: list[Entry], *, also: Sequence[Write] = ()) -> None:
        if self._lost:
            raise LeaseLost
        self._also += also
        if self._next:
            self._also += self._next
            self._next = []
        if entries:
            if self._news is not None and not self._has_news:
                self._has_news = any(entry[0] == RESULT for entry in entries)
            (self._closing if entries[-1][0] in _CLOSING else self._gathered).add(entries)
            if not self._forgiven and any(entry[0] == FINISH for entry in entries):
                self._also.append(forgive(self._job))
                self._forgiven = True
        self._see_to_flush()

    def with_next(self, writes: Sequence[Write]) -> None:
        """Commit these in one flush with the entries that are added next."""
        self._next += writes

    def _see_to_flush(self) -> None:
        if self._gathered.count >= FLUSH_ENTRIES or self._gathered.size >= FLUSH_CHARACTERS:
            self.flush_now()
        elif self._timer is None and self._gathered.count:
            self._timer = asyncio.get_running_loop().call_later(FLUSH_SECONDS, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        self.flush_now()

    @property
    def _has_more(self) -> bool:
        return bool(self._gathered.count or self._also)

    @property
    def is_full(self) -> bool:
        return self._gathered.size >= FULL_CHARACTERS

    async def room(self) -> None:
        while self.is_full:
            self.flush_now()
            if self._flushing is not None:
                await asyncio.shield(self._flushing)
            if self._lost:
                raise LeaseLost

    def flush_now(self) -> None:
        """Begin to commit; behind a flush that is under way, as soon as it is done."""
        if self._flushing is not None:
            self._again = True
        elif self._has_more and not self._lost:
            self._flushing = asyncio.get_running_loop().create_task(self._flush())

    async def barrier(self) -> None:
        while self._has_more or self._flushing is not None:
            self.flush_now()
            if self._flushing is not None:
                await asyncio.shield(self._flushing)
            if self._lost:
                break
        if self._lost:
            raise LeaseLost

    async def close(self) -> Segment:
        """Wait for the flush under way and take the rest, to be landed with what ends the run."""
        if self._also:
            await self.barrier()
        while self._flushing is not None:
            self._again = False  # what is left lands with the end
            await asyncio.shield(self._flushing)
        if self._lost:
            raise LeaseLost
        self._gathered.append(self._closing)
        self._closing = Gathered()
        return self._take()

    def take_also(self) -> list[Write]:
        """What is still to be landed beside the last segment."""
        also, self._also = self._also, []
        if self._news is not None and self._has_news:
            self._has_news = False
            also.append(self._news.write())
        return also

    def drop(self) -> None:
        """Forget what was gathered: somebody else goes on from what was committed."""
        self._lost = True
        self._gathered = Gathered()
        self._disarm()

    def _take(self) -> Segment:
        self._disarm()
        taken, self._gathered = self._gathered, Gathered()
        first = self.head + 1
        self.head += taken.count
        if self._shots is not None:
            self._shots.grow(taken.count, taken.size)
        return Segment(first, self.head, taken.body(), self._new(taken.values))

    def _new(self, values: Kept) -> tuple[tuple[str, str], ...]:
        """Those that this journal has not handed on yet."""
        if not values:
            return ()
        new = tuple((key, text) for key, text in values.items() if key not in self._kept)
        self._kept.update(values)
        return new

    def snapshot(self, segment: Segment, *, at_rest: bool = False) -> tuple[Segment, str | None]:
        """What the run is after this segment, if it is time to save that; large values join the segment's."""
        kept: Kept = {}
        text = None if self._shots is None else self._shots.take(segment.last, kept, at_rest=at_rest)
        return segment._replace(values=segment.values + self._new(kept)) if kept else segment, text

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def _flush(self) -> None:
        try:
            news = self._news if self._has_news else None
            also = self.take_also()
            if not self._gathered.count:
                await land(self._committer, in_name_of(self._job, also), self._lease)
                return
            segment, snapshot = self.snapshot(self._take())
            if snapshot is not None:
                also.insert(0, save_snapshot(self._job, segment, snapshot))  # the news stays last
            failpoints.hit("before_flush_commit")
            locks = (self._job.top,) if news is not None else ()
            writes = flush_journal(self._job, segment, self.started_at, also=also, locks=locks)
            answers = await land(self._committer, writes, self._lease)
            failpoints.hit("after_flush_commit")
            if news is not None and answers:
                news.heard(answers[-1])
            self._fanout.publish([notice_of(self._job.id, segment)])
        except (Refused, Clash, LeaseLost) as error:
            log.warning("journal.lost", run_id=self._job.id, fence=self._job.fence, error=type(error).__name__)
            self._lost = True
        finally:
            self._flushing = None
            self._see_to_rest()

    def _see_to_rest(self) -> None:
        """What came while a flush was under way."""
        again, self._again = self._again, False
        if again:
            self.flush_now()
        elif not self._lost:
            self._see_to_flush()


def notice_of(run_id: str, segment: Segment) -> Notice:
    """For those who follow the run; a large segment is not kept for the slow among them, who find it in the log."""
    body = segment.body if len(segment.body) <= MAX_NOTICE else None
    return Notice(run_id, segment.first, segment.last, body)


async def land(committer: Committer, writes: WriteSet, lease: Lease) -> list[Any]:
    """Land a set in a job's name, through outages, for as long as the job can still be ours."""
    while True:
        try:
            return await committer.land(writes)
        except Unavailable:
            if lease.is_lost():
                raise LeaseLost from None
            writes = replace(writes, doubtful=True)
            await asyncio.sleep(RETRY_SECONDS)
