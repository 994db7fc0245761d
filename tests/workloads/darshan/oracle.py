"""The same logs through PyDarshan, the oracle of the tests; its C library crashes on damaged logs, ours must not."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tests.needs import skip_or_fail

__all__ = ["Theirs", "library", "read"]

_SPECIAL = ("DXT_POSIX", "DXT_MPIIO", "LUSTRE", "HEATMAP", "APMPI", "APXC", "MDHIM", "NULL")


@dataclass
class Theirs:
    """A log as PyDarshan tells it: records as it returns them."""

    job: dict[str, Any]
    exe: str
    mounts: list[tuple[str, str]]
    names: dict[int, str]
    modules: dict[str, dict[str, Any]]
    records: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    counters: dict[str, tuple[list[str] | None, list[str] | None]] = field(default_factory=dict)
    dxt: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    lustre: list[dict[str, Any]] = field(default_factory=list)
    heatmaps: list[dict[str, Any]] = field(default_factory=list)


@cache
def library() -> Any:
    """Return PyDarshan's binding of its C library; built from source, as past Python 3.12, it comes without that."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            from darshan.backend import cffi_backend
        except (ImportError, RuntimeError) as error:
            skip_or_fail(f"PyDarshan has no libdarshan-util here: {str(error).partition('!')[0]}")
    return cffi_backend


def read(path: Path) -> Theirs:
    """Return everything that PyDarshan reads in a log."""
    backend = library()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        log = backend.log_open(str(path))
        assert bool(log["handle"]), path
        try:
            return _read(backend, log)
        finally:
            backend.log_close(log)


def _read(backend: Any, log: Any) -> Theirs:
    theirs = Theirs(
        job=backend.log_get_job(log),
        exe=backend.log_get_exe(log),
        mounts=backend.log_get_mounts(log),
        names=backend.log_get_name_records(log),
        modules=backend.log_get_modules(log),
    )
    for name in theirs.modules:
        if name.startswith("DXT_"):
            theirs.dxt[name] = [*_all(lambda name=name: backend.log_get_dxt_record(log, name))]  # type: ignore[misc]  # called at once
        elif name == "LUSTRE":
            theirs.lustre = [*_all(lambda: backend._log_get_lustre_record(log, dtype="dict"))]
        elif name == "HEATMAP":
            theirs.heatmaps = [*_all(lambda: backend._log_get_heatmap_record(log))]
        elif name not in _SPECIAL:
            theirs.counters[name] = (backend.counter_names(name), backend.fcounter_names(name))
            theirs.records[name] = [
                *_all(lambda name=name: backend.log_get_generic_record(log, name))  # type: ignore[misc]  # called at once
            ]
    return theirs


def _all(fetch: Callable[[], dict[str, Any] | None]) -> Iterator[dict[str, Any]]:
    while (record := fetch()) is not None:
        yield record
