"""Resolve the requirements anew into the two hash-locked files; no index address is written into them."""

import subprocess
import sys

OPTIONS = (
    "--universal",
    "--generate-hashes",
    "--no-emit-index-url",
    "--no-emit-find-links",
    "--python-version",
    "3.11",
)
PRODUCT = ("pyproject.toml", "-o", "requirements.lock")
DEVELOPMENT = ("pyproject.toml", "--group", "dev", "-c", "requirements.lock", "-o", "requirements-dev.lock")


def main() -> None:
    more = sys.argv[1:]  # for example --upgrade
    for part in (PRODUCT, DEVELOPMENT):
        subprocess.run([sys.executable, "-m", "uv", "pip", "compile", "-q", *OPTIONS, *more, *part], check=True)


if __name__ == "__main__":
    main()
