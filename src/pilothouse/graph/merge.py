"""Merge patches (RFC 7386): an object says what changes, null takes away."""

from pilothouse.kit.json import Json, JsonObject


def merged(target: Json, patch: Json) -> Json:
    """The target with the patch laid over it; neither is changed."""
    if not isinstance(patch, dict):
        return patch
    result: JsonObject = dict(target) if isinstance(target, dict) else {}
    for key, part in patch.items():
        if part is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), part)
    return result


def patch_between(old: JsonObject, new: JsonObject) -> JsonObject:
    """The patch that makes `new` of `old`. Both hold no null: a patch could not say it."""
    patch: JsonObject = {key: None for key in old if key not in new}
    for key, part in new.items():
        before = old.get(key)
        if isinstance(before, dict) and isinstance(part, dict):
            if inner := patch_between(before, part):
                patch[key] = inner
        elif key not in old or before != part or type(before) is not type(part):
            patch[key] = part
    return patch
