"""The cost log: one row per model call, written in the commit that keeps the call's answer."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from pilothouse.base.committer import Write
from pilothouse.base.reader import Reader, marks
from pilothouse.base.statements import Sql, unnest
from pilothouse.features.models.models import cost_log

CostSource: TypeAlias = Literal["reported", "price_table", "free", "unknown"]
ALLOWANCE: Final = "allowance"  # on the operator's key: counts against the user's windows


class CostRow(NamedTuple):
    """What one call has cost, and whom."""

    call_id: str  # the same for the same call, however often it is told
    user_id: str
    job_id: str
    step: int
    provider: str
    model: str
    prompt_tokens: int
    completion_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cost_u: int | None  # microdollars
    source: CostSource
    payer: str
    at: int


_NAMES: Final = CostRow._fields
_LISTED: Final = ", ".join(f'"{name}"' for name in _NAMES)
_GIVEN: Final = ", ".join(f'v."{name}"' for name in _NAMES)
_ONCE: Final = "on conflict (call_id) do nothing"
_INSERT: Final = Sql(
    name="insert_cost",
    sqlite=f"insert into cost_log ({_LISTED}) values ({', '.join('?' * len(_NAMES))}) {_ONCE}",
    postgres=f"insert into cost_log ({_LISTED}) select {_GIVEN} from {unnest(cost_log, _NAMES)} {_ONCE}",
    touches=None,
)


def insert_cost(row: CostRow) -> Write:
    return _INSERT, tuple(row)


def worth_a_row(row: CostRow) -> bool:
    """A call that took no token and has no price left nothing to tell."""
    return row.prompt_tokens + row.completion_tokens > 0 or row.cost_u is not None


class Charge(NamedTuple):
    """What jobs took from one provider."""

    provider: str
    microdollars: int
    prompt_tokens: int
    completion_tokens: int


async def charges_of(reader: Reader, job_ids: Sequence[str]) -> list[Charge]:
    """By provider; calls whose price nobody knows count with their tokens."""
    rows = await reader.rows(
        "select provider, coalesce(sum(cost_u), 0), sum(prompt_tokens), sum(completion_tokens) from cost_log"
        f" where job_id in ({marks(len(job_ids))}) group by provider order by provider",
        *job_ids,
    )
    return [Charge(row[0], *(int(number) for number in row[1:])) for row in rows]
