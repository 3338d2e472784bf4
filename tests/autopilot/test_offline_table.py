"""autopilot:17.1, 17.2, 17.3, 17.4: rows of the offline pilot's table, end to end, without a network."""

import pytest

from pilothouse.features.chat import events
from tests.autopilot.bridge import Bridge

BUILD = "build an agent that takes a name and greets it"


async def test_a_greeting_is_built_run_and_shown(bridge: Bridge):
    built = await bridge.ask(BUILD)
    assert built.status == "completed"
    assert built.tools == ["get_agent_building_guide", "find_block", "create_agent"]
    assert "Greets the name" in built.text
    assert "run it with name=Ada" in built.text

    ran = await bridge.ask("run it with name=Ada")
    assert ran.tools == ["run_agent"]
    assert ran.calls[0][1]["inputs"] == {"name": "Ada"}
    assert ran.calls[0][1]["wait_for_result"] == 60
    assert "Hello Ada!" in ran.text
    versions = await bridge.stand.ann.browser.get(f"/api/agents/{ran.outputs[0]['agent_id']}/versions")
    assert [version["by_autopilot"] for version in versions.json()["items"]] == [True]

    shown = await bridge.ask("Show the results.")
    assert shown.calls == [
        ("view_agent_output", {"library_agent_id": ran.outputs[0]["agent_id"], "run_time": "latest"})
    ]
    assert "Hello Ada!" in shown.text


@pytest.mark.parametrize("text", ["help", "HELP", "what can you do?"])
async def test_help_lists_the_intents(small: Bridge, text: str):
    said = await small.ask(text)
    assert said.tools == []
    assert "`run it with name=Ada`" in said.text


async def test_unmatched_text_calls_nothing_and_lists_an_example_of_each_intent(small: Bridge):
    said = await small.ask("sing me a song about the sea")
    assert said.tools == []
    assert "did not understand" in said.text
    assert "`find blocks for sending a web request`" in said.text


async def test_blocks_are_found(small: Bridge):
    said = await small.ask("find blocks for sending a web request")
    assert said.calls == [("find_block", {"query": "sending a web request"})]
    assert "**Send web request**" in said.text


async def test_a_search_that_finds_nothing_says_so(small: Bridge):
    said = await small.ask("find blocks for brewing coffee")
    assert said.outputs[0]["type"] == "no_results"
    assert "no block for “brewing coffee”" in said.text


async def test_the_library_is_searched(small: Bridge):
    await small.ask("build an agent called Digest that takes a text and counts the words")
    said = await small.ask("search my library for digest")
    assert said.calls == [("find_library_agent", {"query": "digest"})]
    assert "**Digest**" in said.text


async def test_run_by_name_finds_the_agent_first(small: Bridge):
    await small.ask("build an agent called Shout that takes a text and makes it upper case")
    other = await small.another()

    said = await other.ask("run Shout with text=python")

    assert said.tools == ["find_library_agent", "run_agent"]
    assert said.calls[1][1]["inputs"] == {"text": "python"}
    assert "PYTHON" in said.text


async def test_missing_values_are_asked_for_by_name_and_may_be_told_alone(small: Bridge):
    await small.ask(BUILD)
    asked = await small.ask("run it")
    assert asked.outputs[0]["type"] == "agent_details"
    assert "needs **name**" in asked.text

    told = await small.ask("name=Grace")
    assert "Hello Grace!" in told.text


async def test_an_unknown_input_is_named_and_nothing_runs(small: Bridge):
    await small.ask(BUILD)
    said = await small.ask("run it with nme=Ada and name=Bob")
    assert said.outputs[0]["type"] == "input_validation_error"
    assert "**nme**" in said.text


async def test_it_is_nothing_in_a_new_session(small: Bridge):
    said = await small.ask("run it with name=Ada")
    assert said.tools == []
    assert "Which agent" in said.text


async def test_an_ambiguous_name_is_asked_back(small: Bridge):
    await small.ask("build an agent called 'Daily digest' that takes a text and counts the words")
    await small.ask("build an agent called 'Weekly digest' that takes a text and counts the words")
    said = await small.ask("run digest with text=x")
    assert said.tools == ["find_library_agent"]
    assert "Daily digest" in said.text
    assert "Weekly digest" in said.text


async def test_dry_run(small: Bridge):
    await small.ask("build an agent that takes a number and checks whether it is greater than 5")
    said = await small.ask("dry run it")
    assert said.tools == ["run_agent"]
    wanted = {"dry_run": True, "use_defaults": True, "wait_for_result": 120}
    assert wanted.items() <= said.calls[0][1].items()


async def test_explain(small: Bridge):
    await small.ask("build an agent called Shout that takes a text and makes it upper case")
    said = await small.ask("explain Shout")
    assert said.calls == [("find_library_agent", {"query": "Shout", "include_graph": True})]
    assert "`step_1`" in said.text


@pytest.mark.parametrize(
    ("what", "told", "answer"),
    [
        ("takes a list of words and joins them with commas", 'words=["a", "b"]', "a, b"),
        ("takes a text, makes it upper case and counts the characters", "text=hello", "5"),
        ("takes a text and counts the words", 'text="one two three"', "3"),
        ("takes a list of names, goes through them and greets each one", 'names=["Ada", "Bob"]', "Hello Bob!"),
        (
            'takes a first name and a last name and says "Dear {first_name} {last_name}"',
            "first_name=A, last_name=B",
            "A B",
        ),
        ("takes a number and checks whether it is greater than 5", "number=7", "true"),
        ("takes a name, waits 0 seconds and gives it back", "name=Ada", "Ada"),
    ],
)
async def test_a_described_chain_works(small: Bridge, what: str, told: str, answer: str):
    built = await small.ask(f"build an agent that {what}")
    assert built.outputs[-1]["type"] == "agent_builder_saved", built.text
    ran = await small.ask(f"run it with {told}")
    assert answer in ran.text


async def test_a_step_without_a_block_is_named_and_nothing_pretends_to_do_it(small: Bridge):
    said = await small.ask("build an agent that takes a topic, gets its horoscope and makes it upper case")
    assert said.tools == ["get_agent_building_guide", "find_block", "find_block", "create_agent"]
    assert "**Not built:**" in said.text
    assert "gets its horoscope" in said.text


async def test_when_no_step_has_a_block_nothing_is_built(small: Bridge):
    said = await small.ask("build an agent that takes a topic, gets its horoscope and frames it")
    assert "create_agent" not in said.tools
    assert "I built nothing" in said.text


async def test_the_offline_pilot_says_once_what_it_is(small: Bridge):
    """17.2"""
    first = await small.ask("help")
    second = await small.ask("help")
    assert [event.data["code"] for event in first.of(events.NOTICE)] == ["offline_pilot"]
    assert second.of(events.NOTICE) == []
    assert first.of(events.TURN_STARTED)[0].data["model"] == "offline"


async def test_equal_words_in_equal_sessions_give_equal_calls_and_text(small: Bridge):
    twin = await small.another()
    one, two = await small.ask(BUILD), await twin.ask(BUILD)
    assert (one.calls, one.text) == (two.calls, two.text)


@pytest.mark.parametrize(
    "said", ["run it with name: Ada", "run it with name Ada", "run it for Ada", "Run it with Ada."]
)
async def test_a_value_may_be_told_in_other_ways(small: Bridge, said: str):
    await small.ask(BUILD)
    assert "Hello Ada!" in (await small.ask(said)).text


async def test_what_it_cannot_do_yet_is_not_taken_for_something_else(small: Bridge):
    await small.ask(BUILD)
    said = await small.ask("run it every weekday at 9")
    assert said.tools == []
    assert "did not understand" in said.text


async def test_delegated_work_is_done_in_a_session_of_its_own(bridge: Bridge):
    """15.1: and its answer is shown here."""
    said = await bridge.ask("delegate: find three blocks about files")
    assert said.calls == [("run_sub_session", {"prompt": "find three blocks about files", "wait_for_result": 60})]
    assert said.outputs[0]["status"] == "completed"
    assert said.outputs[0]["tool_calls"][0]["input"] == {"query": "files"}
    assert f"(/chat/{said.outputs[0]['sub_session_id']})" in said.text
    assert said.outputs[0]["response"] in said.text
