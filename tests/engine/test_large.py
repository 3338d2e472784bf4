"""Large values leave the log and come back as they were (F17)."""

from hypothesis import given, settings
from hypothesis import strategies as st

from pilothouse.engine.entries import Entry
from pilothouse.engine.large import LIMIT, Kept, is_packed, pack_entries, pack_snapshot, references, shown, unpack
from pilothouse.engine.run import Run
from pilothouse.kit.json import Json, JsonObject, dumps, loads
from tests.engine.toys import graph, node, play, shelf

BIG = "x" * LIMIT
SCALARS: list[Json] = [None, 7, "text", BIG, BIG + "y", "ü" * (LIMIT // 2), {"$value": "forged"}]


def nested(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    lists: st.SearchStrategy[Json] = st.lists(inner, max_size=3)
    return lists | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)


VALUES = st.recursive(st.sampled_from(SCALARS), nested, max_leaves=6)


def entry_of(kind: str, value: Json) -> Entry:
    facts: JsonObject = {"inputs": {"x": value, "y": 1}, "masks": {"n": {"p": value}}, "payload": value}
    shapes: dict[str, Entry] = {
        "q": ["q", 1, facts],
        "s": ["s", 1, 1, 0, 1, {"value": value, "other": 2}],
        "o": ["o", 1, 1, 0, "out", 0, value],
        "f": ["f", 1, 1, 0, "failed", {"code": "c", "message": "m", "detail": value}],
        "w": ["w", 1, 1, 0, "fact", None, value, value],
        "u": ["u", 1, 1, 0, value],
        "y": ["y", 1, 1, 0, 1, {"code": "c", "message": "m", "detail": value}, 5],
        "v": ["v", 1, 1, 0, "name", value],
    }
    return shapes[kind]


@settings(deadline=None, max_examples=60)
@given(st.sampled_from("qsofwuyv"), VALUES)
def test_what_is_packed_is_unpacked_as_it_was_and_is_small_meanwhile(kind: str, value: Json):
    """engine:F17"""
    entry = entry_of(kind, value)
    before, kept = dumps(entry), Kept()
    (stored,) = pack_entries([entry], kept)
    assert dumps(entry) == before  # the run goes on with the entry that it made
    again = loads(dumps(stored))
    assert set(references(again)) <= set(kept)
    assert len(dumps(shown(again)).encode()) < 4 * LIMIT
    assert dumps(unpack(again, {key: loads(text) for key, text in kept.items()})) == before


def test_a_value_is_kept_once_however_often_it_is_named():
    """engine:F17"""
    kept = Kept()
    log = [entry_of("o", BIG), entry_of("s", {"a": BIG}), entry_of("v", BIG), entry_of("o", [BIG, BIG])]
    stored = pack_entries(log, kept)
    assert len(kept) == 1
    assert all(is_packed(entry) for entry in stored)


def test_what_is_not_large_stays_as_it_is():
    """engine:F17"""
    kept = Kept()
    log = [entry_of("o", "x" * (LIMIT - 2)), entry_of("s", 1), ["f", 1, 1, 0, "completed", None], ["g", 1]]
    assert pack_entries(log, kept) == log
    assert kept == {}


def test_a_value_that_looks_like_a_reference_is_a_value():
    """engine:F17"""
    entry = entry_of("o", ["*", [[[6], "h"]], 1])
    (stored,) = pack_entries([entry], Kept())
    assert unpack(stored, {"h": "stolen"}) == entry


async def test_a_snapshot_is_packed_wherever_it_holds_values():
    """engine:F17, engine:D1"""
    doc = graph(
        [
            node("in", "input", name="x"),
            node("never", "items", items=[]),
            node("p", "pair"),
            node("o", "output", name="big"),
        ],
        *("in.result -> o.value", "in.result -> p.a", "never.item -> p.b"),
    )
    played = await play(doc, shelf(), {"x": BIG})
    cut = next(nth for nth, entry in enumerate(played.log) if entry[0] == "z")
    run = Run(played.plan).fold(played.log[:cut])
    kept = Kept()
    stored = loads(dumps(pack_snapshot(run.snapshot(), kept)))
    assert len(dumps(stored)) < LIMIT
    assert len(kept) == 1
    whole = unpack(stored, {key: loads(text) for key, text in kept.items()})
    assert isinstance(whole, dict)
    assert dumps(Run.restore(played.plan, whole).snapshot()) == dumps(run.snapshot())
