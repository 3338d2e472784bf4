"""From a function's signature to the arguments of a tool, and their schema as a model reads it."""

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar, cast, get_type_hints

from pydantic import BaseModel, ConfigDict, create_model

from pilothouse.kit.json import JsonObject


class _Arguments(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", str_strip_whitespace=True)


def arguments_of(function: Callable[..., Any]) -> type[BaseModel]:
    """The parameters as a model that checks them."""
    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {
        name: (hints[name], ... if about.default is inspect.Parameter.empty else about.default)
        for name, about in list(inspect.signature(function).parameters.items())[1:]  # all but the context
    }
    return create_model(f"{function.__name__}_arguments", __base__=_Arguments, **fields)


@cache
def schema_of(arguments: type[BaseModel]) -> JsonObject:
    """The arguments as JSON schema, without what only takes room. Made once: every round of every turn asks for that
    of every tool, and making one takes about a millisecond. Whoever wants another changes a copy.
    """
    return cast(JsonObject, without_titles(arguments.model_json_schema()))


def without_titles(schema: Any) -> Any:
    """Titles repeat the names; a property that is itself called `title` stays."""
    if isinstance(schema, list):
        return [without_titles(item) for item in cast(list[Any], schema)]
    if not isinstance(schema, dict):
        return schema
    told = cast(dict[str, Any], schema)
    return {
        name: {key: without_titles(value) for key, value in item.items()}
        if name in ("properties", "$defs")
        else without_titles(item)
        for name, item in told.items()
        if not (name == "title" and isinstance(item, str))
    }
