"""Commands on accounts: one verb, one function."""

from pilothouse.features.accounts.service.api_keys import (
    create_api_key,
    create_api_key_for,
    delete_api_key,
    patch_api_key,
    resume_api_key,
    suspend_api_key,
)
from pilothouse.features.accounts.service.sessions import forget_expired
from pilothouse.features.accounts.service.setup import create_owner, make_owner_link
from pilothouse.features.accounts.service.signin import (
    SignedIn,
    change_password,
    delete_session,
    login,
    logout,
)
from pilothouse.features.accounts.service.users import (
    create_user,
    disable_user,
    enable_user,
    patch_me,
    reset_password,
    set_role,
)

__all__ = [
    "SignedIn",
    "change_password",
    "create_api_key",
    "create_api_key_for",
    "create_owner",
    "create_user",
    "delete_api_key",
    "delete_session",
    "disable_user",
    "enable_user",
    "forget_expired",
    "login",
    "logout",
    "make_owner_link",
    "patch_api_key",
    "patch_me",
    "reset_password",
    "resume_api_key",
    "set_role",
    "suspend_api_key",
]
