"""How anything that goes wrong leaves by the HTTP door: one body, one place that writes it."""

from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, TypeAlias

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from pilothouse.base.outages import is_outage, is_unstorable_text
from pilothouse.kit.errors import (
    BadRequest,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    PilothouseError,
    TooLarge,
    Unauthenticated,
    Unavailable,
    UpstreamError,
    UserError,
)
from pilothouse.kit.json import Json, JsonObject, dump_bytes

RETRY_AFTER_SECONDS = 2


class CsrfFailed(Forbidden):
    """The request does not carry this session's `X-CSRF-Token`."""

    hint = "Read csrf_token from GET /api/auth/me and send it as X-CSRF-Token."


class OriginDenied(Forbidden):
    """The request comes from another site."""

    hint = "Open the app under its public URL."


class ScopeMissing(Forbidden):
    """This API key lacks the scope that this needs."""


class MethodNotAllowed(UserError):
    """This path has no such method."""

    status = 405


class UnsupportedMediaType(UserError):
    """The body is of a media type that this path does not take."""

    status = 415
    hint = "Send JSON with Content-Type: application/json."


class BodyTooLarge(TooLarge):
    """The body is larger than this path takes."""

    wire_code = "too_large"


class RequestTimeout(UserError):
    """The request took too long to arrive."""

    status = 408


class PreconditionRequired(UserError):
    """Say which version you changed."""

    status = 428
    hint = 'Send If-Match: "v<version>" or base_version in the body.'


class VersionConflict(Conflict):
    """Somebody else changed this in the meantime."""


class VersionStale(VersionConflict):
    """This was changed since the version that If-Match names."""

    status = 412
    wire_code = "version_conflict"


class IdempotencyConflict(Conflict):
    """This Idempotency-Key was used with another body."""

    hint = "Use a new key for a new request."


class IdempotencyInProgress(Conflict):
    """The first request with this Idempotency-Key is still running."""

    hint = "Send the same request again in a moment."


class SetupNeeded(Unavailable):
    """This installation has no owner yet."""

    wire_code = "unavailable"
    hint = "Open the set-up link that the server printed, or run `pilothouse owner-link` for a new one."


class Problem(BaseModel):
    """The body of every error."""

    code: str
    message: str
    detail: dict[str, Any] | None
    hint: str | None
    request_id: str


Headers: TypeAlias = list[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Answer:
    """An error, ready for the wire but for the request's id."""

    status: int
    code: str
    message: str
    detail: JsonObject | None = None
    hint: str | None = None
    headers: Headers = field(default_factory=Headers)

    def body(self, request_id: str) -> bytes:
        return dump_bytes(
            {
                "code": self.code,
                "message": self.message,
                "detail": self.detail,
                "hint": self.hint,
                "request_id": request_id,
            }
        )


INTERNAL = Answer(500, "internal", "Something went wrong on our side.", hint="Report the request id.")
_BY_STATUS: dict[int, type[PilothouseError]] = {
    400: BadRequest,
    404: NotFound,
    405: MethodNotAllowed,
    413: BodyTooLarge,
    415: UnsupportedMediaType,
}


def answer_of(error: Exception) -> Answer | None:
    """What to tell the caller about this, or None when it is our bug."""
    match error:
        case PilothouseError():
            return _told(error) if error.status != 500 else None
        case RequestValidationError():
            return _told(Invalid(errors=[_refusal(item) for item in error.errors()]))
        case HTTPException():
            return _told_by_status(error)
        case _ if is_unstorable_text(error):
            return _told(Invalid("A text holds characters that cannot be stored."))
        case _ if is_outage(error):
            return _told(Unavailable())
        case _:
            return None


def _told(error: PilothouseError) -> Answer:
    return Answer(error.status, error.code, error.message, error.facts or None, error.advice, _headers(error))


def _headers(error: PilothouseError) -> Headers:
    retry_after = error.facts.get("retry_after")
    if isinstance(retry_after, int):
        return [(b"retry-after", b"%d" % retry_after)]
    size = error.facts.get("size_bytes")
    if error.status == 416 and isinstance(size, int):
        return [(b"content-range", b"bytes */%d" % size)]
    if error.status == 503:
        return [(b"retry-after", b"%d" % RETRY_AFTER_SECONDS)]
    if isinstance(error, Unauthenticated):
        return [(b"www-authenticate", b"Bearer")]
    return []


def _told_by_status(error: HTTPException) -> Answer:
    known = _BY_STATUS.get(error.status_code)
    if known is None:
        phrase = HTTPStatus(error.status_code).phrase
        return Answer(error.status_code, phrase.lower().replace(" ", "_"), phrase)
    told = _told(known())
    told.headers.extend((name.lower().encode(), value.encode()) for name, value in (error.headers or {}).items())
    return told


def _refusal(item: dict[str, Any]) -> Json:
    """Where, which rule, and in words; never the value, which may be a secret."""
    path = ".".join(str(part) for part in item["loc"])
    return {"path": path, "code": str(item["type"]), "message": str(item["msg"])}


def respond(request: Request, error: Exception) -> Response:
    """The handler for every error that has a name."""
    answer = answer_of(error)
    if answer is None:
        raise error  # the frame logs it and answers 500
    response = Response(answer.body(request.state.request_id), answer.status, media_type="application/json")
    response.raw_headers.extend(answer.headers)
    return response


def install_error_handlers(app: FastAPI) -> None:
    for kind in (PilothouseError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, respond)


def error_classes() -> list[type[PilothouseError]]:
    """Every error that a caller may be told about, from the classes that exist now."""
    found: list[type[PilothouseError]] = []
    waiting: list[type[PilothouseError]] = [UserError, UpstreamError, Unavailable]
    while waiting:
        kind = waiting.pop()
        found.append(kind)
        waiting.extend(kind.__subclasses__())
    return found


def error_codes() -> list[str]:
    """The closed list of codes, for OpenAPI."""
    return sorted({INTERNAL.code, *(kind.code_of() for kind in error_classes())})


def problems(*kinds: type[PilothouseError]) -> dict[int | str, dict[str, Any]]:
    """`responses=` of a route: what may go wrong there beside what may go wrong anywhere."""
    told: dict[int | str, dict[str, Any]] = {}
    for kind in kinds:
        line = f"`{kind.code_of()}`: {(kind.__doc__ or '').strip().splitlines()[0]}"
        if kind.status in told:
            told[kind.status]["description"] += f"\n\n{line}"
        else:
            told[kind.status] = {"model": Problem, "description": line}
    return told
