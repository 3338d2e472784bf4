"""What the user wants, read from one message. Every intent has an example, which a test tries."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from pilothouse.kit.json import Json, loads


@dataclass(frozen=True, slots=True)
class Help:
    """What can be asked."""


@dataclass(frozen=True, slots=True)
class FindBlocks:
    query: str


@dataclass(frozen=True, slots=True)
class FindAgents:
    query: str


@dataclass(frozen=True, slots=True)
class Explain:
    name: str


@dataclass(frozen=True, slots=True)
class Build:
    description: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """`name` None: "it". `bare` is what was given without the name of an input."""

    name: str | None
    inputs: dict[str, str] = field(default_factory=dict[str, str])
    bare: str = ""
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class ShowResults:
    name: str | None


@dataclass(frozen=True, slots=True)
class Delegate:
    """Let a session of its own do it."""

    prompt: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nothing that the offline pilot understands."""


Intent: TypeAlias = Help | FindBlocks | FindAgents | Explain | Build | Run | ShowResults | Delegate | Unknown

EXAMPLES = (
    ("find blocks", "find blocks for sending a web request"),
    ("find agents of yours", "search my library for digest"),
    ("build an agent from a chain of steps", "build an agent that takes a name and greets it"),
    ("explain an agent", "explain Greeting"),
    ("try an agent without outside effects", "dry run it"),
    ("run an agent", "run it with name=Ada"),
    ("show what a run gave", "show the results"),
    ("let a session of its own do it", "delegate: find three blocks about text"),
)

_IT = {"it", "this", "that", "the agent", "this agent", "that agent", "it again", "again"}
# A name begins once in a word: looked for at every letter of a long one, a message held the process up for seconds.
_PAIR = re.compile(
    r"""(?<![\w-])(?:(?![A-Za-z_])[\w-])*+(?P<name>[A-Za-z_][\w-]*+)\s*(?:=|:\s)\s*"""
    r"""(?P<value>"[^"]*"|'[^']*'|\[.*?\]|\{.*?\}|.*?)"""
    r"""(?=\s*(?:,|;|\band\b|$)\s*(?:[A-Za-z_][\w-]*\s*(?:=|:\s)|$))""",
    re.DOTALL,
)
_PAIRS_ONLY = re.compile(r"\s*[A-Za-z_][\w-]*\s*=.*", re.DOTALL)
_TIMES = re.compile(r"\s(?:every|each)\s", re.IGNORECASE)
_NAMED = re.compile(r"\s+(?:called|named)\s+(\"[^\"]+\"|'[^']+'|[\w-]+)", re.IGNORECASE)


def read_intent(text: str) -> Intent:
    """The first row of the table that fits."""
    said = " ".join(text.split()).strip().rstrip(".!")
    for pattern, make in _TABLE:
        if match := pattern.fullmatch(said):
            return make(match)
    return Run(None, pairs(said)) if _PAIRS_ONLY.fullmatch(said) and pairs(said) else Unknown()


def pairs(text: str) -> dict[str, str]:
    """`topic=python and n=3` as written; quotes around a value are taken off."""
    return {match["name"]: _bare(match["value"]) for match in _PAIR.finditer(text.strip())}


def typed(value: str, schema: dict[str, Json] | None) -> Json:
    """The value as its input takes it; without a schema, as it looks."""
    wanted = _types(schema) if schema is not None else set[str]()
    if wanted and wanted <= {"string", "null"}:
        return value
    try:
        parsed = loads(value)
    except ValueError:
        return [part.strip() for part in value.split(",")] if "array" in wanted else value
    return parsed


def _types(schema: dict[str, Json]) -> set[str]:
    found = schema.get("type")
    if isinstance(found, str):
        return {found}
    options = schema.get("anyOf")
    names = [option.get("type") for option in options if isinstance(option, dict)] if isinstance(options, list) else []
    return {name for name in names if isinstance(name, str)}


def _bare(value: str) -> str:
    value = value.strip()
    return value[1:-1] if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'" else value


def _name(text: str | None) -> str | None:
    """None for "it"."""
    bare = _bare((text or "it").strip())
    bare = re.sub(r"^(?:the|my)\s+", "", bare, flags=re.IGNORECASE) if bare.lower() not in _IT else bare
    return None if bare.lower() in _IT else re.sub(r"\s+agent$", "", bare, flags=re.IGNORECASE)


def _build(match: re.Match[str]) -> Intent:
    description, name = match["what"].strip(), match["name"]
    if inside := _NAMED.search(description):
        name = name or inside[1]
        description = description[: inside.start()] + description[inside.end() :]
    return Build(description, _bare(name) if name else None)


def _run(match: re.Match[str]) -> Intent:
    given = match["inputs"] or ""
    if _TIMES.search(f" {match['name'] or ''} {given}"):
        return Unknown()  # nothing is scheduled by mistake, and nothing of that name is looked for
    inputs = pairs(given)
    return Run(_name(match["name"]), inputs, "" if inputs else _bare(given), dry_run=bool(match["dry"]))


def _row(pattern: str, make: Callable[[re.Match[str]], Intent]) -> tuple[re.Pattern[str], Callable[..., Intent]]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL), make


_TABLE = (
    _row(r"delegate\b\s*:?\s*(?P<prompt>.+)", lambda match: Delegate(match["prompt"])),
    _row(r"(?:help|\?|what can you do\??|hi|hello|hey)", lambda _: Help()),
    _row(
        r"(?:find|search|show|list)(?: me)?(?: the| some| \d+| two| three| four| five)? blocks?"
        r"(?: (?:for|about|to|that(?: can)?|which)(?: do(?:es)?)?)? (?P<q>.+)",
        lambda match: FindBlocks(match["q"]),
    ),
    _row(
        r"(?:search|look in|look through)(?: in)? my (?:library|agents) for (?P<q>.+)",
        lambda match: FindAgents(match["q"]),
    ),
    _row(r"(?:list|show)(?: me)?(?: all)?(?: of)? my agents|what agents do i have\??", lambda _: FindAgents("")),
    _row(
        r"find(?: me)?(?: my| an?| the)? agents? (?:about|for|that|which|called|named) (?P<q>.+)",
        lambda match: FindAgents(match["q"]),
    ),
    _row(
        r"(?:please )?(?:build|make|create)(?: me)? an? (?:new )?agent(?: (?:called|named)"
        r" (?P<name>\"[^\"]+\"|'[^']+'|[\w-]+))?,? (?:that|which|who|to|and) (?P<what>.+)",
        _build,
    ),
    _row(
        r"(?:show|view|see|get)(?: me)? (?:the |its )?(?:latest |last )?(?:results?|outputs?)"
        r"(?: (?:of|for|from) (?P<name>.+))?",
        lambda match: ShowResults(_name(match["name"])),
    ),
    _row(r"(?:explain|describe)(?: me)? (?P<name>.+)", lambda match: Explain(_name(match["name"]) or "")),
    _row(r"(?P<dry>dry[ -]?run|try)\b(?: (?P<name>.+?))?(?: with (?P<inputs>.+))?", _run),
    _row(r"(?P<dry>)(?:run|start|execute)\b(?: (?P<name>.+?))?(?: (?:with|for) (?P<inputs>.+))?", _run),
)
