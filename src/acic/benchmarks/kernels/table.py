"""The tables of all kernels, for docs/kernels.md."""

from __future__ import annotations

from collections.abc import Iterator

from acic.benchmarks.kernels import Part, kernels
from acic.benchmarks.kernels.kernel import Kernel
from acic.workloads import Phase

_NODES = 4  # that the ranks are dealt to


def table(part: Part) -> str:
    """Return the kernels of one part as two Markdown tables: what they do, and where they come from."""
    head = ("kernel", "ranks", "moves", "compute", "I/O, as its nine characteristics have it", "keeps")
    rows = [_row(one) for one in kernels(part)]
    sources = ("kernel", "what", "follows", "changed")
    return _markdown(head, rows) + "\n" + _markdown(sources, _sources(part))


def _row(kernel: Kernel) -> tuple[str, ...]:
    return (
        f"`{kernel.key}`",
        str(kernel.processes),
        f"{kernel.bytes_moved / 1e6:.1f} MB",
        f"{kernel.compute * kernel.processes / _NODES:.2g} s" if kernel.compute else "none",
        "; ".join(map(_phase, kernel.workload.phases)),
        f"{len(kernel.results)} file{'s' * (len(kernel.results) != 1)}" if kernel.results else "nothing",
    )


def _phase(phase: Phase) -> str:
    c = phase.characteristics
    users = "all" if c.io_processes == c.processes else str(c.io_processes)
    words = [c.operation.value, "by", users, c.interface.value]
    words += ["collective"] * c.collective
    words += ["shared" if c.shared else f"{phase.files} file{'s' * (phase.files != 1)}", c.access.value]
    return f"{' '.join(words)}, {c.iterations} x {_size(c.data_size)} in {_size(c.request_size)}"


def _sources(part: Part) -> Iterator[tuple[str, ...]]:
    names = list(dict.fromkeys(one.name for one in kernels(part)))
    for name in names:
        alike = [one for one in kernels(part) if one.name == name]
        changes = {one.changed: one.scale for one in alike}
        several = [f"{scale.capitalize()}: {changed}" for changed, scale in changes.items()]
        yield f"`{name}`", alike[0].title, alike[0].source, " ".join(several if len(changes) > 1 else changes)


def _size(size: int) -> str:
    for unit, factor in (("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size} B"


def _markdown(head: tuple[str, ...], rows: Iterator[tuple[str, ...]] | list[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
