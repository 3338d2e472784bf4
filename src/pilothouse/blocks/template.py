"""Text templates of agents: Jinja without the host's objects, and bounded in time and memory."""

import re
from collections.abc import Mapping
from functools import lru_cache
from time import perf_counter

from jinja2 import Template, TemplateError

from pilothouse.blocks.template_bounds import SECONDS, VALUE_LIMIT, Budget, OverBudget, within
from pilothouse.blocks.template_environment import BoundedEnvironment, bound
from pilothouse.kit.json import Json

MAX_SOURCE = 1_000_000
MAX_CODE = 20_000  # characters inside tags: what takes time to compile
CACHED_SOURCE = 20_000
_TAGS = re.compile(r"\{\{.*?(?:\}\}|\Z)|\{%.*?(?:%\}|\Z)", re.DOTALL)


class TemplateFault(Exception):
    """The template cannot be read or rendered; the message is for its author."""


def render(source: str, values: Mapping[str, Json], *, escape_html: bool = False) -> str:
    """Fill the template; raises `TemplateFault`. Takes no more than about 100 ms, gives no more than 16 MB."""
    try:
        template = _compiled(source, escape_html)
        return _run(template, values)
    except TemplateError as fault:
        raise TemplateFault(_words(fault)) from fault
    except OverBudget as fault:
        raise TemplateFault(f"template is over its bounds: {fault}") from fault
    except (SyntaxError, RecursionError, MemoryError) as fault:
        raise TemplateFault("template is nested too deeply") from fault
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, AssertionError) as fault:
        raise TemplateFault(f"template failed: {fault}") from fault


def _run(template: Template, values: Mapping[str, Json]) -> str:
    parts: list[str] = []
    size = 0
    with within(Budget(deadline=perf_counter() + SECONDS)) as budget:
        for part in template.generate(dict(values)):
            budget.tick()
            size += len(part)
            if size > VALUE_LIMIT:
                raise OverBudget("more than 16 MB of text")
            parts.append(part)
    return "".join(parts)


def _words(fault: TemplateError) -> str:
    line = getattr(fault, "lineno", None)
    return f"template: {fault.message or 'cannot be rendered'}" + (f" (line {line})" if line else "")


def _compiled(source: str, escape_html: bool) -> Template:
    return (_cached if len(source) <= CACHED_SOURCE else _compile)(source, escape_html)


def _compile(source: str, escape_html: bool) -> Template:
    if len(source) > MAX_SOURCE:
        raise OverBudget("the template is longer than 1 MB")
    if sum(len(tag) for tag in _TAGS.findall(source)) > MAX_CODE:
        raise OverBudget(f"more than {MAX_CODE:,} characters of code")
    environment = _environment(escape_html)
    return environment.from_string(bound(environment.parse(source), environment))


@lru_cache(maxsize=256)
def _cached(source: str, escape_html: bool) -> Template:
    return _compile(source, escape_html)


@lru_cache(maxsize=2)
def _environment(escape_html: bool) -> BoundedEnvironment:
    return BoundedEnvironment(escape_html=escape_html)
