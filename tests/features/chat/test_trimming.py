"""3.4: the deltas of old turns are let go; nobody who reads sees a difference but the missing pieces."""

from datetime import timedelta

from pilothouse.base.jobs.moves import micros
from pilothouse.features.chat import Trimming, events
from pilothouse.features.chat.fold import fold
from pilothouse.features.chat.trimming import KEPT, trimmed
from pilothouse.kit.ids import new_id
from pilothouse.kit.json import Json
from tests.features.chat.hearing import hearing
from tests.features.chat.parlour import Parlour

HOUR = 3_600_000_000


async def trim(parlour: Parlour, later: int) -> None:
    house = parlour.stand.house.worker
    await Trimming(house.committer, house.reader).trim_old_turns(micros() + later)


async def spoken(parlour: Parlour) -> str:
    session = await parlour.session()
    await parlour.ended(await parlour.start(session, "say a long and winding answer", "think about it"))
    return session


async def test_deltas_are_kept_for_an_hour_and_then_let_go(parlour: Parlour):
    """3.4: ids stay, the conversation reads the same."""
    assert timedelta(hours=1) == KEPT
    session, gate = await spoken(parlour), new_id()
    running = await parlour.session()
    turn = await parlour.start(running, "say hello there", f"wait {gate}")
    await parlour.reaches(gate)
    before = await parlour.events(session)
    await trim(parlour, HOUR - 60_000_000)
    assert await parlour.events(session) == before
    path = f"/api/v1/chat/sessions/{session}"
    shown = (await parlour.stand.ann.http.get(path)).json()["messages"]
    for _ in range(2):
        await trim(parlour, HOUR + 1_000_000)
    after = await parlour.events(session)
    deltas = (events.TEXT_DELTA, events.REASONING_DELTA)
    assert after == [event for event in before if event.type not in deltas]
    assert len(after) < len(before)
    assert (await parlour.stand.ann.http.get(path)).json()["messages"] == shown
    assert events.TEXT_DELTA in await parlour.types(running)  # it has not ended
    parlour.open(gate)
    await parlour.ended(turn)


async def test_a_cursor_inside_a_trimmed_range_goes_on_at_the_end_event(parlour: Parlour):
    """3.4, 5.1: the end sets the text."""
    session = await spoken(parlour)
    before = await parlour.events(session)
    deltas = [event for event in before if event.type == events.TEXT_DELTA]
    middle, end = deltas[1], next(event for event in before if event.type == events.TEXT_END)
    await trim(parlour, 2 * HOUR)
    async with hearing(parlour, "GET", f"/{session}/events", query=f"after={middle.id}") as heard:
        await heard.hears(1)
        first_id, first = heard.frames[0]
    assert (first_id, first["data"]["text"]) == (end.id, "a long and winding answer")
    seen = [event for event in before if event.id <= middle.id]
    rest = [event for event in await parlour.events(session) if event.id > middle.id]
    assert fold([*seen, *rest]) == fold(before)


async def test_pages_of_the_log_are_full_though_most_was_trimmed(small: Parlour):
    """3.4, 5.1"""
    session = await small.session()
    await small.ended(await small.start(session, "say " + "word " * 200, "say bye"))
    await trim(small, 2 * HOUR)
    path, after = f"/api/v1/chat/sessions/{session}/events", 0
    read: list[dict[str, Json]] = []
    while page := (await small.stand.ann.http.get(path, params={"follow": "false", "limit": 3, "after": after})).json()[
        "items"
    ]:
        read += page
        after = page[-1]["id"]
    assert [item["id"] for item in read] == [event.id for event in await small.events(session)]
    assert read[-1]["type"] == events.TURN_ENDED


async def test_a_message_sent_again_later_is_answered_with_the_whole_text(small: Parlour):
    """3.4, 2.10"""
    session, message_id = await small.session(), new_id()
    body = {"message": "say all of this", "message_id": message_id}
    async with hearing(small, "POST", f"/{session}/stream", body) as first:
        await first.ends()
    await trim(small, 2 * HOUR)
    async with hearing(small, "POST", f"/{session}/stream", body) as again:
        await again.ends()
    texts = ["".join(chunk["delta"] for chunk in heard.chunks[:-1] if "delta" in chunk) for heard in (first, again)]
    assert texts == ["all of this"] * 2


def test_only_the_deltas_of_that_turn_go():
    """3.4"""
    kept: list[Json] = [
        ["text-end", "t", 0, {}],
        ["text-delta", "other", 0, {}],
        ["tool-input-delta", "t", 0, {}],
        None,
    ]
    assert trimmed([["text-delta", "t", 0, {}], ["reasoning-delta", "t", 0, {}], *kept], "t") == [None, None, *kept]
