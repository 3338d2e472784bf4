"""Who may come in: people, their sessions, their API keys, and how the first of them is made."""

from pilothouse.features.accounts.errors import (
    ApiKeyNotFound,
    MailTaken,
    OwnerMissing,
    SetupDone,
    SetupLinkExpired,
    SignInRefused,
    UserNotFound,
)
from pilothouse.features.accounts.events import ApiKeyChanged, SessionsEnded, UserCreated, UserDisabled
from pilothouse.features.accounts.operators import (
    KeyFacts,
    Person,
    create_key_of,
    find_actor,
    list_all_keys,
    list_users,
    local_actor,
    revoke_key,
)
from pilothouse.features.accounts.passwords import Passwords
from pilothouse.features.accounts.queries import has_owner
from pilothouse.features.accounts.reception import Memories, Reception
from pilothouse.features.accounts.schemas import ApiKeyIn
from pilothouse.features.accounts.service import (
    create_api_key_for,
    create_user,
    disable_user,
    enable_user,
    forget_expired,
    make_owner_link,
    reset_password,
    set_role,
)

__all__ = [
    "ApiKeyChanged",
    "ApiKeyIn",
    "ApiKeyNotFound",
    "KeyFacts",
    "MailTaken",
    "Memories",
    "OwnerMissing",
    "Passwords",
    "Person",
    "Reception",
    "SessionsEnded",
    "SetupDone",
    "SetupLinkExpired",
    "SignInRefused",
    "UserCreated",
    "UserDisabled",
    "UserNotFound",
    "create_api_key_for",
    "create_key_of",
    "create_user",
    "disable_user",
    "enable_user",
    "find_actor",
    "forget_expired",
    "has_owner",
    "list_all_keys",
    "list_users",
    "local_actor",
    "make_owner_link",
    "reset_password",
    "revoke_key",
    "set_role",
]
