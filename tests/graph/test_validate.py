"""One pass that names every fault (V1-V5)."""

import time
from dataclasses import replace

import pytest

from pilothouse.graph.catalogue import CredentialFacts
from pilothouse.graph.credential_needs import check_credentials, credential_spots
from pilothouse.graph.document import MAX_LINKS, MAX_NODES, Document, Link, Node
from pilothouse.graph.report import Level, Report
from pilothouse.graph.validate import validate
from pilothouse.kit.json import Json, JsonObject
from tests.graph.blocks import (
    CATALOGUE,
    CHOICE_IN,
    FETCH,
    HOOK,
    MAIL,
    NOTE,
    NUMBER_IN,
    OFF,
    OUT,
    TEXT_IN,
    UNKNOWN,
    doc,
    fetch,
)


def found(document: Document, level: Level = "run", **more: JsonObject | None) -> set[tuple[str, str, str, str]]:
    report = validate(document, CATALOGUE, level, **more)  # type: ignore[arg-type]
    return {(issue.node_id, issue.field, issue.code, issue.severity) for issue in report.issues}


def test_a_sound_agent_has_no_issue():
    document = doc(
        [Node("in", TEXT_IN, inputs={"name": "x"}), Node("f", FETCH), Node("out", OUT, inputs={"name": "y"})],
        [Link("in", "result", "f", "url"), Link("f", "text", "out", "value")],
    )
    report = validate(document, CATALOGUE, "run", {"x": "https://a.test"})
    assert report.to_json() == {"valid": True, "errors": {}, "issues": []}


TWO = [fetch("a"), fetch("b")]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (doc([fetch("a"), fetch("a")]), ("a", "id", "duplicate_node")),
        (doc(TWO, [Link("a", "text", "b", "url")] * 2), ("b", "url", "duplicate_link")),
        (doc([Node("u", UNKNOWN)]), ("u", "block", "unknown_block")),
        (doc([Node("o", OFF)]), ("o", "block", "disabled_block")),
        (doc(TWO, [Link("a", "text", "c", "url")]), ("$agent", "links", "unknown_node")),
        (doc(TWO, [Link("a", "body", "b", "url")]), ("a", "body", "unknown_out_pin")),
        (doc(TWO, [Link("a", "text", "b", "uri")]), ("b", "uri", "unknown_in_pin")),
        (doc(TWO, [Link("a", "text_$_x", "b", "url")]), ("a", "text_$_x", "bad_pin_path")),
        (doc(TWO, [Link("a", "text", "b", "url_$_-1")]), ("b", "url_$_-1", "bad_pin_path")),
        (doc([*TWO, Node("n", NOTE)], [Link("a", "text", "n", "text")]), ("n", "links", "note_linked")),
        (doc([Node("i", TEXT_IN, inputs={"name": "my_credentials"})]), ("i", "name", "reserved_name")),
        (doc([Node("i", TEXT_IN, inputs={"name": "credentials"})]), ("i", "name", "reserved_name")),
        (doc([Node("i", TEXT_IN)]), ("i", "name", "name_missing")),
        (doc([Node("o", OUT, inputs={"value": 1})]), ("o", "name", "name_missing")),
        (doc([Node("h", HOOK), Node("k", HOOK)]), ("$agent", "nodes", "several_triggers")),
        (doc(TWO, recommended_schedule_cron="0 25 * * *"), ("$agent", "recommended_schedule_cron", "bad_cron")),
        (doc([fetch(f"n{i}") for i in range(MAX_NODES + 1)]), ("$agent", "nodes", "limit_nodes")),
        (doc(TWO, [Link("a", "text", "b", f"p{i}") for i in range(MAX_LINKS + 1)]), ("$agent", "links", "limit_links")),
        (doc(TWO, sub_agents=tuple(Document() for _ in range(51))), ("$agent", "sub_agents", "limit_sub_agents")),
        (doc([fetch("a", url="x" * 11_000_000)]), ("$agent", "document", "limit_bytes")),
        (
            doc([Node("i", TEXT_IN, inputs={"name": "x"}), Node("j", NUMBER_IN, inputs={"name": "x"})]),
            ("j", "name", "input_type_conflict"),
        ),
    ],
)
def test_structure_faults_keep_a_version_from_being_stored(document: Document, expected: tuple[str, str, str]):
    """engine:V2, engine:A9, engine:A5, engine:A3, engine:A7"""
    assert (*expected, "error") in found(document, "save")
    assert not validate(document, CATALOGUE, "save").valid


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (doc([Node("f", FETCH)]), ("f", "url", "required")),
        (doc([Node("f", FETCH, inputs={"url": None})]), ("f", "url", "required")),
        (doc([fetch(limit=0)]), ("f", "limit", "out_of_bounds")),
        (doc([fetch(limit="many")]), ("f", "limit", "wrong_type")),
        (doc([fetch(mode="wild")]), ("f", "mode", "not_allowed")),
        (doc([fetch(proxy_user="me")]), ("f", "proxy_user", "depends_on")),
        (doc([]), ("$agent", "nodes", "no_start_node")),
        (doc([fetch("a")], [Link("a", "text", "a", "url")]), ("$agent", "nodes", "no_start_node")),
    ],
)
def test_what_a_run_needs_is_a_warning_until_it_runs(document: Document, expected: tuple[str, str, str]):
    """engine:V2, engine:V3"""
    assert (*expected, "error") in found(document, "run")
    assert (*expected, "warning") in found(document, "save")
    assert validate(document, CATALOGUE, "save").valid


def test_literals_on_a_linked_or_masked_pin_are_not_checked():
    """engine:V3"""
    bad = fetch("b", limit="many")
    assert ("b", "limit", "wrong_type", "error") in found(doc([fetch("a"), bad]))
    linked = doc([fetch("a"), bad], [Link("a", "text", "b", "limit")])
    assert not {issue for issue in found(linked) if issue[1] == "limit"}
    masked = validate(doc([Node("f", FETCH)]), CATALOGUE, "run", masks={"f": {"url": "https://a.test"}})
    assert masked.valid


SMTP = CredentialFacts("smtp", "user_password", frozenset({"mail.send", "mail.read"}))


def judged(node: Node, level: Level, known: dict[str, CredentialFacts]) -> Report:
    report = validate(doc([node]), CATALOGUE, level)
    check_credentials(credential_spots(doc([node]), CATALOGUE, {}), known, report)
    return report


@pytest.mark.parametrize(
    ("named", "known", "codes"),
    [
        ({"id": "c", "provider": "smtp"}, {"c": SMTP}, set[str]()),
        ({"id": "c", "provider": "smtp"}, {}, {"credentials_unusable"}),
        ({"id": "c", "provider": "smtp"}, {"d": SMTP}, {"credentials_unusable"}),
        ({"id": "c", "provider": "smtp"}, {"c": SMTP._replace(provider="github")}, {"credentials_unusable"}),
        ({"provider": "smtp"}, {"c": SMTP}, {"credentials_unusable"}),
        ("c", {"c": SMTP}, {"credentials_unusable"}),
        (None, {"c": SMTP}, {"credentials_missing"}),
        ({"id": "c"}, {"c": SMTP._replace(type="host_scoped")}, {"credentials_unusable"}),
        ({"id": "c"}, {"c": SMTP._replace(scopes=frozenset({"mail.read"}))}, {"credentials_unusable"}),
    ],
)
def test_v3_credentials_that_a_node_names_must_be_there_and_fit(
    named: Json, known: dict[str, CredentialFacts], codes: set[str]
):
    """V3"""
    node = Node("m", MAIL, inputs={"smtp_credentials": named})
    assert {issue.code for issue in judged(node, "run", known).issues} == codes
    assert judged(node, "save", known).valid
    assert judged(replace(node, optional_credentials=True), "run", known).valid


def test_credentials_that_are_needed_must_be_chosen_unless_the_node_can_do_without():
    """engine:V3"""
    assert found(doc([Node("m", MAIL)])) == {("m", "smtp_credentials", "credentials_missing", "error")}
    chosen: JsonObject = {"smtp_credentials": {"id": "c", "provider": "smtp"}}
    assert found(doc([Node("m", MAIL, inputs=chosen)])) == set()
    assert found(doc([Node("m", MAIL)]), masks={"m": chosen}) == set()
    assert found(doc([Node("m", MAIL, optional_credentials=True)])) == set()


def test_a_mask_names_a_node_that_is_there():
    """engine:V3"""
    report = validate(doc([fetch()]), CATALOGUE, "run", {}, {"ghost": {"url": 1}})
    assert report.errors == {"$agent": {"input_masks": "There is no node 'ghost' to mask."}}


@pytest.mark.parametrize("pin", ["", "url_$_x", "url_$_-1", "url_#_", "url" + "_#_a" * 11])
def test_a_mask_names_its_pins_well(pin: str):
    """engine:V3"""
    assert found(doc([fetch()]), masks={"f": {pin: 1}}) == {("f", pin, "bad_pin_path", "error")}
    assert found(doc([fetch()]), "save", masks={"f": {pin: 1}}) == {("f", pin, "bad_pin_path", "warning")}


def test_inputs_are_checked_by_name_and_type():
    """engine:V3"""
    document = doc(
        [
            Node("a", NUMBER_IN, inputs={"name": "n"}),
            Node("b", TEXT_IN, inputs={"name": "t", "required": False}),
            Node("c", CHOICE_IN, inputs={"name": "c", "value": "x", "options": ["x", "y"]}),
        ]
    )
    assert found(document, inputs={"n": 1}) == set()
    assert found(document, inputs={}) == {("$agent", "n", "input_missing", "error")}
    assert found(document, inputs={"n": 1, "z": 1}) == {("$agent", "z", "input_unknown", "error")}
    assert found(document, inputs={"n": "many"}) == {("$agent", "n", "wrong_type", "error")}
    assert found(document, inputs={"n": 1, "c": "z"}) == {("$agent", "c", "not_allowed", "error")}
    assert found(document, inputs=None) == set()


def test_a_trigger_needs_its_payload():
    """engine:V3"""
    document = doc([Node("h", HOOK)])
    assert found(document, inputs={}) == {("h", "payload", "payload_missing", "error")}
    assert validate(document, CATALOGUE, "run", {}, payload={"a": 1}).valid


def test_a_pin_fed_only_by_its_own_cycle_is_never_ready_and_what_follows_is_unreachable():
    """engine:V4"""
    document = doc(
        [fetch("start"), fetch("a"), fetch("b"), fetch("after")],
        [
            Link("start", "text", "a", "url"),
            Link("b", "text", "a", "proxy"),
            Link("a", "text", "b", "url"),
            Link("b", "text", "after", "url"),
        ],
    )
    assert {issue[:3] for issue in found(document)} == {
        ("a", "proxy", "never_ready"),
        ("b", "url", "never_ready"),
        ("after", "block", "unreachable"),
    }
    assert validate(document, CATALOGUE, "run").valid
    assert found(document, masks={"a": {"proxy": "p"}}) == set()


def test_a_cycle_with_a_way_in_is_fine():
    """engine:V4, engine:F18"""
    links = [Link("start", "text", "loop", "url"), Link("loop", "text", "loop", "url")]
    assert found(doc([fetch("start"), fetch("loop")], links)) == set()


def test_conversions_that_lose_something_are_pointed_out():
    """engine:V4"""
    links = [Link("a", "links", "b", "limit")]
    assert found(doc([fetch("a"), fetch("b")], links)) == {("b", "limit", "likely_lossy", "warning")}
    assert found(doc([fetch(limit="5")])) == {("f", "limit", "likely_lossy", "warning")}


def test_unknown_literals_are_issues_on_their_field():
    """engine:J2"""
    assert found(doc([fetch(uri="x")])) == {("f", "uri", "unknown_input", "warning")}


def test_all_faults_come_in_one_pass_with_their_links():
    """engine:V1"""
    document = doc([fetch("a", limit=0), Node("u", UNKNOWN), Node("i", TEXT_IN)], [Link("a", "nope", "u", "x")])
    report = validate(document, CATALOGUE, "run")
    assert {issue.code for issue in report.issues} == {
        "out_of_bounds",
        "unknown_block",
        "name_missing",
        "unknown_out_pin",
    }
    body = report.to_json()
    assert isinstance(body["errors"], dict)
    assert body["errors"].keys() == {"a", "u", "i"}
    wire = next(issue.to_json() for issue in report.issues if issue.code == "unknown_out_pin")
    assert wire["link"] == {"from": "a", "out": "nope", "to": "u", "in": "x"}


def test_a_thousand_nodes_validate_in_a_fifth_of_a_second():
    """engine:V5"""
    nodes = [fetch(f"n{i}", limit=5, headers={"a": "b"}) for i in range(1_000)]
    links = [Link(f"n{i}", "text", f"n{i + 1}", "url") for i in range(999)]
    document = doc(nodes, links)
    best = 9.9
    for _ in range(3):
        began = time.perf_counter()
        assert validate(document, CATALOGUE, "run").valid
        best = min(best, time.perf_counter() - began)
    assert best < 0.2
