"""What a model call took, as the log tells it."""

from pydantic_ai.messages import ModelResponse

from pilothouse.autopilot.models import Chosen
from pilothouse.features.chat import Draft, events


def usage_of(response: ModelResponse, chosen: Chosen) -> Draft:
    """Cache tokens stand outside the total. What it cost is for the bill to say: none is claimed here."""
    told = response.usage
    cached = told.cache_read_tokens + told.cache_write_tokens
    prompt = max(0, told.input_tokens - cached)
    return events.usage(
        prompt_tokens=prompt,
        completion_tokens=told.output_tokens,
        total_tokens=prompt + told.output_tokens,
        cache_read_tokens=told.cache_read_tokens,
        cache_write_tokens=told.cache_write_tokens,
        cost_microdollars=0 if chosen.is_offline else None,
        model=response.model_name or chosen.slug,
        provider=chosen.provider,
        estimated=False,
        call_id=response.provider_response_id,
    )
