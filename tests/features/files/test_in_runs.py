"""Files in runs: read from the workspace of the run's person, and written once, with the step that wrote them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from pilothouse.base.committer import Write, WriteSet
from pilothouse.blocks.context import Http
from pilothouse.features.files import Limits
from pilothouse.features.runs.files import StepFiles
from pilothouse.features.runs.journal import RunJournal
from pilothouse.kit.json import JsonObject
from tests.features.files.conftest import FILES, Office
from tests.features.runs import graphs
from tests.features.runs.graphs import graph, link, node

WRITE = "15b9219f-50cb-457e-8e35-3d59f46af14f"
READ = "3735a31f-7e18-4aca-9e90-08a7120674bc"
FILE_INPUT = "95ead23f-8283-4654-aef3-10c053b74a31"
TABLE = "acf7625e-d2cb-4941-bfeb-2819fc6fc015"


def writes(path: str, **more: Any) -> JsonObject:
    """Writes its input and reads it back."""
    return graph(
        "Writes",
        [
            node("text", graphs.ANY, name="text"),
            node("write", WRITE, path=path, **more),
            node("file", graphs.OUTPUT, name="file"),
            node("read", READ),
            node("content", graphs.OUTPUT, name="content"),
        ],
        [
            link("text", "result", "write", "content"),
            link("write", "file", "file", "value"),
            link("write", "file", "read", "file_input"),
            link("read", "content", "content", "value"),
        ],
    )


def reads(block: str = READ, pin: str = "content") -> JsonObject:
    return graph(
        "Reads",
        [node("in", FILE_INPUT, name="file"), node("read", block), node("out", graphs.OUTPUT, name="out")],
        [link("in", "result", "read", "file_input"), link("read", pin, "out", "value")],
    )


async def failures(office: Office, run_id: str) -> list[str]:
    ends = [event for event in await office.stand.events(run_id) if event["type"] == "step.finished"]
    return [end["error"]["code"] for end in ends if end["error"]]


async def test_q6_what_a_step_writes_the_next_one_reads(office: Office):
    ended = await office.stand.run(writes("notes/a.txt"), text="hällo")
    assert (ended["status"], ended["outputs"]["content"]) == ("completed", ["hällo"])
    (reference,) = ended["outputs"]["file"]
    (file,) = (await office.ann.get(FILES)).json()["items"]
    assert reference == f"workspace://{file['id']}#text/plain"
    assert (file["path"], file["origin"], file["scope"]) == (f"/runs/{ended['id']}/notes/a.txt", "run", "run")
    assert (await office.download(file["id"])).content == "hällo".encode()
    assert await office.stand.count("file_reservations") == 0


async def test_a_path_of_the_workspace_is_written_once_and_then_over(office: Office):
    first = await office.stand.run(writes("/report.json"), text={"a": 1})
    again = await office.stand.run(writes("/report.json"), text={"a": 2})
    over = await office.stand.run(writes("/report.json", overwrite=True), text={"a": 3})
    assert [first["status"], again["status"], over["status"]] == ["completed", "completed_with_errors", "completed"]
    assert await failures(office, again["id"]) == ["already_exists"]
    assert first["outputs"]["file"] == over["outputs"]["file"]
    (file,) = (await office.ann.get(FILES)).json()["items"]
    assert (file["revision"], file["mime_type"]) == (2, "application/json")


async def test_ws_7_a_step_that_has_no_room_fails_and_holds_none(office: Office):
    ended = await office.stand.run(writes("/../x"), text="x")
    assert await failures(office, ended["id"]) == ["invalid_path"]
    assert await office.stand.count("file_reservations") == 0
    assert await office.stand.count("workspace_files") == 0


async def test_ref_1_a_run_reads_files_by_id_and_by_path_and_only_its_persons(office: Office):
    made = await office.stored("/daten/ä b.csv", b"a,b\n1,2", "text/csv")
    agent = await office.stand.agent(reads(TABLE, "row"))
    by = [f"workspace://{made['id']}", "workspace:///daten/%C3%A4%20b.csv", f"workspace://{made['id']}#text/html"]
    for reference in by:
        ended = await office.stand.start(agent, wait=30, file=reference)
        assert ended["outputs"]["out"] == [{"a": "1", "b": "2"}], reference
    bob = await office.stand.house.person()
    theirs = await office.stand.agent(reads(), bob)
    answer = await bob.http.post(
        f"/api/v1/agents/{theirs}/runs", json={"inputs": {"file": by[0]}}, headers={"Prefer": "wait=30"}
    )
    assert answer.json()["status"] in {"failed", "completed_with_errors"}
    assert "a,b" not in answer.text
    await bob.leave()


async def test_ref_2_a_file_given_inline_is_stored_and_handed_on_by_reference(office: Office):
    ended = await office.stand.run(reads(), file="data:text/plain;base64,aGVsbG8=")
    assert ended["outputs"]["out"] == ["hello"]
    (file,) = (await office.ann.get(FILES)).json()["items"]
    assert (file["name"], file["scope_id"]) == ("data.txt", ended["id"])


@dataclass
class Notes:
    """A journal that keeps what it is given, and is always on disk."""

    given: list[Write] = field(default_factory=list[Write])

    async def barrier(self) -> None:
        """Nothing to wait for."""

    def with_next(self, writes: Sequence[Write]) -> None:
        self.given += writes


def step(office: Office, run_id: str, notes: Notes, limits: Limits | None = None) -> StepFiles:
    cabinet = office.cabinet if limits is None else office.limited(limits)
    journal, http = cast(RunJournal, notes), cast(Http, None)
    return StepFiles(cabinet, cabinet.reader, journal, http, run_id, "7")


async def test_q6_a_step_that_is_done_again_after_a_crash_writes_one_file(office: Office):
    run_id = (await office.stand.run(graphs.greeting(), who="x"))["id"]
    crashed = step(office, run_id, Notes())
    first = await crashed.write("a.txt", b"x" * 100)
    assert (await office.ann.get(FILES)).json()["items"] == []  # the step did not end
    notes = Notes()
    again = step(office, run_id, notes)
    assert await again.write("a.txt", b"x" * 100) == first
    again.leave(keep=True)
    for _ in range(2):  # a commit whose fate is not known is done again
        await office.cabinet.committer.land(WriteSet(tuple(notes.given)))
    (file,) = (await office.ann.get(FILES)).json()["items"]
    assert (file["revision"], file["id"]) == (1, first.partition("#")[0].removeprefix("workspace://"))
    assert await office.stand.count("file_reservations") == 0


async def test_q6_a_step_that_failed_wrote_nothing_and_frees_its_room(office: Office):
    run_id = (await office.stand.run(graphs.greeting(), who="x"))["id"]
    failed = step(office, run_id, Notes(), Limits(quota_bytes=100))
    await failed.write("a.txt", b"x" * 100)
    failed.leave(keep=False)
    other = step(office, run_id, Notes(), Limits(quota_bytes=100))
    await other.write("b.txt", b"x" * 100)
    assert await office.stand.count("file_reservations") == 1
    assert await office.stand.count("workspace_files") == 0


async def test_a_path_that_was_taken_meanwhile_costs_a_step_nothing(office: Office):
    run_id = (await office.stand.run(graphs.greeting(), who="x"))["id"]
    notes = Notes()
    late = step(office, run_id, notes)
    reference = await late.write("/a.txt", b"late")
    await office.stored("/a.txt", b"first", overwrite=True)
    late.leave(keep=True)
    await office.cabinet.committer.land(WriteSet(tuple(notes.given)))
    file = await office.cabinet.resolve(office.user_id, reference)
    assert await office.cabinet.read(file, 100) == b"late"
    assert file.path.startswith("/a-")
