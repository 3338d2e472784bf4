"""autopilot:13.1-13.3: the four cells, who chooses them, and what a page is shown of it."""

from typing import Any

from tests.features.runs.stand import Installation, Person

PROVIDERS, CHOICES, MODELS = "/api/models/providers", "/api/models/choices", "/api/chat/models"


def choice(model: str | None, mode: str = "fast", tier: str = "standard") -> dict[str, Any]:
    return {"choices": [{"mode": mode, "tier": tier, "model": model}]}


async def connect(admin: Person) -> None:
    await admin.browser.post(PROVIDERS, json={"kind": "openai", "api_key": "k", "model": "m", "advanced_model": "n"})


async def cells(person: Person) -> dict[tuple[str, str], tuple[str, str]]:
    told = (await person.browser.get(MODELS)).json()["cells"]
    return {(cell["mode"], cell["tier"]): (cell["model"], cell["chosen_by"]) for cell in told}


async def test_without_a_connection_the_offline_pilot_is_behind_every_cell(installation: Installation, member: Person):
    """13.2"""
    told = (await member.browser.get(MODELS)).json()
    assert told["offline"] is True
    assert {cell["model"] for cell in told["cells"]} == {"offline"}


async def test_the_administrators_choice_wins_over_the_users_and_that_over_the_default(
    installation: Installation, admin: Person, member: Person
):
    """13.1"""
    await connect(admin)
    assert (await cells(member))["fast", "standard"] == ("openai/m", "default")
    assert (await member.browser.put(CHOICES, json=choice("openai/mine"))).status_code == 204
    assert (await cells(member))["fast", "standard"] == ("openai/mine", "user")
    path = f"{CHOICES}/{member.actor.user_id}"
    assert (await admin.browser.put(path, json=choice("openai/theirs"))).status_code == 204
    told = await cells(member)
    assert told["fast", "standard"] == ("openai/theirs", "administrator")
    assert told["extended_thinking", "standard"] == ("openai/m", "default")
    assert told["fast", "advanced"] == ("openai/n", "default")
    assert (await admin.browser.put(path, json=choice(None))).status_code == 204
    assert (await cells(member))["fast", "standard"] == ("openai/mine", "user")
    assert (await cells(admin))["fast", "standard"] == ("openai/m", "default")


async def test_a_model_without_a_provider_cannot_be_chosen(installation: Installation, admin: Person, member: Person):
    """13.3"""
    await connect(admin)
    refused = await member.browser.put(CHOICES, json=choice("nobody/model"))
    assert (refused.status_code, refused.json()["code"]) == (409, "model_unavailable")
    assert (await cells(member))["fast", "standard"] == ("openai/m", "default")


async def test_a_choice_whose_provider_was_removed_is_shown_as_unavailable(
    installation: Installation, admin: Person, member: Person
):
    """13.3"""
    made = await admin.browser.post(PROVIDERS, json={"kind": "groq", "api_key": "k"})
    await member.browser.put(CHOICES, json=choice("groq/model"))
    await admin.browser.delete(f"{PROVIDERS}/{made.json()['id']}")
    told = (await member.browser.get(MODELS)).json()["cells"][0]
    assert (told["model"], told["available"], told["provider"]) == ("groq/model", False, None)


async def test_nobody_but_an_administrator_chooses_for_another(
    installation: Installation, admin: Person, member: Person
):
    """13.1"""
    await connect(admin)
    refused = await member.browser.put(f"{CHOICES}/{admin.actor.user_id}", json=choice("openai/m"))
    assert refused.status_code == 403
    absent = "01900000-0000-7000-8000-000000000000"
    both = {"choices": [*choice("openai/m")["choices"], *choice("openai/m", tier="advanced")["choices"]]}
    unknown = await admin.browser.put(f"{CHOICES}/{absent}", json=both)
    assert (unknown.status_code, unknown.json()["code"]) == (404, "not_found")
