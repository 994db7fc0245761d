"""From a configuration to what has to be set so that a job runs with it: pure, for measuring and for people alike.

Sources: lfs-setstripe(1); docs.ceph.com, File layouts; OrangeFS documentation, Extended attributes; ROMIO users' guide.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from acic.errors import InvalidInput
from acic.filesystems.hints import done_by_romio, hint_text
from acic.platforms import Platform, is_hint
from acic.space import Value
from acic.units import GIB, KIB, MIB

PER_PROCESS = "one per process"  # value of the parameter `files`
UNGIVEN = ("files",)  # parameters that only the application itself can set
DEPLOYMENT = "deployment"  # of a whole I/O system: more than settings
LAB = "lab"  # the same, by `acic lab`
WHOLE = (DEPLOYMENT, LAB)
_STRIPES = ("stripe_count", "stripe_size")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What makes a job run with a configuration.

    Args:
        directory: where its files go.
        layout: commands to run on the directory before files are made in it.
        check: the command that shows the layout of a file made there, "" if there is none.
        stripes: what `layout` sets of stripe_count and stripe_size (B).
        hints: for MPI-IO.
        file_per_process: whether each process is to write a file of its own, even if the workload shares one.
    """

    directory: str
    layout: tuple[tuple[str, ...], ...] = ()
    check: str = ""
    stripes: Mapping[str, int] = field(default_factory=dict)
    hints: Mapping[str, str] = field(default_factory=dict)
    file_per_process: bool = False


def settings(
    kinds: Sequence[str],
    configuration: Mapping[str, Value],
    baseline: Mapping[str, Value],
    *,
    directory: str,
    storage: str = "storage",
    machines: int = 1,
    own_folder: bool = False,
) -> Settings:
    """Return what to set; nothing for what the baseline does anyway.

    The baseline's stripes are those of its own storage: what another one does untouched is not known. Hints of the
    baseline are set where ROMIO does something else by itself: one file of hints takes the place of all others.

    Args:
        kinds: names of `KINDS`: what the platform lets be set.
        configuration: the system parameters to set.
        baseline: what the system does untouched.
        directory: where files go, unless the configuration chooses a storage.
        storage: the parameter that chooses it, by the platform's [roles].
        machines: that the job runs on, over which aggregators are spread.
        own_folder: the directory is made for this run: its stripes are set even where they are the baseline's, as it
            may have got others from the directories above it.

    Raises:
        InvalidInput: an unknown kind, or a value that cannot be set.
    """
    moved = configuration.get(storage) != baseline.get(storage)
    restored = own_folder and "orangefs" not in kinds  # whose own stripes hang on its servers: `here` cannot tell them
    striped = _STRIPES if moved or restored else ()
    changed = {
        name: value
        for name, value in configuration.items()
        if value != baseline.get(name) or name in striped or not done_by_romio(name, value, machines)
    }
    made = Settings(directory=directory)
    for kind in kinds:
        if kind not in KINDS:
            raise InvalidInput(f"nothing is known of setting {kind!r}", hint=f"use {', '.join(sorted(KINDS))}")
        made = KINDS[kind].act(made, configuration, changed)
    return replace(made, hints={**made.hints, **_spread(made.hints, configuration, machines)})


def by_hand(platform: Platform) -> tuple[str, ...]:
    """Return the parameters that nothing in the platform's `apply` sets: whoever wants another value sets it."""
    kinds = set(platform.apply)
    if DEPLOYMENT in kinds:
        return ()
    names = platform.hints if LAB in kinds else platform.space.names  # the lab deploys all the others
    return tuple(name for name in names if name != platform.roles.storage and not kinds & set(kinds_that_set(name)))


def kinds_that_set(name: str) -> tuple[str, ...]:
    """Return the kinds of what can be set that set a parameter of that name; the storage is the one in [roles]."""
    if is_hint(name):
        return ("romio",)
    return tuple(kind for kind, one in KINDS.items() if name in one.parameters)


def lfs_size(size: int) -> str:
    """Return a size as `lfs setstripe -S` reads it: 4M is 4 MiB."""
    for letter, factor in (("G", GIB), ("M", MIB), ("K", KIB)):
        if size % factor == 0:
            return f"{size // factor}{letter}"
    return str(size)


Configured = Mapping[str, Value]


def _storage(made: Settings, configuration: Configured, changed: Configured) -> Settings:  # noqa: ARG001 (one signature)
    return replace(made, directory=str(configuration.get("storage", made.directory)))


def _files(made: Settings, configuration: Configured, changed: Configured) -> Settings:  # noqa: ARG001 (as all kinds)
    return replace(made, file_per_process=changed.get("files") == PER_PROCESS)


def _lustre(made: Settings, configuration: Configured, changed: Configured) -> Settings:
    if not set(_STRIPES) & set(changed):
        return made
    stripes = {name: _whole(configuration, name) for name in _STRIPES if name in configuration}
    count = ("-c", str(stripes["stripe_count"])) if "stripe_count" in stripes else ()
    size = ("-S", lfs_size(stripes["stripe_size"])) if "stripe_size" in stripes else ()
    command = ("lfs", "setstripe", *count, *size, made.directory)
    return _laid_out(made, [command], stripes, ("lfs", "getstripe"))


def _ceph(made: Settings, configuration: Configured, changed: Configured) -> Settings:
    if not set(_STRIPES) & set(changed):
        return made
    stripes = {name: _whole(configuration, name) for name in _STRIPES if name in configuration}
    values: dict[str, int] = {}
    if "stripe_size" in stripes:
        size = stripes["stripe_size"]
        units = max(1, 4 * MIB // max(1, size))  # in an object: 4 MiB, which is Ceph's own, or what is nearest below
        values = {"object_size": units * size, "stripe_unit": size}
    if "stripe_count" in stripes:
        values["stripe_count"] = stripes["stripe_count"]
    words = " ".join(f"{name}={value}" for name, value in values.items())
    command = ("setfattr", "-n", "ceph.dir.layout", "-v", words, made.directory)
    return _laid_out(made, [command], stripes, ("getfattr", "-n", "ceph.file.layout"))


def _orangefs(made: Settings, configuration: Configured, changed: Configured) -> Settings:
    stripes = {name: _whole(configuration, name) for name in _STRIPES if name in changed}
    if not stripes:
        return made
    attributes = {
        "stripe_count": ("user.pvfs2.num_dfiles", ""),
        "stripe_size": ("user.pvfs2.dist_params", "strip_size:"),
    }
    commands = []
    for parameter, value in stripes.items():
        name, before = attributes[parameter]
        commands.append(("setfattr", "-n", name, "-v", f"{before}{value}", made.directory))
    return _laid_out(made, commands, stripes, ("pvfs2-viewdist", "-f"))


def _laid_out(
    made: Settings, commands: Sequence[tuple[str, ...]], stripes: Mapping[str, int], shows: tuple[str, ...]
) -> Settings:
    """Return `made` with what lays out its directory, and how a file in it `shows` that."""
    check = shlex.join((*shows, f"{made.directory}/FILE"))
    return replace(made, layout=(*made.layout, *commands), check=check, stripes=stripes)


def _romio(made: Settings, configuration: Configured, changed: Configured) -> Settings:  # noqa: ARG001 (as all kinds)
    hints = {name: hint_text(value) for name, value in changed.items() if is_hint(name)}
    return replace(made, hints={**made.hints, **hints})


def _spread(hints: Mapping[str, str], configuration: Configured, machines: int) -> dict[str, str]:
    """Return the hint that lets there be `cb_nodes` aggregators, as evenly over the machines as can be.

    By itself ROMIO takes one on each machine, and by "*:*" all on the first ones (cb_config_list.c).
    """
    wanted = configuration.get("cb_nodes")
    if "cb_nodes" not in hints or "cb_config_list" in configuration or not isinstance(wanted, int):
        return {}
    each = math.ceil(wanted / machines)
    return {"cb_config_list": f"*:{each}"} if each > 1 else {}


def _whole(configuration: Configured, name: str) -> int:
    value = configuration[name]
    if not isinstance(value, int):
        raise InvalidInput(f"a {name.replace('_', ' ')} of {value!r}", hint="give a whole number")
    return value


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of what can be set.

    Args:
        act: takes what was set before it, the whole configuration, and what of it has to be set; returns what to set.
        parameters: that it sets, by name; hints, and the storage of [roles], are told otherwise (`kinds_that_set`).
    """

    act: Callable[[Settings, Configured, Configured], Settings]
    parameters: tuple[str, ...] = ()


KINDS: Mapping[str, Kind] = {
    "storage": Kind(_storage),  # first: what follows works on its directory
    "files": Kind(_files, UNGIVEN),
    "lustre": Kind(_lustre, _STRIPES),
    "ceph": Kind(_ceph, _STRIPES),
    "orangefs": Kind(_orangefs, _STRIPES),
    "romio": Kind(_romio),
}
"""By name, as `apply` in a platform's file has them; a new one is a line here, and its name in `platforms.APPLY`."""
