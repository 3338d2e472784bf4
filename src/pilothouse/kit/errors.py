"""What can go wrong, by who can mend it: the caller, the outside world, or us."""

import re
from inspect import cleandoc
from typing import ClassVar

from pilothouse.kit.json import Json


class PilothouseError(Exception):
    """Something went wrong."""

    status: ClassVar[int] = 500
    retryable: ClassVar[bool] = False
    wire_code: ClassVar[str | None] = None  # set where one code serves many classes (`not_found`)
    hint: ClassVar[str | None] = None

    def __init__(self, message: str | None = None, *, hint: str | None = None, **facts: Json) -> None:
        super().__init__(message or cleandoc(type(self).__doc__ or ""))
        self.facts = facts
        self.advice = hint or self.hint

    @property
    def code(self) -> str:
        """The word that programs match on."""
        return type(self).code_of()

    @classmethod
    def code_of(cls) -> str:
        return cls.wire_code or re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    @property
    def message(self) -> str:
        return str(self)


class UserError(PilothouseError):
    """The request cannot be done as asked."""

    status = 400


class BadRequest(UserError):
    """The request is wrong as a whole."""


class Invalid(UserError):
    """Some values were refused."""

    status = 422
    wire_code = "validation_failed"


class Unauthenticated(UserError):
    """Sign in first."""

    status = 401


class PaymentRequired(UserError):
    """This needs payment."""

    status = 402


class Forbidden(UserError):
    """You may not do this."""

    status = 403


class NotFound(UserError):
    """There is no such thing, or it is not yours."""

    status = 404
    wire_code = "not_found"


class Conflict(UserError):
    """This does not fit the present state."""

    status = 409


class Gone(UserError):
    """This is no longer available."""

    status = 410


class TooLarge(UserError):
    """This is larger than allowed."""

    status = 413


class RateLimited(UserError):
    """Too many requests."""

    status = 429
    retryable = True


class UpstreamError(PilothouseError):
    """A service that this depends on failed."""

    status = 502
    retryable = True
    wire_code = "upstream_failed"


class UpstreamTimeout(UpstreamError):
    """A service that this depends on took too long."""

    status = 504
    wire_code = "upstream_timeout"


class UpstreamRefused(UpstreamError):
    """A service that this depends on refused the request."""

    retryable = False


class Unavailable(PilothouseError):
    """This cannot be served just now."""

    status = 503
    retryable = True
    hint = "Nothing was changed. Try again in a moment."


class ShuttingDown(Unavailable):
    """This process is stopping."""
