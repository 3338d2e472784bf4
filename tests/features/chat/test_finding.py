"""1.7: a session is found by its title and by everything that was said in it, however it is written."""

import pytest

from pilothouse.features.chat.finding import folded, found_in
from pilothouse.features.chat.limits import MAX_FOUND_IN, MAX_MESSAGE
from pilothouse.kit.ids import new_id
from tests.base.waiting import until
from tests.features.chat.parlour import Parlour


async def found(parlour: Parlour, q: str) -> list[str]:
    page = (await parlour.stand.ann.browser.get("/api/chat/sessions", params={"q": q})).json()
    assert page["total"] == len(page["sessions"])
    return [session["id"] for session in page["sessions"]]


async def test_what_autopilot_said_is_found_once_its_turn_has_ended(parlour: Parlour):
    """1.7: also what was said before the turn slept, and never what it thought or took back."""
    session, name = await parlour.session(), new_id()
    turn = await parlour.start(session, "everything", f"sleep {name}")

    async def is_asleep() -> bool:
        return await parlour.stand.rows("select state from jobs where id=?1", turn) == [("waiting",)]

    await until(is_asleep)
    await parlour.chat.send_fact(turn, parlour.ann.user_id, name, 1)
    assert await parlour.ended(turn) == "completed"
    assert await found(parlour, "HEARD 1") == [session]
    assert await found(parlour, "done\ndone\nheard") == [session]  # by each of its two workers
    assert await found(parlour, "hm") == await found(parlour, "given up") == []


async def test_a_message_is_found_by_its_last_word(parlour: Parlour):
    """1.7: one that waited for the turn too, until it is taken back."""
    session, gate, waiting = await parlour.session(), new_id(), new_id()
    turn = await parlour.start(session, f"wait {gate}", "tool " + "x" * (MAX_MESSAGE - 100), "tool Finally")
    await parlour.say(session, "y" * 2_500 + " patiently", message_id=waiting)
    assert await found(parlour, "finally") == [session]
    assert await found(parlour, "Patiently") == [session]
    await parlour.chat.take_back(parlour.ann, session, waiting)
    assert await found(parlour, "patiently") == []
    parlour.open(gate)
    await parlour.ended(turn)


@pytest.mark.parametrize("q", ["ÄRGER", "ärger", "A\u0308rger", "STRASSE", "Straße"])
async def test_case_and_accents_are_no_obstacle(parlour: Parlour, q: str):
    """1.7: in what the user said, in what AutoPilot said, in titles of either making."""
    asked, answered, named, suggested = [await parlour.session() for _ in range(4)]
    await parlour.ended(await parlour.start(asked, "tool \x00Ärger in der Straße"))
    await parlour.ended(await parlour.start(answered, "mirror eßartS red ni regrÄ"))
    await parlour.chat.set_title(parlour.ann, named, "ÄRGER IN DER STRASSE")
    await parlour.chat.suggest_title(parlour.ann, suggested, "ärger in der straße")
    assert set(await found(parlour, q)) == {asked, answered, named, suggested}


async def test_nobody_finds_what_others_said(parlour: Parlour):
    """1.7"""
    session = await parlour.session()
    await parlour.ended(await parlour.start(session, "say between us"))
    bob = await parlour.stand.house.person()
    theirs = (await bob.browser.get("/api/chat/sessions", params={"q": "between us"})).json()
    assert theirs == {"sessions": [], "total": 0}
    assert await found(parlour, "between us") == [session]
    await bob.leave()


def test_what_is_kept_of_a_turn_to_find_it_by_is_bounded():
    assert found_in({"a": "One", "b": "Two"}) == "one\ntwo"
    assert len(found_in({"a": "x" * MAX_FOUND_IN, "b": "y"})) == MAX_FOUND_IN
    assert folded("Stra\x00ße") == "strasse"
