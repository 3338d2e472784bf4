"""autopilot:14.1, 14.2: one filter of tools and blocks, which delegating can only narrow."""

from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from pilothouse.base.permissions import UNRESTRICTED, Permissions
from pilothouse.kit.json import JsonObject, dumps, loads

TOOLS = ["run_agent", "find_block", "run_sub_session"]
BLOCKS = [
    ("6595ae1f-b924-42cb-9a41-551a0611c4b4", "Send web request"),
    ("db7d8f02-2f44-4c55-ab7a-eae0941f0c30", "Fill text template"),
    ("d67a9c52-5e4e-11e2-bcfd-0800200c9a71", "Countdown timer"),
]
SPELLINGS = [spelling for block_id, name in BLOCKS for spelling in (block_id, block_id[:8], name, name.upper())]


def lists(names: list[str]) -> st.SearchStrategy[list[str] | None]:
    return st.one_of(st.none(), st.lists(st.sampled_from(names), unique=True))


FILTERS = st.one_of(
    st.none(),
    st.fixed_dictionaries(
        {
            "tools": lists(TOOLS),
            "tools_exclude": st.booleans(),
            "blocks": lists(SPELLINGS),
            "blocks_exclude": st.booleans(),
        }
    ),
)


def allowed(permissions: Permissions) -> set[str]:
    tools = {name for name in TOOLS if permissions.allows_tool(name)}
    return tools | {name for block_id, name in BLOCKS if permissions.allows_block(block_id, name)}


@given(st.lists(FILTERS, max_size=4))
def test_no_chain_of_delegations_gains_a_tool_or_a_block(chain: list[JsonObject | None]):
    """14.2: each child is limited by its own filter and by all above it, also when it was stored on the way."""
    above = UNRESTRICTED
    for told in chain:
        own = Permissions.of(told)
        below = above.within(own)
        assert allowed(below) == allowed(above) & allowed(own)
        stored = below.as_json()
        above = Permissions.of(None if stored is None else cast(JsonObject, loads(dumps(stored))))
        assert allowed(above) == allowed(below)


def test_a_block_is_named_by_its_name_its_id_or_eight_digits():
    """14.1"""
    block_id, name = BLOCKS[0]
    for spelling in (block_id, block_id[:8], name, name.lower()):
        assert allowed(Permissions.of({"blocks": [spelling]})) == {name, *TOOLS}
        assert name not in allowed(Permissions.of({"blocks": [spelling], "blocks_exclude": True}))
    assert not allowed(Permissions.of({"blocks": [block_id[:7]]})) - set(TOOLS)


def test_null_limits_nothing_and_an_empty_list_allows_nothing():
    """14.1"""
    assert Permissions.of(None, {"tools": None}).as_json() is None
    assert allowed(Permissions.of({"tools": [], "blocks": []})) == set()
