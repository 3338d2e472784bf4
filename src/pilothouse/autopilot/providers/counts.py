"""What OpenAI-like servers say of the tokens of a call, as the numbers that the library reads."""

from typing import Final, cast

from openai.types import CompletionUsage
from openai.types.completion_usage import CompletionTokensDetails, PromptTokensDetails

from pilothouse.autopilot.usage import good_count

_CACHE_WRITE: Final = ("cache_write_tokens", "cache_creation_input_tokens")  # beside the typed field, in this order


def clean_counts(usage: CompletionUsage) -> None:
    """In place. What is no number of tokens was not said; the client checks nothing."""
    told = cast(dict[str, object], usage.__dict__)
    usage.prompt_tokens = good_count(told.get("prompt_tokens")) or 0
    usage.completion_tokens = good_count(told.get("completion_tokens")) or 0
    usage.total_tokens = usage.prompt_tokens + usage.completion_tokens
    details = told.get("completion_tokens_details")
    usage.completion_tokens_details = details if isinstance(details, CompletionTokensDetails) else None
    details = told.get("prompt_tokens_details")
    usage.prompt_tokens_details = details if isinstance(details, PromptTokensDetails) else PromptTokensDetails()
    for each in (usage.completion_tokens_details, usage.prompt_tokens_details):
        for name in type(each).model_fields if each is not None else ():
            setattr(each, name, good_count(getattr(each, name, None)))
    _name_cache_write(usage, usage.prompt_tokens_details)


def _name_cache_write(usage: CompletionUsage, details: PromptTokensDetails) -> None:
    """Under the name that the library reads, wherever and however the server says it."""
    if details.cache_write_tokens:
        return
    extras = [extra for extra in (details.model_extra, usage.model_extra) if extra]
    counts = (good_count(extra.get(name)) for name in _CACHE_WRITE for extra in extras)
    details.cache_write_tokens = next((count for count in counts if count), None)
