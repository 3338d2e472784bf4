"""Whether a credential fits a pin: provider, type and scopes."""

from collections.abc import Mapping

from pilothouse.graph.catalogue import CredentialFacts
from pilothouse.graph.json_schema import as_list, as_object
from pilothouse.kit.json import Json, JsonObject


def providers_of(field: JsonObject, given: Mapping[str, Json]) -> tuple[str, ...]:
    """Those that the pin takes; where another field decides, the one that it says, as far as that is known."""
    said = given.get(str(field.get("discriminator")))
    decided = as_object(field.get("discriminator_mapping")).get(str(said)) if said is not None else None
    if isinstance(decided, str):
        return (decided,)
    return tuple(map(str, as_list(field.get("credentials_provider"))))


def misfit(pin: str, field: JsonObject, given: Mapping[str, Json], found: CredentialFacts | None) -> str | None:
    """Why this credential cannot be used there; None when it can."""
    if found is None:
        return f"What is chosen for '{pin}' is not there."
    providers, types = providers_of(field, given), as_list(field.get("credentials_types"))
    if providers and found.provider not in providers:
        return f"'{pin}' takes no credentials of {found.provider}."
    if types and found.type not in types:
        return f"'{pin}' takes no credentials of the type {found.type}."
    scopes = map(str, as_list(field.get("credentials_scopes")))
    if missing := [scope for scope in scopes if scope not in found.scopes]:
        return f"What is chosen for '{pin}' lacks the scope {', '.join(missing)}."
    return None
