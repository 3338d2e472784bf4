"""Debian's packages, for machines that are made for one run: CI, a container."""

import os
import shutil
import subprocess


class NotAllowed(RuntimeError):
    """We may not install packages here."""


def install(*names: str) -> None:
    """Install what is missing. Raises `NotAllowed` when we are not root or the system has no apt."""
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise NotAllowed(f"not installed, and not ours to install: {', '.join(names)}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for words in (["update"], ["install", "-y", "--no-install-recommends", *names]):
        subprocess.run(["apt-get", "-qq", *words], check=True, env=environment, stdout=subprocess.DEVNULL)


def ensure(program: str, name: str) -> bool:
    """Whether the program of this package is here, perhaps only now."""
    if shutil.which(program) is None:
        try:
            install(name)
        except NotAllowed:
            return False
    return shutil.which(program) is not None
