"""The installed blocks by HTTP."""

from pilothouse.base.actor import Actor
from pilothouse.graph.catalogue import Catalogue
from tests.features.agents.front import Front
from tests.features.agents.graphs import TEMPLATE, UNKNOWN


async def test_blocks_are_listed_by_name_page_by_page(small_front: Front, alice: Actor, catalogue: Catalogue):
    browser = small_front.browser(alice)
    names: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = (await browser.get("/api/blocks", params={"limit": 7, **cursor})).json()
        names += [item["name"] for item in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert names == sorted((spec.name for spec in catalogue.values()), key=str.casefold)


async def test_every_word_of_a_search_must_be_there(small_front: Front, alice: Actor):
    browser = small_front.browser(alice)
    found = (await browser.get("/api/blocks", params={"q": "TEMPLATE text"})).json()["items"]
    assert TEMPLATE in {item["id"] for item in found}
    assert (await browser.get("/api/blocks", params={"q": "template zebra"})).json()["items"] == []


async def test_one_block_comes_with_its_pins(small_front: Front, alice: Actor):
    program = small_front.program(alice, "blocks:read")
    block = (await program.get(f"/api/v1/blocks/{TEMPLATE}")).json()
    assert {"values", "format"} <= block["inputs"]["properties"].keys()
    assert "error" in block["outputs"]["properties"]
    assert (block["kind"], block["effects"], block["disabled"]) == ("standard", "none", False)
    assert (await program.get(f"/api/v1/blocks/{UNKNOWN}")).json()["code"] == "not_found"
    assert (await program.get("/api/v1/blocks/x")).status_code == 422
    refused = await small_front.program(alice, "agents:read").get("/api/v1/blocks")
    assert (refused.status_code, refused.json()["code"]) == (403, "scope_missing")
