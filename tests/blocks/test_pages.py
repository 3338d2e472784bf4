"""The reference says of every block what its code says (blocks:L6)."""

from pilothouse.blocks.registry import Registry
from pilothouse.graph.fields import is_credentials, properties
from scripts import block_pages


def test_the_pages_are_what_the_blocks_say():
    assert block_pages.stale() == []


def test_every_block_is_described_once_with_its_pins_and_an_example():
    pages = [text for path, text in block_pages.expected().items() if path.name != "README.md"]
    for spec in Registry().values():
        (page,) = [text for text in pages if spec.id in text]
        _, _, rest = page.partition(f"\n## {spec.name}\n")
        told = rest.partition("\n## ")[0]
        assert spec.description in told
        assert all(
            f"`{pin}`" in told or (is_credentials(pin) and pin in told)
            for pin in (*properties(spec.inputs), *properties(spec.outputs))
            if pin != "error"
        )
        assert told.count("```\n{") == 1
