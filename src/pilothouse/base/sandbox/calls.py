"""Calls into the kernel that no program in the sandbox has a use for: they are answered as if they did not exist.

Each is a way to hold memory that nobody counts, to reach into other processes, or a part of the kernel in which others
have found holes. The walls do not rest on this list; it makes them thicker.
"""

import platform
import struct

# By machine: the number by which the kernel knows the architecture, and those of the calls.
_X86_64 = {
    *(29, 101, 155, 161, 163, 165, 166, 167, 168, 169, 175, 176, 179),  # shmget ptrace pivot_root chroot acct mount ...
    *(246, 248, 249, 250, 272, 278, 298, 303, 304, 308, 310, 311, 313),  # kexec_load keys unshare perf setns ...
    *(319, 320, 321, 323),  # memfd_create kexec_file_load bpf userfaultfd
}
_ARM_64 = {
    *(39, 40, 41, 51, 60, 75, 89, 97, 104, 105, 106, 117, 142, 194),
    *(217, 218, 219, 224, 225, 241, 264, 265, 268, 270, 271, 273, 279, 280, 282, 294),
}
_NEWER = {425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 442, 447}  # io_uring mounts pidfd_getfd memfd_secret
_MACHINES = {"x86_64": (0xC000003E, _X86_64 | _NEWER), "aarch64": (0xC00000B7, _ARM_64 | _NEWER)}

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _NO_SUCH_CALL, _KILL = 0x7FFF0000, 0x00050000 | 38, 0x80000000
_NUMBER, _ARCHITECTURE = 0, 4  # where they stand in what the kernel shows
_FOREIGN = 0x40000000  # from here on, the same calls by other numbers


def refused_calls(machine: str | None = None) -> bytes:
    """A filter for the kernel; empty on a machine whose numbers we do not know."""
    known = _MACHINES.get(machine or platform.machine())
    if known is None:
        return b""
    architecture, calls = known
    steps = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, len(calls) + 1, 0, _FOREIGN),
        *((_EQUAL, len(calls) - place, 0, call) for place, call in enumerate(sorted(calls))),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _NO_SUCH_CALL),
    ]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)
