"""autopilot:12.3, 11.5: what is summed up, what is kept, and how far it goes."""

from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from pilothouse.autopilot.compaction import (
    LEAST_TOKENS,
    TARGETS,
    Plan,
    clipped,
    plan_on_overflow,
    plan_when_full,
    reported,
    shortened,
    size_of,
    tokens,
    transcript,
    truncated,
    weight,
)
from pilothouse.autopilot.history import model_messages, raw_response
from pilothouse.autopilot.kept import kept_facts
from pilothouse.autopilot.windows import MOST, UNKNOWN, window_of
from pilothouse.features.chat import Draft, Event, events
from pilothouse.kit.json import Json, JsonObject
from tests.autopilot.test_history import NOW, OLD, call, contents, log, result, said, texts

WINDOW = 1_000


def answered(text: str) -> list[Draft]:
    return [events.start_step(1), *texts(text), events.finish_step(1), events.turn_ended("completed", None, 1)]


def conversation() -> tuple[list[Event], int]:
    """An old turn and the message of this one."""
    told = log((OLD, [said("old words"), *answered("old answer")]), (NOW, [said("new words")]))
    return told, told[-1].id


def compacted(told: list[Event], up_to: int, target: int | None = None, summary: str = "the summary") -> list[Event]:
    draft = events.compaction(up_to, summary, 10, 5, target)
    return [*told, Event(told[-1].id + 1, draft.type, NOW, 0, draft.data)]


def test_room_is_made_from_seventy_percent_of_the_window_on():
    """12.3"""
    told, message = conversation()
    assert plan_when_full(told, message, 699, WINDOW) is None
    assert plan_when_full(told, message, 700, WINDOW) == Plan(message - 1)


def test_nothing_is_summed_up_twice_and_nothing_where_there_is_nothing():
    """12.3"""
    told, message = conversation()
    assert plan_when_full(compacted(told, message - 1), message, 900, WINDOW) is None
    first = log((NOW, [said("the first message")]))
    assert plan_when_full(first, 1, 900, WINDOW) is None


def test_after_an_overflow_it_goes_further_each_time_and_then_gives_up():
    """11.5"""
    told, message = conversation()
    tried: list[int | None] = []
    while (plan := plan_on_overflow(told, message, 80_000, NOW)) is not None:
        tried.append(plan.target)
        told = compacted(told, plan.up_to_event, plan.target)
    assert tried == [None, *TARGETS] == [None, 50_000, 5_000]


def test_after_a_round_that_was_made_it_begins_anew():
    """11.5: a turn of many rounds may outgrow the window more than once."""
    told, message = conversation()
    told = compacted(compacted(compacted(told, message - 1), message - 1, 50_000), message - 1, 5_000)
    assert plan_on_overflow(told, message, 80_000, NOW) is None
    begun = events.start_step(2)
    told = [*told, Event(told[-1].id + 1, begun.type, NOW, 0, begun.data)]
    assert plan_on_overflow(told, message, 80_000, NOW) == Plan(message - 1, 50_000)


def test_a_target_that_is_met_already_is_skipped():
    """11.5"""
    told, message = conversation()
    told = compacted(told, message - 1)
    assert plan_on_overflow(told, message, 40_000, NOW) == Plan(message - 1, 5_000)
    assert plan_on_overflow(told, message, 4_000, NOW) is None


def test_the_model_reads_the_summary_and_the_last_message_word_for_word():
    """12.3"""
    told, message = conversation()
    read = model_messages(compacted(told, message - 1), NOW, [])
    assert contents(read[0]) == ["<conversation_history>the summary</conversation_history>", "new words"]
    assert len(read) == 1


def test_what_follows_a_compaction_is_read_as_before():
    """12.3: the last one counts."""
    told, message = conversation()
    told = compacted(told, message - 1)
    more = log((NOW, answered("new answer")), ("next", [said("newest")]))
    told += [event._replace(id=event.id + told[-1].id) for event in more]
    read = model_messages(told, "next", [])
    assert [contents(one)[-1] for one in read] == ["new words", "new answer", "newest"]
    newest = told[-1].id
    read = model_messages(compacted(told, newest - 1, summary="both"), "next", [])
    assert [contents(one) for one in read] == [["<conversation_history>both</conversation_history>", "newest"]]


def made(tool: str, output: JsonObject, call_id: str = "c") -> Draft:
    return events.tool_output_available(call_id, tool, output)


def test_ids_the_todo_list_and_the_guide_outlive_every_summary():
    """12.3"""
    todo: JsonObject = {"todos": [{"content": "Water the <plants>", "status": "pending"}]}
    drafts = [
        events.user_message("m", "hi", file_ids=["file-1"]),
        made("create_agent", {"agent_id": "agent-1", "agent_name": "Digest"}),
        made("run_agent", {"execution_id": "run-1", "graph_id": "agent-1"}),
        made("view_agent_output", {"execution": {"execution_id": "run-2"}}),
        events.tool_output_available("c", "web_fetch", {"content": "long"}, file=("file-2", "/sessions/s/x.json")),
        made("get_agent_building_guide", {"content": "long"}),
        events.background("bg-1", "run_agent", "running", "run", "run-3"),
        made("run_sub_session", {"sub_session_id": "sub-1"}),
        events.tool_input_available("t", "TodoWrite", todo),
    ]
    told = log((OLD, [*drafts, *answered("x")]), (NOW, [said("new")]))
    message = told[-1].id
    told = compacted(compacted(told, message - 1), message - 1, 5_000, "shorter")
    read = contents(model_messages(told, NOW, [])[0])[0]
    for kept in (
        "file-1",
        "file-2 (/sessions/s/x.json)",
        "agent-1 (Digest)",
        "run-1",
        "run-2",
        "run-3",
        "bg-1",
        "sub-1",
        "guide was read",
    ):
        assert kept in read, kept
    assert "Water the &lt;plants&gt;" in read
    assert "session_id" not in kept_facts(told)


def test_what_results_hold_under_the_names_of_ids_cannot_fill_the_window():
    """12.3: what outlives every summary is bounded, whatever a page or a run has put into a result."""
    hostile: list[Json] = [{"file_id": f"f-{n}", "name": "n" * 50_000, "run_id": "r" * 50_000} for n in range(300)]
    told = log((OLD, [made("run_block", {"outputs": hostile}), made("x", {"file_id": "f-7"}), *answered("x")]))
    facts = kept_facts(told)
    assert len(facts) < 50 * 300
    assert "rrr" not in facts
    assert facts.endswith(f"f-7 ({'n' * 200})")  # it was named last, and keeps the name that it had


def test_the_summary_of_what_came_before_is_not_cut_like_an_entry():
    """12.3: or each compaction would lose what the one before it kept"""
    before = "fact " * 1_500
    assert before in truncated([before, *["line " * 600] * 40], 8_000)
    assert len(truncated([before, *["line " * 600] * 40], 2_000)) < 2_100 * 4


def test_thoughts_count_where_they_are_sent_and_nowhere_else():
    """7.2, 12.3: within the turn, to the model that had them; not in the next turn, not in a summary."""
    signed = ThinkingPart("x" * 9_000, signature="y" * 900)
    raw = ModelResponse(parts=[signed, ToolCallPart("find_block", {"q": 1}, "c1")])
    thought = [events.reasoning_start("r"), events.reasoning_end("r", "x" * 9_000)]
    drafts = [said("hi"), events.start_step(1), *thought, *call(), result(), events.finish_step(1)]
    rounds = [raw_response(raw)]
    assert size_of(model_messages(log((NOW, drafts)), NOW, rounds)) > 9_900 // 4
    assert sum(map(weight, log((NOW, drafts)))) > 9_000 // 4
    later = model_messages(log(("old", drafts), (NOW, [said("and?")])), NOW, [])
    assert size_of(later) < 100
    assert "xxx" not in str(transcript(model_messages(log((NOW, drafts)), NOW, rounds)))


def test_the_providers_own_count_holds_until_the_next_compaction():
    """12.3"""
    counted = events.usage(prompt_tokens=100, cache_read_tokens=50, cache_write_tokens=None, completion_tokens=7)
    told = log((NOW, [said("hi"), events.start_step(1), *texts("x" * 39), counted, *call(), result()]))
    since = sum(map(weight, told[-3:]))
    assert reported(told, NOW) == 150 + 10 + since
    assert since > 0
    assert reported(compacted(told, 1), NOW) == 0


def test_what_was_thought_is_not_in_the_providers_count():
    """7.2: neither what came out of a call, nor what an earlier turn had sent back."""
    thought = [events.reasoning_start("r"), events.reasoning_end("r", "x" * 3_999)]
    counted = events.usage(prompt_tokens=1_100, cache_read_tokens=0, cache_write_tokens=0, completion_tokens=90_000)
    drafts = [said("hi"), events.start_step(1), *thought, counted]
    assert reported(log((NOW, drafts)), NOW) == 1_100
    later = log((OLD, drafts), (NOW, [said("and?")]))
    assert reported(later, NOW) == 1_100 - 1_000 + tokens("and?")


def test_only_results_are_cut_and_the_oldest_first():
    """11.5, 12.3"""
    big = {"type": "page", "text": "z" * 40_000}
    asked = ModelRequest(parts=[UserPromptPart("w" * 40_000)])
    results = [ModelRequest(parts=[ToolReturnPart("read", big, f"c{n}")]) for n in range(3)]
    read = shortened([asked, *results], 22_000)
    assert read[0] == asked
    assert [size_of([one]) < LEAST_TOKENS for one in read[1:]] == [True, True, False]
    assert size_of(read) <= 22_000


@given(st.lists(st.text(max_size=400), min_size=1, max_size=60), st.integers(200, 4_000))
def test_a_summary_without_a_model_is_always_the_same_and_never_too_long(lines: list[str], budget: int):
    """12.3"""
    made = truncated(lines, budget)
    assert made == truncated(lines, budget)
    assert tokens(made) <= budget + 60


@given(st.text(max_size=300), st.integers(3, 50))
def test_a_clipped_text_fits(text: str, budget: int):
    assert tokens(clipped(text, budget)) <= budget + 2


def test_the_window_is_told_or_known_or_guessed():
    """12.3"""
    assert window_of("openai/gpt-4o-mini") == 128_000
    assert window_of("anthropic/claude-sonnet-4-6") <= MOST
    assert window_of("ollama/nobody-knows-it") == UNKNOWN
    assert window_of("openai/gpt-4o-mini", 8_000) == 8_000


def test_what_is_added_weighs_about_what_the_fold_says():
    """12.3: so that a turn of many rounds need not fold its log before each."""
    output: JsonObject = {"type": "page", "text": "word " * 2_000}
    asked: JsonObject = {"q": "x" * 400}
    drafts = [events.start_step(1), *texts("An answer. " * 50), events.tool_input_available("c", "read", asked)]
    drafts += [made("read", output), events.finish_step(1), events.turn_ended("completed", None, 1)]
    before = log((OLD, [said("hi")]))
    after = log((OLD, [said("hi"), *drafts]))
    grown = size_of(model_messages(after, NOW, [])) - size_of(model_messages(before, NOW, []))
    assert abs(sum(map(weight, after[1:])) - grown) <= 0.05 * grown
