"""The network: a bridge, and to each node a link that is as slow as its network interface is to be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path

from acic.cluster.lab.facts import ARCHIVE
from acic.cluster.lab.nodes import Node
from acic.cluster.lab.record import Names
from acic.cluster.lab.tools import asked, read, tool, write
from acic.errors import InvalidInput, TransientError

INSIDE = "eth0"  # the node's end of its link
CONGESTION = "cubic"
ALLOWED = Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")

_INTERFACES = Path("/sys/class/net")
_BURST, _LATENCY = "256kb", "500ms"  # a shorter queue is unfair when several send to one
_BUFFER = 2_097_152  # B: more than that and one stream fills the queue of the others
_PER_SECOND = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}


def check_free(names: Names, network: str) -> None:
    """Check that nothing else of this machine is in `network`, or has a name of the lab's.

    Raises:
        InvalidInput: something is, or has.
    """
    routes = tool("ip", "-4", "route", "show", "table", "all")
    if is_used(network, routes):
        by = ", ".join(devices_in(network, routes))
        others = (f"10.{number}.0.0/24" for number in range(47, 256))
        free = next((one for one in others if not is_used(one, routes)), "another one")
        raise InvalidInput(
            f"this machine uses the network {network} already" + (f", by {by}" if by else ""),
            hint=f"give the lab another one: --network {free} (a lab's own interface is called NAME-br)",
        )
    check_marked(names)


def check_marked(names: Names) -> None:
    """Check that all network interfaces with names of the lab's are the lab's.

    Raises:
        InvalidInput: one is not.
    """
    if strange := [link for link in _present(names) if not _is_marked(names, link)]:
        raise InvalidInput(
            f"there is a network interface {strange[0]} already, and it is not the lab's",
            hint=f"give the lab another name, or remove what is there: ip link delete {strange[0]}",
        )


def is_used(network: str, routes: str) -> bool:
    """Return whether routes, as `ip route show` tells them, have anything in a network: a gateway or an own address."""
    prefix = network.rpartition(".")[0]
    return any(word.startswith(f"{prefix}.") for word in routes.split())


def devices_in(network: str, routes: str) -> list[str]:
    """Return the interfaces by which routes, as `ip route show` tells them, reach what is in a network."""
    lines = (line.split() for line in routes.splitlines() if is_used(network, line))
    return sorted({word for line in lines for before, word in pairwise(line) if before == "dev"})


def build(names: Names, network: str, nodes: Iterable[Node], rate: int) -> None:
    """Make the bridge and the links, and shape them.

    Args:
        names: of the lab's parts.
        network: of it.
        nodes: which exist, without links.
        rate: bit/s of all but the archive's.
    """
    prefix = network.rpartition(".")[0]
    lines = [
        f"link add {names.bridge} type bridge stp_state 0 forward_delay 0",
        f"link set {names.bridge} alias {names.alias}",
        silenced(names.bridge),
        f"link set {names.bridge} up",
        f"address add {prefix}.1/24 dev {names.bridge}",
    ]
    shapes = []
    for node in nodes:
        link = names.link(node.name)
        lines.append(f"link add {link} type veth peer name {INSIDE} netns {node.pid}")
        lines.append(f"link set {link} alias {names.alias}")  # at once: by this the lab's links are told from others
        lines += [silenced(link), f"link set {link} master {names.bridge} up"]
        if node.name != ARCHIVE:
            shapes.append(_shape(link, rate))
    tool("ip", "-batch", "-", stdin="\n".join([*lines, ""]))
    tool("tc", "-batch", "-", stdin="\n".join([*shapes, ""]))
    for node in nodes:
        _connect(node, rate)


def _connect(node: Node, rate: int) -> None:
    shaped = "" if node.name == ARCHIVE else f"tc {_shape(INSIDE, rate)}"
    silent = f"ip {words}" if (words := silenced(INSIDE)) else ""
    script = f"""set -e
ip link set lo up
{silent}
ip address add {node.address}/24 dev {INSIDE}
ip link set {INSIDE} up
{shaped}
echo {CONGESTION} >/proc/sys/net/ipv4/tcp_congestion_control
echo 4096 131072 {_BUFFER} >/proc/sys/net/ipv4/tcp_rmem
echo 4096 65536 {_BUFFER} >/proc/sys/net/ipv4/tcp_wmem
"""
    tool(*node.enter(["/bin/sh", "-s"]), stdin=script)


def silenced(link: str, ipv6: Path = Path("/proc/sys/net/ipv6")) -> str:
    """Return what `ip` is told so that a link gives itself no address; "" where the kernel has no IPv6, and refuses."""
    return f"link set {link} addrgenmode none" if ipv6.exists() else ""


def reshape(names: Names, nodes: Iterable[Node], rate: int) -> None:
    """Give the links of all nodes but the archive another rate, in bit/s."""
    shaped = [node for node in nodes if node.name != ARCHIVE]
    tool("tc", "-batch", "-", stdin="".join(f"{_shape(names.link(node.name), rate)}\n" for node in shaped))
    for node in shaped:
        tool(*node.enter(["tc", *_shape(INSIDE, rate).split()]))


def rates(names: Names, node: Node) -> dict[str, int]:
    """Return the rate in bit/s that each end of a node's link is held to; 0 where it is held to none."""
    outside = asked(["tc", "qdisc", "show", "dev", names.link(node.name), "root"])
    inside = asked(node.enter(["tc", "qdisc", "show", "dev", INSIDE, "root"]))
    return {"to": rate_of(outside.stdout), "from": rate_of(inside.stdout)}


def rate_of(text: str) -> int:
    """Return the rate in bit/s that `tc qdisc show` tells of a tbf; 0 if it tells of none."""
    found = re.search(r"\btbf\b.*\brate (\d+(?:\.\d+)?)([KMG]?)bit\b", text)
    return round(float(found[1]) * _PER_SECOND[found[2]]) if found else 0


def links_of(lab: str, interfaces: Iterable[str]) -> list[str]:
    """Return those of this machine's network interfaces that are a lab's: what others begin alike is none of them."""
    own = re.compile(rf"{re.escape(lab)}-(br|[cs]\d\d?|{ARCHIVE})")
    return [name for name in interfaces if own.fullmatch(name)]


def remove(names: Names, *, unmarked: bool) -> None:
    """Delete the bridge and every link of the lab.

    Args:
        names: of the lab's parts.
        unmarked: whether those without the lab's mark are the lab's, too, as where its record says that it is there.

    Raises:
        TransientError: one stays.
    """
    for link in _present(names):
        if not (unmarked or _is_marked(names, link)):
            continue
        done = asked(["ip", "link", "delete", link])
        if done.returncode != 0 and (_INTERFACES / link).exists():
            raise TransientError(f"cannot delete the link {link}: {done.stderr.strip()}", hint="try again")


def _present(names: Names) -> list[str]:
    return links_of(names.name, [entry.name for entry in _INTERFACES.iterdir()])


def _is_marked(names: Names, link: str) -> bool:
    return read(_INTERFACES / link / "ifalias") == names.alias


def congestion_to_allow() -> Mapping[str, str]:
    """Return the settings of this machine that the lab changes, as they are now: none where they suit already."""
    now = read(ALLOWED)
    return {} if CONGESTION in now.split() else {str(ALLOWED): now}


def allow_congestion(before: Mapping[str, str]) -> None:
    """Let namespaces choose the lab's congestion control; `before` is what `congestion_to_allow` said.

    Raises:
        TransientError: the kernel does not have it.
    """
    for path, value in before.items():
        write(Path(path), f"{value} {CONGESTION}")


def restore(before: Mapping[str, str]) -> None:
    """Set this machine's settings as they were."""
    for path, value in before.items():
        write(Path(path), value)


def _shape(link: str, rate: int) -> str:
    return f"qdisc replace dev {link} root tbf rate {rate}bit burst {_BURST} latency {_LATENCY}"
