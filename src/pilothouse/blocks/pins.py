"""A block's pins as models, and how a step ends in failure."""

from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, cast

from pydantic import BaseModel, ConfigDict, ValidationError

from pilothouse.graph.json_schema import as_object
from pilothouse.graph.values import NotConvertible, coerce
from pilothouse.kit.json import Json, JsonObject

if TYPE_CHECKING:
    AnyJson: TypeAlias = Json
else:
    AnyJson = Any  # pydantic then neither checks nor copies the value


class BlockFailed(Exception):
    """A step's end in failure: what the engine records and may retry."""

    def __init__(
        self,
        code: str,
        message: str,
        detail: JsonObject | None = None,
        *,
        retryable: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.detail: JsonObject = detail or {}
        self.retryable = retryable
        self.retry_after = retry_after  # seconds the other side asked us to wait


class BlockInput(BaseModel):
    """A block's input pins. Values arrive already fitted to the schema."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True)


class BlockOutput(BaseModel):
    """A block's output pins: every field set on an instance fires, null included."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    error: str | None = None

    _schema: ClassVar[JsonObject | None] = None

    def __init__(self, **pins: object) -> None:
        try:
            self.__pydantic_validator__.validate_python(pins, strict=True, self_instance=self)
        except ValidationError:
            self._fit(cast(JsonObject, pins))

    def _fit(self, pins: JsonObject) -> None:
        """The slow way: convert what does not fit its pin, or fail the step with `bad_output`."""
        schema = type(self).pins_schema()
        known = as_object(schema.get("properties"))
        try:
            fitted = {pin: coerce(value, as_object(known.get(pin)), schema) for pin, value in pins.items()}
            self.__pydantic_validator__.validate_python(fitted, strict=False, self_instance=self)
        except (NotConvertible, ValidationError) as cause:
            raise BlockFailed("bad_output", f"{type(self).__name__}: {_first_line(cause)}") from cause

    @classmethod
    def pins_schema(cls) -> JsonObject:
        """The JSON schema of the output pins, made once per class."""
        if cls._schema is None or "_schema" not in cls.__dict__:
            cls._schema = cls.model_json_schema()
        return cls._schema


def _first_line(cause: Exception) -> str:
    if isinstance(cause, ValidationError):
        first = cause.errors(include_url=False, include_context=False, include_input=False)[0]
        return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
    return str(cause)
