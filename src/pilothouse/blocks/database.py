"""Asking a database."""

from typing import Annotated, Literal

from pydantic import Field

from pilothouse.blocks.accounts import NO_ACCOUNT, example_account, login_at
from pilothouse.blocks.contract import (
    AnyJson,
    BlockContext,
    BlockInput,
    BlockOutput,
    Category,
    Effects,
    Example,
    block,
)
from pilothouse.blocks.credentials import CredentialRef, credentials_field
from pilothouse.kit.errors import UpstreamRefused
from pilothouse.kit.json import JsonObject
from pilothouse.kit.outside import DatabaseQuery, Rows

POSTGRES = 5432
_REF, _OPENED = example_account("00000000-0000-7000-8000-0000000000c4", "database", "Shop", "reader")
_ASK: JsonObject = {
    "host": "db.example.com",
    "database": "shop",
    "query": "select id, name from customers where country = $1",
    "params": ["NL"],
    "credentials": {**_REF},
}
_ROWS: list[JsonObject] = [{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bob"}]


class SQLQueryIn(BlockInput):
    database_type: Annotated[
        Literal["postgres", "mysql", "mssql", "sqlite"], Field(description="Only postgres and sqlite can be asked yet.")
    ] = "postgres"
    host: Annotated[str, Field(description="Host; not used by sqlite.", json_schema_extra={"address": "host"})]
    port: Annotated[int | None, Field(ge=1, le=65535, description="Port; none: the usual one.")] = None
    database: Annotated[str, Field(min_length=1, description="Name of the database, or of the SQLite file.")]
    query: Annotated[str, Field(min_length=1, description="One statement.", json_schema_extra={"format": "code"})]
    params: list[AnyJson] = Field(default=[], description="Values for $1, $2, ... (sqlite: ?, ?, ...).")
    read_only: Annotated[bool, Field(description="Only look. Off, the statement may change the database.")] = True
    timeout: Annotated[int, Field(ge=1, le=120, description="Seconds that the statement may take.")] = 30
    max_rows: Annotated[int, Field(ge=1, le=10_000, description="So many rows at most.")] = 1000
    tls: Annotated[
        Literal["verify", "unverified", "off"],
        Field(
            description="Encryption: with a trusted certificate, with any, or none.",
            json_schema_extra={"advanced": True},
        ),
    ] = "verify"
    credentials: CredentialRef = credentials_field(
        "database", types=("user_password",), description="Account at the database; not used by sqlite."
    )


class SQLQueryOut(BlockOutput):
    results: list[dict[str, AnyJson]] | None = None
    columns: list[str] | None = None
    row_count: int | None = None
    truncated: bool | None = None
    affected_rows: int | None = None


def effects_of(ask: SQLQueryIn) -> Effects:
    """Looking is not changing."""
    return Effects.READS if ask.read_only else Effects.WRITES


@block(
    id="4dc35c0f-4fd8-465e-9616-5a216f1ba2bc",
    name="SQL query",
    categories={Category.DATA, Category.DEVELOPER_TOOLS},
    effects=Effects.WRITES,
    effects_of=effects_of,
    sensitive=True,
    at_least_once=True,
    timeout_s=180.0,
    happy_pins=("results",),
    examples=[
        Example(
            ask=dict(_ASK),
            credentials=_OPENED,
            outside=[Rows(["id", "name"], _ROWS)],
            fires=[
                ("results", [*_ROWS]),
                ("columns", ["id", "name"]),
                ("row_count", 2),
                ("truncated", False),
            ],
        ),
        Example(
            ask={**_ASK, "query": "delete from customers where id = $1", "params": [1], "read_only": False},
            credentials=_OPENED,
            outside=[Rows([], [], affected=1)],
            fires=[("results", []), ("columns", []), ("row_count", 0), ("truncated", False), ("affected_rows", 1)],
        ),
        Example(
            ask={**_ASK, "query": "selec"},
            credentials=_OPENED,
            outside=[UpstreamRefused("the database answered 42601: syntax error")],
            fails="upstream_failed",
        ),
        Example(
            ask={**_ASK, "database_type": "mysql"},
            credentials=_OPENED,
            fires=[("error", "mysql cannot be asked: there is no driver for it here, only for postgres and sqlite")],
        ),
    ],
)
async def sql_query(ask: SQLQueryIn, ctx: BlockContext) -> SQLQueryOut:
    """Run one SQL statement and hand on its rows. It only looks, unless you switch `read_only` off.

    Values belong into `params`, never into the text of the statement.
    """
    kind = ask.database_type
    if kind not in ("postgres", "sqlite"):
        told = f"{kind} cannot be asked: there is no driver for it here, only for postgres and sqlite"
        return SQLQueryOut(error=told)
    login = login_at(ctx, ask.host, ask.port or POSTGRES)
    if login is None:
        return SQLQueryOut(error=NO_ACCOUNT)
    query = DatabaseQuery(
        *(kind, ask.database, ask.query, ask.params, ask.read_only, ask.tls, float(ask.timeout), ask.max_rows)
    )
    return _told(await ctx.outside.query_database(login, query))


def _told(found: Rows) -> SQLQueryOut:
    told = SQLQueryOut(
        results=list(found.rows), columns=list(found.columns), row_count=len(found.rows), truncated=found.truncated
    )
    if found.affected is not None:
        told.affected_rows = found.affected
    return told
