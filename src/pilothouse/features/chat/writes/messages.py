"""Messages on their way into a turn: the pending buffer of a busy session."""

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from pilothouse.base.committer import WriteSet
from pilothouse.base.jobs.moves import GUARD_JOB
from pilothouse.base.scripted import Script, Scripted
from pilothouse.base.statements import REFUSED
from pilothouse.features.chat import events
from pilothouse.features.chat.events import Draft, entry_text
from pilothouse.features.chat.writes.appending import Appended, append
from pilothouse.features.chat.writes.keeping import Flush, proof_of
from pilothouse.kit.json import Json, JsonObject, dumps, loads


class Message(NamedTuple):
    """What somebody said to a session."""

    message_id: str
    text: str
    origin: str
    arrival_at: int
    context: Json = None  # {url, content}: the page that the user was looking at
    file_ids: tuple[str, ...] = ()
    mode: str | None = None
    tier: str | None = None
    permissions: JsonObject | None = None  # None: unrestricted

    def event(self) -> Draft:
        return events.user_message(
            self.message_id,
            self.text,
            context=self.context,
            file_ids=self.file_ids,
            origin=self.origin,
            arrival_at=self.arrival_at,
        )

    def row(self) -> tuple[str, int, str, str | None]:
        """As the pending buffer keeps it."""
        body = (self.text, self.origin, self.context, self.file_ids, self.mode, self.tier)
        return self.message_id, self.arrival_at, dumps(body), permissions_text(self.permissions)


def permissions_text(permissions: JsonObject | None) -> str | None:
    return None if permissions is None else dumps(permissions)


def permissions_of(text: str | None) -> JsonObject | None:
    return None if text is None else cast(JsonObject, loads(text))


def message_of(message_id: str, arrival_at: int, body: str, permissions: str | None) -> Message:
    """Read what `Message.row` wrote."""
    text, origin, context, file_ids, mode, tier = cast(Any, loads(body))
    allowed = permissions_of(permissions)
    return Message(message_id, text, origin, arrival_at, context, tuple(file_ids), mode, tier, allowed)


PENDING = "message_id, arrival_at, body, permissions"


class Drained(NamedTuple):
    """The messages that a turn took, and the follow-up event that says so."""

    messages: tuple[Message, ...]
    appended: Appended | None


# What was added meanwhile may have landed first, under a later number.
_NOTE_NUMBER = (
    "update chat_turns set fence=?2, flushes=case when fence=?2 and flushes>?3 then flushes else ?3 end where id=?1"
)


def _drain(flush: Flush, allowed: str | None, call_id: str | None, now: int) -> Script:
    session_id = flush.session_id
    yield "select 1 from chat_sessions where id=?1 for update", (session_id,)
    rows = yield f"select n, {PENDING} from chat_pending where session_id=?1 order by n", (session_id,)
    taken: list[Message] = []
    for n, message_id, arrival_at, body, permissions in rows:
        if permissions is not None and permissions != allowed:
            break  # it may do less than this turn: it starts a turn of its own, and those behind it wait
        yield "delete from chat_pending where session_id=?1 and n=?2", (session_id, n)
        taken.append(message_of(message_id, arrival_at, body, permissions))
    if not taken:
        return Drained((), None)
    yield _NOTE_NUMBER, (flush.turn_id, flush.fence, flush.number)
    text = entry_text(follow_up_of(taken, call_id), flush.turn_id, now)
    appended = yield from append(session_id, [text], flush.fence)
    if appended is REFUSED:
        return REFUSED
    for message in taken:
        yield (
            "update chat_messages set turn_id=?3, event_id=?4 where session_id=?1 and message_id=?2",
            (session_id, message.message_id, flush.turn_id, appended.last),
        )
    return Drained(tuple(taken), appended)


def follow_up_of(taken: Sequence[Message], call_id: str | None = None) -> Draft:
    """The event that tells of messages that a turn took."""
    draft = events.follow_up([message.message_id for message in taken], [message.text for message in taken], call_id)
    beside: JsonObject = {
        "contexts": [message.context for message in taken],
        "file_ids": [list(message.file_ids) for message in taken],
        "arrivals": [message.arrival_at for message in taken],
    }
    return Draft(draft.type, draft.data | beside)


_DRAIN = Scripted("drain_pending", _drain)


def drain_pending(flush: Flush, allowed: str | None, call_id: str | None, now: int) -> WriteSet:
    """Take what is pending into the turn: rows out and `follow-up` in, together. The last answer is `Drained`.

    Numbered like a flush, of which it has no entries: applied again it would take nothing, and nobody would have heard
    what it took. There is no answer when it landed at an earlier try.
    """
    return WriteSet(
        writes=((GUARD_JOB, (flush.turn_id, flush.fence)), (_DRAIN, (flush, allowed, call_id, now))),
        proof=proof_of(flush),
    )


def _hears(session_id: str, allowed: str | None) -> Script:
    rows = yield "select permissions from chat_pending where session_id=?1 order by n limit 1", (session_id,)
    return bool(rows) and (rows[0][0] is None or rows[0][0] == allowed)


_HEARS = Scripted("hears_pending", _hears)


def hears_pending(session_id: str, allowed: str | None) -> WriteSet:
    """Answers whether `drain_pending` would take something."""
    return WriteSet(((_HEARS, (session_id, allowed)),))


def _take_back(session_id: str, user_id: str, message_id: str) -> Script:
    own = yield "select 1 from chat_sessions where id=?1 and user_id=?2 for update", (session_id, user_id)
    if not own:
        return "no_session"
    key = (session_id, message_id)
    found = yield "delete from chat_pending where session_id=?1 and message_id=?2 returning n", key
    if found:
        yield "delete from chat_messages where session_id=?1 and message_id=?2", key
        return "taken"
    known = yield "select 1 from chat_messages where session_id=?1 and message_id=?2", key
    return "consumed" if known else "absent"


_TAKE_BACK = Scripted("take_back", _take_back)


def take_back(session_id: str, user_id: str, message_id: str) -> WriteSet:
    """Answers `taken`, `consumed`, `absent` or `no_session`."""
    return WriteSet(((_TAKE_BACK, (session_id, user_id, message_id)),))
