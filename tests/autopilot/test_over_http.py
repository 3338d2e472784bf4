"""The first minute: a browser, the offline pilot, an agent that did not exist before."""

from tests.autopilot.bridge import Bridge


async def test_a_conversation_over_the_api(bridge: Bridge):
    browser = bridge.stand.ann.browser
    session = (await browser.post("/api/chat/sessions", json={})).json()
    path = f"/api/chat/sessions/{session['id']}/stream"

    built = await browser.post(path, json={"message": "build an agent that takes a name and greets it"})
    assert built.headers["x-vercel-ai-ui-message-stream"] == "v1"
    assert built.text.rstrip().endswith("data: [DONE]")
    assert '"toolName":"create_agent"' in built.text

    ran = await browser.post(path, json={"message": "run it with name=Ada"})
    assert "Hello Ada!" in ran.text

    agents = (await browser.get("/api/agents")).json()
    assert [agent["name"] for agent in agents["items"]] == ["Greets the name"]
    shown = (await browser.get(f"/api/chat/sessions/{session['id']}")).json()
    assert "Hello Ada!" in str(shown["messages"])
