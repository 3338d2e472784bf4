"""A model that plays blocks: it answers each question of a simulated step with what a stub would give."""

from dataclasses import dataclass, field

from pilothouse.blocks.registry import Registry
from pilothouse.blocks.stubs import stub
from pilothouse.graph.json_schema import as_object
from pilothouse.kit.json import JsonObject, dumps, loads
from tests.providers.script import Answer, Asked, Refusal, Script


@dataclass(slots=True)
class Impostor(Script):
    """What is in `answers` comes first."""

    answers: list[Answer | Refusal] = field(default_factory=list[Answer | Refusal])
    registry: Registry = field(default_factory=lambda: Registry(test_blocks=True))

    def take(self, request: Asked) -> Answer | Refusal:
        self.requests.append(request)
        if self.answers:
            return self.answers.pop(0)
        block = as_object(question(request)["step"])["block"]
        return Answer(text=(dumps(dict(stub(self.registry[str(block)]))),))


def question(request: Asked) -> JsonObject:
    """What was asked, without a complaint about the answer before."""
    return as_object(loads(str(request.body["messages"][-1]["content"]).partition("\n\n")[0]))
