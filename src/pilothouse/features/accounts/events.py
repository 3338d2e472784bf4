"""What happens to accounts."""

from dataclasses import dataclass

from pilothouse.base.actor import Role
from pilothouse.kit.ids import ApiKeyId, UserId


@dataclass(frozen=True, slots=True)
class UserCreated:
    """`user.created`"""

    user_id: UserId
    role: Role


@dataclass(frozen=True, slots=True)
class UserDisabled:
    """`user.disabled`: sessions and keys no longer open anything."""

    user_id: UserId


@dataclass(frozen=True, slots=True)
class SessionsEnded:
    """`sessions.ended`: some or all of a user's browsers were signed out."""

    user_id: UserId


@dataclass(frozen=True, slots=True)
class ApiKeyChanged:
    """`api_key.changed`: its rights, or whether it opens anything at all."""

    user_id: UserId
    api_key_id: ApiKeyId
