"""The examples of `docs/reference/runs-api.md`, run."""

import re
from pathlib import Path
from typing import Any

from pilothouse.kit.json import loads
from tests.features.runs.stand import Stand

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "runs-api.md"


async def test_the_examples_are_true(stand: Stand):
    example: dict[str, Any] = {
        name: loads(text) for name, text in re.findall(r"```json (\w+)\n(.*?)```", PAGE.read_text(), re.DOTALL)
    }
    path = f"/api/v1/agents/{await stand.agent(example['graph'])}/runs"
    answer = await stand.ann.http.post(path, json=example["ask"], headers={"Prefer": "wait=10"})
    run = answer.json()
    assert answer.status_code == 200
    assert {name: run[name] for name in example["run"]} == example["run"]
    assert [event["type"] for event in await stand.events(run["id"])] == example["events"]

    again = await stand.ann.http.post(f"/api/v1/runs/{run['id']}/fork", json=example["fork"])
    assert again.status_code == 201, again.text
    forked = await stand.reaches(again.json()["id"], "completed")
    assert {name: forked[name] for name in example["forked"]} == example["forked"]

    refused = await stand.ann.http.post(path, json=example["refused"])
    assert (refused.status_code, refused.json()["code"]) == (422, "agent_invalid")
    assert {issue["code"] for issue in refused.json()["detail"]["issues"]} == {"input_unknown", "input_missing"}
