"""autopilot:8.8, autopilot-tools:T10: what a model reads of a result, and where it finds the rest."""

from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.features.chat import MAX_TOOL_TEXT, events, for_model, whole_copy
from pilothouse.kit.json import Json, JsonObject, dumps, fitting

FILE = ("0190a0a0-0000-7000-8000-000000000000", "/sessions/s/tool-results/recite-000000000000.json")
NASTY = ('"' * 90_000, "\n\\" * 50_000, "\x00" * 20_000, "🎈\t" * 70_000)
SHORT: list[Json] = ["a"] * MAX_TOOL_TEXT


def copy_of(output: Json, file: tuple[str, str] | None = None) -> JsonObject:
    return cast(JsonObject, for_model(events.tool_output_available("c", "recite", output, file=file).data))


def of_length(length: int, filling: str = "y") -> JsonObject:
    """A result whose JSON is this long."""
    empty: JsonObject = {"type": "recited", "text": ""}
    return empty | {"text": filling * (length - len(dumps(empty)))}


@pytest.mark.parametrize("filling", ["y", "ж", "🎈"])
def test_a_result_of_exactly_the_limit_is_shown_whole_and_one_more_character_is_cut(filling: str):
    """8.8: in characters, not bytes."""
    whole = of_length(MAX_TOOL_TEXT, filling)
    assert copy_of(whole) == whole
    cut = copy_of(of_length(MAX_TOOL_TEXT + 1, filling))
    assert (cut["truncated"], cut["total"]) == (True, MAX_TOOL_TEXT + 1)
    assert MAX_TOOL_TEXT - 1 <= len(dumps(cut)) <= MAX_TOOL_TEXT


@pytest.mark.parametrize("output", [SHORT, *({"ж\n": text} for text in NASTY)])
@pytest.mark.parametrize("file", [None, FILE])
def test_no_copy_is_longer_however_much_must_be_escaped_in_it(output: Json, file: tuple[str, str] | None):
    """8.8: the limit is that of the JSON the model gets; what it shows is a beginning, and `shown` says where the rest
    begins."""
    cut, text = copy_of(output, file), whole_copy(output)
    assert MAX_TOOL_TEXT - 8 <= len(dumps(cut)) <= MAX_TOOL_TEXT
    assert (cut["text"], cut["total"]) == (text[: cast(int, cut["shown"])], len(text))


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])), st.integers(-3, 60))
def test_what_fits_is_the_longest_beginning_that_fits(text: str, limit: int):
    """8.8"""
    begins = [text[:length] for length in range(len(text) + 1) if len(dumps(text[:length])) - 2 <= max(limit, 0)]
    assert fitting(text, limit) == begins[-1]


def test_a_cut_copy_names_its_call_and_the_file_that_has_the_whole():
    """T10, 8.8"""
    cut = copy_of(of_length(80_000), FILE)
    assert (cut["type"], cut["tool_call_id"], cut["file_id"], cut["workspace_path"]) == ("recited", "c", *FILE)
    assert "read_tool_result" in str(cut["message"])
    without = copy_of(of_length(80_000))
    assert not {"file_id", "workspace_path"} & set(without)
    assert (without["tool_call_id"], "file" in str(without["message"])) == ("c", False)


def test_what_is_for_the_web_is_in_no_copy_however_deep_and_other_peoples_words_stay():
    """T10, 1.2: a result may hold the results of others."""
    inner: JsonObject = {"type": "agent_output", "is_dry_run": True, "x": 1}
    calls: list[Json] = [{"tool_name": "run_agent", "output": inner}]
    own: JsonObject = {"is_dry_run": "mine"}
    told: JsonObject = {"type": "sub_session_status", "is_dry_run": True, "tool_calls": calls, "outputs": own}
    shown = {"type": "agent_output", "x": 1}
    assert copy_of(told) == {
        "type": "sub_session_status",
        "tool_calls": [{"tool_name": "run_agent", "output": shown}],
        "outputs": {"is_dry_run": "mine"},
    }
    assert told["is_dry_run"] is inner["is_dry_run"] is True  # the stored one is as it was
    assert whole_copy(inner) == dumps(shown)
