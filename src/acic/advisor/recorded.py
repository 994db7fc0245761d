"""What a log was made with, as far as it tells: its seconds are those of the baseline only if that is the baseline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from acic.platforms import Platform
from acic.space import Value
from acic.workloads import Phase
from acic.workloads.darshan import below

_STRIPES = {  # of a Lustre file, by a directory's layout or by the hint that makes it
    "stripe_count": ("stripe_count", "striping_factor"),
    "stripe_size": ("stripe_size", "striping_unit"),
}
_SYSTEMS = {  # as kernels call them, and as people do; what is not here may be one of these under another name
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
    found = dict.fromkeys(one for phase in phases for one in _differences(phase, platform))
    if not found:
        return []
    return [
        f"The log's files had {' and '.join(found)}: its seconds are not those of the baseline of {platform.name}, so "
        "that what is said to be saved may not be there. Say --elsewhere, and the baseline's are predicted, or write "
        "into the platform's file what jobs have today."
    ]


def _differences(phase: Phase, platform: Platform) -> Iterator[str]:
    """Yield what the example of a phase's files had otherwise than the baseline."""
    baseline = platform.baseline
    for detail, names in _STRIPES.items():
        had = phase.details.get(detail)
        for name in names:
            now = baseline.get(name)
            if isinstance(had, int) and isinstance(now, int) and had != now:
                yield _beside(platform, name, had, now)
    system = _SYSTEMS.get(str(phase.details.get("file_system")), "")
    now = baseline.get("file_system")
    if now is not None and system.lower() not in str(now).lower():
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
