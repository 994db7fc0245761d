"""acic-nfsmount against a real nfs-ganesha, built with the sanitizers: what it promises of bytes, order and errors."""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
import random
import shutil
import signal
import stat
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.native import nfs
from tests.native.nfs import Holder, Place, failing, opened, told, until

KIB, MIB = 1 << 10, 1 << 20


def test_parts_pass_their_own_checks(folder: Path) -> None:
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        nfs.build(folder, "check")
    if not shutil.which("valgrind"):
        pytest.skip("no valgrind here: all ran, and well, under the sanitizers alone")


def test_help_version_and_mistakes(folder: Path, tmp_path: Path) -> None:
    program = str(folder / "sanitized" / "acic-nfsmount")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([program, *words], capture_output=True, text=True, check=False, timeout=30)

    assert "usage: acic-nfsmount HOST:/EXPORT DIRECTORY" in run("--help").stdout
    assert run("--version").stdout.startswith("acic-nfsmount ")
    here = str(tmp_path)
    for words in (
        (),
        ("nowhere", here),
        ("h:/e", here, "-o", "rsize=3G"),
        ("h:/e", here, "-o", "fast"),
        ("h:/e", here, "-x"),
        ("h:/e", here, "more"),
        ("h:/e", f"{here}/missing"),
        ("h:/e", here, "-o", "wsize=-1"),
        ("h:/e", here, "-o", "wsize="),
    ):
        done = run(*words)
        assert done.returncode == 2, words
        assert "hint:" in done.stderr
    refused = run("127.0.0.1:/e", here, "-o", "mountport=1")
    assert refused.returncode == 1
    assert "Connection refused" in refused.stderr
    assert run("--tell", here).returncode == 1


def test_what_is_read_ahead_is_told_as_it_is_in_force(place: Place) -> None:
    """What was asked for was told, whether it could be set or not, and before it was."""
    here = place.mount("async,readahead=1M")

    def in_force() -> str:
        device = place.run("mountpoint", "-d", here.inside).stdout.strip()
        return str(1024 * int(place.run("cat", f"/sys/class/bdi/{device}/read_ahead_kb").stdout))

    assert told(place, here)["readahead"] == in_force() != str(MIB)
    (here / "a").write_bytes(b"hello")
    assert (here / "a").read_bytes() == b"hello"
    assert told(place, here)["readahead"] == in_force()


def test_what_file_systems_do(place: Place) -> None:
    here, there = place.mount(), place.mount()
    assert told(place, here)["mode"] == "async"
    assert told(place, here)["up"] == "5"
    (here / "d").mkdir(mode=0o750)
    (here / "d" / "a").write_bytes(b"hello")
    assert (there / "d" / "a").read_bytes() == b"hello" == (place.store / "d" / "a").read_bytes()
    assert stat.S_IMODE((there / "d").stat().st_mode) == 0o750
    assert failing((here / "d").rmdir) == errno.ENOTEMPTY
    assert failing((here / "d" / "a").rmdir) == errno.ENOTDIR
    assert failing(lambda: (here / "d").mkdir()) == errno.EEXIST
    assert failing(lambda: os.open(here / "d" / "a", os.O_CREAT | os.O_EXCL | os.O_WRONLY)) == errno.EEXIST
    assert failing(lambda: os.open(here / "none", os.O_RDONLY)) == errno.ENOENT
    assert failing(lambda: os.open(here / ("x" * 256), os.O_CREAT | os.O_WRONLY)) == errno.ENAMETOOLONG
    assert failing(lambda: os.open(here / "d", os.O_WRONLY)) == errno.EISDIR
    os.link(here / "d" / "a", here / "d" / "b")
    assert (there / "d" / "a").stat().st_nlink == 2
    assert (there / "d" / "a").stat().st_ino == (there / "d" / "b").stat().st_ino
    os.symlink("a", here / "d" / "l")
    assert os.readlink(there / "d" / "l") == "a"
    assert (there / "d" / "l").read_bytes() == b"hello"
    (here / "d" / "a").rename(here / "c")
    assert not (there / "d" / "a").exists()
    (here / "e").write_bytes(b"over")
    (here / "e").rename(here / "c")
    assert (there / "c").read_bytes() == b"over"
    os.truncate(here / "c", 2)
    os.truncate(here / "c", 6)
    assert (there / "c").read_bytes() == b"ov\0\0\0\0"
    os.chmod(here / "c", 0o640)
    os.chown(here / "c", 12, 34)
    os.utime(here / "c", ns=(1_000_000_001, 2_000_000_002))
    found = (there / "c").stat()
    assert (stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid) == (0o640, 12, 34)
    assert (found.st_atime_ns, found.st_mtime_ns) == (1_000_000_001, 2_000_000_002)
    os.mkfifo(here / "fifo")
    assert stat.S_ISFIFO((there / "fifo").stat().st_mode)
    reserve = place.run("fallocate", "--length=4096", f"{here.inside}/c", check=False)
    assert "not supported" in reserve.stderr, reserve.stderr
    with opened(here / "c", os.O_WRONLY | os.O_APPEND) as file:
        os.write(file, b"end")
    assert (there / "c").read_bytes() == b"ov\0\0\0\0end"
    (there / "c").write_bytes(b"")  # O_TRUNC
    assert (here / "c").read_bytes() == b""
    room = [os.statvfs(path) for path in (here.path, place.store)]
    assert room[0].f_blocks * room[0].f_frsize == pytest.approx(room[1].f_blocks * room[1].f_frsize, rel=0.01)
    shutil.rmtree(here / "d")
    assert sorted(os.listdir(there.path)) == ["c", "fifo"]
    assert (place.unmount(here), place.unmount(there)) == (0, 0)
    until(lambda: all("nfsmount" not in nfs.comm(pid) for pid in place.processes()), "a process is left")


def test_times_of_a_file_that_is_written_are_those_that_were_set(place: Place) -> None:
    here = place.mount()
    with opened(here / "f", os.O_CREAT | os.O_WRONLY) as file:
        os.write(file, b"still on its way")
        os.utime(file, ns=(5, 7))
    assert (place.store / "f").stat().st_mtime_ns == 7


def test_permissions_are_those_of_the_files(place: Place) -> None:
    here = place.mount()
    (here / "secret").write_bytes(b"x")
    (here / "secret").chmod(0o600)
    os.chmod(here.path, 0o755)

    def other(*command: str) -> int:
        return place.run("setpriv", "--reuid=4321", "--regid=4321", "--clear-groups", *command, check=False).returncode

    assert other("cat", f"{here.inside}/secret") != 0
    assert other("touch", f"{here.inside}/new") != 0
    (here / "secret").chmod(0o644)
    assert other("cat", f"{here.inside}/secret") == 0
    os.chmod(here.path, 0o777)
    assert other("touch", f"{here.inside}/new") == 0
    assert (place.store / "new").stat().st_uid == 4321


def test_a_folder_with_the_setgid_bit_gives_its_group(place: Place) -> None:
    """As with a kernel's client, whose server is asked as the user and decides: all had the user's own group here."""
    here, there = place.mount(), place.mount()
    (here / "team").mkdir()
    os.chown(here / "team", 0, 100)
    os.chmod(here / "team", 0o2777)

    def other(*command: str) -> None:
        place.run("setpriv", "--reuid=4321", "--regid=4321", "--clear-groups", *command)

    for mounted in (here, there):
        at = f"{mounted.inside}/team"
        name = mounted.path.name
        other("mkdir", f"{at}/{name}")
        other("touch", f"{at}/{name}/file")
        other("mkdir", f"{at}/{name}/below")
        other("ln", "-s", "file", f"{at}/{name}/below/link")
        other("mkfifo", f"{at}/{name}/below/fifo")
        other("cp", "--preserve=mode", "/bin/true", f"{at}/{name}/below/program")
        made = place.store / "team" / name
        for path in (made, *made.rglob("*")):
            found = path.lstat()
            assert (found.st_uid, found.st_gid) == (4321, 100), path
            assert bool(found.st_mode & stat.S_ISGID) is stat.S_ISDIR(found.st_mode), path
    program = f"{here.inside}/team/program"
    # Not Python: the one on root's PATH may lie where nobody else can go.
    make = "use Fcntl; umask 0; sysopen(my $made, shift, O_CREAT | O_WRONLY, 02770) or die $!"
    other("perl", "-e", make, program)
    assert not (place.store / "team" / "program").stat().st_mode & stat.S_ISGID  # it would run as the group
    os.chmod(here / "team", 0o777)
    other("touch", f"{here.inside}/team/plain")
    assert (place.store / "team" / "plain").stat().st_gid == 4321


def test_close_to_open(place: Place) -> None:
    """What one mount closed, the next open on another one sees: size and bytes, larger or smaller than before."""
    mounts, rng = (place.mount(), place.mount()), random.Random(4)
    content = b""
    for turn in range(150):
        writer, reader = mounts if turn % 2 else mounts[::-1]
        if rng.random() < 0.4:
            content = rng.randbytes(rng.choice((0, 1, 4095, 4096, 70_000, 300_000)))
            (writer / "f").write_bytes(content)
        else:
            at, piece = rng.randrange(len(content) + 5000), rng.randbytes(rng.randrange(1, 9000))
            with opened(writer / "f", os.O_RDWR | os.O_CREAT) as file:
                assert os.pread(file, 1 << 20, 0) == content  # into the cache, to be found stale later
                os.pwrite(file, piece, at)
            content = content[:at].ljust(at, b"\0") + piece + content[at + len(piece) :]
        assert (reader / "f").read_bytes() == content, turn


def test_one_file_on_one_node_is_coherent(place: Place) -> None:
    """Overlapping writes, reads, truncations and looks through several open files of one mount, against a model."""
    here, rng = place.mount("async,wsize=16K,behind=128K"), random.Random(11)
    model = bytearray()
    with ExitStack() as stack:
        files = [stack.enter_context(opened(here / "f", os.O_RDWR | os.O_CREAT)) for _ in range(3)]
        files.append(stack.enter_context(opened(here / "f", os.O_RDWR | os.O_DSYNC)))
        ends = [0] * len(files)
        for _ in range(3000):
            which, what = rng.randrange(len(files)), rng.random()
            if what < 0.7:
                at = ends[which] if rng.random() < 0.6 else rng.randrange(200_000)
                piece = rng.randbytes(rng.choice((1, 100, 4096, 5000, 40_000)))
                assert os.pwrite(files[which], piece, at) == len(piece)
                model.extend(bytes(max(0, at + len(piece) - len(model))))
                model[at : at + len(piece)] = piece
                ends[which] = (at + len(piece)) % 300_000
            elif what < 0.85:
                at, size = rng.randrange(250_000), rng.randrange(50_000)
                assert os.pread(files[which], size, at) == model[at : at + size]
            elif what < 0.92:
                assert os.fstat(files[which]).st_size == len(model)
            elif what < 0.95:
                size = rng.randrange(260_000)
                os.ftruncate(files[which], size)
                model = (model[:size]).ljust(size, b"\0")
            else:
                os.fsync(files[which])
    assert (place.store / "f").read_bytes() == model


@pytest.mark.parametrize("record", [4096, 4099, 517])
def test_nodes_that_write_beside_one_another_lose_nothing(place: Place, record: int) -> None:
    """Strided records that share pages, written at the same time by two open files on each of three mounts."""
    mounts, writers, records = [place.mount() for _ in range(3)], 6, 120
    (mounts[0] / "f").write_bytes(b"")
    start = threading.Barrier(writers)

    def write(number: int) -> None:
        with opened(mounts[number % 3] / "f", os.O_RDWR) as file:
            start.wait()
            for turn in range(records):
                at = (turn * writers + number) * record
                os.pwrite(file, bytes([number + 1]) * record, at)
                if turn % 7 == 0:  # reads put half-known pages into the cache
                    assert os.pread(file, record, at) == bytes([number + 1]) * record

    with ThreadPoolExecutor(writers) as pool:
        list(pool.map(write, range(writers)))
    expected = b"".join(bytes([number + 1]) * record for number in range(writers)) * records
    assert (place.store / "f").read_bytes() == expected
    for mounted in mounts:
        assert (mounted / "f").read_bytes() == expected


def test_direct_io_passes_the_cache(place: Place) -> None:
    here, there = place.mount(), place.mount()
    buffer = mmap.mmap(-1, 256 * KIB)  # aligned
    buffer.write(os.urandom(256 * KIB))
    with opened(here / "f", os.O_CREAT | os.O_RDWR | os.O_DIRECT) as file, opened(there / "f", os.O_RDONLY) as other:
        assert os.pwritev(file, [buffer], 0) == 256 * KIB
        assert os.pread(other, 256 * KIB, 0) == buffer[:]  # it has arrived, without a close
        (place.store / "f").write_bytes(b"!" * 256 * KIB)  # behind everybody's back
        into = mmap.mmap(-1, 256 * KIB)
        assert os.preadv(file, [into], 0) == 256 * KIB
        assert into[:] == b"!" * 256 * KIB


@pytest.mark.parametrize(
    ("mode", "flags", "then", "durable"),
    [
        ("sync", 0, "nothing", True),
        ("async", os.O_SYNC, "nothing", True),
        ("async", 0, "fsync", True),
        ("async", 0, "fdatasync", True),
        ("async", 0, "close", True),
        ("async", 0, "nothing", False),  # else the other cases would prove nothing
    ],
)
@pytest.mark.parametrize("size", [3000, 3 * MIB + 77])
def test_what_was_promised_survives_a_power_cut(
    place: Place, mode: str, flags: int, then: str, durable: bool, size: int
) -> None:
    here = place.mount(mode)
    subprocess.run(["sync", "-f", str(place.store)], check=True)
    data = bytes(range(256)) * (size // 256) + b"!" * (size % 256)
    with Holder(here / "f", flags) as holder:
        write = f"os.write(file, bytes(range(256)) * ({size} // 256) + b'!' * ({size} % 256))"
        assert holder.do(write) == ("done", str(size))
        if then != "nothing":
            assert holder.do(f"os.{then}(file)") == ("done", "None")
        with place.after_power_cut() as store:
            path = store / "f"
            assert (path.exists() and path.read_bytes() == data) is durable


def test_large_offsets_and_holes(place: Place) -> None:
    here, there = place.mount(), place.mount()
    far = (1 << 40) + 12_345
    with opened(here / "f", os.O_CREAT | os.O_WRONLY) as file:
        for at in (0, (4 << 30) - 3, far):
            os.pwrite(file, b"marks", at)
    with opened(there / "f", os.O_RDONLY) as file:
        assert os.fstat(file).st_size == far + 5
        for at in (0, (4 << 30) - 3, far):
            assert os.pread(file, 9, at) == (b"marks" if at == far else b"marks\0\0\0\0")
        assert os.pread(file, 100_000, 5 << 30) == bytes(100_000)
        assert os.pread(file, 10, far + 5) == b""


def test_many_small_files(place: Place) -> None:
    here, there = place.mount(), place.mount()
    (here / "d").mkdir()
    names = [f"file-{number:04}" for number in range(1000)]
    for name in names:
        (here / "d" / name).write_bytes(name.encode() * 10)
    listed = os.listdir(there / "d")
    assert sorted(listed) == names
    assert len(listed) == len(set(listed))
    for name in names[::50]:
        assert (there / "d" / name).read_bytes() == name.encode() * 10
    for name in names:
        (there / "d" / name).unlink()
    assert os.listdir(here / "d") == []


def test_an_open_file_outlives_its_name(place: Place) -> None:
    here = place.mount()
    for lose in (lambda: (here / "f").unlink(), lambda: (here / "g").rename(here / "f")):
        (here / "f").write_bytes(b"old")
        (here / "g").write_bytes(b"new")
        with opened(here / "f", os.O_RDWR) as file:
            lose()
            os.pwrite(file, b"!", 3)
            assert os.pread(file, 10, 0) == b"old!"
            assert os.fstat(file).st_size == 4
        until(lambda: not [name for name in os.listdir(place.store) if name.startswith(".nfs")], "it is not removed")
    assert (here / "f").read_bytes() == b"new"


def test_a_hidden_name_that_is_removed_too_leaves_nothing(place: Place) -> None:
    here = place.mount()
    (here / "d").mkdir()
    (here / "d" / "f").write_bytes(b"old")
    with opened(here / "d" / "f", os.O_RDWR) as file:
        for _ in range(3):
            (name,) = os.listdir(here / "d")
            (here / "d" / name).unlink()
        assert os.pread(file, 10, 0) == b"old"
    until(lambda: os.listdir(place.store / "d") == [], "it is not removed")
    (here / "d").rmdir()


def test_a_file_closed_while_its_name_goes_leaves_nothing(place: Place) -> None:
    here = place.mount()

    def close(file: int, seconds: float) -> None:
        time.sleep(seconds)
        os.close(file)

    with ThreadPoolExecutor(1) as pool:
        for turn in range(400):
            path = here / f"f{turn}"
            closed = pool.submit(close, os.open(path, os.O_CREAT | os.O_WRONLY), turn % 40 * 2e-5)
            path.unlink()
            closed.result()
    until(lambda: os.listdir(place.store) == [], "a hidden name is left")


def test_many_nodes_create_one_file(place: Place) -> None:
    mounts = [place.mount() for _ in range(3)]
    for turn in range(10):
        start = threading.Barrier(6)

        def create(number: int, name: str = f"f{turn}", start: threading.Barrier = start) -> None:
            start.wait()
            with opened(mounts[number % 3] / name, os.O_CREAT | os.O_RDWR) as file:
                os.pwrite(file, b"%d" % number, number)

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(create, range(6)))
        assert (place.store / f"f{turn}").read_bytes() == b"012345"


def write_all(file: int, megabytes: int) -> None:
    for _ in range(megabytes):
        os.write(file, b"x" * MIB)


def fill(place: Place, blocks: int) -> None:
    """Leave so many on the server's disk."""
    room = os.statvfs(place.store)
    with opened(place.store / "ballast", os.O_CREAT | os.O_WRONLY) as file:
        os.posix_fallocate(file, 0, (room.f_bavail - blocks) * room.f_frsize)


@pytest.mark.parametrize("mode", ["async", "sync"])
def test_a_full_disk_is_told(place: Place, mode: str) -> None:
    here = place.mount(mode)
    fill(place, 1000)  # 4 MiB are left
    file = os.open(here / "f", os.O_CREAT | os.O_WRONLY)
    errors = []
    calls: list[Callable[[], None]] = [lambda: write_all(file, 12), lambda: os.fsync(file), lambda: os.close(file)]
    for call in calls:
        try:
            call()
        except OSError as error:
            errors.append(error.errno)
    assert errors
    assert set(errors) == {errno.ENOSPC}
    (place.store / "ballast").unlink()
    (here / "g").write_bytes(b"fine again" * 1000)
    assert (place.store / "g").read_bytes() == b"fine again" * 1000


def test_a_full_disk_is_told_by_close_alone(place: Place) -> None:
    here = place.mount()
    fill(place, 50)
    file = os.open(here / "f", os.O_CREAT | os.O_WRONLY)
    assert os.write(file, b"x" * (MIB - 1)) == MIB - 1  # gathered: nothing is sent yet
    assert failing(lambda: os.close(file)) == errno.ENOSPC


def test_a_child_that_closes_its_copy_takes_no_error_away(place: Place) -> None:
    """By any system() between the write and the fsync, the error was lost."""
    here = place.mount()
    fill(place, 50)
    with Holder(here / "f") as holder:
        assert holder.do(f"os.write(file, b'x' * {MIB - 1})") == ("done", str(MIB - 1))
        assert holder.do("os.system('true')") == ("done", "0")
        assert holder.do("os.fsync(file)") == ("failed", str(errno.ENOSPC))
        assert holder.do("os.fsync(file)") == ("done", "None")
        assert holder.do(f"os.pwrite(file, b'x' * {MIB - 1}, 0)") == ("done", str(MIB - 1))
        assert holder.do("os.system('true')") == ("done", "0")
        assert holder.do("os.pwrite(file, b'x', 0)") == ("failed", str(errno.ENOSPC))


def test_a_dead_server_is_an_error_and_no_hang(place: Place) -> None:
    here = place.mount()
    began = threading.Event()
    failed: list[int | None] = []

    def write() -> None:
        try:
            with opened(here / "f", os.O_CREAT | os.O_WRONLY) as file:
                for _ in range(100_000):
                    os.write(file, b"x" * MIB)
                    os.ftruncate(file, 0)
                    began.set()
        except OSError as error:
            failed.append(error.errno)

    writer = threading.Thread(target=write)
    writer.start()
    assert began.wait(30)
    place.kill_server()
    began_waiting = time.monotonic()
    writer.join(30)
    assert not writer.is_alive()
    assert failed == [errno.EIO]
    assert failing(lambda: os.listdir(here.path)) == errno.EIO
    assert failing(lambda: os.open(here / "g", os.O_CREAT | os.O_WRONLY)) == errno.EIO
    assert time.monotonic() - began_waiting < 20
    assert place.unmount(here) == 0
    until(lambda: all("nfsmount" not in nfs.comm(pid) for pid in place.processes()), "a process is left")


def test_a_silent_server_is_an_error_and_no_hang(place: Place) -> None:
    here = place.mount()
    (here / "f").write_bytes(b"x")
    server = place.pid_of("ganesha.nfsd")
    os.kill(server, signal.SIGSTOP)  # connections stay, answers do not come
    until(lambda: "State:\tT" in Path(f"/proc/{server}/status").read_text(), "it does not stop")
    try:
        began = time.monotonic()
        assert failing(lambda: (here / "f").read_bytes()) == errno.EIO
        assert 4 < time.monotonic() - began < 15
    finally:
        os.kill(server, signal.SIGCONT)
        assert place.server is not None
        place.server.send_signal(signal.SIGCONT)  # nsenter stops with what it started
    until(lambda: (here / "f").exists(), "it does not come back")
    assert (here / "f").read_bytes() == b"x"


def test_a_server_that_starts_anew_is_used_again_and_lost_writes_are_told(place: Place) -> None:
    here = place.mount("async,retry=15")
    (here / "f").write_bytes(b"before")
    with Holder(here / "g") as holder:
        for _ in range(4):
            assert holder.do(f"os.write(file, b'x' * {MIB})") == ("done", str(MIB))
        assert holder.do("os.fstat(file).st_size") == ("done", str(4 * MIB))  # all is answered, nothing committed
        place.kill_server()
        time.sleep(1.1)  # nfs-ganesha tells its lives apart by the second they began in
        place.serve()
        # the new server cannot know what the old one had lost
        assert holder.do("os.fsync(file)") == ("failed", str(errno.EIO))
        assert holder.do("os.pwrite(file, b'y', 0)") == ("done", "1")
        assert holder.do("os.fsync(file)") == ("done", "None")
    assert (here / "f").read_bytes() == b"before"


def test_sigterm_sends_what_is_gathered_and_ends(place: Place) -> None:
    here = place.mount()
    with Holder(here / "f") as holder:
        assert holder.do("os.write(file, b'gathered')") == ("done", "8")
        assert (place.store / "f").read_bytes() == b""
        os.kill(place.pid_of("acic-nfsmount"), signal.SIGTERM)
        assert here.program.wait(20) == 0
        assert (place.store / "f").read_bytes() == b"gathered"
        assert holder.do("os.write(file, b'late')")[0] == "failed"


def test_sigterm_has_what_is_open_on_the_servers_disk(place: Place) -> None:
    """It was sent, but not committed: the server's disk could still lose it."""
    here = place.mount()
    subprocess.run(["sync", "-f", str(place.store)], check=True)
    with Holder(here / "f") as holder:
        for _ in range(3):
            assert holder.do(f"os.write(file, b'x' * {MIB})") == ("done", str(MIB))
        os.kill(place.pid_of("acic-nfsmount"), signal.SIGTERM)
        assert here.program.wait(20) == 0
        with place.after_power_cut() as store:
            assert (store / "f").read_bytes() == b"x" * 3 * MIB


def test_sigterm_tells_what_it_could_not_write(place: Place) -> None:
    """It ended well, and nobody was told."""
    here = place.mount()
    (here / "d").mkdir()
    (here / "fine").write_bytes(b"fine")
    fill(place, 50)
    with Holder(here / "fine"), Holder(here / "d" / "f") as holder:
        assert holder.do(f"os.write(file, b'x' * {MIB - 1})") == ("done", str(MIB - 1))
        os.kill(place.pid_of("acic-nfsmount"), signal.SIGTERM)
        assert here.program.wait(20) == 1
    said = place.log(here)
    assert f"what was written to {here.inside}/d/f is not all there: No space left on device\nhint: " in said
    assert "fine" not in said


def test_read_only_and_one_connection(place: Place) -> None:
    (place.store / "f").write_bytes(b"x" * 3 * MIB)
    here = place.mount("ro,nconnect=1,rsize=8K")
    assert (here / "f").read_bytes() == b"x" * 3 * MIB
    assert failing(lambda: (here / "g").write_bytes(b"")) == errno.EROFS
    assert told(place, here)["up"] == "1"
