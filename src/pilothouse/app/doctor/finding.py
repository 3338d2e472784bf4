"""What a check says."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from pilothouse.kit.json import JsonObject

Level: TypeAlias = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One check's answer; `remedy` is what to do about anything but ok."""

    check: str
    level: Level
    words: str
    remedy: str | None = None

    def as_json(self) -> JsonObject:
        return {"check": self.check, "level": self.level, "words": self.words, "remedy": self.remedy}


def ok(check: str, words: str) -> Finding:
    return Finding(check, "ok", words)


def warn(check: str, words: str, remedy: str) -> Finding:
    return Finding(check, "warn", words, remedy)


def fail(check: str, words: str, remedy: str) -> Finding:
    return Finding(check, "fail", words, remedy)
