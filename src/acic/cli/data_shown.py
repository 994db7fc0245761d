"""How `acic data` shows measurements: each in a row, one whole, and what an import found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from acic.cli.output import emit_json, printable, say
from acic.units import format_bandwidth, format_bytes, format_setting
from acic.workloads import Access
from acic.workloads.parameters import values_of

if TYPE_CHECKING:
    from acic.platforms import Platform
    from acic.store import Measurement
    from acic.store.importing import ImportReport

_REASONS = 5  # the most frequent, that are told each


def row(measurement: Measurement) -> list[str]:
    """Return id, platform, outcome, workload, bandwidth and configuration."""
    from acic.store.content import fingerprint

    c = measurement.workload
    moved = f"{c.io_processes} x {c.iterations} x {format_bytes(c.data_size)} by {format_bytes(c.request_size)}"
    how = ["collective"] if c.collective else []
    how += [str(c.access)] if c.access is not Access.CONSECUTIVE else []
    files = "shared" if c.shared else "file per process"
    workload = ", ".join([f"{c.operation} {moved}", f"{c.interface} {files}", *how])
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How measurements of an import stand to what the store has.

    Args:
        new: that it has not, or had not before.
        known: that it has, those given twice among them.
        of_another_file: how many of those it has from a file with other bytes.
        judged_otherwise: how many it has with another outcome, revision, contributor, time or note.
        configured_otherwise: how many it has with another configuration too.
        imported: by what `acic data remove --import` takes out those that are new; "" where none were kept.
    """

    new: int = 0
    known: int = 0
    imported: str = ""
    of_another_file: int = 0
    judged_otherwise: int = 0
    configured_otherwise: int = 0


def show_report(
    report: ImportReport,
    platform: Platform,
    standing: Standing,
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
    _tell_command(report)
    if as_json:
        emit_json(
            {
                "files": report.files,
                "measurements": len(report.measurements),
                "failed": report.failed,
                "corrupt": report.corrupt,
                "new": standing.new,
                "added": 0 if dry_run else standing.new,
                "import": standing.imported or None,
                "duplicates": standing.known,
                "of_another_file": standing.of_another_file,
                "judged_otherwise": standing.judged_otherwise,
                "configured_otherwise": standing.configured_otherwise,
                "contradictory": wrong,
                "to_come": later,
                "unfit": report.unfit,
                "failures": report.failures,
                "by_command": report.by_command,
                "overruled": report.overruled,
                "skipped": [{"path": str(s.path), "reason": s.reason} for s in report.skipped],
            }
        )
        return
    _tell_standing(standing)
    if standing.imported:
        say(f"note: `acic data remove --import {standing.imported}` takes out what is new")
    for skipped in report.skipped:
        say(f"skipped {skipped.path}: {skipped.reason}")
    for reason, number in sorted(report.failures.items(), key=lambda one: -one[1])[:_REASONS]:
        say(f"failed, {number} of {report.failed}: {reason or 'nothing tells why'}")
    told = f"{standing.new} new, {standing.known} known already"
    kept = f"{told}, nothing kept (dry run)" if dry_run else told
    wrong_bytes = f" ({report.corrupt} corrupt: other bytes came back than were written)" if report.corrupt else ""
    click.echo(
        f"{len(report.measurements)} measurements in {report.files} files, "
        f"{report.failed} of failed runs{wrong_bytes}; {kept}"
    )


def _tell_standing(standing: Standing) -> None:
    """Say what the store has otherwise."""
    if again := standing.of_another_file:
        say(f"note: {again} of those known already are of runs that came from another file, with other bytes in it")
    if otherwise := standing.judged_otherwise:
        say(
            f"note: {otherwise} of those known already have another outcome, revision, contributor, time or note in the"
            " store and keep it; `acic data remove` takes them out, to be imported anew"
        )
    if twice := standing.configured_otherwise:
        say(
            f"note: {twice} of them are in the store with another configuration too; where one is wrong,"
            " `acic data remove --file FILE` takes out both, to be imported anew"
        )


def _tell_command(report: ImportReport) -> None:
    """Say what was taken from the command line that was given, and what was not."""
    if report.by_command > 1:
        say(
            f"note: {report.by_command} files do not tell interface, sharing and collective calls: --command was taken"
            " for all of them"
        )
    for told, number in sorted(report.overruled.items(), key=lambda one: -one[1])[:_REASONS]:
        say(f"note: {number} files tell otherwise than --command, and their own was taken: {told}")
