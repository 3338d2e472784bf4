"""Objects: making them, looking into them, changing a copy. No block changes what it was given."""

from typing import Annotated, TypeAlias

from pydantic import Field

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
from pilothouse.kit.json import Json, JsonObject, loads

Dictionary: TypeAlias = Annotated[dict[str, AnyJson], Field(description="The object; a copy of it is changed.")]


class CreateDictionaryIn(BlockInput):
    values: Annotated[dict[str, AnyJson], Field(description="Keys and values.")]


class CreateDictionaryOut(BlockOutput):
    dictionary: dict[str, AnyJson] | None = None


@block(
    id="b924ddf4-de4f-4b56-9a85-358930dcbc91",
    name="Create dictionary",
    categories={Category.DATA},
    effects=Effects.NONE,
    examples=[Example(ask={"values": {"a": 1, "b": [2]}}, fires=[("dictionary", {"a": 1, "b": [2]})])],
)
async def create_dictionary(ask: CreateDictionaryIn, ctx: BlockContext) -> CreateDictionaryOut:
    """Make one object out of several values."""
    return CreateDictionaryOut(dictionary=ask.values)


class AddToDictionaryIn(BlockInput):
    dictionary: dict[str, AnyJson] = Field(default={}, description="The object to add to; a new one when left out.")
    key: Annotated[str, Field(description="A key to set; empty sets none.")] = ""
    value: Annotated[AnyJson, Field(description="What to put there.")] = None
    entries: dict[str, AnyJson] = Field(default={}, description="More keys and values, set before the one above.")


class AddToDictionaryOut(BlockOutput):
    updated_dictionary: dict[str, AnyJson] | None = None


@block(
    id="31d1064e-7446-4693-a7d4-65e5ca1180d1",
    name="Add to dictionary",
    categories={Category.DATA},
    effects=Effects.NONE,
    examples=[
        Example(ask={"dictionary": {"a": 1}, "key": "b", "value": 2}, fires=[("updated_dictionary", {"a": 1, "b": 2})]),
        Example(ask={"entries": {"a": 1}, "key": "a", "value": None}, fires=[("updated_dictionary", {"a": None})]),
        Example(ask={"dictionary": {"a": 1}}, fires=[("updated_dictionary", {"a": 1})]),
    ],
)
async def add_to_dictionary(ask: AddToDictionaryIn, ctx: BlockContext) -> AddToDictionaryOut:
    """Set keys of an object."""
    one: JsonObject = {ask.key: ask.value} if ask.key else {}
    return AddToDictionaryOut(updated_dictionary={**ask.dictionary, **ask.entries, **one})


class FindInDictionaryIn(BlockInput):
    input: Annotated[AnyJson, Field(description="An object, a list, or JSON text of one.")]
    key: Annotated[str | int, Field(description="A key of the object, or an index of the list.")]


class FindInDictionaryOut(BlockOutput):
    output: AnyJson = None
    missing: AnyJson = None


@block(
    id="0e50422c-6dee-4145-83d6-3a5a392f65de",
    name="Find in dictionary",
    categories={Category.DATA},
    effects=Effects.NONE,
    happy_pins=("output",),
    examples=[
        Example(ask={"input": {"a": 1}, "key": "a"}, fires=[("output", 1)]),
        Example(ask={"input": '{"a": null}', "key": "a"}, fires=[("output", None)]),
        Example(ask={"input": ["x", "y"], "key": -1}, fires=[("output", "y")]),
        Example(ask={"input": [{"a": 1}, {"b": 2}, {"a": 3}], "key": "a"}, fires=[("output", [1, 3])]),
        Example(ask={"input": {"a": 1}, "key": "b"}, fires=[("missing", {"a": 1})]),
        Example(ask={"input": ["x"], "key": 1}, fires=[("missing", ["x"])]),
        Example(ask={"input": "plain", "key": "a"}, fires=[("missing", "plain")]),
    ],
)
async def find_in_dictionary(ask: FindInDictionaryIn, ctx: BlockContext) -> FindInDictionaryOut:
    """Look a key up in an object, an index in a list, or a key in each object of a list."""
    try:
        return FindInDictionaryOut(output=look_up(parsed(ask.input), ask.key))
    except LookupError:
        return FindInDictionaryOut(missing=ask.input)


def parsed(value: Json) -> Json:
    """Text as the JSON it holds; anything else as it is. Raises `LookupError` for other text."""
    if not isinstance(value, str):
        return value
    try:
        return loads(value)
    except ValueError:
        raise LookupError("not JSON") from None


def look_up(place: Json, key: str | int) -> Json:
    """Raises `LookupError` when there is no such thing."""
    if isinstance(place, dict):
        return place[str(key)]
    if not isinstance(place, list):
        raise LookupError("nothing to look into")
    if isinstance(key, int):
        return place[key]
    found = [item[key] for item in place if isinstance(item, dict) and key in item]
    if not found:
        raise LookupError(key)
    return found


class RemoveFromDictionaryIn(BlockInput):
    dictionary: Dictionary
    key: Annotated[str | int, Field(description="The key to remove.")]
    return_value: Annotated[bool, Field(description="Hand on what was removed, too.")] = False


class RemoveFromDictionaryOut(BlockOutput):
    updated_dictionary: dict[str, AnyJson] | None = None
    removed_value: AnyJson = None


@block(
    id="46afe2ea-c613-43f8-95ff-6692c3ef6876",
    name="Remove from dictionary",
    categories={Category.DATA},
    effects=Effects.NONE,
    happy_pins=("updated_dictionary",),
    examples=[
        Example(ask={"dictionary": {"a": 1, "b": 2}, "key": "a"}, fires=[("updated_dictionary", {"b": 2})]),
        Example(
            ask={"dictionary": {"a": 1}, "key": "a", "return_value": True},
            fires=[("updated_dictionary", {}), ("removed_value", 1)],
        ),
        Example(ask={"dictionary": {"7": 1}, "key": 7}, fires=[("updated_dictionary", {})]),
        Example(ask={"dictionary": {"a": 1}, "key": "b"}, fires=[("error", "there is no key 'b'")]),
    ],
)
async def remove_from_dictionary(ask: RemoveFromDictionaryIn, ctx: BlockContext) -> RemoveFromDictionaryOut:
    """Take a key out of an object."""
    key = str(ask.key)
    if key not in ask.dictionary:
        return RemoveFromDictionaryOut(error=f"there is no key '{key}'")
    rest = {name: value for name, value in ask.dictionary.items() if name != key}
    if ask.return_value:
        return RemoveFromDictionaryOut(updated_dictionary=rest, removed_value=ask.dictionary[key])
    return RemoveFromDictionaryOut(updated_dictionary=rest)


class ReplaceDictionaryValueIn(BlockInput):
    dictionary: Dictionary
    key: Annotated[str | int, Field(description="The key whose value to replace.")]
    value: Annotated[AnyJson, Field(description="What to put there.")]


class ReplaceDictionaryValueOut(BlockOutput):
    updated_dictionary: dict[str, AnyJson] | None = None
    old_value: AnyJson = None


@block(
    id="27e31876-18b6-44f3-ab97-f6226d8b3889",
    name="Replace dictionary value",
    categories={Category.DATA},
    effects=Effects.NONE,
    examples=[
        Example(
            ask={"dictionary": {"a": 1, "b": 2}, "key": "a", "value": 9},
            fires=[("updated_dictionary", {"a": 9, "b": 2}), ("old_value", 1)],
        ),
        Example(ask={"dictionary": {}, "key": "a", "value": 9}, fires=[("error", "there is no key 'a'")]),
    ],
)
async def replace_dictionary_value(ask: ReplaceDictionaryValueIn, ctx: BlockContext) -> ReplaceDictionaryValueOut:
    """Put another value in the place of one that is there."""
    key = str(ask.key)
    if key not in ask.dictionary:
        return ReplaceDictionaryValueOut(error=f"there is no key '{key}'")
    return ReplaceDictionaryValueOut(
        updated_dictionary={**ask.dictionary, key: ask.value}, old_value=ask.dictionary[key]
    )


class DictionaryIsEmptyIn(BlockInput):
    dictionary: Annotated[dict[str, AnyJson], Field(description="The object.")]


class DictionaryIsEmptyOut(BlockOutput):
    is_empty: bool | None = None


@block(
    id="a3cf3f64-6bb9-4cc6-9900-608a0b3359b0",
    name="Dictionary is empty",
    categories={Category.DATA},
    effects=Effects.NONE,
    examples=[
        Example(ask={"dictionary": {}}, fires=[("is_empty", True)]),
        Example(ask={"dictionary": {"a": None}}, fires=[("is_empty", False)]),
    ],
)
async def dictionary_is_empty(ask: DictionaryIsEmptyIn, ctx: BlockContext) -> DictionaryIsEmptyOut:
    """Tell whether an object has no keys."""
    return DictionaryIsEmptyOut(is_empty=not ask.dictionary)
