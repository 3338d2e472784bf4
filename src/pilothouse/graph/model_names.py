"""Names of models as other systems write them, said our way: `provider/name`."""

import re
from typing import Final

# The first family that a name belongs to gives its provider.
_FAMILIES: Final = (
    (re.compile(r"(gpt|chatgpt|davinci|text-embedding)-.+|o[134](-.+)?"), "openai"),
    (re.compile(r"claude-.+"), "anthropic"),
    (re.compile(r"gemini-.+"), "google"),
    (re.compile(r"grok-.+"), "x-ai"),
    (re.compile(r"deepseek-.+"), "deepseek"),
    (re.compile(r"(mistral|codestral|ministral|magistral)-.+"), "mistralai"),
    (re.compile(r"sonar(-.+)?"), "perplexity"),
    (re.compile(r"command-.+"), "cohere"),
    (re.compile(r"llama-3\.[13]-(8b-instant|70b-versatile)|llama3-(8b|70b)-8192|gemma2-9b-it"), "groq"),
    (re.compile(r"(llama3|dolphin)[\w.:-]*"), "ollama"),
)
_NAME: Final = re.compile(r"[\w.-]+(/[\w.:-]+)+")


def our_name(name: str) -> str | None:
    """That model as `provider/name`; None when nobody knows whose it is."""
    if _NAME.fullmatch(name):
        return name
    return next((f"{provider}/{name}" for family, provider in _FAMILIES if family.fullmatch(name)), None)
