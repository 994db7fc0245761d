"""What this machine lacks for a lab, and the one command that brings it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from acic.cluster.lab.groups import groups
from acic.cluster.lab.network import CONGESTION
from acic.cluster.lab.tools import asked, read, which
from acic.errors import AcicError

# Program: the Debian package that brings it.
PROGRAMS: Mapping[str, str] = {
    "unshare": "util-linux",
    "nsenter": "util-linux",
    "losetup": "mount",
    "mount": "mount",
    "umount": "mount",
    "setsid": "util-linux",
    "setpriv": "util-linux",
    "pivot_root": "util-linux",
    "ip": "iproute2",
    "tc": "iproute2",
    "mkfs.xfs": "xfsprogs",
    "mkfs.btrfs": "btrfs-progs",
    "fusermount3": "fuse3",
    "sync": "coreutils",
    "socat": "socat",
}
KERNEL_FILE_SYSTEMS = ("xfs", "btrfs", "fuse", "tmpfs")
_NAMESPACES = ("net", "uts", "ipc", "mnt", "pid")
_WRITING_BACK = Path("/sys/class/bdi")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that was looked for.

    Args:
        what: it is.
        well: whether it is there.
        problem: one line, "" if it is there.
        package: Debian packages that bring it, with spaces between; "" if none do.
        hint: what else can be done.
        optional: whether a lab does without.
    """

    what: str
    well: bool
    problem: str = ""
    package: str = ""
    hint: str = ""
    optional: bool = False


def findings(more: Mapping[str, Sequence[tuple[str, str]]] | None = None) -> list[Finding]:
    """Look for everything that a lab is made with; nothing is changed.

    Args:
        more: by what it is for, programs with the Debian package of each, as file systems need them; a package of ""
            is none. A lab does without them, and without that file system.
    """
    found = [_root(), *(_program(name, package) for name, package in PROGRAMS.items())]
    found += [_namespaces(), _groups(), _loop(), _fuse(), _bridge(), *map(_file_system, KERNEL_FILE_SYSTEMS)]
    found += [_congestion(), _waiting(), _space()]
    for what, programs in (more or {}).items():
        found += [_program(name, package, what) for name, package in programs]
    return found


def cautions() -> list[Finding]:
    """Look for what may trouble a lab that is up, though it can be made; nothing is changed."""
    return [replace(finding, optional=True) for finding in (_filtered(), _filled())]


def command(found: Sequence[Finding]) -> str:
    """Return the one command that brings what is missing; "" if no package would."""
    missing = [finding.package for finding in found if not finding.well]
    packages = sorted({package for packages in missing for package in packages.split()})
    return f"apt-get install --no-install-recommends {' '.join(packages)}" if packages else ""


def _root() -> Finding:
    return _told("root", os.geteuid() == 0, "the lab needs root", hint="run it by sudo")


def _program(name: str, package: str, for_what: str = "") -> Finding:
    problem = f"there is no program {name}" + (f", for {for_what}" if for_what else "")
    return Finding(
        what=f"{name} ({for_what})" if for_what else name,
        well=which(name) is not None,
        problem="" if which(name) is not None else problem,
        package=package,
        hint="" if package or which(name) is not None else "it is in no Debian package: the lab does without",
        optional=bool(for_what),
    )


def _namespaces() -> Finding:
    lacking = [name for name in _NAMESPACES if not Path(f"/proc/self/ns/{name}").exists()]
    if lacking:
        return _told("namespaces", False, f"the kernel has no namespaces for {', '.join(lacking)}")
    if which("unshare") is None:
        return _told("namespaces", True, "")  # that it lacks is told already
    works = os.geteuid() != 0 or asked(["unshare", "--net", "--mount", "--pid", "--fork", "true"]).returncode == 0
    return _told("namespaces", works, "namespaces cannot be made here", hint="a container must be privileged for it")


def _groups() -> Finding:
    try:
        made = groups("acic-lab-doctor")
    except AcicError as error:
        return _told("control groups", False, error.problem, hint=error.hint)
    writable = os.access(made.folders["cpu"], os.W_OK)
    return _told("control groups", writable, "control groups cannot be made here", hint="be root on the machine itself")


def _loop() -> Finding:
    well = Path("/dev/loop-control").exists() or _module("loop")
    return _told("loop devices", well, "the kernel has no loop devices", hint="modprobe loop")


def _fuse() -> Finding:
    well = Path("/dev/fuse").exists() or _module("fuse")
    return _told("FUSE", well, "there is no /dev/fuse", hint="modprobe fuse")


def _bridge() -> Finding:
    """Look for the kinds of link and of queue: only making one tells, which is done in a network of its own."""
    if os.geteuid() != 0 or None in map(which, ("unshare", "ip", "tc")):
        return _told("bridge, veth, tbf", True, "")
    script = """set -e
ip link add name probe0 type bridge
ip link add name probe1 type veth peer name probe2
tc qdisc replace dev probe1 root tbf rate 400mbit burst 256kb latency 500ms
"""
    done = asked(["unshare", "--net", "/bin/sh", "-s"], stdin=script)
    told = done.stderr.strip().replace("\n", "; ")
    return _told("bridge, veth, tbf", done.returncode == 0, f"the kernel lacks bridge, veth or tbf: {told}")


def _file_system(name: str) -> Finding:
    known = {line.split()[-1] for line in read(Path("/proc/filesystems")).splitlines()}
    hint = f"modprobe {name}, or boot a kernel that has it"
    return _told(f"{name} in the kernel", name in known or _module(name), f"the kernel has no {name}", hint=hint)


def _congestion() -> Finding:
    known = read(Path("/proc/sys/net/ipv4/tcp_available_congestion_control")).split()
    well = CONGESTION in known or _module(f"tcp_{CONGESTION}")
    return _told(f"TCP {CONGESTION}", well, f"the kernel has no TCP {CONGESTION}")


def _waiting() -> Finding:
    """Look for what limits the data that waits to be written to a disk: since Linux 6.2."""
    well = any(_WRITING_BACK.glob("*/max_bytes"))
    hint = "boot Linux 6.2 or a later one"
    return _told("limits of writing back", well, "the kernel cannot limit what waits for a disk", hint=hint)


def _space() -> Finding:
    free = shutil.disk_usage("/var/tmp").free  # noqa: S108  # where disk images are
    return _told("space in /var/tmp", free > _LEAST_SPACE, f"{free} B are free in /var/tmp", hint="8 GiB is enough")


def _filtered() -> Finding:
    """Look whether the firewall is asked about what nodes send one another: it often forwards nothing."""
    return _told(
        "links past the firewall",
        read(_FIREWALL) != "1",
        "the firewall sees what nodes send one another, and may keep them apart",
        hint="sysctl net.bridge.bridge-nf-call-iptables=0",
    )


def _filled() -> Finding:
    free = shutil.disk_usage("/var/tmp").free  # noqa: S108  # where disk images are
    return _told(
        "space for full disks",
        free > _MOST_SPACE,
        f"{free} B are free in /var/tmp, and the disks of 4 servers hold {_MOST_SPACE} B",
        hint="write less than that in the lab, or make room in /var/tmp",
    )


_LEAST_SPACE, _MOST_SPACE = 4 * 2**30, 32 * 2**30
_FIREWALL = Path("/proc/sys/net/bridge/bridge-nf-call-iptables")


def _module(name: str) -> bool:
    """Return whether the kernel would load a module when it is used."""
    return which("modinfo") is not None and asked(["modinfo", "-n", name]).returncode == 0


def _told(what: str, well: bool, problem: str, *, hint: str = "") -> Finding:
    return Finding(what=what, well=well, problem="" if well else problem, hint="" if well else hint)
