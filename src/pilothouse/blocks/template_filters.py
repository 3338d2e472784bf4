"""Jinja's own filters at a price: they take values only, and refuse beforehand what would be huge."""

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from types import GeneratorType
from typing import cast

from jinja2 import Environment, Undefined
from jinja2.exceptions import SecurityError
from jinja2.nodes import EvalContext
from jinja2.runtime import BlockReference, Context, LoopContext, Macro, TemplateReference
from jinja2.utils import Cycler, Joiner, Namespace
from markupsafe import Markup

from pilothouse.blocks.template_bounds import (
    NODE_COST,
    WIDTH_LIMIT,
    OverBudget,
    budget,
    check_percent,
    check_replace,
    expect,
    is_container,
    made,
    weight,
)

DROPPED = ("random", "attr")  # the one would make equal runs differ, the other only serves to reach attributes
HOST_OBJECTS = (Namespace, LoopContext, Macro, Cycler, Joiner, BlockReference, TemplateReference)
HEAVY_TEXT = 100_000
HEAVY = frozenset(
    {"striptags", "title", "urlize", "urlencode", "wordcount", "wordwrap", "xmlattr", "pprint", "indent", "truncate"}
)
ANY_NUMBER = frozenset({"default", "d", "join", "sum", "replace", "format"})
WRITES_LONGER = frozenset({"e", "escape", "forceescape", "tojson", "xmlattr", "pprint"})
TAKES_APART = frozenset(
    {"list", "sort", "unique", "batch", "slice", "map", "select", "reject", "selectattr", "rejectattr", "groupby"}
    | {"min", "max", "sum"}
)


def only_values(value: object) -> None:
    """Refuse the host's own objects, however deep inside a container."""
    if is_container(value):
        weight(value)
    elif isinstance(value, HOST_OBJECTS) or (callable(value) and not isinstance(value, Undefined)):
        raise SecurityError("only values can be written or passed to a filter")


def joined(texts: Iterable[object], separator: str = "") -> str:
    """The one way texts are joined: weighed before, charged after. One that is safe HTML makes the rest escaped."""
    parts = _parts(texts, [separator])
    if any(isinstance(part, Markup) for part in parts):
        expect(weight(parts) * 6)
        text = Markup(separator).join(str_unless_markup(part) for part in parts)
    else:
        text = separator.join(str(part) for part in parts)
    made(text)
    return text


def str_unless_markup(value: object) -> str:
    return value if isinstance(value, str) else str(value)


def _parts(values: object, separators: list[object]) -> list[object]:
    """What is to be joined, in full, after seeing that the result stays within bounds."""
    parts: list[object] = []
    for value in cast(Iterable[object], values):
        budget().charge(NODE_COST)
        parts.append(value)
    longest = max((len(text) for text in separators if isinstance(text, str)), default=0)
    expect(weight(parts) + longest * len(parts))
    return parts


def charge(size: int) -> None:
    """What one turn of a loop or macro writes as it stands in the template."""
    budget().charge(size)


def ticking_test(test: Callable[..., bool]) -> Callable[..., bool]:
    @wraps(test)
    def ticking(*args: object, **kwargs: object) -> bool:
        budget().tick()
        return test(*args, **kwargs)

    return ticking


def priced_filter(name: str, apply: Callable[..., object]) -> Callable[..., object]:
    """A standard filter that refuses host objects and outsize arguments, and pays for what it makes."""

    @wraps(apply)
    def priced(*args: object, **kwargs: object) -> object:
        budget().tick()
        told = [arg for arg in args if not isinstance(arg, Context | EvalContext | Environment)]
        for arg in (*told, *kwargs.values()):
            only_values(arg)
        if name == "join" and told:
            told[0] = _parts(told[0], [*told[1:], *kwargs.values()])
            args = (*args[: len(args) - len(told)], *told)
        _check_filter(name, told, kwargs)
        result = apply(*args, **kwargs)
        return _paced(cast(Iterator[object], result)) if isinstance(result, GeneratorType) else made(result)

    return priced


def _check_filter(name: str, told: list[object], kwargs: dict[str, object]) -> None:
    text = told[0] if told and isinstance(told[0], str) else ""
    options = [*told[1:], *kwargs.values()]
    if name in HEAVY and len(text) > HEAVY_TEXT:
        raise OverBudget(f"{name} takes at most {HEAVY_TEXT:,} characters")
    if name in TAKES_APART:
        expect(len(text) * NODE_COST)
    if name in WRITES_LONGER and told:
        expect((weight(told[0]) if is_container(told[0]) else len(text)) * 6)
    _check_options(name, text, options)


def _check_options(name: str, text: str, options: list[object]) -> None:
    if name == "format":
        check_percent(text, tuple(options))
    elif name == "replace" and len(options) >= 2:
        check_replace(text, *options)
    elif name not in ANY_NUMBER:
        limit = 300 if name == "round" else WIDTH_LIMIT
        if any(isinstance(option, int) and abs(option) > limit for option in options):
            raise OverBudget(f"{name} with a number over {limit:,}")
    if name in ("indent", "wordwrap", "urlize"):  # these put their options in again and again
        longest = max((len(option) for option in options if isinstance(option, str)), default=1)
        widest = max((option for option in options if isinstance(option, int)), default=4)
        expect(text.count("\n") * max(widest, longest) if name == "indent" else len(text) * longest)


def _paced(items: Iterator[object]) -> Iterator[object]:
    for item in items:
        budget().charge(8)
        yield item
