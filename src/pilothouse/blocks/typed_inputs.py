"""Agent inputs whose value is checked: text, numbers, dates, choices, tables."""

from datetime import date, time
from typing import Annotated, Self

from pydantic import AfterValidator, AliasChoices, Field, model_validator

from pilothouse.blocks.branches import text_of
from pilothouse.blocks.contract import AnyJson, BlockContext, Category, Effects, Example, Kind, block
from pilothouse.blocks.io import AgentInputOut, InputPins, given


class ShortTextIn(InputPins):
    value: Annotated[str | None, Field(description="Text.", json_schema_extra={"format": "short-text"})] = None


@block(
    id="7fcd3bcb-8e1b-4e69-903d-32d3d4a92158",
    name="Agent short text input",
    categories={Category.INPUT},
    kind=Kind.INPUT,
    effects=Effects.NONE,
    static_output=True,
    examples=[
        Example(ask={"name": "city", "value": "Lisbon"}, fires=[("result", "Lisbon")]),
        Example(ask={"name": "city", "value": 5}, fires=[("result", "5")]),
    ],
)
async def agent_short_text_input(ask: ShortTextIn, ctx: BlockContext) -> AgentInputOut:
    """Take one line of text into the agent."""
    return given(ask.value)


class LongTextIn(InputPins):
    value: Annotated[str | None, Field(description="Text.", json_schema_extra={"format": "long-text"})] = None


@block(
    id="90a56ffb-7024-4b2b-ab50-e26c5e5ab8ba",
    name="Agent long text input",
    categories={Category.INPUT},
    kind=Kind.INPUT,
    effects=Effects.NONE,
    static_output=True,
    examples=[Example(ask={"name": "notes", "value": "One.\nTwo."}, fires=[("result", "One.\nTwo.")])],
)
async def agent_long_text_input(ask: LongTextIn, ctx: BlockContext) -> AgentInputOut:
    """Take several lines of text into the agent."""
    return given(ask.value)


class NumberIn(InputPins):
    value: Annotated[int | float | None, Field(description="A number.")] = None


@block(
    id="96dae2bb-97a2-41c2-bd2f-13a3b5a8ea98",
    name="Agent number input",
    categories={Category.INPUT},
    kind=Kind.INPUT,
    effects=Effects.NONE,
    static_output=True,
    examples=[
        Example(ask={"name": "limit", "value": 12}, fires=[("result", 12)]),
        Example(ask={"name": "limit", "value": "1.5"}, fires=[("result", 1.5)]),
        Example(ask={"name": "limit", "value": "many"}, fails="invalid_input"),
    ],
)
async def agent_number_input(ask: NumberIn, ctx: BlockContext) -> AgentInputOut:
    """Take a number into the agent."""
    return given(ask.value)


def iso_date(text: str) -> str:
    """Let an ISO date through."""
    if len(text) != 10:
        raise ValueError("is not a date like 2026-01-31")
    return date.fromisoformat(text).isoformat()


class DateIn(InputPins):
    value: Annotated[
        Annotated[str, AfterValidator(iso_date), Field(json_schema_extra={"format": "date"})] | None,
        Field(description="A date like 2026-01-31."),
    ] = None


@block(
    id="7e198b09-4994-47db-8b4d-952d98241817",
    name="Agent date input",
    categories={Category.INPUT},
    kind=Kind.INPUT,
    effects=Effects.NONE,
    static_output=True,
    examples=[
        Example(ask={"name": "from", "value": "2026-01-31"}, fires=[("result", "2026-01-31")]),
        Example(ask={"name": "from", "value": "2026-02-30"}, fails="invalid_input"),
    ],
)
async def agent_date_input(ask: DateIn, ctx: BlockContext) -> AgentInputOut:
    """Take a calendar date into the agent."""
    return given(ask.value)


def iso_time(text: str) -> str:
    """Let an ISO time of day through."""
    time.fromisoformat(text)
    return text


class TimeIn(InputPins):
    value: Annotated[
        Annotated[str, AfterValidator(iso_time), Field(json_schema_extra={"format": "time"})] | None,
        Field(description="A time of day like 09:30 or 09:30:00."),
    ] = None


@block(
    id="2a1c757e-86cf-4c7e-aacf-060dc382e434",
    name="Agent time input",
    categories={Category.INPUT},
    kind=Kind.INPUT,
    effects=Effects.NONE,
    static_output=True,
    examples=[
        Example(ask={"name": "at", "value": "09:30:00"}, fires=[("result", "09:30:00")]),
        Example(ask={"name": "at", "value": "25:00"}, fails="invalid_input"),
    ],
)
async def agent_time_input(ask: TimeIn, ctx: BlockContext) -> AgentInputOut:
    """Take a time of day into the agent."""
    return given(ask.value)


class ToggleIn(InputPins):
    value: Annotated[bool, Field(description="On or off.")] = False


@block(
    id="cbf36ab5-df4a-43b6-8a7f-f7ed8652116e",
    name="Agent toggle input",
    categories={Category.INPUT},
    kind=Kind.INPUT,
    effects=Effects.NONE,
    static_output=True,
    examples=[
        Example(ask={"name": "strict", "value": True}, fires=[("result", True)]),
        Example(ask={"name": "strict"}, fires=[("result", False)]),
        Example(ask={"name": "strict", "value": "Yes"}, fires=[("result", True)]),
        Example(ask={"name": "strict", "value": "perhaps"}, fails="invalid_input"),
    ],
)
async def agent_toggle_input(ask: ToggleIn, ctx: BlockContext) -> AgentInputOut:
    """Take a yes or no into the agent."""
    return given(ask.value)


class DropdownIn(InputPins):
    value: Annotated[str | None, Field(description="One of the options.")] = None
    options: list[AnyJson] = Field(
        default=[],
        description="What may be chosen; empty allows any text.",
        validation_alias=AliasChoices("options", "placeholder_values"),
    )

    @model_validator(mode="after")
    def is_an_option(self) -> Self:
        if self.value is not None and self.options and self.value not in map(text_of, self.options):
            raise ValueError("value: is not one of the options")
        return self


@block(
    id="655d6fdf-a334-421c-b733-520549c07cd1",
    name="Agent dropdown input",
    categories={Category.INPUT},
    kind=Kind.INPUT,
    effects=Effects.NONE,
    static_output=True,
    examples=[
        Example(ask={"name": "size", "value": "m", "options": ["s", "m"]}, fires=[("result", "m")]),
        Example(ask={"name": "size", "value": "s", "placeholder_values": ["s", "m"]}, fires=[("result", "s")]),
        Example(ask={"name": "size", "value": "xl", "options": ["s", "m"]}, fails="invalid_input"),
    ],
)
async def agent_dropdown_input(ask: DropdownIn, ctx: BlockContext) -> AgentInputOut:
    """Take one choice out of a list into the agent."""
    return given(ask.value)


class TableIn(InputPins):
    value: Annotated[list[dict[str, AnyJson]] | None, Field(description="Rows, each an object by column.")] = None
    column_headers: list[str] = Field(
        default=["Column 1", "Column 2", "Column 3"], description="The columns the run form shows."
    )


@block(
    id="5603b273-f41e-4020-af7d-fbc9c6a8d928",
    name="Agent table input",
    categories={Category.INPUT},
    kind=Kind.INPUT,
    effects=Effects.NONE,
    static_output=True,
    examples=[
        Example(
            ask={"name": "rows", "value": [{"a": "1", "b": "2"}], "column_headers": ["a", "b"]},
            fires=[("result", [{"a": "1", "b": "2"}])],
        ),
        Example(ask={"name": "rows", "value": '[{"a": 1}]'}, fires=[("result", [{"a": 1}])]),
    ],
)
async def agent_table_input(ask: TableIn, ctx: BlockContext) -> AgentInputOut:
    """Take rows of a table into the agent."""
    return given(None if ask.value is None else [*ask.value])
