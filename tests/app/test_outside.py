"""Addresses that an installation would refuse are told when an agent is saved (security:S5)."""

from pathlib import Path
from typing import Any

import pytest

from pilothouse.app.catalogue import open_registry
from pilothouse.app.outside import FolderNotOpenable, judge_addresses, open_folder
from pilothouse.base.egress import EgressPolicy
from pilothouse.base.settings import Settings
from pilothouse.graph.parse import parse
from pilothouse.graph.report import Level
from pilothouse.graph.validate import validate
from tests.features.runs.graphs import graph, link, node

SEND = "6595ae1f-b924-42cb-9a41-551a0611c4b4"
MAIL = "4335878a-394e-4e67-adf2-919877ff49ae"
READ = "980dee8e-f9c3-4348-a771-6de8d06e6e8e"
QUERY = "4dc35c0f-4fd8-465e-9616-5a216f1ba2bc"
TOOL = "a0a4b1c2-d3e4-4f56-a7b8-c9d0e1f2a3b4"
TEXT = "7fcd3bcb-8e1b-4e69-903d-32d3d4a92158"
PLACES: list[tuple[str, str, Any]] = [
    (SEND, "url", "http://169.254.169.254/latest"),
    (SEND, "url", "ftp://example.com/"),
    (MAIL, "config", {"smtp_server": "10.0.0.1", "smtp_port": 587}),
    (READ, "imap_server", "[::1]:993"),
    (QUERY, "host", "0x7f000001"),
    (QUERY, "host", "postgres://db.example.com"),
    (TOOL, "server_url", "http://127.0.0.1:1/mcp"),
    (TOOL, "server_url", "https://me:secret@tools.example.com/mcp"),
]
FINE: list[tuple[str, str, Any]] = [
    (SEND, "url", "https://example.com/"),
    (SEND, "url", "http://localhost/"),  # a name: who it is, only a name server says
    (MAIL, "config", {"smtp_server": "smtp.example.com"}),
    (READ, "imap_server", "imap.example.com:1993"),
    (READ, "imap_server", "10.0.0.1:993"),  # the operator's own
    (TOOL, "server_url", ""),
]


def refused(folder: Path, document: Any, level: Level = "save") -> list[tuple[str, str, str]]:
    catalogue = open_registry(Settings(data_dir=folder))
    judge_addresses(catalogue, EgressPolicy(["10.0.0.1:993"]))
    issues = validate(parse(document), catalogue, level).issues
    return [(issue.node_id, issue.field, issue.severity) for issue in issues if issue.code == "address_refused"]


@pytest.mark.parametrize(("block", "pin", "value"), PLACES)
def test_s5_an_address_that_would_be_refused_is_told_at_save(tmp_path: Path, block: str, pin: str, value: Any):
    one = graph("One", [node("n", block, **{pin: value})], [])
    assert refused(tmp_path, one) == [("n", pin, "warning")]
    fed = [link("in", "result", "n", pin)]
    assert refused(tmp_path, graph("Fed", [node("in", TEXT, name="x"), node("n", block, **{pin: value})], fed)) == []


@pytest.mark.parametrize(("block", "pin", "value"), FINE)
def test_what_may_be_reached_or_only_a_name_server_knows_is_not_told(tmp_path: Path, block: str, pin: str, value: Any):
    assert refused(tmp_path, graph("One", [node("n", block, **{pin: value})], [])) == []


def test_the_folder_that_is_open_to_agents_does_not_hold_our_own(tmp_path: Path):
    own = tmp_path / "data"
    for folder in (own, tmp_path, own / ".." / "data"):
        with pytest.raises(FolderNotOpenable):
            open_folder(Settings(data_dir=own, sqlite_dir=folder))
    assert open_folder(Settings(data_dir=own, sqlite_dir=own / "open")) == own / "open"
    assert open_folder(Settings(data_dir=own)) is None
