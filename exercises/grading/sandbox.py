"""A process that nothing gets out of: bubblewrap around `inside`, watched from here.

It sees Python, PyTorch with what PyTorch needs, and three files of ours; no network, no other
process, no environment, nothing of the course, the grader or other students. Started by root it
runs under a user of its own, so that its processes can be counted. (In a user namespace made by
root it would still be root to the kernel, and no limit on processes would hold.) What it sends is
parsed as tensors and short texts, never as code.
"""

import contextlib
import json
import os
import pwd
import random
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from safetensors.torch import load, save
from torch import Tensor

from exercises import checking
from exercises.grading import fences, inside

MODULES = ("torch", "numpy", "safetensors")  # with all that they need
MEMORY = 3 << 30  # bytes, over all processes of one sandbox
FRAME, OUTPUT = 16 << 20, 64 << 20  # bytes in one frame, and in all of them
START_SECONDS = 120  # until PyTorch is imported, on a busy machine
TICK = 0.05  # seconds between two looks at the memory


class Died(Exception):
    """The process was ended, or ended itself, before it answered. The text says why."""


class NoIsolation(RuntimeError):
    """This machine cannot fence a process in."""


class Sandbox:
    """Makes fenced processes for one worker. `trust=True` makes them without any fence.

    `allows` names the modules of the course that students' code may import.

    Raises:
        NoIsolation: there is no bubblewrap, or it does not work here.
    """

    def __init__(self, allows: Sequence[str] = (), *, trust: bool = False):
        self.trust = trust
        self.uid = None if trust or os.geteuid() else _free_uid()
        if not trust and not shutil.which("bwrap"):
            raise NoIsolation(
                "bubblewrap is not installed (on Debian and Ubuntu: apt install bubblewrap)"
            )

        self.command = self._command(allows)

    def _command(self, allows: Sequence[str]) -> list[str]:
        """What starts a process."""
        if self.trust:
            here = Path(__file__).parent
            return [sys.executable, "-B", "-c", _UNFENCED.format(str(here), str(here.parent))]
        python = Path(sys.executable).resolve()
        if (base := Path(sys.base_prefix).resolve()) != Path("/usr"):
            python = Path("/python", python.relative_to(base))
        user = [] if self.uid is None else [str(self.uid)]
        fence = _bubblewrap(_visible(allows), root=self.uid is not None)
        return [*fence, str(python), "-I", "-S", "-B", "/grader/inside.py", *user]

    def start(self, job: bytes) -> "Process":
        """Start `inside` with its job."""
        return Process(self.command, job)


# Looks for what a sandbox must not have, and names what it found.
_PROBE = """
import ctypes, os, socket, threading
found = []
if os.getuid() == 0: found.append("the rights of root")
if len(socket.if_nameindex()) > 1: found.append("a network")
if os.path.exists("/home") or os.path.exists("/root"): found.append("home directories")
if any(name.isdigit() and int(name) > 50 for name in os.listdir("/proc")): found.append("processes")
if os.environ.keys() - {"OMP_NUM_THREADS", "HOME", "PATH", "PWD", "LC_CTYPE"}:
    found.append("the environment")
if ctypes.CDLL(None).unshare(0x10000000) == 0: found.append("user namespaces")
halt, threads = threading.Event(), []
try:
    while len(threads) < 200:
        threads.append(threading.Thread(target=halt.wait))
        threads[-1].start()
    found.append("as many processes as it likes")
except RuntimeError:
    pass
halt.set()
try:
    bytearray(64 << 30)
    found.append("all the memory")
except MemoryError:
    pass
raise ValueError(", ".join(found))
"""


def prove(sandbox: Sandbox) -> None:
    """See for ourselves that the fence holds on this machine.

    Raises:
        NoIsolation: it does not, or no process can be started.
    """
    job = save({}, {"order": json.dumps({"cells": [(0, _PROBE)], "cases": [], "refuses": []})})
    try:
        with sandbox.start(job) as process:
            process.frame("start", START_SECONDS)
            _, texts = process.frame("0", 20)
    except (Died, OSError) as error:
        raise NoIsolation(
            f"bubblewrap cannot fence a process in on this machine: {error}"
        ) from None
    if texts.get("error") != "ValueError" or texts.get("detail"):
        found = texts.get("detail") or texts.get("words")
        raise NoIsolation(f"a fenced process still has {found} on this machine")


_UNFENCED = """
import sys
sys.path[:0] = [{!r}, {!r}]
import inside, fences
fences.close = lambda uid: None
inside.main(None)
"""


def _free_uid() -> int:
    """A user that nobody has, from the range that systemd gives to passing services."""
    while True:
        uid = random.SystemRandom().randrange(61184, 65520)
        try:
            pwd.getpwuid(uid)
        except KeyError:
            return uid


def _bubblewrap(visible: Iterable[tuple[str, str]], *, root: bool) -> list[str]:
    spaces = ["pid", "net", "ipc", "uts", *([] if root else ["user"])]
    command = ["bwrap", *(f"--unshare-{space}" for space in spaces), "--unshare-cgroup-try"]
    if root:
        command += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        command += ["--uid", "65534", "--gid", "65534"]
    command += ["--die-with-parent", "--new-session", "--clearenv"]
    for name, value in {"OMP_NUM_THREADS": "1", "HOME": "/tmp", "PATH": "/nowhere"}.items():
        command += ["--setenv", name, value]
    for folder in (
        "/usr",
        "/grader",
        "/site",
        "/site/lib",
    ):  # made by themselves they would be closed to others
        command += ["--perms", "0755", "--dir", folder]
    for source, target in visible:
        command += ["--ro-bind", source, target]
    for name in ("lib", "lib64"):
        if (path := Path("/", name)).is_symlink():
            command += ["--symlink", str(path.readlink()), str(path)]
    command += ["--proc", "/proc", "--dev", "/dev"]
    command += ["--perms", "1777", "--size", str(16 << 20), "--tmpfs", "/tmp"]
    return [*command, "--chdir", "/tmp", "--remount-ro", "/dev", "--remount-ro", "/", "--"]


def _visible(allows: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What the process sees of this machine's files, and where."""
    for path in map(Path, ("/usr/lib", "/usr/lib64", "/lib", "/lib64")):
        if path.is_dir() and not path.is_symlink():
            yield str(path), str(path)
    python = Path(sys.executable).resolve()
    base = Path(sys.base_prefix).resolve()
    if base == Path("/usr"):
        yield str(python), str(python)
    else:  # perhaps in somebody's home, whose name and rights must not matter
        yield str(base), "/python"
    for path in _packages([*MODULES, *(["jaxtyping"] if allows else [])]):
        yield str(path), f"/site/{path.name}"
    course = Path(__file__).parents[2]
    for name in ("lib.__init__", *allows) if allows else ():
        path = Path(*name.split(".")).with_suffix(".py")
        yield str(course / path), f"/site/{path}"
    for module in (checking, inside, fences):
        path = Path(module.__file__)
        yield str(path), f"/grader/{path.name}"


def _packages(names: Sequence[str]) -> set[Path]:
    """The files and folders of packages, and of what they require."""
    todo, seen, paths = list(names), set(), set()
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        try:
            found = distribution(name)
        except PackageNotFoundError:  # required on other machines, or for an extra
            continue
        for requirement in map(Requirement, found.requires or ()):
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                todo.append(requirement.name)
        tops = {file.parts[0] for file in found.files or ()}
        for top in tops - {"..", "__pycache__"}:
            if (path := Path(found.locate_file(top))).exists():
                paths.add(path)
    return paths


class Process:
    """A running `inside`: hand out its frames one by one, and end it in any case."""

    def __init__(self, command: list[str], job: bytes):
        self.child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"PATH": os.environ.get("PATH", ""), "OMP_NUM_THREADS": "1"},
            start_new_session=True,
        )
        self.pending, self.received = b"", 0
        os.set_blocking(self.child.stdin.fileno(), False)
        with contextlib.suppress(OSError, Died):  # the first frame will be missing
            self.send(job, START_SECONDS)

    def send(self, blob: bytes, seconds: float) -> None:
        """Hand something in.

        Raises:
            Died: it is not taken.
            OSError: there is nobody to take it.
        """
        deadline, pipe = time.monotonic() + seconds, self.child.stdin.fileno()
        left = len(blob).to_bytes(inside.LENGTH, "little") + blob
        while left:
            if time.monotonic() > deadline:
                raise Died("it did not read what it had asked for")
            if select.select([], [pipe], [], TICK)[1]:
                left = left[os.write(pipe, left) :]

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *_) -> None:
        os.killpg(self.child.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            self.child.stdin.close()
        self.child.stdout.close()
        self.child.wait()

    def frame(self, key: str, seconds: float) -> tuple[dict[str, Tensor], dict[str, str]]:
        """The next frame, which must be the answer to `key`: tensors, and texts.

        Raises:
            Died: there is none, or none that can be read.
        """
        deadline = time.monotonic() + seconds
        length = int.from_bytes(self._bytes(inside.LENGTH, deadline, seconds), "little")
        if length > FRAME:
            raise Died(f"it answered with more than {FRAME >> 20} MB")
        tensors, texts = _parse(self._bytes(length, deadline, seconds))
        if texts.get("key") != key:  # copies of the process, say, that all answer
            raise Died("it answered what nobody had asked")
        return tensors, texts

    def _bytes(self, count: int, deadline: float, seconds: float) -> bytes:
        while len(self.pending) < count:
            if time.monotonic() > deadline:
                raise Died(f"it took longer than {seconds:g} seconds")
            if memory_of(self.child.pid) > MEMORY:
                raise Died(f"it took more than {MEMORY >> 30} GB of memory")
            if select.select([self.child.stdout], [], [], TICK)[0]:
                part = os.read(self.child.stdout.fileno(), 1 << 20)
                if not part:
                    raise Died("its process ended before it had answered")
                self.pending += part
                self.received += len(part)
                if self.received > OUTPUT:
                    raise Died(f"it sent more than {OUTPUT >> 20} MB")
        found, self.pending = self.pending[:count], self.pending[count:]
        return found


def _parse(blob: bytes) -> tuple[dict[str, Tensor], dict[str, str]]:
    try:
        tensors = load(blob)
        header = json.loads(blob[8 : 8 + int.from_bytes(blob[:8], "little")])
        texts = {str(k): str(v)[:500] for k, v in header.get("__metadata__", {}).items()}
    except Exception:
        raise Died("what it sent was no answer") from None
    return tensors, texts


def memory_of(pid: int) -> int:
    """Bytes of memory of a process and of all that descend from it."""
    total, todo = 0, [pid]
    while todo:
        folder = Path("/proc", str(todo.pop()))
        try:
            total += int((folder / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
            for task in (folder / "task").iterdir():
                todo += map(int, (task / "children").read_text().split())
        except (OSError, ValueError, IndexError):
            continue  # it has ended meanwhile
    return total
