"""Requests made by Schemathesis from the API document, and what every answer to them must hold to."""

import asyncio
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from copy import deepcopy
from pathlib import Path
from typing import Any, TypeAlias, cast

import httpx2
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from jsonschema_rs import Draft202012Validator
from schemathesis import GenerationMode
from schemathesis.core.parameters import ParameterLocation
from schemathesis.schemas import APIOperation

from pilothouse.base.http.policy import SCOPES, takes_keys
from tests.security.audit import Watch, watching
from tests.security.rows import Rows, difference, snapshot
from tests.security.site import ORIGIN, Person, Site, api_document, open_site
from tests.security.things import own_values

Case: TypeAlias = "schemathesis.Case[Any]"
Operation: TypeAlias = "APIOperation[Any, Any, Any, Any]"

# A parameter, header or cookie more than we read is ignored, as HTTP has it; these must fit or be refused.
JUDGED = {ParameterLocation.PATH, ParameterLocation.BODY}


def api_operations() -> list[Operation]:
    """Every operation, with the proof of who calls left to us."""
    document = deepcopy(api_document())
    del document["components"]["securitySchemes"]
    for methods in document["paths"].values():
        for operation in methods.values():
            del operation["security"]
    found = cast(Iterator[Any], schemathesis.openapi.from_dict(document).get_all_operations())
    return [each.ok() for each in found]


class Fuzz:
    """Sends cases to one site and keeps what is wrong with the answers."""

    def __init__(self, runner: asyncio.Runner, site: Site, person: Person, key: str) -> None:
        self._runner, self._site, self._person, self._key = runner, site, person, key
        self._session: dict[str, str] | None = None
        self._values: dict[str, dict[str, str]] = {}
        self._rows: Rows = {}  # as they were after the last answer, unless we changed them since
        self.watch = Watch(site.house.settings.data_dir)
        self.answers: Counter[int] = Counter()  # by status
        self.wrong: dict[str, str] = {}  # the first wrong answer of each operation

    def try_operation(self, operation: Operation, mode: GenerationMode, cases: int) -> None:
        """This many cases of one operation."""

        @settings(
            max_examples=cases,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.generate],
            suppress_health_check=cast(list[HealthCheck], list(HealthCheck)),
        )
        @given(case=cast(Any, operation.as_strategy(generation_mode=mode)))
        def go(case: Case) -> None:
            self._runner.run(self._try(case))

        with suppress(Unsatisfiable):  # an operation that takes nothing cannot be given anything wrong
            go()

    async def _try(self, case: Case) -> None:
        negated = negated_in(case)
        await self._prepare(case, negated)
        before = self._rows or await snapshot(self._site.house.reader)
        request = requests.Request(**case.as_transport_kwargs(base_url=ORIGIN)).prepare()
        answer = await self._send(request, case.operation.path)
        after = self._rows = await snapshot(self._site.house.reader)
        self.answers[answer.status_code] += 1
        found = [*faults(case.operation.definition.raw, answer, negated & JUDGED)]
        if answer.status_code >= 400:
            found += [f"left by a refused request: {change}" for change in difference(before, after)]
        elif request.method == "DELETE":
            self._values.pop(case.operation.path, None)
        if found:
            self.wrong.setdefault(
                case.operation.label, f"{found}\n  {told(request)}\n  {answer.status_code} {answer.text[:500]}"
            )

    async def _prepare(self, case: Case, negated: set[ParameterLocation]) -> None:
        """Sign in, and put real things into the path: what does not exist would be refused before it is looked at."""
        path = case.operation.path
        if self._session is None:
            self._session = self._site.headers_of(await self._site.session(self._person))
            self._rows = {}
        if ParameterLocation.PATH in negated or not case.path_parameters:
            return
        if path not in self._values:
            self._values[path] = await own_values(self._site, self._person, path)
            self._rows = {}
        case.path_parameters = dict(self._values[path])

    async def _send(self, request: requests.PreparedRequest, path: str) -> httpx2.Response:
        proof = {"Authorization": f"Bearer {self._key}"} if takes_keys(path) else self._session or {}
        said = {name: str(value) for name, value in request.headers.items() if name != "Content-Length"}
        headers = {**said, "If-Match": "*", **proof}
        async with self._site.client(**headers) as client:
            with watching(self.watch):
                answer = await client.request(str(request.method), str(request.url), content=body_of(request))
        if "set-cookie" in answer.headers:
            self._session = None  # signed out, or in anew
        return answer


def negated_in(case: Case) -> set[ParameterLocation]:
    """Where this case breaks the schema on purpose."""
    components = case.meta.components if case.meta else {}
    return {place for place, made in components.items() if made.mode.is_negative}


def faults(operation: dict[str, Any], answer: httpx2.Response, negated: set[ParameterLocation]) -> Iterator[str]:
    """What this answer breaks of what the document promises."""
    if answer.status_code >= 500:
        yield "a fault of ours"
    elif answer.is_success and negated:
        yield f"accepted although {', '.join(sorted(negated))} does not fit the schema"
    responses = operation["responses"]
    promised = responses.get(str(answer.status_code)) or (responses["default"] if answer.is_error else None)
    if promised is None:
        yield f"a status that is not documented: {answer.status_code}"
        return
    schema = promised.get("content", {}).get("application/json", {}).get("schema")
    if schema and answer.headers.get("content-type") == "application/json":
        validator = Draft202012Validator({**schema, "components": api_document()["components"]})
        for error in validator.iter_errors(answer.json()):
            yield f"not what the schema says: {error.instance_path} {error.message[:200]}"


def body_of(request: requests.PreparedRequest) -> bytes | str | None:
    assert request.body is None or isinstance(request.body, bytes | str)
    return request.body


def told(request: requests.PreparedRequest) -> str:
    return f"{request.method} {request.url} {str(body_of(request))[:1500]}"


@contextmanager
def fuzzing(url: str, place: Path) -> Generator[Fuzz]:
    """A site of its own, with a loop that the cases are sent on one by one."""
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        site = runner.run(stack.enter_async_context(open_site(place, url)))
        try:
            person = runner.run(site.person("fuzzer"))
            key = runner.run(site.key(person, *SCOPES))[1]
            yield Fuzz(runner, site, person, key)
        finally:
            runner.run(stack.aclose())
