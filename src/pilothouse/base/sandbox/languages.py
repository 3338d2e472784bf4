"""The languages of the sandbox, and how a program of each is started."""

import os
import re
import shlex
from dataclasses import dataclass
from importlib.resources import files

from pilothouse.base.sandbox.errors import LanguageMissing
from pilothouse.base.sandbox.job import Job
from pilothouse.kit.json import Json, dumps

PATH = "/usr/local/bin:/usr/bin:/bin"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")


@dataclass(frozen=True, slots=True)
class Language:
    """`program` must be in the sandbox; `package` is what brings it on Debian."""

    name: str
    program: str
    main: str
    package: str
    words: tuple[str, ...]
    evaluate: str | None = None  # what runs the program and says what its last line is worth


LANGUAGES = {
    language.name: language
    for language in (
        Language("python", "python3", "main.py", "python3", ("-B", "/job/evaluate.py"), "evaluate.py"),
        Language("js", "node", "main.js", "nodejs", ("--max-old-space-size=700", "/job/evaluate.js"), "evaluate.js"),
        Language("bash", "bash", "main.sh", "bash", ("/job/main.sh",)),
        Language("r", "Rscript", "main.R", "r-base-core", ("--vanilla", "/job/main.R")),
        Language(
            "java",
            "javac",
            "Main.java",
            "default-jdk-headless",
            ("-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xmx512m", "/job/Main.java"),
        ),
    )
}


def language_of(name: str) -> Language:
    """Raises `LanguageMissing`."""
    found = LANGUAGES.get(name)
    if found is None:
        raise LanguageMissing(f"There is no language '{name}'; there are {', '.join(LANGUAGES)}.")
    if not any(os.access(f"{place}/{found.program}", os.X_OK) for place in PATH.split(":")):
        raise LanguageMissing(
            f"'{found.program}' is not installed on this machine, so that programs in {name} cannot be run."
            f" On Debian and Ubuntu: apt-get install {found.package}"
        )
    return found


def command_of(language: Language) -> list[str]:
    """What starts the program, inside."""
    return ["java" if language.name == "java" else language.program, *language.words]


def texts_of(job: Job, language: Language) -> dict[str, bytes]:
    """The files of `/job`, by name."""
    setup = "\n".join(["set -e", *job.commands, 'exec "$@"', ""])
    found = {
        language.main: job.code,
        "setup.sh": setup,
        "variables.json": dumps(job.variables),
        "variables.sh": "".join(
            f"{name}={shlex.quote(_plain(value))}\n" for name, value in job.variables.items() if _NAME.fullmatch(name)
        ),
    }
    texts = {name: text.encode(errors="replace") for name, text in found.items()}
    if language.evaluate is not None:
        texts[language.evaluate] = inside(language.evaluate)
        texts["variables.sh"] = b""
    return texts


def inside(name: str) -> bytes:
    """A file that is run inside the sandbox and not here."""
    return (files("pilothouse.base.sandbox") / "inside" / name).read_bytes()


def _plain(value: Json) -> str:
    return (value if isinstance(value, str) else dumps(value)).replace("\0", "")
