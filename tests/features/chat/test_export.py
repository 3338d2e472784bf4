"""1.10: a conversation to take away."""

import pytest

from pilothouse.kit.ids import new_id
from tests.features.chat.parlour import Parlour

SECRETS = ("a secret of the server's", "so far", "idempotency_key", "cost_microdollars", "permissions")


async def told(parlour: Parlour) -> str:
    session = await parlour.session()
    await parlour.ended(await parlour.start(session, "everything"))
    await parlour.ended(await parlour.start(session, "say # not a heading", "fail idle_timeout"))
    return f"/api/v1/chat/sessions/{session}/export"


async def test_a_conversation_is_exported_as_markdown(parlour: Parlour):
    """1.10"""
    answer = await parlour.stand.ann.http.get(await told(parlour))
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/markdown")
    assert answer.headers["content-disposition"].startswith('attachment; filename="chat-')
    assert answer.text.startswith("# everything\n\n## You\n\neverything\n\n## AutoPilot\n\n")
    for words in ("done", "## You\n\nand this", "**run_agent**", "*It went wrong.*", "*This turn failed.*"):
        assert words in answer.text, words
    assert "given up" not in answer.text  # it was taken back
    assert not [secret for secret in SECRETS if secret in answer.text]


async def test_a_conversation_is_exported_as_json(parlour: Parlour):
    """1.10: the messages are those of the page."""
    path = await told(parlour)
    answer = await parlour.stand.ann.http.get(path, params={"format": "json"})
    body = answer.json()
    assert body["format"] == "pilothouse.chat/1"
    shown = (await parlour.stand.ann.http.get(path.removesuffix("/export"))).json()
    assert body["messages"] == shown["messages"]
    assert body["session"]["id"] == shown["session"]["id"]
    assert not [secret for secret in SECRETS if secret in answer.text]


async def test_a_long_conversation_is_exported_whole(small: Parlour):
    """1.10"""
    session = await small.session()
    for n in range(12):
        await small.ended(await small.start(session, f"say answer {n}."))
    text = (await small.stand.ann.http.get(f"/api/v1/chat/sessions/{session}/export")).text
    assert [f"answer {n}.\n" in text for n in range(12)] == [True] * 12


@pytest.mark.parametrize(("query", "status"), [("?format=pdf", 422), ("", 404)])
async def test_what_cannot_be_exported_is_refused(small: Parlour, query: str, status: int):
    """1.10"""
    answer = await small.stand.ann.http.get(f"/api/v1/chat/sessions/{new_id()}/export{query}")
    assert answer.status_code == status
