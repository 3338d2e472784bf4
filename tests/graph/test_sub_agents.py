"""Agents inside agents: pins, and the faults of the whole family in one pass (A8, A9, V1)."""

import pytest

from pilothouse.graph.document import Document, Link, Node
from pilothouse.graph.report import Level
from pilothouse.graph.sub_agents import Children
from pilothouse.graph.validate import validate
from pilothouse.kit.json import Json, JsonObject
from tests.graph.blocks import CATALOGUE, NUMBER_IN, OFF, OUT, TEXT_IN, UNKNOWN, doc, fetch, sub

CHILD = Document(
    "Child",
    nodes=(
        Node("in", TEXT_IN, inputs={"name": "topic"}),
        Node("n", NUMBER_IN, inputs={"name": "limit", "value": 3}),
        Node("out", OUT, inputs={"name": "summary"}),
    ),
    links=(Link("in", "result", "out", "value"),),
)


def found(
    document: Document,
    children: Children | None = None,
    level: Level = "run",
    masks: dict[str, JsonObject] | None = None,
) -> set[tuple[str, str, str, str]]:
    report = validate(document, CATALOGUE, level, masks=masks, children=children or {("kid", 1): CHILD})
    return {(issue.node_id, issue.field, issue.code, issue.severity) for issue in report.issues}


def chain(length: int) -> dict[tuple[str, int], Document]:
    """a1 runs a2, which runs a3, and so on."""
    made = {(f"a{n}", 1): doc([sub("s", f"a{n + 1}")]) for n in range(1, length)}
    return {**made, (f"a{length}", 1): doc([fetch()])}


def test_its_pins_are_the_names_of_the_childs_inputs_and_outputs():
    """engine:A8"""
    nodes = [fetch("f"), sub("s", "kid"), fetch("g")]
    good = [Link("f", "text", "s", "topic"), Link("s", "summary", "g", "url"), Link("s", "error", "g", "proxy")]
    assert found(doc(nodes, good)) == set()
    bad = [Link("f", "text", "s", "topics"), Link("s", "summaries", "g", "url")]
    assert found(doc(nodes, bad), level="save") == {
        ("s", "topics", "unknown_in_pin", "error"),
        ("s", "summaries", "unknown_out_pin", "error"),
        ("s", "topic", "required", "warning"),
    }


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"topic": "x"}, set[object]()),
        ({"inputs": {"topic": "x"}}, set[object]()),
        ({}, {("s", "topic", "required", "error")}),
        ({"topic": "x", "limit": "many"}, {("s", "limit", "wrong_type", "error")}),
        ({"inputs": {"topic": "x", "limit": []}}, {("s", "limit", "likely_lossy", "warning")}),
        ({"topic": "x", "colour": "red"}, {("s", "colour", "unknown_input", "warning")}),
    ],
)
def test_its_literals_are_judged_by_the_childs_schema(inputs: dict[str, Json], expected: set[object]):
    """engine:A8, engine:V3"""
    assert found(doc([sub("s", "kid", 1, **inputs)])) == expected


@pytest.mark.parametrize(
    "node",
    [
        sub("s", "kid", 2),
        sub("s", "stranger"),
        Node("s", sub("s", "kid").block, inputs={"graph_id": "kid"}),
        Node("s", sub("s", "kid").block, inputs={"graph_id": "kid", "graph_version": True}),
    ],
)
def test_a_child_that_is_not_there_is_missing(node: Node):
    """engine:V2, engine:A8"""
    assert ("s", "graph_id", "sub_agent_missing", "error") in found(doc([node]), level="save")


def test_what_travels_inside_the_document_is_there():
    """engine:X2"""
    kid = Document(CHILD.name, nodes=CHILD.nodes, links=CHILD.links, id="inner", version=4)
    assert found(doc([sub("s", "inner", 4, topic="x")], sub_agents=(kid,))) == set()


def test_faults_of_children_are_told_by_the_way_to_them():
    """engine:V1"""
    children = {
        ("a", 1): doc([sub("down", "b"), Node("u", UNKNOWN)], recommended_schedule_cron="never"),
        ("b", 1): doc([Node("off", OFF), fetch("f", limit=0)], [Link("f", "nope", "f", "url")]),
    }
    assert found(doc([fetch("x", limit=0), sub("s", "a")]), children) == {
        ("x", "limit", "out_of_bounds", "error"),
        ("s/$agent", "recommended_schedule_cron", "bad_cron", "error"),
        ("s/u", "block", "unknown_block", "error"),
        ("s/down/off", "block", "disabled_block", "error"),
        ("s/down/f", "limit", "out_of_bounds", "error"),
        ("s/down/f", "nope", "unknown_out_pin", "error"),
        ("s/down/f", "url", "never_ready", "warning"),
    }
    assert not validate(doc([sub("s", "a")]), CATALOGUE, "save", children=children).valid


def test_a_child_used_twice_is_told_once():
    """engine:V1"""
    children = {("a", 1): doc([Node("off", OFF)])}
    told = validate(doc([sub("s", "a"), sub("t", "a")]), CATALOGUE, "run", children=children).issues
    assert [issue.node_id for issue in told] == ["s/off"]


def test_an_agent_that_would_run_itself_is_a_cycle():
    """engine:V2, engine:A8"""
    children = {("b", 1): doc([sub("back", "a")]), ("a", 1): doc([fetch()])}
    assert found(doc([sub("s", "b")], id="a"), children, "save") == {("s/back", "graph_id", "sub_agent_cycle", "error")}
    assert found(doc([sub("s", "a")], id="a"), children) == {("s", "graph_id", "sub_agent_cycle", "error")}
    assert found(doc([sub("s", "b"), sub("t", "a")], id="c"), children) == set()


def test_a_cycle_is_found_on_whatever_way_leads_round():
    """engine:A8"""
    children = {
        ("b", 1): doc([sub("x", "d")]),
        ("c", 1): doc([sub("x", "d")]),
        ("d", 1): doc([sub("x", "c", 2)]),
        ("c", 2): doc([fetch()]),
    }
    assert found(doc([sub("s", "b")]), children) == set()
    assert {issue[2] for issue in found(doc([sub("s", "b"), sub("t", "c")]), children)} == {"sub_agent_cycle"}


def test_documents_that_hold_each_other_end():
    """engine:A8"""
    children = {("a", 1): doc([sub("x", "b")]), ("b", 1): doc([sub("x", "a")])}
    assert found(doc([sub("s", "a")]), children) == {("s/x", "graph_id", "sub_agent_cycle", "error")}


def test_agents_nest_ten_levels_deep_and_no_further():
    """engine:V2, engine:A8"""
    assert found(doc([sub("s", "a1")]), chain(10)) == set()
    assert found(doc([sub("s", "a1")]), chain(11), "save") == {
        ("s/" + "s/" * 9 + "s", "graph_id", "too_deep", "error"),
    }


def test_the_longest_way_counts():
    """engine:A8"""
    children = {**chain(10), ("top", 1): doc([sub("s", "a1")])}
    both = doc([sub("near", "a10"), sub("far", "top")])
    assert {issue[2] for issue in found(both, children)} == {"too_deep"}


@pytest.mark.parametrize(("number", "expected"), [(50, set[str]()), (51, {"limit_sub_agents"})])
def test_fifty_agents_may_lie_below_one(number: int, expected: set[str]):
    """engine:A9"""
    children = {(f"k{n}", 1): doc([fetch()]) for n in range(number)}
    half = doc([sub(f"s{n}", f"k{n}") for n in range(number // 2, number)])
    first = doc([*(sub(f"s{n}", f"k{n}") for n in range(number // 2)), *half.nodes])
    assert {issue[2] for issue in found(first, children, "save")} == expected


def test_a_mask_reaches_into_a_child():
    """engine:V3, engine:C2"""
    children = {("a", 1): doc([Node("f", fetch().block)])}
    document = doc([sub("s", "a"), sub("t", "a"), fetch("g")])
    assert {issue[:3] for issue in found(document, children)} == {("s/f", "url", "required")}
    mask: JsonObject = {"url": "https://a.test"}
    assert {issue[0] for issue in found(document, children, masks={"s/f": mask})} == {"t/f"}
    assert found(document, children, masks={"s/f": mask, "t/f": mask}) == set()
    assert ("t/$agent", "input_masks", "mask_unknown_node", "error") in found(
        document, children, masks={"t/ghost": mask}
    ), "also where the child was looked at already"
    brought = doc([sub("s", "a", nodes_input_masks={"f": mask}), sub("t", "a", nodes_input_masks={"f": {"limit": 1}})])
    assert {issue[:3] for issue in found(brought, children)} == {("t/f", "url", "required")}
    assert found(brought, children, masks={"t/f": mask}) == set()
    lost = found(document, children, masks={"s/ghost": mask, "g/f": mask, "s/f": mask, "t/f": mask})
    assert lost == {
        ("s/$agent", "input_masks", "mask_unknown_node", "error"),
        ("$agent", "input_masks", "mask_unknown_node", "error"),
    }


def test_a_mask_may_name_the_child():
    """V1, V5: over the literal, and over a link"""
    children = {("kid", 1): CHILD, ("off", 1): doc([Node("off", OFF)])}
    fault = ("s/off", "block", "disabled_block", "error")
    for links in ([], [Link("f", "text", "s", "graph_id")]):
        document = doc([fetch("f"), sub("s", "kid", topic="x")], links)
        assert found(document, children) == set()
        assert found(document, children, masks={"s": {"graph_id": "off"}}) == {fault}
        missing = {("s", "graph_id", "sub_agent_missing", "error")}
        assert found(document, children, masks={"s": {"graph_id": "nobody"}}) == missing


def test_masks_that_an_imported_node_brings_may_name_what_is_not_here():
    """V2: such a document can be stored; only a run would miss it"""
    children = {("a", 1): doc([sub("x", "kid", topic="x")]), ("kid", 1): CHILD}
    document = doc([sub("s", "a", nodes_input_masks={"x": {"graph_id": "gone"}})])
    assert found(document, children, "save") == set()
    assert found(document, children) == {("s/x", "graph_id", "sub_agent_missing", "error")}


def test_masks_that_lead_round_end():
    """V5: a node may bring masks that name its own agent; however many do, this is quick"""
    nodes = [sub(f"s{number}", "kid", nodes_input_masks={"x": {"graph_id": "a"}}) for number in range(20)]
    children = {("a", 1): doc(nodes), ("kid", 1): doc([sub("x", "leaf")]), ("leaf", 1): doc([fetch()])}
    assert found(children["a", 1], children) == set()


def test_masks_cannot_make_work_without_end():
    """V5: each use of an agent under masks of its own is judged, up to a thousand"""
    children = {("a", 1): doc([sub(f"n{way}", "b") for way in range(40)]), ("b", 1): doc([fetch("f")])}

    def using(times: int) -> Document:
        def mask(number: int) -> JsonObject:
            return {f"n{way}/f": {"limit": 40 * number + way + 1} for way in range(40)}

        return doc([sub(f"s{number}", "a", nodes_input_masks=mask(number)) for number in range(times)])

    assert found(using(20), children) == set()
    assert {issue[2] for issue in found(using(30), children)} == {"limit_sub_agents"}
