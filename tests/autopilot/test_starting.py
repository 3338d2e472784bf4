"""A process that only answers requests never loads the agent library, and nobody does at the start (B14)."""

import subprocess
import sys

import pytest

LOOK = (
    "import sys; print(sorted(name for name in sys.modules if name.split('.')[0]"
    " in ('pydantic_ai', 'openai', 'anthropic') or name.startswith('pilothouse.autopilot')))"
)


@pytest.mark.parametrize(
    "loads",
    [
        "import pilothouse.app.serve, pilothouse.app.api, pilothouse.app.house, pilothouse.app.turns",
        "import pilothouse.app.openapi",
        "import pilothouse.features.agents.tools, pilothouse.features.runs.tools, pilothouse.base.tools",
    ],
)
def test_what_serves_requests_loads_no_agent_library(loads: str):
    told = subprocess.run([sys.executable, "-c", f"{loads}; {LOOK}"], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


def test_the_first_offline_turn_loads_no_providers_library():
    loads = "import pilothouse.autopilot; from pilothouse.autopilot.models import _offline; _offline()"
    look = "import sys; print([name for name in ('openai', 'anthropic') if name in sys.modules])"
    told = subprocess.run([sys.executable, "-c", f"{loads}; {look}"], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
