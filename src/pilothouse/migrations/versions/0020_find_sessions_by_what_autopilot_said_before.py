"""Find sessions by what AutoPilot said before"""

import json
import unicodedata

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"

PAGE = 1000
MOST = 200_000  # characters of a turn

_TURNS = sa.text(
    "select id, session_id, first_event, last_event from chat_turns"
    f" where id > :id and said is null and last_event is not null order by id limit {PAGE}"
)
_LOG = sa.text(
    "select body from segments where log_id=:session_id and last >= :first_event and first <= :last_event"
    " order by first"
)
_WRITE = sa.text("update chat_turns set said=:said where id=:id")


def upgrade() -> None:
    """Page by page. Turns that ended since their words are kept have some, if only none; the others have a log."""
    connection = op.get_bind()
    last = ""
    while turns := connection.execute(_TURNS, {"id": last}).mappings().all():
        told = [{"id": turn["id"], "said": _said(connection, turn)} for turn in turns]
        connection.execute(_WRITE, told)
        last = turns[-1]["id"]


def _said(connection: sa.Connection, turn: sa.RowMapping) -> str:
    """The blocks of text that the turn did not take back, as what is sought is compared with them."""
    blocks: dict[str, str] = {}
    for (body,) in connection.execute(_LOG, {**turn}):
        for entry in json.loads(body):
            if entry is None or entry[1] != turn["id"]:  # trimmed, or another turn's
                continue
            if entry[0] == "text-end":
                blocks[entry[3]["id"]] = entry[3]["text"]
            elif entry[0] == "step-reset":
                for part_id in entry[3]["part_ids"]:
                    blocks.pop(part_id, None)
    return _folded("\n".join(blocks.values())[:MOST])


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text.casefold()).replace("\x00", "")


def downgrade() -> None:
    """What was written is what the next version writes."""
