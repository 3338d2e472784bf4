"""The steps that the offline pilot can place: what a fragment of a description asks for, and which block does it.

A block is named, never known by id: whether it is there, the search says.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from pilothouse.kit.json import Json, JsonObject

TEMPLATE: Final = "Fill text template"
STEPPER: Final = "Step through items"
REQUEST: Final = "Send web request"
TIMER: Final = "Countdown timer"
CONDITION: Final = "Condition"
LISTER: Final = "Create list"


@dataclass(frozen=True, slots=True)
class Step:
    """A block to add; the value so far goes into `sink`, what comes out of `out` goes on."""

    phrase: str
    block: str
    sink: str
    out: str
    inputs: JsonObject = field(default_factory=dict[str, Json])
    joins: bool = False  # takes every input of the agent, not only the value so far


def filled(phrase: str, template: str) -> Step:
    """A text template over the value so far, which it calls `value`; `@` stands for it."""
    return Step(phrase, TEMPLATE, "values_#_value", "output", {"format": template.replace("@", "value")})


def read_step(phrase: str) -> Step | None:
    """The step that this fragment asks for, or None."""
    for pattern, make in _TABLE:
        if match := pattern.fullmatch(phrase):
            return make(phrase, match)
    return None


_SEPARATORS = {
    **{"comma": ", ", "commas": ", ", "space": " ", "spaces": " ", "dashes": " - ", "semicolons": "; ", "and": " and "},
    **{"lines": "\n", "new lines": "\n", "newlines": "\n", "line breaks": "\n"},
}
_FILTERS = {"upper": "upper", "capital": "upper", "lower": "lower", "small": "lower", "title": "title"}
_COUNTS = {
    **{"words": "| wordcount", "word": "| wordcount", "characters": "| length", "letters": "| length"},
    **{"items": "| length", "entries": "| length", "elements": "| length", "rows": "| length"},
}
_SIGNS = {"greater": ">", "more": ">", "larger": ">", "bigger": ">", "less": "<", "smaller": "<", "equal": "=="}
_UNITS = {"second": "seconds", "minute": "minutes", "hour": "hours", "day": "days"}


def _greeting(phrase: str, match: re.Match[str]) -> Step:
    return filled(phrase, "Hello {{ @ }}!")


def _case(phrase: str, match: re.Match[str]) -> Step:
    return filled(phrase, f"{{{{ @ | {_FILTERS[match['case'].lower()]} }}}}")


def _count(phrase: str, match: re.Match[str]) -> Step:
    return filled(phrase, f"{{{{ @ {_COUNTS[match['what'].lower()]} }}}}")


def _join(phrase: str, match: re.Match[str]) -> Step:
    told = match["with"] or "commas"
    separator = told[1:-1] if told[0] in "\"'" else _SEPARATORS.get(told.lower(), told)
    return filled(phrase, f"{{{{ @ | join({quoted(separator)}) }}}}")


def _sort(phrase: str, match: re.Match[str]) -> Step:
    return filled(phrase, "{{ @ | sort | join(', ') }}")


def _reverse(phrase: str, match: re.Match[str]) -> Step:
    return filled(phrase, "{{ @ | reverse }}")


def _trim(phrase: str, match: re.Match[str]) -> Step:
    return filled(phrase, "{{ @ | trim }}")


def _replace(phrase: str, match: re.Match[str]) -> Step:
    return filled(phrase, f"{{{{ @ | replace({quoted(match['old'])}, {quoted(match['new'])}) }}}}")


def _add(phrase: str, match: re.Match[str]) -> Step:
    words = literal(match["words"])
    before = match["where"].lower() in ("before", "in front of", "to the front of", "to the start of")
    return filled(phrase, f"{words}{{{{ @ }}}}" if before else f"{{{{ @ }}}}{words}")


def _say(phrase: str, match: re.Match[str]) -> Step:
    """A quoted text; `{name}` or `<name>` in it is that input."""
    words = re.sub(r"\{\{?\s*(\w+)\s*\}?\}|<(\w+)>", lambda m: f"{{{{ {m[1] or m[2]} }}}}", match["words"])
    return Step(phrase, TEMPLATE, "values_#_value", "output", {"format": words}, joins=True)


def _each(phrase: str, match: re.Match[str]) -> Step:
    return Step(phrase, STEPPER, "items", "item")


def _fetch(phrase: str, match: re.Match[str]) -> Step:
    return Step(phrase, REQUEST, "url", "response", {"method": "GET"})


def _wait(phrase: str, match: re.Match[str]) -> Step:
    unit = _UNITS[match["unit"].lower().rstrip("s")]
    return Step(phrase, TIMER, "input_message", "output_message", {unit: int(match["n"])})


def _compare(phrase: str, match: re.Match[str]) -> Step:
    inputs: JsonObject = {"operator": _SIGNS[match["sign"].lower()], "value2": _number(match["than"])}
    return Step(phrase, CONDITION, "value1", "result", inputs)


def _collect(phrase: str, match: re.Match[str]) -> Step:
    return Step(phrase, LISTER, "values_$_0", "list", joins=True)


def quoted(text: str) -> str:
    """Text as a template writes it."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{escaped}'"


def literal(text: str) -> str:
    """Text that a template gives as it is."""
    return f"{{{{ {quoted(text)} }}}}" if "{" in text else text


def _number(text: str) -> Json:
    bare = text.strip("\"'")
    try:
        return int(bare)
    except ValueError:
        return bare


_IT = r"(?: (?:it|them|that|him|her|this|the \w+|its \w+|each(?: \w+| one)?|a list|a text|every \w+|a \w+))"
_QUOTE = r"[\"“'](?P<{}>[^\"”]*?)[\"”']"


def _row(pattern: str, make: Callable[[str, re.Match[str]], Step]) -> tuple[re.Pattern[str], Callable[..., Step]]:
    return re.compile(pattern, re.IGNORECASE), make


_TABLE = (
    _row(rf"(?:greets?|welcomes?|says? (?:hello|hi) to){_IT}?(?: by name)?", _greeting),
    _row(
        rf"(?:makes?|turns?|converts?|puts?|writes?|changes?|sets?){_IT} (?:in|to|into|all)? ?"
        r"(?P<case>upper|lower|title|capital|small)[ -]?(?:case|letters)(?: letters)?",
        _case,
    ),
    _row(rf"(?P<case>upper|lower|title)[ -]?cases?{_IT}", _case),
    _row(
        rf"(?:counts?|tells? the number of) (?:the |its |all )?(?P<what>{'|'.join(_COUNTS)})(?: (?:in|of){_IT})?",
        _count,
    ),
    _row(rf"joins?{_IT}?(?: (?:with|by|using) (?P<with>{'|'.join(_SEPARATORS)}|\"[^\"]*\"|'[^']*'|\S+))?", _join),
    _row(rf"sorts?{_IT}", _sort),
    _row(rf"reverses?{_IT}", _reverse),
    _row(rf"(?:trims?|strips?){_IT}", _trim),
    _row(rf"replaces? {_QUOTE.format('old')} (?:with|by) {_QUOTE.format('new')}(?: in{_IT})?", _replace),
    _row(
        rf"(?:adds?|puts?|appends?|prepends?) {_QUOTE.format('words')}"
        rf" (?P<where>to|after|behind|before|in front of|to the (?:front|start|end) of){_IT}",
        _add,
    ),
    _row(rf"(?:says?|writes?|answers?|replies|prints?|tells?|gives?)(?: with)? {_QUOTE.format('words')}", _say),
    _row(rf"(?:goes|go|steps?|loops?|runs?) (?:through|over){_IT}|(?:takes? )?each (?:item|one|of them)", _each),
    _row(
        r"(?:asks?|gets?|fetch(?:es)?|reads?|downloads?|requests?|calls?|opens?)"
        r" (?:it|that|(?:a|an|the|its|this) (?:web ?)?(?:url|page|address|site|website|api|link|web ?page))",
        _fetch,
    ),
    _row(r"waits?(?: for)? (?P<n>\d{1,6}) (?P<unit>seconds?|minutes?|hours?|days?)", _wait),
    _row(
        rf"(?:checks?|tests?|tells?) (?:whether|if){_IT} is (?P<sign>{'|'.join(_SIGNS)}) (?:than|to) (?P<than>\S+)",
        _compare,
    ),
    _row(r"(?:makes?|creates?|builds?) a list (?:of|from|out of) (?:it|them|both|all(?: of them)?)", _collect),
)
