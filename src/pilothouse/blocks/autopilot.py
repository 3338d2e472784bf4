"""The block that hands a task to AutoPilot and waits for its answer, holding no worker meanwhile."""

from typing import Annotated, Final

from pydantic import Field, JsonValue

from pilothouse.blocks.contract import (
    BlockContext,
    BlockInput,
    BlockOutput,
    Category,
    Effects,
    Example,
    Kind,
    PilotOrder,
    block,
)
from pilothouse.kit.json import Json, JsonObject, dumps

MAX_SECONDS: Final = 21_600  # six hours
MAX_PROMPT: Final = 64_000
MAX_SYSTEM_CONTEXT: Final = 16_000

_UNUSED: Final = "Not used here; kept for agents that were made elsewhere."


class AutoPilotIn(BlockInput):
    prompt: Annotated[
        str, Field(min_length=1, max_length=MAX_PROMPT, description="The whole task: AutoPilot sees no more.")
    ]
    system_context: Annotated[str, Field(max_length=MAX_SYSTEM_CONTEXT, description="Background for it.")] = ""
    session_id: Annotated[str, Field(description="Go on with this session; a new one when empty.")] = ""
    max_recursion_depth: Annotated[
        int, Field(ge=1, le=10, description="How deep AutoPilots may nest; more than 3 counts as 3.")
    ] = 3
    tools: list[str] = Field(default=[], description="Tools that it may not use, or the only ones.")
    tools_exclude: Annotated[bool, Field(description="Whether the tools listed are those it may not use.")] = True
    blocks: list[str] = Field(default=[], description="Blocks that it may not use, or the only ones, by name or id.")
    blocks_exclude: Annotated[bool, Field(description="Whether the blocks listed are those it may not use.")] = True
    dry_run: Annotated[bool, Field(description="Let it only pretend to act.")] = False
    transport: Annotated[str | None, Field(description=_UNUSED, json_schema_extra={"hidden": True})] = None
    codex_credentials: Annotated[
        dict[str, JsonValue] | None,
        Field(description=_UNUSED, json_schema_extra={"hidden": True, "credentials_provider": ["codex"]}),
    ] = None


class AutoPilotOut(BlockOutput):
    response: str | None = None
    tool_calls: list[dict[str, JsonValue]] | None = None
    conversation_history: str | None = None
    session_id: str | None = None
    token_usage: dict[str, int] | None = None


@block(
    id="c069dc6b-c3ed-4c12-b6e5-d47361e64ce6",
    name="AutoPilot",
    categories={Category.AI, Category.AGENT},
    effects=Effects.WRITES,
    kind=Kind.AI,
    timeout_s=MAX_SECONDS,
    happy_pins=("response", "session_id"),
    examples=[
        Example(
            ask={"prompt": "Say hello."},
            fires=[
                ("response", "Say hello."),
                ("tool_calls", []),
                (
                    "conversation_history",
                    '[{"role":"user","content":"Say hello."},{"role":"assistant","content":"Say hello."}]',
                ),
                ("session_id", "00000000-0000-7000-8000-00000000000b"),
                ("token_usage", {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}),
            ],
        ),
        Example(ask={"prompt": ""}, fails="invalid_input"),
        Example(ask={"prompt": "Go.", "max_recursion_depth": 11}, fails="invalid_input"),
    ],
)
async def autopilot(ask: AutoPilotIn, ctx: BlockContext) -> AutoPilotOut:
    """Give a task to AutoPilot, in a session of its own, and wait for its answer.

    It has six hours; the run holds no worker meanwhile. AutoPilot gets no right that the run lacks.
    """
    order = PilotOrder(
        prompt=ask.prompt,
        context=ask.system_context,
        session_id=ask.session_id,
        max_depth=ask.max_recursion_depth,
        permissions=_filter(ask),
        dry_run=ask.dry_run,
    )
    answer = await ctx.run_autopilot(order)
    prompt, completion = answer.prompt_tokens, answer.completion_tokens
    return AutoPilotOut(
        response=answer.response,
        tool_calls=answer.tool_calls,
        conversation_history=dumps(answer.conversation),
        session_id=answer.session_id,
        token_usage={"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion},
    )


def _filter(ask: AutoPilotIn) -> JsonObject | None:
    """What it may use; None when nothing is limited. Excluding nothing is no limit."""
    told: JsonObject = {}
    for kind, names, excludes in (
        ("tools", ask.tools, ask.tools_exclude),
        ("blocks", ask.blocks, ask.blocks_exclude),
    ):
        if names or not excludes:
            told |= {kind: list[Json](names), f"{kind}_exclude": excludes}
    return told or None
