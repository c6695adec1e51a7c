"""What a fenced process gives up before it runs a student's code. Nothing of it can be undone.

bubblewrap has already taken away the network, the files and other processes (see sandbox.py). Here
go the user, whose processes are counted, and then memory, time, files, and the system calls that
lead around these.
"""

import ctypes
import os
import platform
import resource
import struct

# Bytes, seconds, or numbers. Memory is per process here; sandbox.py watches the sum.
LIMITS = {
    "AS": 3 << 30,
    "CPU": 120,
    "FSIZE": 16 << 20,
    "NPROC": 32,
    "NOFILE": 128,
    "CORE": 0,
    "MEMLOCK": 0,
    "MSGQUEUE": 0,
}

# Ways to more rights, or to memory that no limit counts: numbers from the kernel's tables.
_DENIED = {
    "x86_64": {
        "arch": 0xC000003E,
        "clone": 56,
        "clone3": 435,
        # unshare setns mount memfd_create memfd_secret shmget io_uring_setup ptrace
        # process_vm_readv process_vm_writev add_key request_key keyctl bpf userfaultfd
        # perf_event_open
        "others": [272, 308, 165, 319, 447, 29, 425, 101, 310, 311, 248, 249, 250, 321, 323, 298],
    },
    "aarch64": {
        "arch": 0xC00000B7,
        "clone": 220,
        "clone3": 435,
        "others": [97, 268, 40, 279, 447, 194, 425, 117, 270, 271, 217, 218, 219, 280, 282, 241],
    },
}
_CLONE_NEWUSER = 0x10000000
_EPERM, _ENOSYS = 1, 38


def close(uid: int | None) -> None:
    """Become the user `uid` (None: stay who we are), and set every limit."""
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    os.nice(5)
    for name, value in LIMITS.items():
        kind = getattr(resource, f"RLIMIT_{name}")
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))
    _deny_system_calls()


def _deny_system_calls() -> None:
    """A seccomp filter: those of `_DENIED` fail, everything else is allowed."""
    libc = ctypes.CDLL(None, use_errno=True)
    machine = _DENIED.get(platform.machine())
    if machine is None:
        raise OSError(f"no list of system calls for {platform.machine()}")
    program = _program(**machine)
    buffer = ctypes.create_string_buffer(program)
    header = struct.pack("HP", len(program) // 8, ctypes.addressof(buffer))
    no_new_privileges, set_seccomp, filter_mode = 38, 22, 2
    if libc.prctl(no_new_privileges, 1, 0, 0, 0) or libc.prctl(set_seccomp, filter_mode, header):
        raise OSError(ctypes.get_errno(), "the kernel takes no seccomp filter")


def _program(arch: int, clone: int, clone3: int, others: list[int]) -> bytes:
    """The filter in the kernel's classic BPF: (code, jump if true, jump if false, value)."""
    load, equal, any_bit, give = 0x20, 0x15, 0x45, 0x06
    kill, error, allow = 0x80000000, 0x00050000, 0x7FFF0000
    number, architecture, first_argument = 0, 4, 16
    lines = [
        (load, 0, 0, architecture),
        (equal, 1, 0, arch),
        (give, 0, 0, kill),
        (load, 0, 0, number),
        (0x35, 0, 1, 0x40000000),  # numbers of the x32 interface
        (give, 0, 0, kill),
    ]
    for call in others:
        lines += [(equal, 0, 1, call), (give, 0, 0, error | _EPERM)]
    lines += [
        (equal, 0, 1, clone3),
        (give, 0, 0, error | _ENOSYS),  # the C library then falls back on clone
        (equal, 0, 3, clone),
        (load, 0, 0, first_argument),
        (any_bit, 0, 1, _CLONE_NEWUSER),
        (give, 0, 0, error | _EPERM),
        (give, 0, 0, allow),
    ]
    return b"".join(struct.pack("HBBI", *line) for line in lines)
