"""autopilot:17.3, 17.4: what the offline pilot reads out of a sentence; pure."""

import time
from typing import Any

import pytest

from pilothouse.autopilot.offline.blueprint import draw, phrases, read_blueprint
from pilothouse.autopilot.offline.intents import (
    EXAMPLES,
    Build,
    Explain,
    FindAgents,
    FindBlocks,
    Help,
    Intent,
    Run,
    ShowResults,
    Unknown,
    pairs,
    read_intent,
    typed,
)
from pilothouse.autopilot.offline.steps import Step, read_step
from pilothouse.features.chat.limits import MAX_MESSAGE
from pilothouse.kit.json import JsonObject


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("HELP", Help()),
        ("find blocks for sending email", FindBlocks("sending email")),
        ("find me blocks about text", FindBlocks("text")),
        ("search my library for digest", FindAgents("digest")),
        ("find agents about newsletters", FindAgents("newsletters")),
        ("list my agents", FindAgents("")),
        ("Build an agent that takes a name and greets it.", Build("takes a name and greets it")),
        ("make me an agent called Shout that makes a text upper case", Build("makes a text upper case", "Shout")),
        ("explain Daily digest", Explain("Daily digest")),
        ("explain it", Explain("")),
        ("dry run it", Run(None, dry_run=True)),
        ("run Daily digest with topic=python", Run("Daily digest", {"topic": "python"})),
        ("run the Greeting agent", Run("Greeting")),
        ("run it with https://example.com", Run(None, bare="https://example.com")),
        ("run it with url=https://example.com/a?b=c", Run(None, {"url": "https://example.com/a?b=c"})),
        ("name=Ada", Run(None, {"name": "Ada"})),
        ("show the results", ShowResults(None)),
        ("show me the results of Daily digest", ShowResults("Daily digest")),
        ("run it every weekday at 9", Unknown()),
        ("tell me a joke", Unknown()),
        ("", Unknown()),
    ],
)
def test_a_sentence_means_one_thing(said: str, meant: Intent):
    assert read_intent(said) == meant


@pytest.mark.parametrize(("_", "example"), EXAMPLES)
def test_every_example_that_is_offered_is_understood(_: str, example: str):
    assert not isinstance(read_intent(example), Unknown)


@pytest.mark.parametrize(
    ("told", "read"),
    [
        ("a=1", {"a": "1"}),
        ('a="x, y" and b=z', {"a": "x, y", "b": "z"}),
        ("a=one two, b=three", {"a": "one two", "b": "three"}),
        ('a=["x", "y"], b={"c": 1}', {"a": '["x", "y"]', "b": '{"c": 1}'}),
        ("a = 'q'", {"a": "q"}),
        ("--topic=python, 2n=3", {"topic": "python, 2n=3"}),
        ("2n-th=3", {"n-th": "3"}),
        ("see http://x.org, n=3", {"n": "3"}),
        ("nothing here", {}),
    ],
)
def test_values_are_read_by_name(told: str, read: dict[str, str]):
    assert pairs(told) == read


@pytest.mark.parametrize("piece", ["a", "_", "a-", "1a", "--a", "-", "a b", "a:", "a=", "a=[", "a='", ",a", "and "])
def test_no_message_holds_a_worker_up(piece: str):
    """17.1: a word of 64,000 letters was looked at once for each of them."""
    began = time.process_time()
    read_intent("run it with " + piece * ((MAX_MESSAGE - 12) // len(piece)))
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    ("value", "schema", "given"),
    [
        ("5", {"type": "string"}, "5"),
        ("5", {"anyOf": [{"type": "string"}, {"type": "null"}]}, "5"),
        ("5", {"anyOf": [{"type": "integer"}, {"type": "number"}]}, 5),
        ("a, b", {"type": "array"}, ["a", "b"]),
        ("true", {"type": "boolean"}, True),
        ("[1]", None, [1]),
        ("hi", None, "hi"),
    ],
)
def test_a_value_gets_the_type_its_input_takes(value: str, schema: Any, given: Any):
    assert typed(value, schema) == given


def test_what_stands_in_quotes_is_left_whole():
    assert phrases('takes a name, says "hi, and bye" and then waits 3 seconds') == [
        "takes a name",
        'says "hi, and bye"',
        "waits 3 seconds",
    ]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("says \x000\x00 and waits", ["says  0", "waits"]),
        ('says "a, b" \x000\x00', ['says "a, b"  0']),
        ("says “a, b” and “c", ["says “a, b”", "“c"]),
    ],
)
def test_marks_and_quotes_that_nobody_closes_are_text(said: str, meant: list[str]):
    """17.3: a message may hold any character."""
    assert phrases(said) == meant


@pytest.mark.parametrize("quote", ["“", "“a", '"', "'", "\x00", "a, "])
def test_no_description_holds_a_worker_up(quote: str):
    """17.1"""
    began = time.process_time()
    phrases(quote * (MAX_MESSAGE // len(quote)))
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize(
    ("phrase", "block", "inputs"),
    [
        ("greets it", "Fill text template", {"format": "Hello {{ value }}!"}),
        ("makes it upper case", "Fill text template", {"format": "{{ value | upper }}"}),
        ("turns the text into lower case", "Fill text template", {"format": "{{ value | lower }}"}),
        ("counts the words", "Fill text template", {"format": "{{ value | wordcount }}"}),
        ("joins them with commas", "Fill text template", {"format": "{{ value | join(', ') }}"}),
        ('replaces "a" with "b\'c"', "Fill text template", {"format": "{{ value | replace('a', 'b\\'c') }}"}),
        ('adds "{{ evil }}" to it', "Fill text template", {"format": "{{ value }}{{ '{{ evil }}' }}"}),
        ("goes through them", "Step through items", {}),
        ("fetches the page", "Send web request", {"method": "GET"}),
        ("waits for 5 minutes", "Countdown timer", {"minutes": 5}),
        ("checks whether it is less than 10", "Condition", {"operator": "<", "value2": 10}),
    ],
)
def test_a_fragment_asks_for_a_block(phrase: str, block: str, inputs: dict[str, Any]):
    step = read_step(phrase)
    assert step is not None
    assert (step.block, step.inputs) == (block, inputs)


@pytest.mark.parametrize("phrase", ["gets its Wikipedia summary", "writes it to a file", "dances", "takes a name"])
def test_a_fragment_that_no_rule_knows_is_left_to_the_search(phrase: str):
    assert read_step(phrase) is None


def test_a_block_that_the_search_finds_for_an_unknown_step_is_placed_if_it_needs_one_value():
    blueprint = read_blueprint("takes a topic, gets its Wikipedia summary and frames it")
    summary: JsonObject = {
        "name": "Get Wikipedia summary",
        "input_schema": {"properties": {"topic": {}}, "required": ["topic"]},
        "output_schema": {"properties": {"error": {}, "summary": {}}},
    }
    needy: JsonObject = {
        "name": "Frames",
        "input_schema": {"properties": {"a": {}, "b": {}}, "required": ["a", "b"]},
        "output_schema": {"properties": {"error": {}, "x": {}}},
    }
    drawing = draw(blueprint, {"gets its Wikipedia summary": [summary], "frames it": [needy]})
    assert drawing.unplaced == ["frames it"]
    assert {"op": "connect", "from": "topic", "out": "result", "to": "step_1", "in": "topic"} in drawing.operations
    assert {"op": "connect", "from": "step_1", "out": "summary", "to": "result", "in": "value"} in drawing.operations


def test_a_known_block_that_is_not_installed_is_not_placed():
    blueprint = read_blueprint("takes a name and greets it")
    assert isinstance(blueprint.steps[0], Step)
    assert draw(blueprint, {"Fill text template": []}).unplaced == ["greets it"]
