"""Inputs against the schema that an agent's Input nodes make."""

import pytest

from pilothouse.features.agents.documents import admit, read_document
from pilothouse.features.agents.errors import AgentInvalid
from pilothouse.features.agents.inputs import InputCheck
from pilothouse.graph.catalogue import Catalogue
from pilothouse.graph.validate import validate
from pilothouse.kit.json import Json, JsonObject
from tests.features.agents.graphs import greeter

GIVEN: list[Json] = [None, True, 0, 2.0, 2.5, "", "3", "often", [], ["x"], {}, {"a": 1}]


@pytest.fixture(scope="session")
def check(catalogue: Catalogue) -> InputCheck:
    return InputCheck(admit(read_document(greeter()), catalogue).input_schema)


@pytest.mark.parametrize("inputs", [{"who": "Ada"}, {"who": "Ada", "times": 2.5}, {"who": "Ada", "times": None}])
def test_inputs_that_fit_pass(check: InputCheck, inputs: JsonObject):
    check(inputs)


def test_a_value_that_converts_passes_as_it_would_in_a_run(check: InputCheck):
    check({"who": "Ada", "times": "3"})


@pytest.mark.parametrize(
    ("inputs", "faults"),
    [
        ({}, [("who", "input_missing")]),
        ({"who": None}, [("who", "input_missing")]),
        ({"whom": "Ada"}, [("whom", "input_unknown"), ("who", "input_missing")]),
        ({"who": "Ada", "times": "often"}, [("times", "wrong_type")]),
    ],
)
def test_inputs_that_do_not_fit_are_all_named(check: InputCheck, inputs: JsonObject, faults: list[tuple[str, str]]):
    with pytest.raises(AgentInvalid) as refusal:
        check(inputs)
    issues = refusal.value.facts["issues"]
    assert isinstance(issues, list)
    assert [(issue["field"], issue["code"]) for issue in issues if isinstance(issue, dict)] == faults


@pytest.mark.parametrize("who", GIVEN)
@pytest.mark.parametrize("times", GIVEN)
def test_the_prepared_check_says_what_the_validator_says(
    check: InputCheck, catalogue: Catalogue, who: Json, times: Json
):
    inputs: JsonObject = {"who": who, "times": times}
    report = validate(admit(read_document(greeter()), catalogue).doc, catalogue, "run", inputs=inputs)
    if report.valid:
        check(inputs)
        return
    with pytest.raises(AgentInvalid) as refusal:
        check(inputs)
    assert refusal.value.facts["errors"] == report.to_json()["errors"]
