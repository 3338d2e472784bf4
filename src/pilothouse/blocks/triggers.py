"""Where events from outside enter an agent."""

from typing import Annotated

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
    Webhook,
    block,
)


class GenericWebhookTriggerIn(BlockInput):
    payload: dict[str, AnyJson] = Field(
        default={}, description="What was sent; filled by the event.", json_schema_extra={"hidden": True}
    )
    constants: dict[str, AnyJson] = Field(default={}, description="Values handed on with every event.")
    secret_token: Annotated[
        str | None,
        Field(
            description="Refuse events that do not carry this in the header X-Webhook-Secret.",
            json_schema_extra={"secret": True, "advanced": True},
        ),
    ] = None


class GenericWebhookTriggerOut(BlockOutput):
    constants: dict[str, AnyJson] | None = None
    payload: dict[str, AnyJson] | None = None


@block(
    id="8fa8c167-2002-47ce-aba8-97572fc5d387",
    name="Generic webhook trigger",
    categories={Category.INPUT},
    kind=Kind.TRIGGER,
    effects=Effects.NONE,
    webhook=Webhook(provider="generic", type="plain", event_format="*"),
    examples=[
        Example(
            ask={"payload": {"id": 7}, "constants": {"team": "a"}},
            fires=[("constants", {"team": "a"}), ("payload", {"id": 7})],
        ),
        Example(ask={"payload": {}}, fires=[("constants", {}), ("payload", {})]),
    ],
)
async def generic_webhook_trigger(ask: GenericWebhookTriggerIn, ctx: BlockContext) -> GenericWebhookTriggerOut:
    """Start the agent when another service calls its address."""
    return GenericWebhookTriggerOut(constants=ask.constants, payload=ask.payload)
