"""Programs of Debian's that some tests need. On CI they must be there; elsewhere a machine without them skips."""

import os
import shutil

import pytest

from scripts import packages
from tests.services import only_one


def need_program(program: str, package: str, what: str) -> str:
    """Where it is, perhaps only now. `what` cannot be tested without it."""
    missing = f"No {package} here: `apt-get install {package}` to run the tests of {what}."
    if os.environ.get("CI") == "true":
        with only_one(package):
            assert packages.ensure(program, package), missing
    found = shutil.which(program)
    if found is None:
        pytest.skip(missing)
    return found
