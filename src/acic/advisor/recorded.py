"""What a log was made with, as far as it tells: its seconds are those of the baseline only if that is the baseline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from acic.platforms import Platform
from acic.space import Value
from acic.workloads import Phase
from acic.workloads.darshan import below

_STRIPES = {  # of a Lustre file, by a directory's layout or by the hint that makes it
    "stripe_count": ("stripe_count", "striping_factor"),
    "stripe_size": ("stripe_size", "striping_unit"),
}
_SYSTEMS = {  # as kernels call them, and as people do; whatever else a log or a platform names may be one of these
    "lustre": "Lustre",
    "gpfs": "GPFS",
    "beegfs": "BeeGFS",
    "ceph": "Ceph",
    "fuse.ceph-fuse": "Ceph",
    "fuse.glusterfs": "Gluster",
    "nfs": "NFS",
    "nfs4": "NFS",
}


def unlike_baseline(phases: Sequence[Phase], platform: Platform) -> list[str]:
    """Return in what a log's files differ from the baseline of `platform`, and what that means; nothing for nothing.

    Args:
        phases: whose seconds are taken as those of the baseline.
        platform: where the job is to run.
    """
    of_phases = [(phase, list(_differences(phase, platform))) for phase in phases]
    found = dict.fromkeys(one for _, differ in of_phases for one in differ)
    if not found:
        return []
    remedy = "--elsewhere, and the baseline's are predicted, or write into the platform's file what jobs have today."
    if place := _as_the_baseline(of_phases):
        remedy = f"--only {place}, where files are as the baseline has them, and the rest stays where it is."
    return [
        f"{'Some of the' if place else 'The'} log's files had {' and '.join(found)}: its seconds are not those of the "
        f"baseline of {platform.name}, so that what is said to be saved may not be there. Say {remedy}"
    ]


def _as_the_baseline(phases: Sequence[tuple[Phase, Sequence[str]]]) -> str:
    """Return below which mount most is moved of files without differences, and nothing of others; "" for none."""
    moved, differing = Counter[str](), set()
    for phase, differ in phases:
        mount = str(phase.details.get("mount", ""))
        if differ:
            differing.add(mount)
        else:
            moved[mount] += phase.bytes
    fit = [(size, one) for one, size in moved.items() if not any(below(f"{other}/", one) for other in differing)]
    return max(fit, default=(0, ""))[1]


def _differences(phase: Phase, platform: Platform) -> Iterator[str]:
    """Yield what the example of a phase's files had otherwise than the baseline."""
    baseline = platform.baseline
    for detail, names in _STRIPES.items():
        had = phase.details.get(detail)
        for name in names:
            now = baseline.get(name)
            if isinstance(had, int) and isinstance(now, int) and had != now:
                yield _beside(platform, name, had, now)
    system = _SYSTEMS.get(str(phase.details.get("file_system")))
    now = baseline.get("file_system")
    known = {one for one in _SYSTEMS.values() if one.lower() in str(now).lower()}
    if now is not None and system and known and system not in known:
        yield _beside(platform, "file_system", system, now)
    role = platform.roles.storage
    now = baseline.get(role)
    if now is not None and (there := _storage(phase, platform)) not in ("", now):
        yield _beside(platform, role, there, now)


def _storage(phase: Phase, platform: Platform) -> str:
    """Return which of the platform's directories a phase's files were in; "" for none, or where names do not tell."""
    directories = map(str, platform.space[platform.roles.storage].values)
    return max((one for one in directories if below(phase.example, one)), key=len, default="")


def _beside(platform: Platform, name: str, had: Value, now: Value) -> str:
    parameter = platform.space[name]
    return f"{name} {parameter.text(had)} (the baseline: {parameter.text(now)})"
