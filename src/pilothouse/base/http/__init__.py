"""The HTTP door's frame: what every route gets without asking, and what it may ask for."""

from pilothouse.base.http.app import Door, create_app
from pilothouse.base.http.auth import (
    ANONYMOUS,
    CurrentActor,
    CurrentVisit,
    Identity,
    Reader,
    Visit,
    Writes,
    actor_of,
)
from pilothouse.base.http.bodies import IdText, In, Line, Out, PathId, Whole, WireTime
from pilothouse.base.http.errors import Problem, problems
from pilothouse.base.http.etags import Seen, etag, seen_version, unchanged
from pilothouse.base.http.openapi import describe
from pilothouse.base.http.paging import Page, PageAsk, Paging
from pilothouse.base.http.policy import Policy, admin, check_policies, policies, public, scope, setup, signed, user
from pilothouse.base.http.router import Hot, Router
from pilothouse.base.http.sse import EventStream, frame
from pilothouse.base.http.static import WebApp

__all__ = [
    "ANONYMOUS",
    "CurrentActor",
    "CurrentVisit",
    "Door",
    "EventStream",
    "Hot",
    "IdText",
    "Identity",
    "In",
    "Line",
    "Out",
    "Page",
    "PageAsk",
    "Paging",
    "PathId",
    "Policy",
    "Problem",
    "Reader",
    "Router",
    "Seen",
    "Visit",
    "WebApp",
    "Whole",
    "WireTime",
    "Writes",
    "actor_of",
    "admin",
    "check_policies",
    "create_app",
    "describe",
    "etag",
    "frame",
    "policies",
    "problems",
    "public",
    "scope",
    "seen_version",
    "setup",
    "signed",
    "unchanged",
    "user",
]
