"""The blocks of this installation, as its settings want them."""

import re
from functools import partial

from pilothouse.base.egress import EgressDenied, EgressPolicy
from pilothouse.base.settings import Settings
from pilothouse.blocks.registry import Registry


def open_registry(settings: Settings) -> Registry:
    """Built-in blocks and those of allowed packages, less what the operator has disabled."""
    return Registry(
        test_blocks=settings.test_blocks,
        disabled=settings.disabled_blocks,
        plugins=settings.block_plugins,
        address_fault=partial(address_fault, EgressPolicy(settings.egress_allow)),
    )


def address_fault(policy: EgressPolicy, kind: str, text: str) -> str | None:
    """Why the guard would refuse this `url` or `host`; a name that is no address is not looked up."""
    try:
        if kind == "url":
            policy.target_of(text)
        else:
            found = re.fullmatch(r"(\[.*\]|[^:]*):([0-9]{1,5})", text)
            policy.target_at(found[1] if found else text, int(found[2]) if found else 443)
    except EgressDenied as denied:
        return denied.message
    return None
