"""9: messages to a busy session wait, in order, and are taken once."""

from pilothouse.features.chat import MessagePending, TurnBegun
from pilothouse.kit.ids import new_id
from tests.features.chat.parlour import Parlour


async def test_a_tool_round_takes_what_waits_right_behind_its_results(parlour: Parlour):
    """9.3, 9.5: gone from the buffer and in the log, in one step."""
    session, gate = await parlour.session(), new_id()
    turn = await parlour.start(session, f"wait {gate}", "tool find", "say bye")
    await parlour.reaches(gate)
    ids = [new_id(), new_id()]
    for message_id in ids:
        await parlour.say(session, f"also {message_id}", message_id=message_id)
    parlour.open(gate)
    assert await parlour.ended(turn) == "completed"
    events = await parlour.events(session)
    follow_up = next(event for event in events if event.type == "follow-up")
    result = events[[event.type for event in events].index("tool-output-available")]
    assert follow_up.data["message_ids"] == ids
    assert follow_up.data["texts"] == [f"also {message_id}" for message_id in ids]
    assert follow_up.data["after_tool_call_id"] == result.data["tool_call_id"]
    assert follow_up.turn_id == turn
    shown = (await parlour.stand.ann.http.get(f"/api/v1/chat/sessions/{session}")).json()
    kinds = [part["type"] for part in shown["messages"][1]["parts"]]
    assert kinds == ["step", "tool", "follow-up", "step", "text"]
    assert len(shown["messages"]) == 2


async def test_looking_takes_nothing_and_a_message_can_be_taken_back(parlour: Parlour):
    """9.2."""
    session, gate = await parlour.session(), new_id()
    turn = await parlour.start(session, f"wait {gate}", "drain")
    await parlour.reaches(gate)
    kept, gone = new_id(), new_id()
    for message_id in (gone, kept):
        await parlour.say(session, "also this", message_id=message_id)
    http, path = parlour.stand.ann.http, f"/api/v1/chat/sessions/{session}/messages/pending"
    for _ in range(2):
        shown = (await http.get(path)).json()
        assert (shown["count"], [each["message_id"] for each in shown["messages"]]) == (2, [gone, kept])
    assert (await http.delete(f"{path}/{gone}")).status_code == 204
    assert (await http.delete(f"{path}/{gone}")).status_code == 404
    assert (await http.get(path)).json()["count"] == 1
    parlour.open(gate)
    await parlour.ended(turn)
    taken = await http.delete(f"{path}/{kept}")
    assert (taken.status_code, taken.json()["code"]) == (409, "conflict")
    assert (await http.get(path)).json() == {"messages": [], "count": 0}


async def test_what_came_too_late_starts_the_next_turn(parlour: Parlour):
    """9.8: with an id of its own, in the order of arrival, each message once."""
    session, gate = await parlour.session(), new_id()
    turn = await parlour.start(session, f"wait {gate}")
    await parlour.reaches(gate)
    for n in range(3):
        await parlour.say(session, f"say {n}")
    parlour.open(gate)
    await parlour.idle(session)
    said = [event for event in await parlour.events(session) if event.type == "user-message"]
    assert [event.data["text"] for event in said[1:]] == ["say 0", "say 1", "say 2"]
    assert len({event.turn_id for event in said}) == 4
    rows = await parlour.stand.rows("select origin, status from chat_turns where session_id=?1 order by id", session)
    assert rows == [("web", "completed"), *[("auto_continue", "completed")] * 3]
    assert said[0].turn_id == turn


async def test_after_a_cancel_what_waits_leads_the_next_message(parlour: Parlour):
    """9.8."""
    session, gate = await parlour.session(), new_id()
    await parlour.start(session, f"wait {gate}")
    await parlour.reaches(gate)
    assert await parlour.say(session, "say earlier") == MessagePending(1)
    await parlour.chat.cancel_turn(parlour.ann, session)
    begun = await parlour.say(session, "drain", "say later")
    assert isinstance(begun, TurnBegun)
    assert await parlour.ended(begun.turn_id) == "completed"
    follow_ups = [event for event in await parlour.events(session) if event.type == "follow-up"]
    assert [event.data["texts"] for event in follow_ups] == [["say earlier"]]
    assert follow_ups[0].turn_id == begun.turn_id


async def test_a_message_that_may_do_less_gets_a_turn_of_its_own(parlour: Parlour):
    """9.7."""
    session, gate = await parlour.session(), new_id()
    turn = await parlour.start(session, f"wait {gate}", "tool find")
    await parlour.reaches(gate)
    await parlour.say(session, "say freely")
    await parlour.say(session, "say narrowly", permissions={"tools": ["find_block"]})
    await parlour.say(session, "say behind it")
    parlour.open(gate)
    await parlour.ended(turn)
    await parlour.idle(session)
    told = [
        (event.type, event.data.get("texts") or event.data["text"])
        for event in await parlour.events(session)
        if event.type in ("user-message", "follow-up")
    ]
    assert told[1:] == [
        ("follow-up", ["say freely"]),
        ("user-message", "say narrowly"),
        ("user-message", "say behind it"),
    ]
    rows = await parlour.stand.rows("select permissions from chat_turns where session_id=?1 order by id", session)
    assert [row[0] for row in rows] == [None, '{"tools":["find_block"]}', None]
