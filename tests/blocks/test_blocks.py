"""What single blocks promise beyond their examples."""

from datetime import UTC, datetime, timedelta

import pytest

from pilothouse.blocks.contract import reply
from pilothouse.blocks.rehearsal import PreparedHttp, Rehearsal
from pilothouse.graph.catalogue import Effects
from pilothouse.kit.json import Json, JsonObject, loads
from tests.blocks.playing import BY_NAME, REGISTRY, error_of, run


@pytest.mark.parametrize(
    ("left", "sign", "right", "result"),
    [
        (1, "==", "1.0", True),
        (" a ", "==", "a", True),
        ("10", ">", "9", True),
        ("b", ">", "a", True),
        ([1], "==", [1], True),
        (None, "==", None, True),
        (True, "==", 1, False),
        ("a", "!=", 1, True),
        ({"a": 1}, "!=", {"a": 1}, False),
        (2, "<=", 2, True),
    ],
)
async def test_condition_compares_numbers_as_numbers(left: Json, sign: str, right: Json, result: bool):
    fired = await run("Condition", value1=left, operator=sign, value2=right)
    assert fired == [("result", result), ("yes_output", left) if result else ("no_output", right)]


@pytest.mark.parametrize(("left", "right"), [(None, 1), ({}, {}), (True, 1), ([1], ["a"]), ("a", 1)])
async def test_what_has_no_order_is_an_error(left: Json, right: Json):
    ((pin, _),) = await run("Condition", value1=left, operator="<", value2=right)
    assert pin == "error"


async def test_stepping_goes_through_every_source_in_turn():
    fired = await run("Step through items", items=[1], items_object={"k": 2}, items_str='{"z": 3}')
    assert fired == [("item", 1), ("key", 0), ("item", 2), ("key", "k"), ("item", 3), ("key", "z")]


async def test_stepping_has_a_limit():
    assert len(await run("Step through items", items=[0] * 10_000)) == 20_000
    ((pin, message),) = await run("Step through items", items=[0] * 10_000, items_str="[1]")
    assert (pin, message) == ("error", "more than 10,000 items")
    ((pin, message),) = await run("Step through items", items_str="[" + " " * 1_000_000 + "]")
    assert (pin, message) == ("error", "items_str is larger than 1 MB")


class Woken(Rehearsal):
    """A clock that moves, and a first wait that is already recorded: the step is being repeated."""

    recorded: datetime | None = None

    async def wait_timer(self, until: datetime, *, keep: Json = None) -> datetime:
        await super().wait_timer(until)
        return self.recorded if self.recorded and len(self.waits) == 1 else until


async def test_a_timer_that_is_repeated_after_a_restart_does_not_drift():
    stage = Woken()
    stage.recorded = stage.moment + timedelta(minutes=1)
    stage.moment += timedelta(minutes=1, seconds=40)

    await run("Countdown timer", stage, minutes=1, repeat=2)

    assert stage.waits[1] == stage.recorded + timedelta(minutes=1)


async def test_a_timer_sums_its_parts():
    stage = Rehearsal()
    await run("Countdown timer", stage, days=1, hours="1", minutes=1, seconds=1.5)
    assert stage.waits == [stage.moment + timedelta(days=1, hours=1, minutes=1, seconds=1.5)]


@pytest.mark.parametrize(
    "inputs", [{"days": 7.01}, {"seconds": 604_801}, {"days": 1e300}, {"days": 10**9}, {"hours": 1e9, "repeat": 1000}]
)
async def test_a_timer_of_more_than_seven_days_is_an_error_however_long(inputs: JsonObject):
    assert await error_of("Countdown timer", **inputs) == "more than 7 days in all"


@pytest.mark.parametrize("at", ["9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59-12:00"])
async def test_nobody_waits_for_a_moment_that_cannot_be_written(at: str):
    stage = Rehearsal()
    assert await error_of("Wait until", stage, at=at) == "the calendar does not reach that day"
    assert stage.waits == []


@pytest.mark.parametrize("at", ["0001-01-01", "0001-01-01T00:00:00+12:00"])
async def test_a_moment_of_long_ago_has_passed(at: str):
    stage = Rehearsal()
    assert await run("Wait until", stage, at=at, data=1) == [("data", 1)]
    assert stage.waits == [datetime(1970, 1, 1, tzinfo=UTC)]


@pytest.mark.parametrize(
    ("inputs", "content_type", "content"),
    [
        ({"body": {"a": 1}}, "application/json", b'{"a":1}'),
        ({"body": '{"a": 1}'}, "application/json", b'{"a":1}'),
        ({"body": [1]}, "application/json", b"[1]"),
        ({"body": {"a": ["b c", 2]}, "json_format": False}, "application/x-www-form-urlencoded", b"a=b+c&a=2"),
        ({"body": "plain", "json_format": False}, "text/plain; charset=utf-8", b"plain"),
        ({"body": {}, "headers": {"content-type": "application/x"}}, "application/x", b"{}"),
    ],
)
async def test_a_body_is_sent_in_its_format(inputs: JsonObject, content_type: str, content: bytes):
    stage = Rehearsal(http=PreparedHttp([reply(200)]))
    await run("Send web request", stage, url="https://example.com", **inputs)
    (sent,) = stage.http.sent
    assert (sent.headers["content-type"], sent.content) == (content_type, content)


async def test_a_key_that_was_given_stays():
    stage = Rehearsal(http=PreparedHttp([reply(200)]))
    await run("Send web request", stage, url="https://example.com", headers={"idempotency-KEY": "mine"})
    assert [v for k, v in stage.http.sent[0].headers.items() if k == "idempotency-key"] == ["mine"]


async def test_reads_carry_no_key_and_count_as_reads():
    runnable = REGISTRY.runnable(BY_NAME["Send web request"])
    for method in ("GET", "HEAD", "OPTIONS"):
        stage = Rehearsal(http=PreparedHttp([reply(200)]))
        await run("Send web request", stage, url="https://example.com", method=method)
        assert "idempotency-key" not in stage.http.sent[0].headers
        assert runnable.effects_of({"url": "https://example.com", "method": method}) is Effects.READS
    assert runnable.effects_of({"url": "https://example.com"}) is Effects.WRITES
    assert runnable.effects_of({"method": "GET"}) is Effects.WRITES


@pytest.mark.parametrize(
    ("status", "pin"), [(200, "response"), (302, "server_error"), (404, "client_error"), (500, "server_error")]
)
async def test_the_status_chooses_the_pin(status: int, pin: str):
    stage = Rehearsal(http=PreparedHttp([reply(status, "{not json", content_type="application/json")]))
    assert await run("Send web request", stage, url="https://example.com") == [(pin, "{not json")]


async def test_the_effect_block_sends_key_and_payload():
    stage = Rehearsal(http=PreparedHttp([reply(200)]))
    await run("TestEffect", stage, url="https://example.com", payload=[1])
    assert loads(stage.http.sent[0].content or b"") == {"key": stage.idempotency_key(), "payload": [1]}
