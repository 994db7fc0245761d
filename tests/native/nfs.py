"""nfs-ganesha and mounts of acic-nfsmount, in namespaces of their own: on a disk that can be cut off at any moment."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from acic.filesystems.deployment import Server
from acic.filesystems.nfs import MOUNT_PORT, server_configuration
from tests.needs import skip_or_fail

SOURCE = Path(__file__).parents[2] / "native" / "nfsmount"
ADDRESS = "10.199.0.1"
DISK = 400 << 20  # B
SECONDS = 20.0
NEEDED = ("ganesha.nfsd", "rpcbind", "rpcinfo", "unshare", "nsenter", "mkfs.ext4", "make", "cc", "pkg-config")

_INIT = "ip link set lo up; ip link add nfs0 type bridge; ip addr add {address}/24 dev nfs0; ip link set nfs0 up;"
_INIT += " mount -t tmpfs tmpfs /run; echo up; read end"


def needed() -> None:
    """Skip, or fail, where the tests cannot run."""
    missing = [program for program in NEEDED if shutil.which(program) is None]
    if missing or os.geteuid() != 0 or not Path("/dev/fuse").exists():
        skip_or_fail(f"needs root, /dev/fuse and {', '.join(missing) or 'its programs'}")
    if subprocess.run(["pkg-config", "--exists", "libnfs", "fuse3"], check=False).returncode != 0:
        skip_or_fail("no libnfs-dev or no libfuse3-dev")


def build(folder: Path, target: str) -> Path:
    """Make a target with warnings as errors; return the folder of all that was made."""
    done = subprocess.run(
        ["make", "-C", str(SOURCE), f"BUILD={folder}", "-j2", target], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@dataclass(slots=True)
class Mounted:
    """A mount: `path` reaches it from outside its namespaces."""

    program: subprocess.Popen[str]
    inside: str
    path: Path

    def __truediv__(self, name: str) -> Path:
        return self.path / name


@dataclass(slots=True)
class Place:
    """A server with a disk, and its mounts."""

    program: Path
    folder: Path
    init: int
    server: subprocess.Popen[str] | None = None
    mounts: list[Mounted] = field(default_factory=list)
    started: list[subprocess.Popen[str]] = field(default_factory=list)

    @property
    def root(self) -> Path:
        return Path(f"/proc/{self.init}/root")

    @property
    def store(self) -> Path:
        """The exported directory, as the server sees it."""
        return self.root / str(self.folder / "disk" / "store").lstrip("/")

    def inside(self, *command: str) -> list[str]:
        return ["nsenter", "--target", str(self.init), "--net", "--mount", "--pid", "--ipc", "--uts", *command]

    def run(self, *command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return subprocess.run(self.inside(*command), capture_output=True, text=True, check=check, timeout=60)

    def start(self, *command: str, log: str) -> subprocess.Popen[str]:
        with (self.folder / log).open("a") as file:
            self.started.append(subprocess.Popen(self.inside(*command), stdout=file, stderr=file, text=True))
        return self.started[-1]

    def serve(self) -> None:
        """Start the server; wait until it exports."""
        server = Server(
            node="s0", address=ADDRESS, store=str(self.folder / "disk/store"), state=str(self.folder), capacity=DISK
        )
        configuration = self.folder / "ganesha.conf"
        configuration.write_text(server_configuration(server))
        command = ["ganesha.nfsd", "-F", "-f", str(configuration), "-p", str(self.folder / "ganesha.pid")]
        self.server = self.start(*command, "-L", "STDOUT", "-N", "WARN", log="ganesha.log")
        exports = (str(self.program), "--exports", ADDRESS, "-o", f"mountport={MOUNT_PORT}")
        until(lambda: server.store in self.run(*exports, check=False).stdout.splitlines(), "the server does not export")

    def kill_server(self) -> None:
        """End the server at once, as a crash does."""
        os.kill(self.pid_of("ganesha.nfsd"), signal.SIGKILL)
        assert self.server is not None
        self.server.wait(SECONDS)

    def pid_of(self, name: str) -> int:
        """The process of that name in our pid namespace, by its number outside."""
        (found,) = (pid for pid in self.processes() if comm(pid) == name[:15])
        return found

    def processes(self) -> list[int]:
        """All processes in our namespaces, but init."""
        space = os.readlink(f"/proc/{self.init}/ns/pid")
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(path / "ns/pid") == space and comm(int(path.name)) != "sh":
                    found.append(int(path.name))
            except OSError:
                continue
        return found

    def mount(self, options: str = "async", *, program: Path | None = None) -> Mounted:
        """Mount the export once more; waits until it is there."""
        inside = f"/run/mount{len(self.mounts)}"  # where other users can go
        path = self.root / inside.lstrip("/")
        path.mkdir()
        source = f"{ADDRESS}:{self.folder}/disk/store"
        command = [str(program or self.program), source, inside, "-o", f"{options},timeout=5,retry=2"]
        mounted = Mounted(self.start(*command, log=f"mount{len(self.mounts)}.log"), inside, path)
        self.mounts.append(mounted)
        table = Path(f"/proc/{self.init}/mounts")
        until(lambda: f" {inside} fuse.acic-nfsmount " in table.read_text(), "it does not mount")
        return mounted

    def unmount(self, mounted: Mounted) -> int:
        """Unmount; return the exit status of the program, which ends by itself."""
        self.run("umount", mounted.inside)
        self.mounts[self.mounts.index(mounted)].program.wait(SECONDS)
        return mounted.program.returncode

    def log(self, mounted: Mounted) -> str:
        return (self.folder / f"mount{self.mounts.index(mounted)}.log").read_text()

    @contextmanager
    def after_power_cut(self) -> Iterator[Path]:
        """The store as it would be if the power went out now: from what the disk was told, and nothing else."""
        image, copy = self.folder / "disk.img", self.folder / "cut.img"
        subprocess.run(["cp", "--sparse=always", str(image), str(copy)], check=True)
        where = self.folder / "cut"
        self.run("mkdir", "-p", str(where))
        self.run("mount", "-o", "loop", str(copy), str(where))
        try:
            yield self.root / str(where / "store").lstrip("/")
        finally:
            self.run("umount", str(where))
            copy.unlink()


@contextmanager
def place(program: Path, folder: Path) -> Iterator[Place]:
    """A server, up; all ends with the namespaces' first process."""
    command = ["unshare", "--net", "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child", "--mount-proc"]
    shell = _INIT.format(address=ADDRESS)
    holder = subprocess.Popen(
        [*command, "--propagation", "private", "sh", "-c", shell],
        stdin=subprocess.PIPE,  # it ends with us, even if we are killed
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdin is not None
    assert holder.stdout is not None
    started: list[subprocess.Popen[str]] = []
    try:
        if holder.stdout.readline().strip() != "up":
            skip_or_fail("this machine gives no namespaces")
        (init,) = (int(pid) for pid in Path(f"/proc/{holder.pid}/task/{holder.pid}/children").read_text().split())
        made = Place(program, folder, init, started=started)
        (folder / "disk").mkdir()
        subprocess.run(["truncate", f"--size={DISK}", str(folder / "disk.img")], check=True)
        subprocess.run(["mkfs.ext4", "-q", "-m0", "-O", "^metadata_csum", str(folder / "disk.img")], check=True)
        made.run("mount", "-o", "loop", str(folder / "disk.img"), str(folder / "disk"))
        made.store.mkdir()
        made.start("rpcbind", "-f", log="rpcbind.log")
        until(lambda: made.run("rpcinfo", "-p", "127.0.0.1", check=False).returncode == 0, "no port mapper")
        made.serve()
        yield made
    finally:
        holder.kill()  # and with it, by --kill-child, everything in the namespaces: mounts and loop device too
        holder.stdin.close()
        holder.stdout.close()
        for program_inside in (holder, *started):
            program_inside.wait(SECONDS)


_HOLDER = """
import os, sys
file = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | int(sys.argv[2]), 0o644)
for line in sys.stdin:
    try:
        print("done", eval(line), flush=True)
    except OSError as error:
        print("failed", error.errno, flush=True)
"""


class Holder:
    """A process with an open file: were it open in ours, every process that we start would close and so flush it."""

    def __init__(self, path: Path, flags: int = 0) -> None:
        command = [sys.executable, "-c", _HOLDER, str(path), str(flags)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def do(self, expression: str) -> tuple[str, str]:
        """Evaluate an expression of `os` and `file`: what came of it, and its value or errno."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(expression + "\n")
        self.process.stdin.flush()
        word, value = self.process.stdout.readline().split()
        return word, value

    def __enter__(self) -> Holder:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate(timeout=60)


def until(true: Callable[[], bool], otherwise: str, seconds: float = SECONDS) -> None:
    """Wait for something."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, otherwise
        time.sleep(0.05)


@contextmanager
def opened(path: Path, flags: int, mode: int = 0o644) -> Iterator[int]:
    """A file descriptor, until the end of the block."""
    file = os.open(path, flags, mode)
    try:
        yield file
    finally:
        os.close(file)


def failing(call: Callable[[], object]) -> int:
    """The errno of a call that must fail."""
    with pytest.raises(OSError) as caught:  # noqa: PT011  # which one is for the caller to say
        call()
    assert caught.value.errno is not None
    return caught.value.errno


def comm(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text().strip()


def told(place: Place, mounted: Mounted) -> dict[str, str]:
    """What `--tell` tells."""
    lines = place.run(str(place.program), "--tell", mounted.inside).stdout.splitlines()
    return {name: value for name, _, value in (re.sub("^(a?sync)$", r"mode=\1", line).partition("=") for line in lines)}
