"""Running code that people wrote, in the sandbox."""

from base64 import b64encode
from mimetypes import guess_type
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from pilothouse.blocks.contract import (
    AnyJson,
    BlockContext,
    BlockFailed,
    BlockInput,
    BlockOutput,
    Category,
    Effects,
    Example,
    block,
)
from pilothouse.blocks.credentials import CredentialRef, credentials_field
from pilothouse.blocks.example import LeftFile, Ran
from pilothouse.blocks.files import MAX_READ, Files, plain_name
from pilothouse.blocks.sandbox import CodeFile, CodeOrder, CodeOutcome
from pilothouse.kit.json import Json, JsonObject

MOST_SECONDS = 1500  # a block has half an hour, and may have to wait for its turn
MAX_FILES = 50
MAX_INLINE_BYTES = 1024 * 1024  # of all files that are handed on, where nothing stores them
LAST_WORDS = 2000

Code: TypeAlias = Annotated[str, Field(description="The program.", json_schema_extra={"format": "code"})]
Language: TypeAlias = Annotated[
    Literal["python", "js", "bash", "r", "java"], Field(description="What the program is written in.")
]
Commands: TypeAlias = Annotated[list[str], Field(description="Shell commands to run before it.")]
Seconds: TypeAlias = Annotated[int, Field(ge=1, description="How many seconds it may take.")]
Template: TypeAlias = Annotated[
    str, Field(description="A template of E2B; has no meaning here.", json_schema_extra={"advanced": True})
]
_E2B = "E2B cannot be used here: leave out its credentials and its template, and the code runs on this machine."


class CodeOut(BlockOutput):
    """What every one of these blocks fires."""

    main_result: dict[str, AnyJson] | None = None
    results: list[dict[str, AnyJson]] | None = None
    response: str | None = None
    stdout_logs: str | None = None
    stderr_logs: str | None = None


class ExecuteCodeIn(BlockInput):
    code: Code = ""
    language: Language = "python"
    setup_commands: Commands = Field(default_factory=list[str])
    variables: Annotated[
        dict[str, AnyJson], Field(description="Values by name: names of the program, or its environment.")
    ] = Field(default_factory=dict[str, AnyJson])
    timeout: Seconds = 300
    dispose_sandbox: Annotated[
        bool, Field(description="Kept for agents made elsewhere: nothing can be done with it afterwards.")
    ] = True
    template_id: Template = ""
    credentials: CredentialRef | None = credentials_field(
        "e2b", optional=True, description="Leave this out: the code runs on this machine."
    )


class ExecuteCodeOut(CodeOut):
    files: list[dict[str, AnyJson]] | None = None


@block(
    id="0b02b072-abe7-11ef-8372-fb5d162dd712",
    name="Execute code",
    categories={Category.DEVELOPER_TOOLS},
    effects=Effects.WRITES,
    at_least_once=True,
    happy_pins=("response", "stdout_logs"),
    examples=[
        Example(
            ask={"code": "print('hello')\n6 * 7"},
            ran=[Ran(stdout="hello\n", result={"text": "42", "json": 42})],
            fires=[
                ("main_result", {"text": "42", "json": 42}),
                ("results", [{"text": "42", "json": 42, "is_main_result": True}]),
                ("response", "42"),
                ("stdout_logs", "hello\n"),
                ("files", []),
            ],
        ),
        Example(
            ask={"code": "echo 1 > one.txt", "language": "bash"},
            ran=[Ran(files=(LeftFile("one.txt", b"1\n"),))],
            fires=[
                ("results", []),
                (
                    "files",
                    [
                        {
                            "path": "one.txt",
                            "name": "one.txt",
                            "size": 2,
                            "type": "text/plain",
                            "file": "workspace://00000000-0000-7000-8000-000000000101#text/plain",
                        }
                    ],
                ),
            ],
        ),
        Example(
            ask={"code": "1 / 0"},
            ran=[Ran(code=1, stderr="Traceback\nZeroDivisionError: division by zero\n")],
            fires=[
                ("results", []),
                ("stderr_logs", "Traceback\nZeroDivisionError: division by zero\n"),
                ("files", []),
                ("error", "ZeroDivisionError: division by zero"),
            ],
        ),
    ],
)
async def execute_code(ask: ExecuteCodeIn, ctx: BlockContext) -> ExecuteCodeOut:
    """Run a program in a sandbox of its own and hand on what it printed, its last value and the files that it left."""
    if ask.credentials is not None or ask.template_id:
        return ExecuteCodeOut(error=_E2B)
    order = CodeOrder(
        ask.language, ask.code, _seconds(ask.timeout), ask.setup_commands, dict(ask.variables), wants_files=True
    )
    outcome = await ctx.sandbox.run(order)
    told = ExecuteCodeOut.model_validate(_told(outcome, order))
    told.files = await _shown(outcome, ctx)
    return told


class InstantiateCodeSandboxIn(BlockInput):
    setup_code: Code = ""
    setup_commands: Commands = Field(default_factory=list[str])
    language: Language = "python"
    timeout: Seconds = 300
    template_id: Template = ""


class InstantiateCodeSandboxOut(BlockOutput):
    sandbox_id: str | None = None
    response: str | None = None
    stdout_logs: str | None = None
    stderr_logs: str | None = None


@block(
    id="ff0861c9-1726-4aec-9e5b-bf53f3622112",
    name="Instantiate code sandbox",
    categories={Category.DEVELOPER_TOOLS},
    effects=Effects.WRITES,
    at_least_once=True,
    happy_pins=("sandbox_id",),
    examples=[
        Example(
            ask={"setup_code": "print('ready')"},
            ran=[Ran(stdout="ready\n")],
            fires=[("sandbox_id", "sandbox"), ("stdout_logs", "ready\n")],
        ),
        Example(
            ask={"setup_commands": ["false"]},
            ran=[Ran(code=1)],
            fires=[("error", "the program ended with exit code 1")],
        ),
    ],
)
async def instantiate_code_sandbox(ask: InstantiateCodeSandboxIn, ctx: BlockContext) -> InstantiateCodeSandboxOut:
    """Make a sandbox whose files stay for later steps of this run, for an hour after its last use."""
    if ask.template_id:
        return InstantiateCodeSandboxOut(error=_E2B)
    sandbox_id = ctx.sandbox.create()
    order = CodeOrder(ask.language, ask.setup_code, _seconds(ask.timeout), ask.setup_commands)
    told = _told(await ctx.sandbox.run_in(sandbox_id, order), order)
    if "error" in told:
        ctx.sandbox.dispose(sandbox_id)
    else:
        told["sandbox_id"] = sandbox_id
    pins = ("sandbox_id", "response", "stdout_logs", "stderr_logs", "error")
    return InstantiateCodeSandboxOut.model_validate({pin: told[pin] for pin in pins if pin in told})


class ExecuteCodeStepIn(BlockInput):
    sandbox_id: Annotated[str, Field(min_length=1, description="What 'Instantiate code sandbox' gave.")]
    step_code: Code = ""
    language: Language = "python"
    dispose_sandbox: Annotated[bool, Field(description="Whether it is of no use after this.")] = False


@block(
    id="82b59b8e-ea10-4d57-9161-8b169b0adba6",
    name="Execute code step",
    categories={Category.DEVELOPER_TOOLS},
    effects=Effects.WRITES,
    at_least_once=True,
    happy_pins=("response", "stdout_logs"),
    examples=[
        Example(
            ask={"sandbox_id": "sandbox", "step_code": "len(open('a.txt').read())"},
            ran=[Ran(result={"text": "5", "json": 5})],
            fires=[
                ("main_result", {"text": "5", "json": 5}),
                ("results", [{"text": "5", "json": 5, "is_main_result": True}]),
                ("response", "5"),
            ],
        ),
        Example(
            ask={"sandbox_id": "sandbox", "step_code": "while True: pass"},
            ran=[Ran(code=None, stopped="time")],
            fires=[("results", []), ("error", "the program took longer than 300 s and was ended")],
        ),
    ],
)
async def execute_code_step(ask: ExecuteCodeStepIn, ctx: BlockContext) -> CodeOut:
    """Run a program in a sandbox that an earlier step of this run made, with the files that are there."""
    order = CodeOrder(ask.language, ask.step_code, 300)
    outcome = await ctx.sandbox.run_in(ask.sandbox_id, order)
    if ask.dispose_sandbox:
        ctx.sandbox.dispose(ask.sandbox_id)
    return CodeOut.model_validate(_told(outcome, order))


def _seconds(asked: int) -> float:
    return float(min(asked, MOST_SECONDS))


def _told(outcome: CodeOutcome, order: CodeOrder) -> JsonObject:
    """Pins that have something to say."""
    told: JsonObject = {"results": []}
    if outcome.result is not None:
        main: JsonObject = {**outcome.result}
        told = {"main_result": main, "results": [{**main, "is_main_result": True}], "response": main["text"]}
    if outcome.stdout:
        told["stdout_logs"] = outcome.stdout
    if outcome.stderr:
        told["stderr_logs"] = outcome.stderr
    if fault := _fault(outcome, order):
        told["error"] = fault
    return told


def _fault(outcome: CodeOutcome, order: CodeOrder) -> str | None:
    match outcome.stopped:
        case "time":
            return f"the program took longer than {order.seconds:g} s and was ended"
        case "memory":
            return "the program needed more memory than there is in the sandbox and was ended"
        case "output":
            return "the program printed more than is taken from it and was ended"
        case _:
            return None if outcome.code == 0 else _last_words(outcome)


def _last_words(outcome: CodeOutcome) -> str:
    lines = [line.strip() for line in outcome.stderr.splitlines() if line.strip()]
    return lines[-1][:LAST_WORDS] if lines else f"the program ended with exit code {outcome.code}"


async def _shown(outcome: CodeOutcome, ctx: BlockContext) -> list[JsonObject]:
    """The first of the files; one that is too large for what is left is named without its content."""
    store = _store(ctx)
    room = MAX_INLINE_BYTES if store is None else MAX_READ
    shown: list[JsonObject] = []
    for number, file in enumerate(outcome.files[:MAX_FILES]):
        entry = _entry(file)
        if len(file.content) <= room:
            room -= len(file.content)
            # A folder for each: steps may leave files of one name, and programs call them what they like.
            place = f"code/{ctx.step_id}-{number}/{plain_name(str(entry['name']))}"
            entry["file"] = await _kept(store, place, file.content, str(entry["type"]))
        shown.append(entry)
    return shown


def _store(ctx: BlockContext) -> Files | None:
    try:
        return ctx.files
    except BlockFailed:  # there is none here
        return None


async def _kept(store: Files | None, place: str, content: bytes, kind: str) -> str:
    if store is None:
        return f"data:{kind};base64,{b64encode(content).decode()}"
    return await store.write(place, content, mime_type=kind)


def _entry(file: CodeFile) -> dict[str, Json]:
    kind = guess_type(file.path)[0] or "application/octet-stream"
    return {"path": file.path, "name": file.path.rpartition("/")[2], "size": len(file.content), "type": kind}
