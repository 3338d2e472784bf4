"""The builder applies edits by itself; what it is held against is what the server does now."""

from tests.graph import web_cases


def test_b5_the_cases_that_the_builder_is_tested_with_are_what_the_server_says():
    told = "run `python -m tests.graph.web_cases`: the builder is tested against another server than this"
    assert web_cases.FILE.read_text() == web_cases.cases(), told
