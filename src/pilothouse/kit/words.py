"""The words of a text that say something, so that `sending emails` finds `Send email`."""

import re

_WORD = re.compile(r"[a-z0-9]+")
_ENDINGS = ("ings", "ing", "ers", "er", "ies", "ied", "es", "ed", "s", "e", "y")
_SAYS_NOTHING = frozenset(
    [
        *("a", "an", "the", "and", "or", "of", "for", "to", "in", "on", "by", "with", "that", "this", "it", "its"),
        *("which", "from", "into", "is", "are", "be", "them", "their"),
    ]
)


def stems(text: str) -> frozenset[str]:
    """`sending the emails` is {send, email}."""
    return frozenset(_stem(word) for word in _WORD.findall(text.casefold()) if word not in _SAYS_NOTHING)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word
