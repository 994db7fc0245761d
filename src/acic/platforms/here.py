"""The platform `here`: this machine as it is found, without being root, written down as a platform file."""

from __future__ import annotations

import json
import os
import platform as machine
import re
import socket
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from acic.paths import user_folder
from acic.platforms.mounts import Storage, find_storage, mount_table
from acic.units import KIB, MIB
from acic.whole import whole

HERE = "here"
_STRIPE_COUNTS = (1, 2, 4, 8, 16)
_STRIPE_SIZES = (MIB, 4 * MIB, 16 * MIB, 64 * MIB)
_HINTS = ("romio_cb_write", "romio_cb_read", "romio_ds_write", "romio_ds_read")
_ABOUT = {
    "storage": "where the files go",
    "files": "whether each process writes a file of its own, where the application can",
    "stripe_count": "objects that a file is spread over",
    "stripe_size": "bytes on one object before the next",
    "cb_nodes": "processes that collect the data of collective calls",
    "cb_buffer_size": "what each of these moves at a time",
    "romio_cb_write": "collective buffering of collective writes",
    "romio_cb_read": "collective buffering of collective reads",
    "romio_ds_write": "data sieving of independent writes",
    "romio_ds_read": "data sieving of independent reads",
}

Value = str | int | bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What was found of a machine.

    Args:
        host: its name.
        kernel: its release, which tells one installation from the next.
        cores: that this process may use.
        memory: B.
        storage: where jobs can write; the first is taken for where they write today.
    """

    host: str
    kernel: str
    cores: int
    memory: int
    storage: Sequence[Storage]


def find_machine(storage: Sequence[Storage] = (), *, environment: Mapping[str, str] = os.environ) -> Machine:
    """Return what there is to know of this machine; `storage` instead of what would be found."""
    return Machine(
        host=socket.gethostname(),
        kernel=machine.release(),
        cores=len(os.sched_getaffinity(0)),
        memory=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        storage=tuple(storage) or find_storage(mount_table(), environment, Path.cwd()),
    )


def kept_file() -> Path:
    """Return the path of the user's own platform file of this machine."""
    return user_folder("config") / "platforms" / f"{HERE}-{socket.gethostname()}.toml"


def kept_name() -> str | None:
    """Return the platform's name in that file; None where there is no file, or where it tells none."""
    try:
        return str(tomllib.loads(kept_file().read_text(encoding="utf-8"))["name"])
    except (OSError, ValueError, KeyError):
        return None


def remedy_of(name: str) -> str:
    """Return what to do where a machine's own name is not known; "" where no machine is called so by acic."""
    if not re.fullmatch(rf"{HERE}-[A-Za-z0-9._-]+", name):
        return ""
    if name == _name(socket.gethostname()):
        return "" if kept_file().exists() else "this machine is not described yet: acic platform detect"
    return (
        f"that is another machine, so give the file that describes it: --platform FILE (there it is {name}.toml in "
        "~/.config/acic/platforms, which acic platform detect writes)"
    )


def keep(text: str) -> None:
    """Write the user's own platform file of this machine; it appears when it is whole."""
    path = kept_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")


def platform_text(found: Machine, *, today: date) -> str:
    """Return the platform file (TOML) of `found`; people may edit it."""
    parameters, baseline, rules, kinds = _parameters(found)
    source = f"found on {found.host}"
    lines = [
        f"# Made by acic on {found.host}. Edit it, or make it anew: acic platform detect",
        _entry("name", _name(found.host)),
        _entry("title", f"{found.host}: {', '.join(_place(s) for s in found.storage)}"),
        _entry("revision", found.kernel),
        _entry("source", source),
        _entry("date", today.isoformat()),
        _entry("about", "This machine, with what can be set on it by its users."),
        _entry("missing", f"Measure it: acic train --platform {HERE} --budget 10min"),
        _entry("default_instance", "node"),
        _entry("apply", kinds),
        _entry("deployment", ["storage"] if "storage" in parameters else []),
        "\n[baseline]",
        _entry("source", "the first storage, and the defaults of the file system and of ROMIO"),
        _entry("date", today.isoformat()),
        "\n[baseline.values]",
        *(_entry(name, value) for name, value in baseline.items()),
        "\n[roles]",
        *([_entry("storage", "storage")] if "storage" in parameters else []),
        *(line for name, values in parameters.items() for line in _parameter(name, values)),
        *(line for rule in rules for line in ("\n[[constraint]]", *rule)),
        "\n[[instance]]",
        _entry("name", "node"),
        _entry("cores", found.cores),
        _entry("memory", f"{found.memory // MIB} MiB"),
        _entry("source", source),
        _entry("date", today.isoformat()),
        "\n# What a campaign runs: workloads of these values",
        "[training]",
        *(_entry(name, values) for name, values in _training(found).items()),
    ]
    return "\n".join(lines) + "\n"


def _name(host: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]", "-", f"{HERE}-{host}")[:60]


def _parameters(
    found: Machine,
) -> tuple[dict[str, Sequence[Value]], dict[str, Value], list[list[str]], list[str]]:
    """Return the parameters with their values, the baseline, the constraints and the kinds of settings."""
    parameters: dict[str, Sequence[Value]] = {}
    baseline: dict[str, Value] = {}
    rules: list[list[str]] = []
    kinds = ["storage", "files"]
    directories = [s.directory for s in found.storage]
    if len(directories) > 1:
        parameters["storage"] = directories
        baseline["storage"] = directories[0]
    striped = [s for s in found.storage if s.striping]
    if striped:
        kinds.append(striped[0].striping)
        parameters |= {"stripe_count": _STRIPE_COUNTS, "stripe_size": _STRIPE_SIZES}
        others = [s.directory for s in found.storage if s.striping != striped[0].striping]
        rules += [[f"when = {{ storage = {_toml(d)} }}", 'absent = ["stripe_count", "stripe_size"]'] for d in others]
        if found.storage[0].directory not in others:
            baseline |= {"stripe_count": _STRIPE_COUNTS[0], "stripe_size": _STRIPE_SIZES[0]}
    kinds.append("romio")
    parameters["files"] = ("as the application does", "one per process")
    parameters["cb_nodes"] = _powers(max(2, found.cores))
    parameters["cb_buffer_size"] = (MIB, 4 * MIB, 16 * MIB, 64 * MIB)
    parameters |= dict.fromkeys(_HINTS, ("automatic", "enable", "disable"))
    baseline |= {"files": "as the application does", "cb_nodes": 1, "cb_buffer_size": 16 * MIB}
    baseline |= dict.fromkeys(_HINTS, "automatic")
    return parameters, baseline, rules, kinds


def _training(found: Machine) -> dict[str, Sequence[Value]]:
    """Return workloads that this machine runs in about a second each, and that differ in all characteristics."""
    return {
        "io_processes": _powers(max(2, min(64, 2 * found.cores))),
        "interface": ["POSIX", "MPIIO"],
        "iterations": [1, 4],
        "data_size": [MIB, 4 * MIB, 16 * MIB],
        "request_size": [4 * KIB, 64 * KIB, MIB, 4 * MIB],
        "operation": ["read", "write"],
        "collective": [False, True],
        "shared": [False, True],
        "access": ["consecutive", "strided", "random"],
    }


def _powers(largest: int) -> list[int]:
    return [2**power for power in range(largest.bit_length()) if 2**power <= largest]


def _parameter(name: str, values: Sequence[Value]) -> list[str]:
    numeric = all(isinstance(value, int) for value in values)
    lines = ["\n[[parameter]]", _entry("name", name), _entry("values", list(values))]
    lines += [_entry("scale", "log")] if numeric else []
    lines += [_entry("unit", "B")] if name.endswith("_size") else []
    return [*lines, _entry("about", _ABOUT[name])]


def _entry(name: str, value: object) -> str:
    return f"{name} = {_toml(value)}"


def _toml(value: object) -> str:
    # JSON's texts, numbers and lists are TOML's too, but for one control character
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _place(storage: Storage) -> str:
    return f"{storage.directory} ({storage.file_system})"
