"""What a model call took and cost, as the log tells it and as the cost log keeps it."""

from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from typing import Final, NamedTuple

import structlog
from genai_prices import calc_price
from pydantic_ai.messages import ModelResponse
from pydantic_ai.usage import RequestUsage

from pilothouse.autopilot.models import Chosen
from pilothouse.base.telemetry import COST_UNKNOWN
from pilothouse.features.chat import Draft, events
from pilothouse.features.models import ALLOWANCE, CostRow, CostSource

log = structlog.get_logger()

REPORTED_COST = "reported_cost"
MOST_TOKENS: Final = 1_000_000_000  # one call never took that many: a larger figure is a fault
_COUNTS: Final = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


class Call(NamedTuple):
    """Which call it is: the same after a crash, so that nobody pays twice."""

    user_id: str
    turn_id: str
    step: int
    at: int
    attempt: str = ""  # of a call that was given up: it is one more

    @property
    def id(self) -> str:
        return f"{self.turn_id}:{self.step}" + (f":{self.attempt}" if self.attempt else "")


class Cost(NamedTuple):
    """In microdollars; None when nobody knows."""

    microdollars: int | None
    source: CostSource


def good_count(told: object) -> int | None:
    """A number of tokens, if that is one that a call can have taken."""
    if isinstance(told, bool) or not isinstance(told, int | float) or not 0 <= told <= MOST_TOKENS:
        return None
    return int(told)


def counted(usage: RequestUsage) -> RequestUsage:
    """The same, where each count is one; what is not was not told. No column holds just any number."""
    good = [good_count(getattr(usage, name)) for name in _COUNTS]
    if None not in good:
        return usage
    read, said, *cached = (count or 0 for count in good)
    return RequestUsage(
        input_tokens=read,
        output_tokens=said,
        cache_read_tokens=cached[0],
        cache_write_tokens=cached[1],
        unmeasured_requests=int(not read and not said),
    )


def cost_row(response: ModelResponse, chosen: Chosen, call: Call) -> CostRow:
    """Cache tokens stand outside the prompt's."""
    response = replace(response, usage=counted(response.usage))
    told = response.usage
    cost = cost_of(response, chosen)
    return CostRow(
        call_id=call.id,
        user_id=call.user_id,
        job_id=call.turn_id,
        step=call.step,
        provider=chosen.provider,
        model=response.model_name or chosen.slug,
        prompt_tokens=max(0, told.input_tokens - told.cache_read_tokens - told.cache_write_tokens),
        completion_tokens=told.output_tokens,
        cache_read_tokens=told.cache_read_tokens,
        cache_write_tokens=told.cache_write_tokens,
        cost_u=cost.microdollars,
        source=cost.source,
        payer=ALLOWANCE,
        at=call.at,
    )


def usage_of(row: CostRow) -> Draft:
    """The event that the session's log keeps of it."""
    return events.usage(
        prompt_tokens=row.prompt_tokens,
        completion_tokens=row.completion_tokens,
        total_tokens=row.prompt_tokens + row.completion_tokens,
        cache_read_tokens=row.cache_read_tokens,
        cache_write_tokens=row.cache_write_tokens,
        cost_microdollars=row.cost_u,
        model=row.model,
        provider=row.provider,
        estimated=row.source == "price_table",
        call_id=row.call_id,
    )


def cost_of(response: ModelResponse, chosen: Chosen) -> Cost:
    """The provider's own figure, else the price table's, else nothing where nothing is charged."""
    connection = chosen.connection
    if connection is None:
        return Cost(0, "free")
    reported = (response.provider_details or {}).get(REPORTED_COST)
    if isinstance(reported, int | float):
        return Cost(microdollars(Decimal(str(reported))), "reported")
    names = [response.model_name or "", chosen.resolved.name]
    listed = None if response.usage.unmeasured_requests else listed_price(response.usage, names, connection.price_id)
    if listed is not None:
        return Cost(microdollars(listed), "price_table")
    return Cost(0, "free") if connection.is_free else Cost(None, "unknown")


def microdollars(dollars: Decimal) -> int:
    return int((dollars * 1_000_000).quantize(Decimal(1), ROUND_HALF_UP))


def listed_price(usage: RequestUsage, names: list[str], price_id: str | None) -> Decimal | None:
    """What the price table says, by the first of these names that it knows; None: it knows none."""
    if price_id is None:
        return None
    for name in names:
        try:
            return calc_price(usage, name, provider_id=price_id).total_price
        except (LookupError, ValueError):
            continue
    return None


def has_price(chosen: Chosen) -> bool:
    """Whether what a call costs will be known afterwards."""
    connection = chosen.connection
    if connection is None or connection.is_free or connection.wire == "openrouter":
        return True
    one = RequestUsage(input_tokens=1, output_tokens=1)
    return listed_price(one, [chosen.resolved.name], connection.price_id) is not None


@dataclass(slots=True)
class Absence:
    """Calls whose provider should have told a price and did not. One per turn: all are counted, the first is told."""

    told: bool = False

    def note(self, row: CostRow, chosen: Chosen) -> None:
        """Also where the price table or a private address stands in for the price that was asked for."""
        asked = chosen.connection is not None and chosen.connection.wire == "openrouter"
        if row.source == "reported" or not (asked or row.source == "unknown"):
            return
        COST_UNKNOWN.inc()
        if not self.told:
            about = {"provider": row.provider, "model": row.model, "source": row.source}
            log.warning("model.cost_absent", turn_id=row.job_id, **about)
        self.told = True
