"""The API described: our error body everywhere, a closed list of codes, and each operation's policy."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from pilothouse.base.http.errors import Problem, error_codes
from pilothouse.base.http.policy import Kind, Policy, policies

_PROBLEM = {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
_SECURITY_SCHEMES = {
    "session": {"type": "apiKey", "in": "cookie", "name": "ph_session"},
    "api_key": {"type": "http", "scheme": "bearer", "description": "An API key, `ph_...`."},
}


def describe(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, made once."""
    if app.openapi_schema is None:
        document = get_openapi(title=app.title, version=app.version, routes=app.routes)
        schemas = document.setdefault("components", {}).setdefault("schemas", {})
        _add_problem(schemas)
        for method, path, policy in policies(app):
            operation = document["paths"].get(path, {}).get(method.lower())
            if operation is not None:
                _complete(operation, policy)
        document["components"]["securitySchemes"] = _SECURITY_SCHEMES
        app.openapi_schema = document
    return app.openapi_schema


def _add_problem(schemas: dict[str, Any]) -> None:
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas["Problem"] = Problem.model_json_schema()
    schemas["Problem"]["properties"]["code"] = {"type": "string", "title": "Code", "enum": error_codes()}


def _complete(operation: dict[str, Any], policy: Policy) -> None:
    operation["x-policy"] = str(policy)
    operation["security"] = _security(policy)
    responses = operation["responses"]
    if "422" in responses:
        responses["422"]["content"] = _PROBLEM
    responses.setdefault("default", {"description": "Anything that went wrong.", "content": _PROBLEM})


def _security(policy: Policy) -> list[dict[str, list[str]]]:
    if policy.kind is Kind.SCOPE:
        return [{"api_key": [policy.scope or ""]}]
    return [{"session": []}] if policy.kind in {Kind.USER, Kind.ADMIN} else []
