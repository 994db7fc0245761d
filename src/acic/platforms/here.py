"""The platform `here`: this machine as it is found, without being root, written down as a platform file."""

from __future__ import annotations

import json
import os
import platform as machine
import re
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from acic.platforms.layouts import Layout, layout_of
from acic.platforms.mounts import LUSTRE, Storage, find_storage, mount_table
from acic.units import KIB, MIB

HERE = "here"
_STRIPE_COUNTS = (1, 2, 4, 8, 16)
_STRIPE_SIZES = (MIB, 4 * MIB, 16 * MIB, 64 * MIB)
_UNTOLD = {"lustre": (1, MIB), "ceph": (1, 4 * MIB), "orangefs": (1, MIB)}  # stripes as released, where nobody tells
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
        layouts: how files are striped in directories of these, as far as that is told.
        directory: the one of these that its user named, where runs write then; "" where none or several were.
    """

    host: str
    kernel: str
    cores: int
    memory: int
    storage: Sequence[Storage]
    layouts: Mapping[str, Layout] = field(default_factory=dict)
    directory: str = ""

    def stripes(self, storage: Storage) -> bool:
        """Return whether stripes can be chosen there: not beside a layout that they do not tell."""
        layout = self.layouts.get(storage.directory)
        return bool(storage.striping) and (layout is None or layout.plain)


def find_machine(storage: Sequence[Storage] = (), *, environment: Mapping[str, str] = os.environ) -> Machine:
    """Return what there is to know of this machine; `storage` instead of what would be found."""
    found = tuple(storage) or find_storage(mount_table(), environment, Path.cwd())
    layouts = {s.directory: layout_of(s.directory, s.mount) for s in found if s.striping == LUSTRE}
    return Machine(
        host=socket.gethostname(),
        kernel=machine.release(),
        cores=len(os.sched_getaffinity(0)),
        memory=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        storage=found,
        layouts={directory: layout for directory, layout in layouts.items() if layout},
        directory=storage[0].directory if len(storage) == 1 else "",
    )


def doubts(found: Machine) -> list[str]:
    """Return what its platform file has to be read with, one line each."""
    untold = [s for s in found.storage[:1] if s.striping == LUSTRE and s.directory not in found.layouts]
    whole_layout = [s for s in found.storage if s.striping and not found.stripes(s)]
    return [
        *(
            f"nobody told the stripes of {_toml(s.directory)}: Lustre's own are taken for the baseline's. Correct "
            "[baseline.values] where `lfs getstripe -d` tells others"
            for s in untold
        ),
        *(
            f"files in {_toml(s.directory)} have a layout that no stripe count and size tell (composite, as PFL), "
            "and keep it. To choose stripes, name a directory with plain ones, too: mkdir DIR; "
            f"lfs setstripe -c 1 -S 1M DIR; acic platform detect --storage {_toml(s.directory)} --storage DIR"
            for s in whole_layout
        ),
    ]


def name_of(host: str) -> str:
    """Return the name of the platform that a host of that name is."""
    return re.sub(r"[^A-Za-z0-9._-]", "-", f"{HERE}-{host}")[:60]


def platform_text(found: Machine, *, today: date) -> str:
    """Return the platform file (TOML) of `found`; people may edit it."""
    parameters, baseline, rules, kinds = _parameters(found)
    source = f"found on {found.host}"
    lines = [
        f"# Made by acic on {found.host}. Edit it, or make it anew: acic platform detect",
        *(f"# Note: {doubt}" for doubt in doubts(found)),
        _entry("name", name_of(found.host)),
        _entry("title", f"{found.host}: {', '.join(_place(s) for s in found.storage)}"),
        _entry("revision", found.kernel),
        _entry("source", source),
        _entry("date", today.isoformat()),
        _entry("about", "This machine, with what can be set on it by its users."),
        _entry("missing", f"Measure it: acic train --platform {HERE} --budget 10min"),
        *([_entry("directory", found.directory)] if found.directory else []),
        f"{_entry('compute_nodes', 1)}  # this machine alone: for a cluster leave it out, change the name above, and "
        "cb_nodes in [baseline.values] to the machines of a job",
        _entry("default_instance", "node"),
        _entry("apply", kinds),
        _entry("deployment", ["storage"] if "storage" in parameters else []),
        "\n[baseline]",
        _entry("source", f"the first storage, {_stripes_source(found)}, and the defaults of ROMIO"),
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
    striped = [s for s in found.storage if found.stripes(s)]
    if striped:
        kind = striped[0].striping
        kinds.append(kind)
        others = [s.directory for s in found.storage if s.striping != kind or not found.stripes(s)]
        usual = {} if found.storage[0].directory in others else _usual(found)
        stripes = _stripes([found.layouts[s.directory] for s in striped if s.directory in found.layouts], usual)
        parameters |= stripes
        rules += [[f"when = {{ storage = {_toml(d)} }}", f"absent = {_toml(list(stripes))}"] for d in others]
        baseline |= {name: value for name, value in usual.items() if name in stripes}
    kinds.append("romio")
    parameters["files"] = ("as the application does", "one per process")
    parameters["cb_nodes"] = _powers(max(2, found.cores))
    parameters["cb_buffer_size"] = (MIB, 4 * MIB, 16 * MIB, 64 * MIB)
    parameters |= dict.fromkeys(_HINTS, ("automatic", "enable", "disable"))
    baseline |= {"files": "as the application does", "cb_nodes": 1, "cb_buffer_size": 16 * MIB}
    baseline |= dict.fromkeys(_HINTS, "automatic")
    return parameters, baseline, rules, kinds


def _usual(found: Machine) -> dict[str, int]:
    """Return the stripes that files get today on the first storage, which has some."""
    first = found.storage[0]
    layout = found.layouts.get(first.directory)
    count, size = (layout.count, layout.size) if layout else _UNTOLD[first.striping]
    return {"stripe_count": count, "stripe_size": size}


def _stripes(layouts: Sequence[Layout], usual: Mapping[str, int]) -> dict[str, Sequence[Value]]:
    """Return the stripes to choose among: those of today, and no more objects than there are targets."""
    most = min((layout.targets for layout in layouts if layout.targets), default=_STRIPE_COUNTS[-1])
    listed = {"stripe_count": [n for n in _STRIPE_COUNTS if n <= most], "stripe_size": list(_STRIPE_SIZES)}
    chosen = {name: sorted({*values, usual.get(name, values[0])}) for name, values in listed.items()}
    return {name: values for name, values in chosen.items() if len(values) > 1}


def _stripes_source(found: Machine) -> str:
    told = any(s.directory in found.layouts for s in found.storage[:1])
    return "its stripes as `lfs getstripe` tells them" if told else "the defaults of the file system"


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
