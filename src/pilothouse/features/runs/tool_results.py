"""What AutoPilot's tools for runs answer."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from pilothouse.base.tools import ToolError, ToolResult


class AgentDetails(ToolResult):
    """The agent was not run: values are missing."""

    type: Literal["agent_details"] = "agent_details"
    agent: dict[str, Any]
    missing: list[str]
    graph_id: str
    graph_version: int


class InputValidation(ToolResult):
    """The agent was not run: some values do not fit."""

    type: Literal["input_validation_error"] = "input_validation_error"
    unrecognized_fields: list[str]
    errors: dict[str, str]
    inputs: dict[str, Any]
    graph_id: str
    graph_version: int


class ExecutionStarted(ToolResult):
    type: Literal["execution_started"] = "execution_started"
    execution_id: str
    graph_id: str
    graph_name: str
    library_agent_id: str
    library_agent_link: str
    link: str
    status: str
    is_dry_run: bool = False
    background_id: str | None = None  # where `check_background_tool` finds it


class RunBroken(ToolError):
    """A run that was waited for, and failed or was cancelled."""

    execution_id: str
    graph_id: str
    is_dry_run: bool = False


class Execution(BaseModel):
    """One run."""

    execution_id: str
    status: str
    started_at: str | None
    ended_at: str | None
    inputs_summary: dict[str, Any]
    outputs: dict[str, list[Any]]
    error: str | None
    link: str
    node_executions: list[dict[str, Any]] | None = None  # of a dry run: what each step was given and gave


class AgentOutput(ToolResult):
    type: Literal["agent_output"] = "agent_output"
    agent_name: str
    agent_id: str
    library_agent_id: str
    library_agent_link: str
    execution: Execution
    available_executions: list[dict[str, Any]] = Field(default_factory=list[dict[str, Any]])
    warnings: list[str] = Field(default_factory=list)
    is_dry_run: bool = False
