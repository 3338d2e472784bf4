"""S5: whatever address a user gives, in whatever field, nothing connects to what is not public."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from ipaddress import ip_address
from typing import Any

import httpx2
import pytest
import pytest_asyncio

from pilothouse.base.egress import EgressDenied
from pilothouse.base.provider_http import ProviderPolicy
from pilothouse.blocks.registry import Registry
from pilothouse.graph.catalogue import Effects, Kind
from pilothouse.graph.json_schema import as_list, as_object
from pilothouse.kit.json import Json, JsonObject
from tests.base.hostile import HOSTILE_HOSTS, NOT_HTTP, Listener, http
from tests.databases import fresh_sqlite
from tests.security.audit import Watch, watching
from tests.security.graphs import OUTPUT, SHORT_TEXT, link, node
from tests.security.outbound import TOLD_NO_ADDRESS, Pin, looks_outbound, outbound_fields, outbound_pins, takes_files
from tests.security.site import Site, api_document, open_site

pytestmark = pytest.mark.security
one_loop = pytest.mark.asyncio(loop_scope="module")  # in which the sites live

REGISTRY = Registry(test_blocks=True)
PINS = outbound_pins(REGISTRY)
SECRETS: dict[str, JsonObject] = {
    "api_key": {"api_key": "not for them"},
    "host_scoped": {"host": "api.example.com", "headers": {"Authorization": "Bearer not for them"}},
    "user_password": {"username": "me@example.com", "password": "not for them"},
}
NAMES = ["localhost", "LOCALHOST", "localhost."]  # they resolve, and to the wrong place
FIELDS_TRIED = {"ConnectionIn.base_url", "ConnectionPatch.base_url"}  # of the API
PROVIDERS = "/api/models/providers"
# What even an administrator cannot have connected: clouds' own secrets, however written, and what is no server.
KEEPERS = (
    *("http://169.254.169.254/latest", "http://[fe80::1]/", "http://[::ffff:169.254.169.254]/", "http://0.0.0.0"),
    *("http://[fd00:ec2::254]/", "http://100.100.100.200/", "http://0xa9fea9fe/", "http://2852039166/"),
    *("http://me:secret@127.0.0.1/", "http:///", "file:///etc/passwd", "gopher://127.0.0.1/", "http://[::]/"),
)
# What the user was looking at: told to the model, asked of nobody. A host that headers are for: compared, not asked.
NEVER_FETCHED = {"PageContext.url", "HostScopedIn.host"}


def urls(port: int) -> list[str]:
    hosts = [f"{scheme}://{host}:{port}/" for host in [*HOSTILE_HOSTS, *NAMES] for scheme in ("http", "https")]
    return [*hosts, *NOT_HTTP]


@pytest_asyncio.fixture(loop_scope="module")
async def listener() -> AsyncGenerator[Listener]:
    made = Listener()
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    async with server:
        yield made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def working(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Site]:
    """At work, for all of these tests: opening a site takes longer than most of them."""
    folder = tmp_path_factory.mktemp("working")
    more = {"test_blocks": True, "max_parallel_steps": 16}
    with fresh_sqlite(folder) as url:
        async with open_site(folder, url, **more) as site, at_work(site):
            yield site


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def lenient(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[tuple[Site, Listener]]:
    """Another, whose agents may ask one server on this machine."""
    folder, made = tmp_path_factory.mktemp("lenient"), Listener()
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    allowed = [f"127.0.0.1:{made.port}"]
    with fresh_sqlite(folder) as url:
        async with server, open_site(folder, url, egress_allow=allowed) as site, at_work(site):
            yield site, made


@asynccontextmanager
async def at_work(site: Site) -> AsyncGenerator[None]:
    """Takes jobs, and does not look as if it stopped: who waits for a run waits for its end."""
    site.app.state.stopping = site.house.stopping
    site.house.released.set()
    await site.house.begin_work()
    yield
    await site.house.end_work()


def literal_agent(pin: Pin, addresses: list[str]) -> JsonObject:
    """A step for each address, which stands in the graph itself."""
    nodes = [
        node(f"n{number}", pin.block.id, **{**pin.inputs(url), **named(pin, f"input{number}")})
        for number, url in enumerate(addresses)
    ]
    outs = [node(f"o{number}", OUTPUT, name=f"error{number}") for number in range(len(addresses))]
    links = [link(f"n{number}", "error", f"o{number}", "value") for number in range(len(addresses))]
    return {"name": "literal", "nodes": [*nodes, *outs], "links": [*links]}


def named(pin: Pin, name: str) -> JsonObject:
    """An agent's inputs are told apart by their names."""
    return {"name": name} if pin.block.kind is Kind.INPUT else {}


def fed_agent(pin: Pin) -> JsonObject:
    """The address comes in when it runs."""
    if pin.block.kind is Kind.INPUT:  # by the block itself
        nodes: list[Json] = [node("go", pin.block.id, name="address"), node("out", OUTPUT, name="error")]
        return {"name": "fed", "nodes": nodes, "links": [link("go", "error", "out", "value")]}
    inputs = {name: value for name, value in pin.inputs("").items() if pin.inner or name != pin.name}
    return {
        "name": "fed",
        "nodes": [
            node("in", SHORT_TEXT, name="address"),
            node("go", pin.block.id, **inputs),
            node("out", OUTPUT, name="error"),
        ],
        "links": [link("in", "result", "go", pin.sink), link("go", "error", "out", "value")],
    }


async def lend_credentials(browser: httpx2.AsyncClient, graph: JsonObject) -> None:
    """Where a node names the credentials of its block's example, let it name some that there are."""
    made: dict[str, Json] = {}
    for item in as_list(graph["nodes"]):
        inputs = as_object(as_object(item)["inputs"])
        if "credentials" in inputs:
            field = as_object(as_object(REGISTRY[str(as_object(item)["block"])].inputs["properties"])["credentials"])
            kind, provider = (as_list(field[f"credentials_{name}"])[0] for name in ("types", "provider"))
            ask = {"type": kind, "provider": provider, "title": "Mine", **SECRETS[str(kind)]}
            if str(provider) not in made:
                made[str(provider)] = (await browser.post("/api/credentials", json=ask)).json()["id"]
            inputs["credentials"] = {"id": made[str(provider)]}


async def run_agent(site: Site, graph: JsonObject, inputs: JsonObject) -> dict[str, Any]:
    async with await site.browser(site.owner) as browser:
        await lend_credentials(browser, graph)
        made = await browser.post("/api/agents", json={"graph": graph})
        assert made.status_code == 201, made.text
        path = f"/api/agents/{made.json()['id']}/runs"
        ended = await browser.post(path, json={"inputs": inputs}, headers={"Prefer": "wait=60"})
        assert ended.json()["status"].startswith("completed"), ended.text
    return ended.json()["outputs"]


@one_loop
@pytest.mark.parametrize("pin", PINS, ids=lambda pin: pin.label)
async def test_an_address_in_the_graph_leads_nowhere(working: Site, listener: Listener, pin: Pin):
    addresses, watch = [url for url in urls(listener.port) if not (pin.file and url.startswith("data:"))], Watch()
    with watching(watch):
        errors = await run_agent(working, literal_agent(pin, addresses), {})
    assert listener.connections == 0
    assert watch.connections == []
    assert [url for number, url in enumerate(addresses) if f"error{number}" not in errors] == []


@one_loop
@pytest.mark.parametrize("pin", PINS, ids=lambda pin: pin.label)
async def test_an_address_that_comes_in_leads_nowhere(working: Site, listener: Listener, pin: Pin):
    watch = Watch()
    for host in ("http://127.0.0.1", "http://[::ffff:7f00:1]", "https://localhost", "gopher://127.0.0.1"):
        with watching(watch):
            given = await run_agent(working, fed_agent(pin), {"address": pin.told(f"{host}:{listener.port}/")})
        assert given.keys() == {"error"}
    assert (listener.connections, watch.connections) == (0, [])


@one_loop
@pytest.mark.parametrize("pin", [pin for pin in PINS if pin.file], ids=lambda pin: pin.label)
async def test_a_file_that_redirects_leads_nowhere_else(lenient: tuple[Site, Listener], pin: Pin):
    """Leave to fetch files at one address is no leave to follow it to others."""
    (site, listener), other, watch = lenient, Listener(), Watch()
    listener.connections = 0
    server = await asyncio.start_server(other.serve, "127.0.0.1", 0)
    inside = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    targets = [inside, "http://169.254.169.254/latest/meta-data", "http://[::1]/", "file:///etc/passwd"]
    listener.answer = lambda path, headers: http(302, Location=targets[int(path[1:])])
    addresses = [f"http://127.0.0.1:{listener.port}/{number}" for number in range(len(targets))]
    async with server:
        with watching(watch):
            errors = await run_agent(site, literal_agent(pin, addresses), {})
    assert sorted(errors) == [f"error{number}" for number in range(len(targets))]
    assert (listener.connections, other.connections) == (len(targets), 0)
    assert set(watch.connections) == {str(("127.0.0.1", listener.port))}


def test_every_block_that_goes_out_says_where_by_a_pin_that_is_tried():
    silent = [
        block.name
        for block in Registry(test_blocks=True).values()
        if block.effects is not Effects.NONE
        and block.name not in TOLD_NO_ADDRESS
        and block.id not in {pin.block.id for pin in PINS}
    ]
    assert silent == [], "Name the pin so that `looks_outbound` finds it, or say in TOLD_NO_ADDRESS why there is none."
    assert [pin.label for pin in PINS if not pin.block.examples] == []


@one_loop
async def test_a_model_is_never_connected_where_machines_keep_their_secrets(working: Site, listener: Listener):
    """The one field whose address may be private, for models run at home: administrators only, and never these."""
    watch, facts = Watch(), {"kind": "openai_compatible", "name": "mine", "model": "m"}
    own = f"http://127.0.0.1:{listener.port}/v1"
    async with await working.browser(working.owner) as owner:
        made = await owner.post(PROVIDERS, json={**facts, "base_url": own})
        path = f"{PROVIDERS}/{made.json()['id']}"
        with watching(watch):
            for url in KEEPERS:
                for method, where in (("POST", PROVIDERS), ("POST", f"{PROVIDERS}/test"), ("PATCH", path)):
                    body = {"base_url": url} if method == "PATCH" else {**facts, "name": "other", "base_url": url}
                    answer = await owner.request(method, where, json=body)
                    assert (answer.status_code, url) == (422, url)
    assert (listener.connections, watch.connections) == (0, [])


@one_loop
async def test_a_member_cannot_have_a_model_connected_anywhere(working: Site, listener: Listener):
    watch, member = Watch(), await working.person("member")
    ask = {"kind": "ollama", "base_url": f"http://127.0.0.1:{listener.port}"}
    async with await working.browser(member) as browser:
        with watching(watch):
            answers = [await browser.post(path, json=ask) for path in (PROVIDERS, f"{PROVIDERS}/test")]
    assert [answer.status_code for answer in answers] == [403, 403]
    assert (listener.connections, watch.connections) == (0, [])


async def test_a_name_that_leads_to_a_machines_secrets_is_not_followed():
    """The name looks harmless when it is stored; what it resolves to is judged when it is called."""
    policy = ProviderPolicy(["http://harmless.example:80/v1"])
    target = policy.target_of("http://harmless.example:80/v1")
    policy.admit(target, ip_address("10.0.0.7"))
    for address in ("169.254.169.254", "fe80::1", "::ffff:169.254.169.254", "fd00:ec2::254"):
        with pytest.raises(EgressDenied):
            policy.admit(target, ip_address(address))


def test_a_model_at_home_may_listen_on_either_kind_of_loopback_and_leave_is_for_its_own_port():
    for url in ("http://127.0.0.1:11434/v1", "http://[::1]:11434/v1"):
        policy = ProviderPolicy([url])
        policy.target_of(url)
        with pytest.raises(EgressDenied):
            policy.target_of(url.replace("11434", "22"))


def test_every_field_of_the_api_that_takes_an_address_is_tried():
    """Each has its own test above, and its name in FIELDS_TRIED."""
    assert set(outbound_fields(api_document())) - NEVER_FETCHED == FIELDS_TRIED


def test_a_pin_that_takes_files_is_found_by_its_format_or_as_a_list_of_files():
    assert takes_files("report", {"anyOf": [{"type": "string", "format": "file"}, {"type": "null"}]})
    assert takes_files("report", {"type": "string", "format": "file"})
    assert takes_files("files", {"type": "array", "items": {"type": "string"}})
    assert not takes_files("files_name", {"type": "string"})


@pytest.mark.parametrize("name", ["url", "callback_url", "webhook", "mcp_server", "feed_url", "image_href"])
def test_a_new_field_would_be_found_by_its_name_or_its_format(name: str):
    assert looks_outbound(name, {"type": "string"})
    assert looks_outbound("target", {"anyOf": [{"type": "string", "format": "uri"}, {"type": "null"}]})
    assert not looks_outbound("name", {"type": "string"})
