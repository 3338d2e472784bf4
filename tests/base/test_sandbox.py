"""The sandbox: what programs get in it, and what comes back."""

import asyncio
import os
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import uvloop

from pilothouse.base.sandbox import (
    Job,
    LanguageMissing,
    Limits,
    Outcome,
    Sandboxes,
    SandboxGone,
    SandboxTooFull,
    SandboxUnusable,
    TooManySandboxes,
    Walls,
    open_sandboxes,
)
from pilothouse.base.sandbox import languages as known
from pilothouse.base.sandbox.archives import read_archive
from pilothouse.base.sandbox.keeping import MAX_OF_OWNER, Shelf
from tests.base.waiting import until
from tests.sandboxing import need_walls

SECONDS = 60.0


@pytest.fixture
async def walls() -> Walls:
    return await need_walls()


@pytest.fixture
async def sandboxes(walls: Walls, tmp_path: Path) -> AsyncGenerator[Sandboxes]:
    opened = Sandboxes(walls, tmp_path / "kept")
    yield opened
    opened.close()


def python(code: str, **more: object) -> Job:
    return Job("python", code, SECONDS, **more)  # pyright: ignore[reportArgumentType]


def has(language: str) -> bool:
    try:
        known.language_of(language)
    except LanguageMissing:
        return False
    return True


async def test_the_value_of_the_last_line_comes_back_beside_what_was_printed(sandboxes: Sandboxes):
    outcome = await sandboxes.run(python("print('hello')\n{'n': 6 * 7}"))
    assert outcome == Outcome(0, None, "hello\n", "", {"text": "{'n': 42}", "json": {"n": 42}}, (), outcome.archive)


async def test_a_program_that_fails_says_where(sandboxes: Sandboxes):
    outcome = await sandboxes.run(python("def f():\n    return 1 / 0\n\nf()"))
    assert outcome.code == 1
    assert "line 2, in f" in outcome.stderr
    assert outcome.stderr.endswith("ZeroDivisionError: division by zero\n")
    assert "evaluate.py" not in outcome.stderr


@pytest.mark.parametrize(
    ("language", "code", "text", "printed"),
    [
        ("python", "import asyncio\nawait asyncio.sleep(0)\nname.upper()", "ANN", ""),
        ("js", "console.log(name); const n = 2\nn + 1", "3", "ann\n"),
        ("js", "console.log(await Promise.resolve(name))", None, "ann\n"),
        ("bash", 'echo "$name: $n"', None, "ann: 7\n"),
        ("r", 'cat(Sys.getenv("name"))', None, "ann"),
        (
            "java",
            'class Main { public static void main(String[] a) { System.out.print(System.getenv("name")); } }',
            None,
            "ann",
        ),
    ],
)
async def test_every_language_knows_its_variables(
    sandboxes: Sandboxes, language: str, code: str, text: str | None, printed: str
):
    if not has(language):
        with pytest.raises(LanguageMissing, match="apt-get install"):
            await sandboxes.run(Job(language, code, SECONDS))
        return
    outcome = await sandboxes.run(Job(language, code, SECONDS, variables={"name": "ann", "n": 7}))
    assert (outcome.code, outcome.stdout) == (0, printed), outcome.stderr
    assert (outcome.result or {}).get("text") == text


async def test_an_unknown_language_is_refused(sandboxes: Sandboxes):
    with pytest.raises(LanguageMissing, match="there are python, js"):
        await sandboxes.run(Job("cobol", "", SECONDS))


async def test_commands_are_run_first_and_one_that_fails_ends_it(sandboxes: Sandboxes):
    outcome = await sandboxes.run(python("open('a').read()", commands=("echo one > a", "echo two >> a")))
    assert outcome.result == {"text": "one\ntwo\n", "json": "one\ntwo\n"}
    refused = await sandboxes.run(python("print(1)", commands=("exit 7",)))
    assert (refused.code, refused.stdout) == (7, "")


async def test_files_that_it_leaves_come_back(sandboxes: Sandboxes):
    code = "import os\nos.mkdir('sub')\nopen('sub/a.txt', 'w').write('hi')\nos.symlink('/proc/1/environ', 'link')"
    outcome = await sandboxes.run(python(code, wants_files=True))
    assert [(file.path, file.content) for file in outcome.files] == [("sub/a.txt", b"hi")]


async def test_a_kept_sandbox_keeps_its_files_and_a_stopped_program_leaves_it_as_it_was(sandboxes: Sandboxes):
    kept = sandboxes.create("run", "step")
    await sandboxes.run_in("run", kept, python("open('a', 'w').write('1')"))
    stopped = await sandboxes.run_in("run", kept, Job("bash", "echo 2 > a; sleep 60", 1))
    assert stopped.stopped == "time"
    assert (await sandboxes.run_in("run", kept, python("open('a').read()"))).result == {"text": "1", "json": "1"}
    sandboxes.dispose("run", kept)
    with pytest.raises(SandboxGone):
        await sandboxes.run_in("run", kept, python("1"))


async def test_a_kept_sandbox_is_its_runs_alone(sandboxes: Sandboxes):
    kept = sandboxes.create("run", "step")
    assert sandboxes.create("run", "step") == kept  # the same step again, after a crash
    for owner, name in [("other", kept), ("run", "../x"), ("run", f"{kept[:25]}{'.' * 24}"), ("run", "")]:
        with pytest.raises(SandboxGone):
            await sandboxes.run_in(owner, name, python("1"))


async def test_only_so_many_are_kept(sandboxes: Sandboxes):
    for number in range(MAX_OF_OWNER):
        sandboxes.create("run", str(number))
    with pytest.raises(TooManySandboxes):
        sandboxes.create("run", "one more")
    assert sandboxes.create("another", "0")


async def test_too_many_files_are_not_kept_and_that_is_said(walls: Walls, tmp_path: Path):
    small = Sandboxes(walls, tmp_path, Limits(work=1024 * 1024, file_entries=10))
    kept = small.create("run", "step")
    with pytest.raises(SandboxTooFull):
        await small.run_in("run", kept, python("for n in range(3000):\n    open(str(n), 'w').close()"))
    assert (await small.run_in("run", kept, python("import os\nlen(os.listdir())"))).result == {"text": "0", "json": 0}
    small.close()


async def test_a_kept_sandbox_ends_some_time_after_its_last_use_also_when_the_process_did(tmp_path: Path):
    shelf = Shelf(tmp_path, life=3600)
    shelf.create("run", "old")
    path = tmp_path / os.listdir(tmp_path)[0]
    shelf.close()
    os.utime(path, (1, 1))
    again = Shelf(tmp_path, life=3600)
    again.open()
    again.create("run", "new")

    async def gone() -> bool:
        return not path.exists()

    await until(gone, 30)
    assert len(os.listdir(tmp_path)) == 1
    again.close()


async def test_without_walls_it_refuses_and_says_why(tmp_path: Path):
    """deployment:D3"""
    off = await open_sandboxes("off", tmp_path)
    with pytest.raises(SandboxUnusable, match="switched off"):
        await off.run(python("1"))
    with pytest.raises(SandboxUnusable):
        off.create("run", "step")


async def test_without_bubblewrap_it_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """deployment:D3"""
    monkeypatch.setenv("PATH", str(tmp_path))
    lacking = await open_sandboxes("auto", tmp_path)
    assert lacking.reason == "bubblewrap is not installed. On Debian and Ubuntu: apt-get install bubblewrap"


async def test_walls_that_do_not_stand_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """deployment:D3: a machine may have the program and forbid what it does."""
    await need_walls()
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    lacking = await open_sandboxes("auto", tmp_path)
    assert lacking.reason is not None
    assert "this machine does not let it work" in lacking.reason


@pytest.mark.parametrize("content", [b"", b"x" * 5000, b"\0" * 512 + b"a" * 512])
def test_what_is_no_archive_is_read_as_nothing(content: bytes):
    assert read_archive(content, Limits()) == (None, ())


def test_it_works_in_the_loop_that_serves(walls: Walls, tmp_path: Path):
    async def act() -> Outcome:
        sandboxes = Sandboxes(walls, tmp_path)
        job = python("import os\nos.listdir('/proc/self/fd')")
        found, *_ = await asyncio.gather(sandboxes.run(job), sandboxes.run(job))
        sandboxes.close()
        return found

    outcome = uvloop.run(act())
    assert outcome.result is not None
    assert outcome.result["json"] == ["0", "1", "2", "3"]  # the last is the folder that it looks at
