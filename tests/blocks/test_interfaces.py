"""Ids, pins, types and defaults equal those of the agents that people bring along, or our own list (blocks:N2)."""

import ast
import re
from pathlib import Path
from typing import cast

import pytest

from pilothouse.blocks.registry import Registry
from pilothouse.graph.catalogue import Effects, Kind
from pilothouse.graph.fields import is_credentials
from pilothouse.graph.json_schema import as_list, as_object, resolve
from pilothouse.graph.values import fits
from pilothouse.kit.json import Json, JsonObject, loads

REGISTRY = Registry()
DATA = Path(__file__).parent / "data"
FACTS = cast(dict[str, JsonObject], loads((DATA / "interfaces.json").read_bytes()))  # of blocks that others have too
WAVE_1 = cast(dict[str, str], loads((DATA / "wave_1.json").read_bytes()))  # the blocks that need no account
OURS = cast(dict[str, JsonObject], loads((DATA / "ours.json").read_bytes()))
COMMON_INPUT = {"name", "value", "title", "description", "advanced"}
ADDED = {"color", "required", "params", "tls"}  # an input of ours on blocks of theirs

# A value or more of each type that the table names; words that are not here name enumerations.
SAMPLES: dict[str, list[Json]] = {
    "Any": ["a", 1, None, [], {}],
    "str": ["a"],
    "int": [3],
    "float": [1.5, 2],
    "bool": [True],
    "dict": [{"a": 1}],
    "Dict[str, Any]": [{"a": [1]}],
    "dict[str, Any]": [{"a": [1]}],
    "dict[Any, Any]": [{"a": [1]}],
    "dict[str, str]": [{"a": "b"}],
    "list": [[1, "a"]],
    "list[Any]": [[1, "a"]],
    "List[Any]": [[1, "a"]],
    "List[List[Any]]": [[[1], ["a"]]],
    "Union[Dict[str, Any], List[Union[dict, List[Any]]]]": [{"a": 1}, [{"a": 1}, [1]]],
    "list[str]": [["a"]],
    "list[dict[str, Any]]": [[{"a": 1}]],
    "list[MediaFileType]": [["workspace://a"]],
    "MediaFileType": ["workspace://a"],
    "ShortTextType": ["a"],
    "LongTextType": ["a"],
    "date": ["2026-01-31"],
    "time": ["09:30:00"],
    "None": [None],
    "BlockInput": [{"a": 1}],
    "E2BCredentials": [{"id": "c", "provider": "e2b", "type": "api_key", "title": "Mine"}],
    "HttpCredentials": [{"id": "c", "provider": "http", "type": "host_scoped", "title": "Mine"}],
    "SMTPConfig": [{"smtp_server": "smtp.example.com", "smtp_port": 25}],
    "SMTPCredentialsInput": [{"id": "c", "provider": "smtp", "type": "user_password", "title": "Mine"}],
    "SecretStr": ["db.example.com"],
    "DatabaseCredentialsInput": [{"id": "c", "provider": "database", "type": "user_password", "title": "Mine"}],
    "MCPCredentials": [{"id": "c", "provider": "mcp", "type": "api_key", "title": "Mine"}, None],
    "list[ToolName]": [["find_block"]],
    "CodexAutoPilotCredentials": [{"id": "a", "provider": "codex", "type": "api_key", "title": "b"}],
    "AutoPilotTransport": ["a"],
    "NodesInputMasks": [{"node": {"pin": 1}}],
}
CHOICES: dict[str, list[Json]] = {
    "ComparisonOperator": ["==", "!=", ">", "<", ">=", "<="],
    "Operation": ["Add", "Subtract", "Multiply", "Divide", "Power"],
    "SamplingMethod": ["random", "systematic", "top", "bottom", "stratified", "weighted", "reservoir", "cluster"],
    "TypeOptions": ["string", "number", "boolean", "list", "dictionary"],
    "ProgrammingLanguage": ["python", "js", "bash", "r", "java"],
    "StorageScope": ["within_agent", "across_agents"],
    "HttpMethod": ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"],
    "DatabaseType": ["postgres", "mysql", "mssql"],
    "TimeStrftimeFormat": [{"discriminator": "strftime", "format": "%H:%M", "timezone": "UTC"}],
    "TimeISO8601Format": [{"discriminator": "iso8601", "timezone": "UTC", "include_microseconds": True}],
    "DateStrftimeFormat": [{"discriminator": "strftime", "format": "%Y", "use_user_timezone": True}],
    "DateISO8601Format": [{"discriminator": "iso8601", "timezone": "UTC"}],
    "StrftimeFormat": [{"discriminator": "strftime", "format": "%Y"}],
    "ISO8601Format": [{"discriminator": "iso8601", "include_microseconds": False}],
}


def members(kind: str) -> list[str]:
    """The types that a union of Python's, in any of its spellings, is made of."""
    if kind in SAMPLES or kind in CHOICES:
        return [kind]
    if found := re.fullmatch(r"Optional\[(.*)\]", kind):
        return [*members(found[1]), "None"]
    if found := re.fullmatch(r"Union\[(.*)\]", kind):
        return [one for part in re.split(r", (?![^\[]*\])", found[1]) for one in members(part)]
    return [one for part in kind.split(" | ") for one in members(part)]


def default_of(told: str) -> Json:
    """What the table calls the default, as JSON."""
    factories: dict[str, Json] = {"list()": [], "dict()": {}, "lambda: list()()": []}
    if told in factories:
        return factories[told]
    if found := re.fullmatch(r"lambda: (.*)\(\)", told):
        return cast(Json, ast.literal_eval(found[1]))
    if found := re.fullmatch(r"[A-Za-z0-9]+\.([A-Z_]+)", told):
        return found[1]  # a member of an enumeration
    return cast(Json, ast.literal_eval(told))


def words(value: object) -> set[str]:
    return {str(item) for item in cast(list[object], value)}


def pins(block_id: str) -> JsonObject:
    return as_object(REGISTRY[block_id].inputs["properties"])


@pytest.mark.parametrize("name", [*FACTS, *OURS])
def test_ids_and_pins_equal_the_table(name: str):
    facts = FACTS.get(name) or OURS[name]
    spec = REGISTRY[str(facts["id"])]
    wanted = set(as_object(facts["in"]))
    if spec.kind is Kind.INPUT:
        wanted |= COMMON_INPUT  # typed inputs inherit these; the table lists only what each adds

    assert set(pins(spec.id)) - ADDED == wanted
    assert set(as_object(spec.outputs["properties"])) == words(facts["out"]) | {"error"}


@pytest.mark.parametrize("name", [*FACTS, *OURS])
def test_what_is_required_there_is_required_here(name: str):
    facts = FACTS.get(name) or OURS[name]
    required = words(as_list(REGISTRY[str(facts["id"])].inputs.get("required")))
    for pin, told in as_object(facts["in"]).items():
        assert (pin in required) == as_object(told)["required"], pin


@pytest.mark.parametrize("name", list(FACTS))
def test_every_value_of_the_type_there_fits_here(name: str):
    facts = FACTS[name]
    spec = REGISTRY[str(facts["id"])]
    for pin, told in as_object(facts["in"]).items():
        for kind in members(str(as_object(told)["type"])):
            for value in SAMPLES.get(kind) or CHOICES[kind]:
                assert fits(value, as_object(pins(spec.id)[pin]), spec.inputs), (pin, value)


@pytest.mark.parametrize("name", list(FACTS))
def test_defaults_are_those_of_the_table(name: str):
    facts = FACTS[name]
    ours = pins(str(facts["id"]))
    for pin, told in as_object(facts["in"]).items():
        if "default" not in as_object(told) or is_credentials(pin):  # none chosen is {} there and null here
            continue
        have = as_object(ours[pin]).get("default")
        text = str(as_object(told)["default"])
        if text.endswith("Format(discriminator='strftime')"):
            assert as_object(have)["discriminator"] == "strftime"
        elif isinstance(wanted := default_of(text), str):
            assert str(have).casefold() == wanted.casefold(), pin
        else:
            assert (have, type(have)) == (wanted, type(wanted)), pin


@pytest.mark.parametrize("name", list(OURS))
def test_our_own_defaults_and_choices_are_those_of_the_list(name: str):
    spec = REGISTRY[str(OURS[name]["id"])]
    for pin, told in as_object(OURS[name]["in"]).items():
        have = resolve(as_object(pins(spec.id)[pin]), spec.inputs)
        assert have.get("default") == as_object(told).get("default"), pin
        assert have.get("enum") == as_object(told).get("enum"), pin


def test_every_shipped_block_is_in_a_table():
    assert {str(facts["id"]) for facts in (*FACTS.values(), *OURS.values())} == set(REGISTRY)


def test_n2_the_first_wave_is_shipped():
    assert len(set(WAVE_1.values())) == len(WAVE_1) == 90
    assert {name for name, block_id in WAVE_1.items() if block_id not in REGISTRY} == set()


def test_kinds_effects_and_static_outputs():
    by_name = {spec.name: spec for spec in REGISTRY.values()}
    inputs = [spec for spec in REGISTRY.values() if spec.kind is Kind.INPUT]
    assert len(inputs) == 10
    static = {spec.name for spec in REGISTRY.values() if spec.static_output and spec.kind is not Kind.INPUT}
    assert all(spec.static_output for spec in inputs)
    assert static == {"Agent output", "File store", "Store value", "Retrieve information"}
    assert by_name["Agent output"].kind is Kind.OUTPUT
    assert by_name["Note"].kind is Kind.NOTE
    assert by_name["Generic webhook trigger"].kind is Kind.TRIGGER
    assert {spec.name for spec in REGISTRY.values() if spec.effects is Effects.WRITES} == {
        "AutoPilot",
        "Execute code",
        "Execute code step",
        "Instantiate code sandbox",
        "Send authenticated web request",
        "Send email",
        "Send web request",
        "MCP tool",
        "SQL query",
    }
    assert {spec.name for spec in REGISTRY.values() if spec.effects is Effects.READS} == {
        "Agent file input",
        "Fetch web page",
        "File read",
        "File store",
        "Get Wikipedia summary",
        "Read RSS feed",
        "Read email",
        "Read spreadsheet",
    }
    assert {spec.name for spec in REGISTRY.values() if spec.sensitive} == {"SQL query", "Send email"}  # Q7
    assert not by_name["Send web request"].streams
    assert {spec.name for spec in REGISTRY.values() if spec.kind is Kind.AI} == {"AutoPilot"}
    assert not by_name["AutoPilot"].streams
    assert by_name["Countdown timer"].timeout_s is None
