"""What a call that was given up has cost: providers charge for it too, and a limit must not be dodged by cancelling."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelResponse, TextPart
from pydantic_ai.usage import RequestUsage

from pilothouse.autopilot.models import Chosen
from pilothouse.autopilot.usage import Call, cost_row
from pilothouse.features.models import CostRow

CHARACTERS_PER_TOKEN: Final = 4  # near enough, where the provider had no time to count


def abandoned_row(
    asked: Sequence[ModelMessage], beside: int, heard: ModelResponse, chosen: Chosen, call: Call
) -> CostRow:
    """Counted by the provider as far as it got, else by the length of what was asked and heard.

    `beside` are the tokens of what goes with every request: instructions and tools.
    """
    told = heard.usage
    usage = RequestUsage(
        input_tokens=told.input_tokens or _tokens(asked) + beside,
        cache_read_tokens=told.cache_read_tokens,
        cache_write_tokens=told.cache_write_tokens,
        output_tokens=max(told.output_tokens, _tokens([heard]) if heard.parts else 0),
    )
    return cost_row(replace(heard, usage=usage), chosen, call)


def kept_row(
    asked: Callable[[], Sequence[ModelMessage]], beside: int, response: ModelResponse, chosen: Chosen, call: Call
) -> CostRow:
    """Of a call that gave its answer; where nobody counted, by the length of what was asked and heard."""
    row = cost_row(response, chosen, call)
    return abandoned_row(asked(), beside, response, chosen, call) if row.source == "unknown" else row


def lost_row(asked: Sequence[ModelMessage], beside: int, said: str, chosen: Chosen, call: Call) -> CostRow:
    """Of a call whose worker died: all that is known of its answer is what was logged by then."""
    heard = ModelResponse(parts=[TextPart(said)], model_name=chosen.resolved.name)
    return abandoned_row(asked, beside, heard, chosen, call)


def _tokens(messages: Sequence[ModelMessage]) -> int:
    return len(ModelMessagesTypeAdapter.dump_json(list(messages))) // CHARACTERS_PER_TOKEN
