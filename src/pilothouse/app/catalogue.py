"""The blocks of this installation, as its settings want them."""

from pilothouse.base.settings import Settings
from pilothouse.blocks.registry import Registry


def open_registry(settings: Settings) -> Registry:
    """Built-in blocks and those of allowed packages, less what the operator has disabled."""
    return Registry(test_blocks=settings.test_blocks, disabled=settings.disabled_blocks, plugins=settings.block_plugins)
