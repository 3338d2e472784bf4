"""What can go wrong with models."""

from pilothouse.kit.errors import Conflict, Invalid, NotFound, RateLimited


class ConnectionNotFound(NotFound):
    """There is no such connection."""


class ConnectionExists(Conflict):
    """There is a connection of this name."""

    wire_code = "already_exists"
    hint = "Change that one, or give this one another name."


class ConnectionInvalid(Invalid):
    """This cannot be a connection."""


class ModelUnavailable(Conflict):
    """This model cannot be used here."""

    hint = "Name it as provider/name, and connect that provider."


class BudgetExceeded(RateLimited):
    """What may be spent on models in this time is spent."""

    retryable = False
    hint = "Wait until the time that `resets_at` says, or ask an administrator for a higher limit."


class PriceUnknown(Conflict):
    """Nobody knows what this model costs, and there is a limit on spending."""

    hint = "Choose a model with a known price, or mark the connection as free."
