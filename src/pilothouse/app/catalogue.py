"""The blocks of this installation, as its settings want them."""

from pilothouse.base.settings import Settings
from pilothouse.blocks.registry import Registry
from pilothouse.blocks.sandbox import NEED_A_SANDBOX


def open_registry(settings: Settings, without_sandbox: str | None = None) -> Registry:
    """Built-in blocks and those of allowed packages, less what the operator has disabled.

    `without_sandbox` says why there is none: then no block is there that would run code.
    """
    registry = Registry(
        test_blocks=settings.test_blocks, disabled=settings.disabled_blocks, plugins=settings.block_plugins
    )
    if without_sandbox is not None:
        for block_id in NEED_A_SANDBOX:
            registry.disable(block_id, without_sandbox)
    return registry
