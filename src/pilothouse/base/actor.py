"""On whose behalf something is done."""

from dataclasses import dataclass
from enum import StrEnum

from pilothouse.kit.ids import ApiKeyId, UserId


class Role(StrEnum):
    """What a user may do to others' things: nothing, administer, or own the installation."""

    OWNER = "owner"
    ADMIN = "admin"
    MEMBER = "member"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts, and with which rights. Every query is scoped by it."""

    user_id: UserId
    role: Role = Role.MEMBER
    scopes: frozenset[str] | None = None  # None: a person's session, which is not narrowed
    key_id: ApiKeyId | None = None
    rate_limit_per_minute: int | None = None  # the key's own limit, where it has one
    by_autopilot: bool = False  # a turn acts in the user's name

    @property
    def is_admin(self) -> bool:
        return self.role in {Role.OWNER, Role.ADMIN}


SYSTEM = Actor(user_id=UserId("00000000-0000-0000-0000-000000000000"), role=Role.ADMIN)
