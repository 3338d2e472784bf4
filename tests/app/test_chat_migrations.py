"""autopilot:1.7, 1.8: what sessions from before a migration are found by and remember, on both databases."""

from typing import cast

from sqlalchemy import text

from pilothouse.app.cli.desk import open_reader
from pilothouse.app.migrate import migrate
from pilothouse.app.profile import Profile
from pilothouse.base.actor import Actor
from pilothouse.base.database import Database
from pilothouse.features.chat import Draft, events, queries
from pilothouse.features.chat.events import entry_text
from pilothouse.features.chat.queries import ListAsk, list_sessions
from pilothouse.features.chat.remembering import state_after
from pilothouse.kit.ids import UserId
from pilothouse.kit.json import Json, JsonObject

NEW_SESSION = (
    "insert into chat_sessions (id, user_id, title, title_source, pinned, origin, created_at, updated_at, head,"
    " metadata, state, seen, ended, needs_user, prompt_tokens, completion_tokens)"
    " values (:id, 'ann', :title, 'auto', false, 'web', 1, 1, 0, '{}', '{}', 0, 0, false, 0, 0)"
)
NEW_MESSAGE = (
    "insert into chat_messages (session_id, message_id, user_id, digest, excerpt, created_at)"
    " values (:id, :message_id, 'ann', '', :excerpt, 1)"
)


async def test_sessions_stay_found_by_their_titles_and_messages(database: Database):
    """autopilot:1.7: those from before texts were folded, more of them than are folded at once."""
    profile = Profile(database.url, None, None)
    await migrate(profile, database, to="0017")
    titles = {"named": "Große PLÄNE", "bare": None, "said": "x"}
    messages = [{"id": "said", "message_id": f"{n:04}", "excerpt": f"ÄRGER {n}"} for n in range(2_100)]
    async with database.engine.begin() as connection:
        await connection.execute(text(NEW_SESSION), [{"id": id, "title": title} for id, title in titles.items()])
        await connection.execute(text(NEW_MESSAGE), messages)
    await migrate(profile, database)
    reader = open_reader(profile)
    for q, wanted in {"pläne": "named", "GROSSE": "named", "Ärger 0": "said", "ärger 2099": "said"}.items():
        found, total = await list_sessions(reader, Actor(UserId("ann")), ListAsk(q=q))
        assert ([view.id for view in found], total) == ([wanted], 1), q
    await reader.close()


NEW_TURN = (
    "insert into chat_turns (id, session_id, user_id, origin, arrival_at, message_event, first_event, last_event,"
    " created_at, ended_at, status, fence, flushes) values (:id, :session_id, 'ann', 'web', 1, :first, :first, :last,"
    " 1, :ended_at, :status, 1, 1)"
)
NEW_SEGMENT = "insert into segments (log_id, first, last, fence, body) values (:session_id, :first, :last, 1, :body)"


def turn_of(session_id: str, first: int, *drafts: Draft | None, ended: bool = True) -> tuple[JsonObject, JsonObject]:
    """The rows of a turn and of its log; None: an event that was trimmed."""
    turn_id, last = f"{session_id}-{first}", first + len(drafts) - 1
    texts = ["null" if draft is None else entry_text(draft, turn_id, 1) for draft in drafts]
    span: JsonObject = {"session_id": session_id, "first": first, "last": last}
    end: JsonObject = (
        {"status": "completed", "ended_at": 1} if ended else {"status": None, "ended_at": None, "last": None}
    )
    return {"id": turn_id, **span, **end}, {**span, "body": f"[{','.join(texts)}]"}


async def test_sessions_are_found_by_what_autopilot_said_before(database: Database):
    """autopilot:1.7: in turns that ended before their words were kept, more of them than are read at once."""
    profile = Profile(database.url, None, None)
    await migrate(profile, database, to="0018")
    half = (events.text_end("a", "taken BACK"), events.step_reset(["a"]))
    turns = [
        turn_of("old", 1, None, *half, events.text_end("b", "Viel ÄRGER"), events.text_end("c", "und \x00Mühe")),
        turn_of("old", 6, events.reasoning_end("d", "thought")),
        turn_of("open", 1, events.text_end("e", "not yet"), ended=False),
        *(turn_of("long", n, events.text_end("f", f"number {n}.")) for n in range(1, 1_100)),
    ]
    async with database.engine.begin() as connection:
        await connection.execute(text(NEW_SESSION), [{"id": id, "title": "x"} for id in ("old", "open", "long")])
        await connection.execute(text(NEW_TURN), [turn for turn, _ in turns])
        await connection.execute(text(NEW_SEGMENT), [segment for _, segment in turns])
    await migrate(profile, database)
    reader = open_reader(profile)
    wanted = {"ärger\nund mühe": ["old"], "number 1099.": ["long"], "back": [], "thought": [], "not yet": []}
    for q, ids in wanted.items():
        found, _ = await list_sessions(reader, Actor(UserId("ann")), ListAsk(q=q))
        assert [view.id for view in found] == ids, q
    assert await reader.rows("select id from chat_turns where said is null") == [("open-1",)]
    await reader.close()


def result(tool: str, **output: Json) -> Draft:
    return events.tool_output_available("c", tool, output)


async def test_sessions_remember_what_was_done_in_them_before(database: Database):
    """autopilot:1.8: over more of their log than is read at once, as it is folded from now on."""
    profile = Profile(database.url, None, None)
    await migrate(profile, database, to="0022")
    started, out = {"type": "execution_started", "graph_id": "a"}, {"type": "agent_output", "agent_id": "b"}
    logs = {
        "built": [[None, result("get_agent_building_guide", type="agent_builder_guide", content="run_agent")]],
        "ran": [
            *([result("run_agent", **started), events.text_end("t", "x")] for _ in range(205)),
            [result("run_agent", **out), result("run_agent", **out, is_dry_run=True), result("view", **out)],
            [events.tool_input_available("c", "run_agent", {}), result("run_agent", type="agent_details")],
        ],
        "idle": [[events.text_end("t", "run_agent")]],
    }
    rows: list[JsonObject] = []
    for session_id, parts in logs.items():
        for drafts in parts:
            first = 1 + sum(cast(int, row["last"]) - cast(int, row["first"]) + 1 for row in rows)
            rows.append(turn_of(session_id, first, *drafts)[1])
    async with database.engine.begin() as connection:
        await connection.execute(text(NEW_SESSION), [{"id": id, "title": "x"} for id in logs])
        await connection.execute(text(NEW_SEGMENT), rows)
    await migrate(profile, database)
    reader = open_reader(profile)
    for session_id, runs in {"built": {}, "ran": {"a": 205, "b": 1}, "idle": {}}.items():
        state = (await queries.get_session(reader, Actor(UserId("ann")), session_id)).state
        assert state == {"guide_read": session_id == "built", "runs": runs}
        assert state == state_after(await queries.read_events(reader, session_id, 0, 10_000))
    await reader.close()
