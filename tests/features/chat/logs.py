"""Logs as AutoPilot writes them, made up by Hypothesis: well-formed turns, cut anywhere."""

from collections.abc import Sequence

from hypothesis import strategies as st

from pilothouse.features.chat import Draft, Event, closing_events, events

ids = st.uuids(version=4).map(str)
words = st.text(max_size=12)


def block(kind: str) -> st.SearchStrategy[list[Draft]]:
    start, delta, end = {
        "text": (events.text_start, events.text_delta, events.text_end),
        "reasoning": (events.reasoning_start, events.reasoning_delta, events.reasoning_end),
    }[kind]

    def make(block_id: str, parts: Sequence[str]) -> list[Draft]:
        made, offset = [start(block_id)], 0
        for part in parts:
            made.append(delta(block_id, part, offset))
            offset += len(part)
        return [*made, end(block_id, "".join(parts))]

    return st.builds(make, ids, st.lists(words, max_size=4))


def _call(call_id: str, output: int, fails: bool, deltas: Sequence[str]) -> list[Draft]:
    begun = [events.tool_input_start(call_id, "find_block"), *(events.tool_input_delta(call_id, d) for d in deltas)]
    ready = events.tool_input_available(call_id, "find_block", {"n": output}, "key")
    failed = events.tool_output_error(call_id, "find_block", "not_found", "No.")
    return [*begun, ready, failed if fails else events.tool_output_available(call_id, "find_block", {"n": output})]


calls = st.builds(_call, ids, st.integers(0, 9), st.booleans(), st.lists(words, max_size=2))


def _notice(text: str) -> list[Draft]:
    return [events.notice("n", text)]


def _follow_up(message_id: str, text: str) -> list[Draft]:
    return [events.follow_up([message_id], [text], None)]


def _background(ref: str, state: str) -> list[Draft]:
    return [events.background(f"bg-{ref[:12]}", "run_agent", state, "run", ref)]


asides = st.one_of(
    st.builds(_notice, words),
    st.builds(_follow_up, ids, words),
    st.builds(_background, ids, words),
    st.just([events.context([{"kind": "env", "text": "secret"}])]),
    st.just([events.usage(prompt_tokens=1, cost_microdollars=2)]),
)


def _steps(many: Sequence[Sequence[Sequence[Draft]]]) -> list[Draft]:
    drafts: list[Draft] = []
    for number, parts in enumerate(many, 1):
        inside = [draft for part in parts for draft in part]
        drafts += [events.start_step(number), *inside, events.finish_step(number)]
    return drafts


step = st.lists(st.one_of(block("text"), block("reasoning"), calls, asides), max_size=4)
bodies = st.builds(_steps, st.lists(step, max_size=3))


def _turn(
    turn_id: str, text: str, queued: bool, body: Sequence[Draft], cut: int, status: str
) -> list[tuple[str, Draft]]:
    head = [events.user_message(turn_id, text), *([events.turn_queued(1)] if queued else [])]
    body = [events.turn_started(1, "scripted", None, None), *body]
    body = body[: max(1, len(body) - cut)]
    made = [*head, *body, *closing_events(body), events.turn_ended(status, None, 5)]
    return [(turn_id, draft) for draft in made]


turns = st.builds(
    _turn, ids, words, st.booleans(), bodies, st.integers(0, 6), st.sampled_from(["completed", "failed", "cancelled"])
)


def _log(many: Sequence[Sequence[tuple[str, Draft]]]) -> list[Event]:
    drafts = [pair for turn in many for pair in turn]
    return [Event(n, draft.type, turn_id, n, draft.data) for n, (turn_id, draft) in enumerate(drafts, 1)]


logs = st.builds(_log, st.lists(turns, max_size=3))
