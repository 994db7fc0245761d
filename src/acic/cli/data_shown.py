"""How `acic data` shows measurements: each in a row, one whole, and what an import found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from acic.cli.output import emit_json, printable, say
from acic.units import format_bandwidth, format_bytes, format_setting
from acic.workloads.parameters import values_of

if TYPE_CHECKING:
    from acic.platforms import Platform
    from acic.store import Measurement
    from acic.store.importing import ImportReport


def row(measurement: Measurement) -> list[str]:
    """Return id, platform, outcome, workload, bandwidth and configuration."""
    from acic.store.content import fingerprint

    c = measurement.workload
    moved = f"{c.io_processes} x {c.iterations} x {format_bytes(c.data_size)} by {format_bytes(c.request_size)}"
    workload = f"{c.operation} {moved}, {c.interface} {'shared' if c.shared else 'file per process'}"
    bandwidth = "-" if measurement.bandwidth is None else format_bandwidth(measurement.bandwidth)
    values = _items(measurement.configuration)
    return [fingerprint(measurement)[:12], measurement.platform, str(measurement.outcome), workload, bandwidth, values]


def fields(measurement: Measurement) -> Iterator[tuple[str, str]]:
    """Yield the name of each field with its value, as people read it."""
    for name in measurement.__dataclass_fields__:
        value: Any = getattr(measurement, name)
        if name == "workload":
            value = values_of(value)
        elif name == "repetitions":
            value = ", ".join(format_bandwidth(b) for b in measurement.bandwidths) or "none"
        yield name, printable(_items(value) if isinstance(value, Mapping) else _text(name, value))


def _items(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {_text(name, value)}" for name, value in values.items()) or "-"


def _text(name: str, value: Any) -> str:
    if value is None or value == "":
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value.isoformat(sep=" ") if isinstance(value, datetime) else format_setting(name, value)


def show_report(
    report: ImportReport,
    platform: Platform,
    added: int,
    duplicates: int,
    otherwise: int,
    twice: int,
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Print what was read, what is new, what the store has otherwise, what does not fit, and what was skipped."""
    from acic.store.measurement import Basis
    from acic.store.plausible import contradictory, to_come
    from acic.store.training import unfit_told

    if told := unfit_told(report.unfit, platform):
        say(f"note: {told}")
    if others := sum(one.basis is not Basis.MEASURED for one in report.measurements):
        say(f"note: {others} of them were not measured but simulated or predicted, and teach nothing")
    if wrong := contradictory(report.measurements):
        say(
            f"note: {wrong} of them contradict themselves: bandwidth times seconds is more than 10 times more or less"
            " than the data; is a figure in another unit than B/s or s, or was the run ended early?"
        )
    if later := to_come(report.measurements, datetime.now(UTC)):
        say(f"note: {later} of them have a time that is still to come; is a clock or --timezone wrong?")
    if as_json:
        emit_json(
            {
                "files": report.files,
                "measurements": len(report.measurements),
                "failed": report.failed,
                "added": added,
                "duplicates": duplicates,
                "judged_otherwise": otherwise,
                "configured_otherwise": twice,
                "contradictory": wrong,
                "to_come": later,
                "unfit": report.unfit,
                "skipped": [{"path": str(s.path), "reason": s.reason} for s in report.skipped],
            }
        )
        return
    if otherwise:
        say(
            f"note: {otherwise} of those known already have another outcome, revision, contributor, time or note in the"
            " store and keep it; `acic data remove` takes them out, to be imported anew"
        )
    if twice:
        say(
            f"note: {twice} of them are in the store with another configuration too; where one is wrong,"
            " `acic data remove --file FILE` takes out both, to be imported anew"
        )
    for skipped in report.skipped:
        say(f"skipped {skipped.path}: {skipped.reason}")
    kept = "nothing kept (dry run)" if dry_run else f"{added} new, {duplicates} known already"
    click.echo(
        f"{len(report.measurements)} measurements in {report.files} files, {report.failed} of failed runs; {kept}"
    )
