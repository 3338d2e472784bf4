"""The shapes that requests and answers are made of."""

from datetime import datetime
from typing import Annotated

from fastapi import Path
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainSerializer, Strict, StringConstraints

from pilothouse.kit.clock import to_wire

ID_PATTERN = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"

IdText = Annotated[
    str, StringConstraints(pattern=ID_PATTERN, max_length=36), Field(json_schema_extra={"format": "uuid"})
]
PathId = Annotated[str, Path(pattern=ID_PATTERN, max_length=36, json_schema_extra={"format": "uuid"})]
WireTime = Annotated[datetime, PlainSerializer(to_wire, return_type=str, when_used="json")]


# Python takes `true` for 1, and Pydantic `"1"`; what a document calls an integer is neither.
Whole = Annotated[int, Strict()]


def _plain(text: str) -> str:
    """Control characters have no place in a name, and PostgreSQL stores no NUL."""
    if any(ord(character) < 32 or ord(character) == 127 for character in text):
        raise ValueError("must not hold control characters")
    return text


Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200), AfterValidator(_plain)]


class In(BaseModel):
    """A request's body: a field that we do not know is refused, not dropped."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class Out(BaseModel):
    """An answer's body, read from a row or a value; every field is there, null or not."""

    model_config = ConfigDict(from_attributes=True)
