"""Models: who can be asked, which of them answers, what each call has cost, and how much may be spent."""

from pilothouse.features.models.costs import (
    ALLOWANCE,
    Charge,
    CostRow,
    CostSource,
    charges_of,
    insert_cost,
    worth_a_row,
)
from pilothouse.features.models.desk import ModelDesk
from pilothouse.features.models.errors import BudgetExceeded, ConnectionNotFound, ModelUnavailable, PriceUnknown
from pilothouse.features.models.kinds import KINDS, Connection, is_private
from pilothouse.features.models.queries import connection_named
from pilothouse.features.models.resolving import (
    OFFLINE,
    Resolved,
    Stock,
    find_model,
    resolve_chat_model,
    resolve_fallback,
    stock_of_settings,
)
from pilothouse.features.models.schemas import ConnectionIn
from pilothouse.features.models.service import (
    Probe,
    Tested,
    connection_of,
    create_model_connection,
    delete_model_connection,
)
from pilothouse.features.models.spending import Limits, Spending, limits_of
from pilothouse.features.models.stockroom import Stockroom

__all__ = [
    "ALLOWANCE",
    "KINDS",
    "OFFLINE",
    "BudgetExceeded",
    "Charge",
    "Connection",
    "ConnectionIn",
    "ConnectionNotFound",
    "CostRow",
    "CostSource",
    "Limits",
    "ModelDesk",
    "ModelUnavailable",
    "PriceUnknown",
    "Probe",
    "Resolved",
    "Spending",
    "Stock",
    "Stockroom",
    "Tested",
    "charges_of",
    "connection_named",
    "connection_of",
    "create_model_connection",
    "delete_model_connection",
    "find_model",
    "insert_cost",
    "is_private",
    "limits_of",
    "resolve_chat_model",
    "resolve_fallback",
    "stock_of_settings",
    "worth_a_row",
]
