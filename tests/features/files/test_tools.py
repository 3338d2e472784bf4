"""autopilot-tools:T11, WF1: files as AutoPilot's tools see them, and files in the arguments of tools."""

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from pilothouse.autopilot import all_tools, parts_for_tools
from pilothouse.base.tools import ToolBox, ToolContext, ToolResult
from pilothouse.kit.ids import new_id
from tests.features.files.conftest import FILES, Office
from tests.features.runs import graphs
from tests.features.runs.graphs import graph, link, node

made = ToolBox()


class Shown(ToolResult):
    type: Literal["shown"] = "shown"
    got: dict[str, Any]


@made.tool(label="Showing")
async def show(
    ctx: ToolContext,
    text: str = "",
    thing: dict[str, Any] | None = None,
    rows: list[list[Any]] | None = None,
    names: list[str] | None = None,
    media: Annotated[str, Field(json_schema_extra={"format": "file"})] = "",
) -> ToolResult:
    """Show what it was given."""
    return Shown(message="", got={"text": text, "thing": thing, "rows": rows, "names": names, "media": media})


@dataclass(slots=True)
class Hand:
    """Calls tools in one session."""

    office: Office
    session_id: str = field(default_factory=new_id)
    calls: int = 0

    async def call(self, name: str, /, *, key: str | None = None, **asked: Any) -> dict[str, Any]:
        self.calls += 1
        house, turn_id = self.office.stand.house.api, self.session_id
        ctx = ToolContext(
            actor=self.office.stand.ann.actor,
            session_id=self.session_id,
            turn_id=turn_id,
            tool_call_id=f"c{self.calls}",
            idempotency_key=key or f"{turn_id}:{self.calls}",
            units=house.units,
            parts=parts_for_tools(house),
        )
        outcome = await {**all_tools(), **made}[name].call(ctx, asked)
        return getattr(outcome, "output")  # noqa: B009

    async def shown(self, **asked: Any) -> dict[str, Any]:
        return (await self.call("show", **asked))["got"]


async def test_ws_3_a_session_sees_its_own_files_and_the_users(office: Office):
    await office.stored("/mine.txt", b"user's")
    one, two = Hand(office), Hand(office)
    written = await one.call("write_workspace_file", path="notes.md", content="hello")
    assert (written["type"], written["path"]) == ("workspace_file_written", f"/sessions/{one.session_id}/notes.md")
    assert [file["name"] for file in (await one.call("list_workspace_files"))["files"]] == ["notes.md", "mine.txt"]
    assert [file["name"] for file in (await two.call("list_workspace_files"))["files"]] == ["mine.txt"]
    every = await two.call("list_workspace_files", include_all_sessions=True)
    assert len(every["files"]) == 2
    assert (await one.call("read_workspace_file", path="notes.md"))["content"] == "hello"
    assert (await two.call("read_workspace_file", path="notes.md"))["code"] == "not_found"
    (file,) = (await office.ann.get(FILES, params={"origin": "session"})).json()["items"]
    assert file["scope_id"] == one.session_id


async def test_wf1_paths_that_lead_elsewhere_are_refused(office: Office):
    hand = Hand(office)
    for path in ("../x", "/../x", "a/../../x", "/a\\b", "/runs/x"):
        assert (await hand.call("write_workspace_file", path=path, content="x"))["code"] == "invalid_path", path
    assert await office.stand.count("workspace_files") == 0


async def test_a_write_that_is_made_again_is_one_file(office: Office):
    hand = Hand(office)
    first = await hand.call("write_workspace_file", path="a.txt", content="x", key="same")
    again = await hand.call("write_workspace_file", path="a.txt", content="x", key="same")
    assert (first["file_id"], first["revision"]) == (again["file_id"], again["revision"])
    other = await hand.call("write_workspace_file", path="a.txt", content="x")
    assert other["code"] == "already_exists"
    over = await hand.call("write_workspace_file", path="a.txt", content_base64="eQ==", overwrite=True)
    assert (over["file_id"], over["revision"]) == (first["file_id"], 2)
    await hand.call("write_workspace_file", path="b.txt", content=" a\n")
    assert (await hand.call("read_workspace_file", path="b.txt"))["content"] == " a\n"


async def test_large_files_are_read_in_parts_and_others_only_described(office: Office):
    hand = Hand(office)
    await office.stored("/long.txt", b"0123456789" * 5_000)
    whole = await hand.call("read_workspace_file", path="/long.txt")
    assert (whole["type"], whole["size_bytes"]) == ("workspace_file_metadata", 50_000)
    part = await hand.call("read_workspace_file", path="/long.txt", offset=5, length=10)
    assert (part["content"], part["truncated"], part["next_offset"]) == ("5678901234", True, 15)
    await office.stored("/x.bin", b"\xff\xfe\0")
    assert (await hand.call("read_workspace_file", path="/x.bin"))["type"] == "workspace_file_metadata"
    assert (await hand.call("read_workspace_file"))["code"] == "invalid_arguments"


async def test_a_deleted_file_is_in_the_trash(office: Office):
    hand = Hand(office)
    written = await hand.call("write_workspace_file", path="/a.txt", content="x")
    assert (await hand.call("delete_workspace_file", path="/a.txt"))["type"] == "workspace_file_deleted"
    assert (await hand.call("read_workspace_file", file_id=written["file_id"]))["code"] == "not_found"
    assert (await office.ann.post(f"{FILES}/{written['file_id']}/restore")).status_code == 200


async def test_ref_3_and_4_each_field_gets_what_it_can_use(office: Office):
    hand = Hand(office)
    stored = await office.stored("/data.json", b'{"a": [1]}')
    await office.stored("/t.csv", b"a,b\n1,2")
    await hand.call("write_workspace_file", path="n.md", content="one\ntwo\nthree\n")
    reference = f"workspace://{stored['id']}"
    assert (await hand.shown(media="@@file:/t.csv"))["media"].startswith("workspace://")
    got = await hand.shown(
        text="@@file:n.md[2-3]",
        thing=f"@@file:{reference}",
        rows="@@file:/t.csv",
        names=["@@file:n.md[1-1]", "plain"],
        media=f"@@file:{reference}",
    )
    assert got == {
        "text": "two\nthree",
        "thing": {"a": [1]},
        "rows": [["a", "b"], ["1", "2"]],
        "names": ["one", "plain"],
        "media": reference,
    }


async def test_ref_4_inputs_of_an_agent_get_what_their_types_can_use(office: Office):
    document = graph(
        "Reader",
        [
            node("text", graphs.TEXT, name="text"),
            node("rows", "5603b273-f41e-4020-af7d-fbc9c6a8d928", name="rows", column_headers=["a", "b"]),
            node("file", "95ead23f-8283-4654-aef3-10c053b74a31", name="file"),
            *(node(f"{name}_out", graphs.OUTPUT, name=name) for name in ("text", "rows", "file")),
        ],
        [link(name, "result", f"{name}_out", "value") for name in ("text", "rows", "file")],
    )
    agent_id = await office.stand.agent(document)
    stored = await office.stored("/t.json", b'[{"a": 1, "b": 2}]')
    hand = Hand(office)
    names = {"text": "@@file:/t.json", "rows": "@@file:/t.json", "file": "@@file:/t.json"}
    started = await hand.call("run_agent", library_agent_id=agent_id, inputs=names)
    assert started["type"] == "execution_started", started
    run = await office.stand.reaches(started["execution_id"], "completed")
    assert run["inputs"] == {
        "text": '[{"a": 1, "b": 2}]',
        "rows": [{"a": 1, "b": 2}],
        "file": f"workspace://{stored['id']}#application/json",
    }
    await office.stored("/inputs.json", b'{"text": "@@file:/t.json", "rows": [], "file": "workspace:///t.json"}')
    started = await hand.call("run_agent", library_agent_id=agent_id, inputs="@@file:/inputs.json")
    run = await office.stand.reaches(started["execution_id"], "completed")
    assert run["inputs"]["text"] == "@@file:/t.json"  # what a file holds is not looked through again
    told = await hand.call("run_agent", library_agent_id=agent_id, inputs={**names, "rows": "@@file:/none.json"})
    assert (told["code"], "/none.json" in told["message"]) == ("invalid_reference", True)


async def test_ref_3_what_a_file_holds_is_not_looked_through_again(office: Office):
    hand = Hand(office)
    await office.stored("/a.txt", b"@@file:/b.txt")
    await office.stored("/b.txt", b"secret")
    assert (await hand.shown(text="@@file:/a.txt"))["text"] == "@@file:/b.txt"
    assert (await hand.shown(text="see @@file:/b.txt"))["text"] == "see @@file:/b.txt"


async def test_ref_5_what_cannot_be_used_is_named(office: Office):
    hand, bob = Hand(office), await office.stand.house.person()
    theirs = (await bob.browser.post(FILES, params={"path": "/t.txt"}, content=b"theirs")).json()["id"]
    await office.stored("/large.txt", b"x" * (1024 * 1024 + 1))
    await office.stored("/x.bin", b"\xff\xfe\0")
    await office.stored("/no.json", b"[1]")
    wrong = ["/none.txt", f"workspace://{theirs}", "../../etc/passwd", "/large.txt", "/x.bin", "workspace:///../x"]
    for name in wrong:
        told = await hand.call("show", text=f"@@file:{name}")
        assert (told["code"], name in told["message"]) == ("invalid_reference", True), told
    assert (await hand.call("show", thing="@@file:/no.json"))["code"] == "invalid_reference"
    await office.stored("/a.txt", b"a")
    assert (await hand.call("show", names=["@@file:/a.txt"] * 21))["code"] == "invalid_reference"
    assert len((await hand.shown(names=["@@file:/a.txt"] * 20))["names"]) == 20
    await bob.leave()
