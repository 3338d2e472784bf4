"""What a validation says."""

from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

from pilothouse.graph.document import Link, link_json
from pilothouse.kit.json import Json, JsonObject

Level: TypeAlias = Literal["save", "run"]
Severity: TypeAlias = Literal["error", "warning"]

AGENT: Final = "$agent"  # stands for the node in faults of the agent as a whole

# What keeps a version from being stored; `limit_*` as well.
STRUCTURE: Final = frozenset(
    {
        *(
            "bad_document",
            "duplicate_node",
            "duplicate_link",
            "unknown_block",
            "disabled_block",
            "unknown_node",
            "unknown_out_pin",
        ),
        *("unknown_in_pin", "bad_pin_path", "note_linked", "reserved_name", "name_missing", "input_type_conflict"),
        *("several_triggers", "bad_cron", "sub_agent_missing", "sub_agent_cycle", "too_deep"),
    }
)
# What is never more than a warning.
ADVICE: Final = frozenset({"never_ready", "unreachable", "likely_lossy", "unknown_input", "address_refused"})


@dataclass(frozen=True, slots=True)
class Issue:
    """One fault; `field` is a pin or a part of the node, `link` the wire it is about.

    A node inside a sub-agent is named by its way there, `parent/child`; its link is told as the child has it.
    """

    node_id: str
    field: str
    code: str
    message: str
    severity: Severity
    link: Link | None = None

    def to_json(self) -> JsonObject:
        return {
            "node_id": self.node_id,
            "field": self.field,
            "link": None if self.link is None else link_json(self.link),
            "code": self.code,
            "message": self.message,
            "severity": self.severity,
        }


@dataclass(slots=True)
class Report:
    """All faults of one pass. `valid` and `errors` count only what is an error at this level."""

    level: Level
    issues: list[Issue] = field(default_factory=list[Issue])

    def add(
        self, node_id: str, where: str, code: str, message: str, link: Link | None = None, *, to_run: bool = False
    ) -> None:
        """Note a fault; its code and the level say how grave it is. One `to_run` keeps nothing from being stored."""
        severity = "warning" if to_run and self.level == "save" else self._severity(code)
        self.issues.append(Issue(node_id, where, code, message, severity, link))

    def add_inside(self, node_id: str, inner: "Report") -> None:
        """Take over what was found in the sub-agent behind this node."""
        self.issues += [replace(issue, node_id=f"{node_id}/{issue.node_id}") for issue in inner.issues]

    @property
    def valid(self) -> bool:
        return all(issue.severity != "error" for issue in self.issues)

    @property
    def errors(self) -> dict[str, dict[str, str]]:
        """The first message for each field of each node."""
        found: dict[str, dict[str, str]] = {}
        for issue in self.issues:
            if issue.severity == "error":
                found.setdefault(issue.node_id, {}).setdefault(issue.field, issue.message)
        return found

    def to_json(self) -> JsonObject:
        errors: dict[str, Json] = {node_id: dict(fields) for node_id, fields in self.errors.items()}
        return {"valid": self.valid, "errors": errors, "issues": [issue.to_json() for issue in self.issues]}

    def _severity(self, code: str) -> Severity:
        if code in ADVICE:
            return "warning"
        grave = self.level == "run" or code in STRUCTURE or code.startswith("limit_")
        return "error" if grave else "warning"
