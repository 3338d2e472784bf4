"""2.12: while the database is away nothing is accepted, and the caller is told when to come back."""

import asyncio
from pathlib import Path

import pytest

from pilothouse.features.chat import NewSession
from pilothouse.kit.ids import new_id
from tests.conftest import MakePostgres
from tests.databases import prepare
from tests.security.site import open_site


@pytest.mark.scaled
async def test_a_message_that_cannot_be_kept_is_not_accepted(private_postgres: MakePostgres, tmp_path: Path):
    server = private_postgres()
    await prepare(server.url)
    async with open_site(tmp_path, server.url) as site:
        person = await site.person("ann")
        session = await site.house.chat.create_session(person.actor, NewSession())
        path, body = f"/api/v1/chat/sessions/{session.id}/stream", {"message": "hello", "message_id": new_id()}
        async with await site.program(person, "chat:use") as program:
            assert (await program.get(f"/api/v1/chat/sessions/{session.id}")).status_code == 200
            await asyncio.to_thread(server.stop)
            refused = await program.post(path, json=body)
            await asyncio.to_thread(server.start)
            assert (refused.status_code, refused.json()["code"]) == (503, "unavailable")
            assert refused.headers["retry-after"] == "30"
            assert (await program.post(path, json=body)).status_code == 200
        rows = await site.house.reader.rows("select count(*) from chat_messages where session_id=?1", session.id)
        assert rows == [(1,)]
