"""autopilot:11.4: answers that no library can read, and addresses where no model may listen."""

import pytest

from pilothouse.autopilot.faults import Unreadable, fault_of, reading
from pilothouse.base.provider_http import Undecodable
from pilothouse.features.chat import events
from tests.autopilot.till import KEY, Till
from tests.providers.script import Answer

BYE = Answer(text=("All done.",))


@pytest.mark.parametrize("kind", [AssertionError, AttributeError, KeyError, TypeError, ValueError, Undecodable])
def test_what_a_library_stumbles_over_is_told_by_its_kind_alone(kind: type[Exception]):
    """11.4, S11: its words may be the provider's."""
    odd = kind(KEY)
    with pytest.raises(Unreadable) as caught, reading():
        raise odd
    assert KEY not in str(caught.value)
    assert (caught.value.__cause__, caught.value.__suppress_context__) == (None, True)
    assert fault_of(caught.value).transient


@pytest.mark.parametrize("first", [(), ("Well, ",)], ids=["at once", "in the middle"])
async def test_what_no_library_can_read_is_asked_for_again(small_till: Till, first: tuple[str, ...]):
    """11.4: by the same worker, and what was said before it is taken back."""
    odd = (*({"content": word} for word in first), {"tool_calls": "none today"})
    script = await small_till.play("openai", Answer(odd=odd), BYE)
    said = await small_till.bridge.ask("hi")
    assert (said.status, said.text, len(script.asked)) == ("completed", "All done.", 2)
    assert (len(said.of(events.STEP_RESET)), len(said.of(events.TURN_RESUMED))) == (len(first), 0)


async def test_an_address_where_no_model_may_listen_is_a_model_that_cannot_be_used(small_till: Till):
    """11.4, 13.3"""
    at = {"openai_base_url": "http://169.254.169.254/v1", "openai_api_key": KEY, "chat_model": "openai/test"}
    small_till.connect(at)
    said = await small_till.bridge.ask("hi")
    assert [event.data["code"] for event in said.of(events.ERROR)] == ["model_unavailable"]
