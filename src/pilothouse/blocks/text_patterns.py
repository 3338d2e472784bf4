"""Finding patterns in text."""

from collections.abc import AsyncIterator
from itertools import islice
from typing import Annotated

from pydantic import Field

from pilothouse.blocks.branches import text_of
from pilothouse.blocks.contract import (
    AnyJson,
    BlockContext,
    BlockInput,
    BlockOutput,
    Category,
    Effects,
    Example,
    block,
)
from pilothouse.blocks.patterns import BadPattern, Pattern, PatternTookTooLong, look
from pilothouse.blocks.text import MAX_TEXT, TOO_LONG

MAX_MATCHES = 1_000


class MatchTextPatternIn(BlockInput):
    text: Annotated[AnyJson, Field(description="Where to look; what is no text is read as JSON.")]
    match: Annotated[str, Field(description="A regular expression.")]
    data: Annotated[AnyJson, Field(description="What to hand on; the text when null.")]
    case_sensitive: Annotated[bool, Field(description="Tell capitals from small letters.")] = True
    dot_all: Annotated[bool, Field(description="Let a dot stand for line breaks too.")] = True


class MatchTextPatternOut(BlockOutput):
    positive: AnyJson = None
    negative: AnyJson = None


@block(
    id="3060088f-6ed9-4928-9ba7-9c92823a7ccd",
    name="Match text pattern",
    categories={Category.TEXT},
    effects=Effects.NONE,
    happy_pins=("positive",),
    examples=[
        Example(ask={"text": "abc", "match": "b.", "data": 1}, fires=[("positive", 1)]),
        Example(ask={"text": "abc", "match": "B", "data": None}, fires=[("negative", "abc")]),
        Example(ask={"text": "abc", "match": "B", "data": 0, "case_sensitive": False}, fires=[("positive", 0)]),
        Example(ask={"text": "a\nb", "match": "a.b", "data": 1, "dot_all": False}, fires=[("negative", 1)]),
        Example(ask={"text": {"a": 1}, "match": '"a":1', "data": None}, fires=[("positive", {"a": 1})]),
        Example(ask={"text": "abc", "match": "(", "data": 1}, fires=[("error", str)]),
    ],
)
async def match_text_pattern(ask: MatchTextPatternIn, ctx: BlockContext) -> MatchTextPatternOut:
    """Send a value one way if a pattern (a regular expression, regex) is found in a text, else another."""
    value = ask.text if ask.data is None else ask.data
    text = text_of(ask.text)
    try:
        found = await look(
            ask.match,
            lambda rule: rule.search(text) is not None,
            ignore_case=not ask.case_sensitive,
            dot_all=ask.dot_all,
        )
    except (BadPattern, PatternTookTooLong) as fault:
        return MatchTextPatternOut(error=str(fault))
    return MatchTextPatternOut(positive=value) if found else MatchTextPatternOut(negative=value)


class ExtractTextInformationIn(BlockInput):
    text: Annotated[AnyJson, Field(description="Where to look; what is no text is read as JSON.")]
    pattern: Annotated[str, Field(description="A regular expression.")]
    group: Annotated[int, Field(ge=0, description="Which group to take; 0 is the whole match.")] = 0
    case_sensitive: Annotated[bool, Field(description="Tell capitals from small letters.")] = True
    dot_all: Annotated[bool, Field(description="Let a dot stand for line breaks too.")] = True
    find_all: Annotated[bool, Field(description="Take every match, up to 1,000.")] = False


class ExtractTextInformationOut(BlockOutput):
    positive: str | None = None
    negative: AnyJson = None
    matched_results: list[str] | None = None
    matched_count: int | None = None


@block(
    id="3146e4fe-2cdd-4f29-bd12-0c9d5bb4deb0",
    name="Extract text information",
    categories={Category.TEXT},
    effects=Effects.NONE,
    happy_pins=("positive", "matched_results", "matched_count"),
    examples=[
        Example(
            ask={"text": "a1 b2", "pattern": r"([a-z])(\d)", "group": 2},
            fires=[("positive", "1"), ("matched_results", ["1"]), ("matched_count", 1)],
        ),
        Example(
            ask={"text": "a1 b2", "pattern": r"[a-z]\d", "find_all": True},
            fires=[("positive", "a1"), ("positive", "b2"), ("matched_results", ["a1", "b2"]), ("matched_count", 2)],
        ),
        Example(
            ask={"text": "none", "pattern": r"\d"},
            fires=[("negative", "none"), ("matched_results", []), ("matched_count", 0)],
        ),
        Example(ask={"text": "a", "pattern": "(a)", "group": 2}, fires=[("error", "the pattern has no group 2")]),
        Example(ask={"text": "a", "pattern": "["}, fires=[("error", str)]),
    ],
)
async def extract_text_information(
    ask: ExtractTextInformationIn, ctx: BlockContext
) -> AsyncIterator[ExtractTextInformationOut]:
    """Take what a pattern (a regular expression, regex) finds out of a text."""
    text = text_of(ask.text)
    most = MAX_MATCHES if ask.find_all else 1
    try:
        found = await look(
            ask.pattern,
            lambda rule: extracted(rule, text, ask.group, most),
            ignore_case=not ask.case_sensitive,
            dot_all=ask.dot_all,
        )
    except (BadPattern, PatternTookTooLong) as fault:
        yield ExtractTextInformationOut(error=str(fault))
        return
    for one in found:
        yield ExtractTextInformationOut(positive=one)
    if not found:
        yield ExtractTextInformationOut(negative=ask.text)
    yield ExtractTextInformationOut(matched_results=found, matched_count=len(found))


def extracted(rule: Pattern, text: str, group: int, most: int) -> list[str]:
    """What the group took at each match; a match in which it took no part counts as empty."""
    if group > rule.groups:
        raise BadPattern(f"the pattern has no group {group}")
    found: list[str] = []
    size = 0
    for match in islice(rule.each(text), most):
        found.append(match.group(group) or "")
        size += len(found[-1])
        if size > MAX_TEXT:
            raise BadPattern(TOO_LONG)
    return found
