"""From a described chain of steps to the operations that build it; what has no place is named."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from pilothouse.autopilot.offline.steps import TEMPLATE, Step, read_step
from pilothouse.kit.json import Json, JsonObject
from pilothouse.kit.words import stems

OUTPUT = "Agent output"
TEXT_INPUT = "Agent short text input"
_INPUTS = (
    (re.compile(r"(?:list|names|words|items|lines|urls|topics|numbers|values|tags)\b.*", re.I), "Agent input"),
    (re.compile(r"(?:table|rows)\b.*", re.I), "Agent table input"),
    (re.compile(r"(?:number|amount|count|age|price|year|size|limit)\b.*", re.I), "Agent number input"),
    (re.compile(r"(?:long text|text|paragraph|story|article|message)\b.*", re.I), "Agent long text input"),
    (re.compile(r"(?:date|day)\b.*", re.I), "Agent date input"),
)
_TAKES = re.compile(r"(?:takes?|asks? for|receives?|accepts?|is given|given)\s+(?P<what>.+)", re.I)
_ARTICLE = re.compile(r"(?:an?|the|some|two|three|my|any|one)\s+(?P<noun>.+)", re.I)
_GIVES = re.compile(
    r"(?:gives?|returns?|shows?|outputs?|prints?|hands?|tells?|answers? with)(?: me| us| back| on| out)*"
    r"(?: (?:it|them|that|the (?:result|answer|text|output)s?))?(?: back| out| on)?",
    re.I,
)
_SPLIT = re.compile(r"\s*(?:,\s*(?:and\s+)?(?:then\s+)?|;\s*|\s+and\s+then\s+|\s+then\s+|\s+and\s+)", re.I)
_QUOTED = re.compile(r"\"[^\"]*\"|“[^“”]*”|'[^']*'")
MAX_QUERY = 100


@dataclass(frozen=True, slots=True)
class Wanted:
    """An input that the agent takes."""

    name: str
    block: str


@dataclass(frozen=True, slots=True)
class Blueprint:
    """What a description asks for. A `str` is a step that no rule knows; the search may know a block for it."""

    inputs: tuple[Wanted, ...]
    steps: tuple[Step | str, ...]

    def queries(self) -> list[str]:
        """What to search for, each once: the block of a known step by its name, any other by what was said."""
        asked = [step.block if isinstance(step, Step) else step[:MAX_QUERY] for step in self.steps]
        return list(dict.fromkeys(asked))


@dataclass(slots=True)
class Drawing:
    """The operations of a blueprint, and what could not be placed."""

    operations: list[Json] = field(default_factory=list[Json])
    placed: list[str] = field(default_factory=list[str])
    unplaced: list[str] = field(default_factory=list[str])


def read_blueprint(description: str) -> Blueprint:
    """Read `takes a name and greets it`."""
    inputs: list[Wanted] = []
    steps: list[Step | str] = []
    for phrase in phrases(description):
        step = read_step(phrase)
        if step is not None and (inputs or steps):
            steps.append(step)
        elif not steps and (found := _inputs_of(phrase, following=bool(inputs))):
            inputs += found
        elif not _GIVES.fullmatch(phrase):
            steps.append(step or phrase)
    return Blueprint(tuple(inputs) or (Wanted("text", "Agent long text input"),), tuple(steps))


def phrases(description: str) -> list[str]:
    """The parts of the description; what stands in quotes is left whole."""
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        kept.append(match[0])
        return f"\x00{len(kept) - 1}\x00"

    said = description.replace("\x00", " ").strip().rstrip(".")  # a message may hold the mark that stands for a quote
    parts = _SPLIT.split(_QUOTED.sub(keep, said))
    whole = [re.sub(r"\x00(\d+)\x00", lambda match: kept[int(match[1])], part).strip() for part in parts]
    return [part for part in whole if part]


def _inputs_of(phrase: str, *, following: bool) -> list[Wanted]:
    takes = _TAKES.fullmatch(phrase)
    noun = takes["what"] if takes else phrase
    if not takes and not following:
        return []
    article = _ARTICLE.fullmatch(noun)
    if not article and not takes:
        return []
    return [_wanted(article["noun"] if article else noun)]


def _wanted(noun: str) -> Wanted:
    block = next((block for pattern, block in _INPUTS if pattern.fullmatch(noun)), TEXT_INPUT)
    plain = re.sub(r"^(?:list|table) of\s+", "", noun, flags=re.I)
    words = re.findall(r"[a-z0-9]+", plain.lower())
    return Wanted("_".join(words[:3]) or "text", block)


def draw(blueprint: Blueprint, found: Mapping[str, Sequence[JsonObject]]) -> Drawing:
    """The operations, given what each search found."""
    drawing = Drawing()
    for wanted in blueprint.inputs:
        _add(drawing, wanted.block, wanted.name, {"name": wanted.name})
    last, pin = blueprint.inputs[0].name, "result"
    for number, asked in enumerate(blueprint.steps, 1):
        step = _placeable(asked, found)
        if step is None:
            drawing.unplaced.append(asked if isinstance(asked, str) else asked.phrase)
            continue
        node = f"step_{number}"
        _add(drawing, step.block, node, dict(step.inputs))
        for sink, (source, out) in _sources(step, blueprint, (last, pin)).items():
            _link(drawing, source, out, node, sink)
        drawing.placed.append(f"{step.phrase} (*{step.block}*)")
        last, pin = node, step.out
    _add(drawing, OUTPUT, "result", {"name": "result"})
    _link(drawing, last, pin, "result", "value")
    return drawing


def _sources(step: Step, blueprint: Blueprint, value: tuple[str, str]) -> dict[str, tuple[str, str]]:
    """What goes into which pin. A step that joins sees every input by its name, and the value so far."""
    if not step.joins:
        return {step.sink: value}
    if step.block == TEMPLATE:
        named = {f"values_#_{wanted.name}": (wanted.name, "result") for wanted in blueprint.inputs}
        return {**named, step.sink: value}
    return {f"values_$_{i}": (wanted.name, "result") for i, wanted in enumerate(blueprint.inputs)}


def _placeable(asked: Step | str, found: Mapping[str, Sequence[JsonObject]]) -> Step | None:
    if isinstance(asked, Step):
        names = {str(block.get("name", "")) for block in found.get(asked.block, ())}
        return asked if asked.block in names else None
    for block in found.get(asked[:MAX_QUERY], ()):
        if (step := _fitted(asked, block)) is not None:
            return step
    return None


def _fitted(phrase: str, block: JsonObject) -> Step | None:
    """A block whose name says nothing but what was asked for, and that needs one value only."""
    name = str(block.get("name", ""))
    if not stems(name) or not stems(name) <= stems(phrase):
        return None
    taken, given = cast(dict[str, Any], block["input_schema"]), cast(dict[str, Any], block["output_schema"])
    needed: list[str] = list(taken.get("required", ()))
    outs = [pin for pin in given.get("properties", {}) if pin != "error"]
    return Step(phrase, name, needed[0], outs[0]) if len(needed) == 1 and outs else None


def title_of(blueprint: Blueprint) -> str:
    """A name for the agent: what its steps do, in the user's own words."""
    first = blueprint.inputs[0].name.replace("_", " ")
    said = [step if isinstance(step, str) else step.phrase for step in blueprint.steps]
    text = re.sub(r"\b(?:it|them|him|her|that)\b", f"the {first}", said[0] if said else f"pass on {first}", count=1)
    full = ", ".join([text, *said[1:]])
    return (full[:1].upper() + full[1:])[:60].rstrip(", ")


def _add(drawing: Drawing, block: str, node: str, inputs: JsonObject) -> None:
    drawing.operations.append({"op": "add_node", "block": block, "id": node, "inputs": inputs})


def _link(drawing: Drawing, source: str, out: str, target: str, sink: str) -> None:
    drawing.operations.append({"op": "connect", "from": source, "out": out, "to": target, "in": sink})


def renamed(blueprint: Blueprint, taken: str = "result") -> Blueprint:
    """No input may have the name of the output's node."""
    inputs = tuple(replace(one, name=f"{one.name}_in") if one.name == taken else one for one in blueprint.inputs)
    return replace(blueprint, inputs=inputs)
