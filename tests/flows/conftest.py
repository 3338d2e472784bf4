"""The fault tests' installations serve here too."""

from tests.faults.conftest import embedded, launcher, place, pytest_collection_modifyitems, scaled

__all__ = ["embedded", "launcher", "place", "pytest_collection_modifyitems", "scaled"]
