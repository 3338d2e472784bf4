"""Ten times as much of something takes ten times as long, or nearly: nothing grows with its square."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from bench.agents import asks, chain, laps, open_joins
from bench.callers import one_by_one, until_idle
from bench.meter import Spent, metered, typical
from bench.report import Report, middle
from bench.reviewer import OFTEN, Reviewer, reviewer
from bench.run_cases import named, open_site

FEW, MANY = 100, 1_000
LAP_SECONDS = 0.03
BAR = 12

Measure: TypeAlias = Callable[[int], Awaitable[Spent]]


async def b7(report: Report, folder: Path, *, wide: bool) -> None:
    """Ten times the steps, open joins, waiting runs or waits take at most twelve times as much."""
    name = named("b7", wide)
    documents = {"steps_100": chain(98), "steps_1000": chain(980), "joins": open_joins(), "asks": asks()}
    documents |= {f"laps_{times}": laps(times, LAP_SECONDS) for times in (FEW, MANY)}
    async with open_site(folder, wide, documents, RATE_LIMIT_PER_MINUTE=OFTEN) as house, reviewer(house) as person:
        work = Work(person)
        await work.waits(10)  # warm
        _tell_time(report, f"{name}_steps", await _grown(work.steps, 5))
        _tell_time(report, f"{name}_joins", await _grown(work.joins, 5))
        _tell_time(report, f"{name}_waiting_runs", await _grown(work.waiting_runs, 3))
        _tell_cost(report, f"{name}_waits", await _grown(work.waits, 3))
        report.at_most(f"{name}_waits_off", work.miscounted, f"waits more or less than {FEW} and {MANY}", 0)
        _tell_cost(report, f"{name}_laps", await _grown(work.laps, 1))
        report.at_most(f"{name}_unfinished", await work.unfinished(), "runs", 0)


@dataclass(slots=True)
class Work:
    """What is done so many times; each answers what that took."""

    person: Reviewer
    miscounted: int = 0

    async def steps(self, count: int) -> Spent:
        """One run of so many steps, one after another."""
        times, spent, house = 2_000 // count, Spent(), self.person.house
        with metered(house, spent):
            took = await one_by_one(house, f"steps_{count}", {"x": "hi"}, times=times)
        return Spent(middle(took), spent.ours / times, spent.database / times)

    async def joins(self, count: int) -> Spent:
        """One run with ten times so many joins, all open while it waits."""
        person, spent = self.person, Spent()
        with metered(person.house, spent):
            await person.start("joins", {"items": list(range(10 * count))})
            await person.until_asleep(1)
        [question] = await person.questions()
        with metered(person.house, spent):
            await person.decide(question, approved=True)
            await until_idle(person.house)
        return spent

    async def waiting_runs(self, count: int) -> Spent:
        """So many runs, which all wait before the first of them goes on."""
        person, spent = self.person, Spent()
        with metered(person.house, spent):
            await asyncio.gather(*(person.start("asks", {"x": 1}) for _ in range(count)))
            await person.until_asleep(count)
        questions = await person.questions()
        with metered(person.house, spent):
            await asyncio.gather(*(person.decide(question, approved=False) for question in questions))
            await until_idle(person.house)
        return spent

    async def waits(self, count: int) -> Spent:
        """One run that gives its worker back so many times, and is woken each time."""
        person, spent = self.person, Spent()
        with metered(person.house, spent):
            run_id = await person.start("asks", {"x": 1})
            for number in range(1, count + 1):
                await person.until_asleep(1)
                [question] = await person.questions()
                await person.decide(question, approved=number < count)
            await until_idle(person.house)
        self.miscounted += abs(await person.times_asleep(run_id) - count)
        return spent

    async def laps(self, count: int) -> Spent:
        """One step with so many timers, of which it sleeps through several at a time."""
        person, spent = self.person, Spent()
        with metered(person.house, spent):
            await person.start(f"laps_{count}", {"x": 1})
            await until_idle(person.house)
        return spent

    async def unfinished(self) -> int:
        sql = "select count(*) from runs where status is null or status <> 'completed'"
        return (await self.person.reader.rows(sql))[0][0]


async def _grown(measure: Measure, rounds: int) -> tuple[Spent, Spent]:
    """Few and many in turns."""
    pairs = [(await measure(FEW), await measure(MANY)) for _ in range(rounds)]
    return typical([few for few, _ in pairs]), typical([many for _, many in pairs])


def _tell_time(report: Report, name: str, grown: tuple[Spent, Spent]) -> None:
    few, many = grown
    report.say(f"{name}_cpu", many.cpu / few.cpu, f"x: {_shown(few)}, {_shown(many)}")
    report.at_most(name, many.wall / few.wall, "x the time", BAR)


def _tell_cost(report: Report, name: str, grown: tuple[Spent, Spent]) -> None:
    few, many = grown
    report.say(f"{name}_time", many.wall / few.wall, f"x: {_shown(few)}, {_shown(many)}")
    report.at_most(name, many.cpu / few.cpu, "x the CPU", BAR)


def _shown(spent: Spent) -> str:
    return f"{spent.wall:.0f} ms ({spent.ours:.0f} CPU, the database's {spent.database:.0f})"
