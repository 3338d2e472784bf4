"""The door of the WebSocket: who may connect, and with what proof. Never a token in the URL."""

from dataclasses import dataclass

from fastapi import Request, Response
from starlette.websockets import WebSocket

from pilothouse.base.actor import Actor
from pilothouse.base.http.auth import CurrentVisit
from pilothouse.base.http.bodies import Out
from pilothouse.base.http.errors import OriginDenied
from pilothouse.base.http.gate import Gate
from pilothouse.base.http.policy import user
from pilothouse.base.http.router import Router, SocketRoute
from pilothouse.base.http.sockets import FORBIDDEN, PROTOCOL, RESTART, SIGNED_OUT, TICKET_PREFIX, TOO_MUCH, Socket
from pilothouse.base.http.tickets import TICKET_SECONDS, Tickets
from pilothouse.base.outages import told_as_away
from pilothouse.kit.errors import PilothouseError, RateLimited, Unavailable
from pilothouse.kit.json import dump_bytes


class TicketOut(Out):
    """Offer it as the subprotocol `ticket.<ticket>`, beside `pilothouse.v1`."""

    ticket: str
    expires_in_seconds: int


@dataclass(slots=True)
class Guest:
    """Whoever is at the other end of a socket."""

    gate: Gate
    actor: Actor
    token: str

    async def is_welcome(self) -> bool:
        with told_as_away():
            return await self.gate.identity.by_session(self.token) is not None

    def count(self) -> None:
        self.gate.rates.take(f"socket {self.actor.user_id}", self.gate.rates.per_user)


async def open_socket(socket: WebSocket) -> None:
    """Let a page in, or tell it with the closing code why not."""
    scope, state = socket.scope, socket.app.state
    scope.setdefault("state", {})["headers"] = dict(scope["headers"])
    offered: list[str] = scope.get("subprotocols", [])
    await socket.accept(PROTOCOL if PROTOCOL in offered else None)
    ticket = next((each for each in offered if each.startswith(TICKET_PREFIX)), None)
    try:
        with told_as_away():
            token = None if ticket is None else await state.tickets.take(ticket.removeprefix(TICKET_PREFIX)) or ""
            visit, token = await state.gate.admit_socket(scope, token)
    except PilothouseError as error:
        await socket.close(_code_of(error))
        return
    await Socket(socket, Guest(state.gate, visit.actor, token), state.channels, state.stopping).serve()


def _code_of(error: PilothouseError) -> int:
    match error:
        case OriginDenied():
            return FORBIDDEN
        case RateLimited():
            return TOO_MUCH
        case Unavailable():
            return RESTART  # nobody was looked up: come again
        case _:
            return SIGNED_OUT


def socket_routes() -> Router:
    router = Router("/api/ws", tags=["live"])

    @router.post("/ticket", response_model=TicketOut, status_code=201)
    @user
    async def create_socket_ticket(request: Request, visit: CurrentVisit) -> Response:
        """A ticket to the WebSocket, for one use within 30 seconds."""
        gate: Gate = request.app.state.gate
        tickets: Tickets = request.app.state.tickets
        ticket = await tickets.give(gate.session_token(request.scope) or "")
        return Response(
            dump_bytes({"ticket": ticket, "expires_in_seconds": TICKET_SECONDS}), 201, media_type="application/json"
        )

    router.routes.append(SocketRoute("/api/ws", open_socket, name="socket"))
    return router
