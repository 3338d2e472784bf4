"""Find sessions by what was said"""

import unicodedata

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"

PAGE = 1000


def upgrade() -> None:
    op.add_column("chat_sessions", sa.Column("title_folded", sa.Text(), nullable=True))
    op.add_column("chat_turns", sa.Column("said", sa.Text(), nullable=True))
    _fold("chat_sessions", ("id",), "title", "title_folded")
    _fold("chat_messages", ("session_id", "message_id"), "excerpt", "excerpt")


def _fold(table: str, key: tuple[str, ...], source: str, target: str) -> None:
    """Page by page: a large installation has many messages."""
    connection = op.get_bind()
    names, marks = ", ".join(key), ", ".join(f":{name}" for name in key)
    read = sa.text(f"select {names}, {source} from {table} where ({names}) > ({marks}) order by {names} limit {PAGE}")
    write = sa.text(f"update {table} set {target}=:folded where ({names}) = ({marks})")
    place = dict.fromkeys(key, "")
    while rows := connection.execute(read, place).all():
        found = [(dict(zip(key, row[:-1], strict=True)), row[-1]) for row in rows]
        if told := [at | {"folded": _folded(text)} for at, text in found if text is not None]:
            connection.execute(write, told)
        place = found[-1][0]


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text.casefold()).replace("\x00", "")


def downgrade() -> None:
    op.drop_column("chat_turns", "said")
    op.drop_column("chat_sessions", "title_folded")
