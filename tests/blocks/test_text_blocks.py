"""Text: patterns within their limits, escapes that come back, pieces of code."""

import asyncio
from time import perf_counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pilothouse.blocks.patterns import BadPattern, Pattern, PatternTookTooLong, look
from pilothouse.kit.json import Json
from tests.blocks.playing import error_of, run

EXPLODES = r"(a|aa)+$"
VICTIM = "a" * 60 + "b"


def found(rule: Pattern) -> bool:
    return rule.search(VICTIM) is not None


async def test_a_pattern_that_explodes_is_stopped_and_nobody_waits_for_it():
    """blocks: the limit of 5 seconds, here shortened, really holds; the loop goes on meanwhile."""
    ticks = 0

    async def watch() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.005)
            ticks += 1

    watching = asyncio.create_task(watch())
    began = perf_counter()
    slow = [look(EXPLODES, found, seconds=0.4) for _ in range(3)]
    for ended in await asyncio.gather(*slow, return_exceptions=True):
        assert isinstance(ended, PatternTookTooLong)
    took = perf_counter() - began
    watching.cancel()
    assert 0.1 < took < 3  # the limit counts the time of all cores
    assert ticks >= 10  # of 80; had the searches held the loop up, it would have been next to none


async def test_the_limit_is_for_all_texts_together():
    def many(rule: Pattern) -> int:
        return sum(rule.search("a" * 20 + "b") is not None for _ in range(10_000_000))

    with pytest.raises(PatternTookTooLong, match="longer than 5 seconds"):
        await look("(a|aa)+$", many, seconds=0.2)


@pytest.mark.parametrize("pattern", ["(", "[", "a{99999}", "a" * 10_001, "(" * 3_000 + ")" * 3_000, "(?P<1>a)"])
async def test_patterns_that_cannot_be_read_are_errors(pattern: str):
    with pytest.raises(BadPattern):
        await look(pattern, found)
    assert (await error_of("Match text pattern", text="a", match=pattern, data=1)).startswith("the pattern")


async def test_at_most_a_thousand_matches_are_taken():
    fired = await run("Extract text information", text="a" * 2_000, pattern="a", find_all=True)
    assert fired[-1] == ("matched_count", 1_000)
    assert len([pin for pin, _ in fired if pin == "positive"]) == 1_000


async def test_what_is_no_text_is_searched_as_json():
    assert await run("Extract text information", text={"a": [1, 22]}, pattern=r"\d\d") == [
        ("positive", "22"),
        ("matched_results", ["22"]),
        ("matched_count", 1),
    ]
    assert (await run("Extract text information", text=5, pattern="x"))[0] == ("negative", 5)


async def test_case_and_line_breaks_count_only_when_asked():
    text = "A\nb"
    assert (await run("Extract text information", text=text, pattern="a.b", case_sensitive=False))[0][1] == text
    assert (await run("Extract text information", text=text, pattern="a.b", case_sensitive=False, dot_all=False))[
        0
    ] == (
        "negative",
        text,
    )


async def test_a_group_that_took_no_part_is_empty():
    fired = await run("Extract text information", text="b", pattern="(a)?b", group=1)
    assert fired[0] == ("positive", "")


@given(st.text())
@settings(max_examples=100, deadline=None)
async def test_what_was_encoded_decodes_to_itself(text: str):
    ((_, encoded),) = await run("Text encoder", text=text)
    assert str(encoded).isascii()
    assert await run("Text decoder", text=encoded) == [("decoded_text", text)]


@pytest.mark.parametrize(("text", "means"), [("a\\tb", "a\tb"), ("\\/", "/"), ("é\\é"[:1], "é"), ("a\\\nb", "ab")])
async def test_escapes_stand_for_what_they_say(text: str, means: str):
    assert await run("Text decoder", text=text) == [("decoded_text", means)]


@pytest.mark.parametrize("text", ["\\", "\\q", "\\x4", "\\u12", "\\U00110000", "\\UFFFFFFFF", "\\udc00"])
async def test_escapes_that_stand_for_nothing_are_errors(text: str):
    assert await error_of("Text decoder", text=text)


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("Text replace", {"text": "a" * 10_000, "old": "a", "new": "b" * 2_000}),
        ("Combine texts", {"input": ["a"] * 10_000, "delimiter": "b" * 2_000}),
        ("Extract text information", {"text": "a" * 20_000, "pattern": "(?=(.*))", "group": 1, "find_all": True}),
    ],
)
async def test_no_text_is_made_that_could_not_be_handed_on(name: str, inputs: dict[str, Json]):
    assert "16 million" in await error_of(name, **inputs)


async def test_fences_may_hold_shorter_fences_and_stand_indented():
    text = "````md\n```py\nx\n```\n````\n  ```python\n  y = 1\n  ```"
    assert await run("Code extraction", text=text) == [
        ("python", "  y = 1"),
        ("markdown", "```py\nx\n```"),
        ("remaining_text", ""),
    ]


async def test_what_only_looks_like_a_fence_stays():
    text = "Use ```code``` inline.\n``two``"
    assert await run("Code extraction", text=text) == [("remaining_text", text)]
    assert await run("Code extraction", text="```\nplain\n```") == [("remaining_text", "```\nplain\n```")]


async def test_slow_patterns_leave_the_other_threads_alone():
    slow = [asyncio.create_task(look(EXPLODES, found, seconds=1)) for _ in range(20)]
    await asyncio.sleep(0.05)
    assert await asyncio.to_thread(lambda: 1) == 1
    assert not any(task.done() for task in slow)
    for task in slow:
        task.cancel()
    await asyncio.gather(*slow, return_exceptions=True)
