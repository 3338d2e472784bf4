"""S2, S3: whatever is sent, no fault of ours, the answer the document promises, no trace of what was refused, and
nothing that turns data into programs, or opens what is not ours.
"""

import os
from pathlib import Path

import pytest
from schemathesis import GenerationMode
from sqlalchemy.engine.url import make_url

from tests.security.fuzz import api_operations, fuzzing
from tests.security.samples import without_twins
from tests.security.site import api_document

pytestmark = pytest.mark.security

FULL = os.environ.get("FUZZ") == "full"
CASES = {"sqlite": 8, "postgresql": 3}  # of each kind; the full run has a thousand


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["fitting", "unfitting"])
def test_no_request_breaks_what_is_promised(database_url: str, tmp_path: Path, mode: GenerationMode):
    cases = 1000 if FULL else CASES[make_url(database_url).get_backend_name()]
    paths = api_document()["paths"]
    wanted = set(paths) if FULL else without_twins(paths)
    with fuzzing(database_url, tmp_path) as fuzz:
        for operation in api_operations():
            if operation.path in wanted:
                fuzz.try_operation(operation, mode, cases)
        assert fuzz.wrong == {}
        assert fuzz.watch.hits == []
        assert fuzz.answers.total() > 100
