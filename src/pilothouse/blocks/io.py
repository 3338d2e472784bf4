"""Where values enter and leave an agent."""

from typing import Annotated, Literal

from pydantic import Field

from pilothouse.blocks.contract import (
    AnyJson,
    BlockContext,
    BlockInput,
    BlockOutput,
    Category,
    Effects,
    Example,
    Kind,
    block,
)
from pilothouse.blocks.template import TemplateFault, render


class InputPins(BlockInput):
    """The pins every kind of input shares; each adds its `value`: the default, then what the run was given."""

    name: Annotated[str, Field(description="Name of this input, unique in the agent.")]
    title: Annotated[str | None, Field(description="Label in the run form; the name when left out.")] = None
    description: Annotated[str | None, Field(description="Help text in the run form.")] = None
    advanced: Annotated[bool, Field(description="Show among the advanced inputs.")] = False
    required: Annotated[bool, Field(description="Refuse a run that gives no value and has no default.")] = True


class AgentInputIn(InputPins):
    value: Annotated[AnyJson, Field(description="The default, used when a run gives no value.")] = None


class AgentInputOut(BlockOutput):
    result: AnyJson = None


def given(value: AnyJson) -> AgentInputOut:
    """A null input is an input that was not given: nothing fires."""
    return AgentInputOut() if value is None else AgentInputOut(result=value)


@block(
    id="c0a8e994-ebf1-4a9c-a4d8-89d09c86741b",
    name="Agent input",
    categories={Category.INPUT, Category.BASIC},
    kind=Kind.INPUT,
    effects=Effects.NONE,
    static_output=True,
    examples=[
        Example(ask={"name": "topic", "value": {"a": 1}}, fires=[("result", {"a": 1})]),
        Example(ask={"name": "topic", "value": None}),
    ],
)
async def agent_input(ask: AgentInputIn, ctx: BlockContext) -> AgentInputOut:
    """Take a value of any type into the agent."""
    return given(ask.value)


class AgentOutputIn(BlockInput):
    name: Annotated[str, Field(description="Name of this output.")]
    value: Annotated[AnyJson, Field(description="The value the agent gives.")] = None
    title: Annotated[str | None, Field(description="Label in the result; the name when left out.")] = None
    description: Annotated[str | None, Field(description="What this output is.")] = None
    format: Annotated[str, Field(description="A template that may use the value under this output's name.")] = ""
    escape_html: Annotated[bool, Field(description="Escape HTML in values put into the format.")] = False
    advanced: Annotated[bool, Field(description="Show among the advanced outputs.")] = False


class AgentOutputOut(BlockOutput):
    output: AnyJson = None
    name: str | None = None


@block(
    id="363ae599-353e-4804-937e-b2ee3cef3da4",
    name="Agent output",
    categories={Category.OUTPUT, Category.BASIC},
    kind=Kind.OUTPUT,
    effects=Effects.NONE,
    static_output=True,
    happy_pins=("output", "name"),
    examples=[
        Example(ask={"name": "answer", "value": 42}, fires=[("output", 42), ("name", "answer")]),
        Example(ask={"name": "who", "value": "Ada", "format": "Hi {{ who }}"}, fires=[("output", "Hi Ada")]),
        Example(ask={"name": "who", "value": "Ada", "format": "{{ who"}, fires=[("error", str)]),
    ],
)
async def agent_output(ask: AgentOutputIn, ctx: BlockContext) -> AgentOutputOut:
    """Give a value out of the agent, as it is or rendered."""
    if not ask.format:
        return AgentOutputOut(output=ask.value, name=ask.name)
    try:
        return AgentOutputOut(output=render(ask.format, {ask.name: ask.value}, escape_html=ask.escape_html))
    except TemplateFault as fault:
        return AgentOutputOut(error=str(fault))


class NoteIn(BlockInput):
    text: Annotated[str, Field(description="What to remember.", json_schema_extra={"format": "long-text"})]
    color: Annotated[
        Literal["yellow", "blue", "green", "red", "grey"], Field(description="Of the paper it is written on.")
    ] = "yellow"


class NoteOut(BlockOutput):
    output: str | None = None


@block(
    id="cc10ff7b-7753-4ff2-9af6-9399b1a7eddc",
    name="Note",
    categories={Category.BASIC},
    kind=Kind.NOTE,
    effects=Effects.NONE,
    examples=[Example(ask={"text": "Mind the gap."}, fires=[("output", "Mind the gap.")])],
)
async def note(ask: NoteIn, ctx: BlockContext) -> NoteOut:
    """Leave a remark on the canvas; it takes no part in a run."""
    return NoteOut(output=ask.text)
