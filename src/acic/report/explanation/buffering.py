"""Whether collective buffering is worth it: what `acic explain` prints of it, and what its page has."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

from acic.advisor.advice import Estimate
from acic.advisor.buffering import Buffering, Choice, Worth
from acic.advisor.changes import Unit
from acic.advisor.explaining import Explanation
from acic.advisor.learning import can_train
from acic.advisor.sieving import is_off
from acic.filesystems.hints import BY_ROMIO
from acic.platforms import Platform
from acic.report.explanation import words
from acic.report.html import Markup, join
from acic.report.parts import Column, basis, paragraph, section, table
from acic.units import format_bytes
from acic.workloads import Access, Operation, Workload

_BY_ITSELF = {
    None: "",
    True: " In the log its calls went through aggregators.",
    False: " In the log they did not: by itself ROMIO gathers only where the processes' parts of a call interleave.",
}
TITLE = "Is collective buffering worth it?"
COLUMNS = ("", "predicted", "80 % interval", "more", "beyond the noise", "points measured so")


def buffering_section(found: Explanation, workload: Workload, platform: Platform) -> Markup | None:
    """Return the section on collective buffering; none for a job that makes no calls of MPI-IO."""
    if not found.buffering:
        return None
    shown = []
    for one in found.buffering:
        told = [paragraph(sentence) for sentence in sentences(found, one, workload, platform)]
        shown.append(join([*told, _table(found, one, platform) if one.others else None]))
    return section("buffering", TITLE, *shown)


def _table(found: Explanation, one: Buffering, platform: Platform) -> Markup:
    columns = [Column(name, "number" if name else "") for name in COLUMNS]
    return table(join([basis("predicted"), " ", caption(found, one)]), columns, rows(found, one, platform))


def caption(found: Explanation, one: Buffering) -> str:
    """Return what the table is about."""
    return f"The {words.answer(found)} configuration with other hints for {_calls(one)}"


def sentences(found: Explanation, one: Buffering, workload: Workload, platform: Platform) -> Iterator[str]:
    """Yield what to do about collective buffering in one direction, why, and what would tell better."""
    name = words.phase_name(one.phase, workload)
    yield f"{name[0].upper()}{name[1:]}: {_verdict(found, one, platform)}{_BY_ITSELF[one.gathered]}"
    own = workload.phases[one.phase].characteristics
    if own.shared and own.io_processes > 1:
        yield _traffic(found, one, workload, platform)
    else:
        yield "No two processes use one file here, so that there is nothing to gather."
    yield _remedy(one, platform)


def rows(found: Explanation, one: Buffering, platform: Platform) -> list[list[str]]:
    """Return a row for the answer, and for each other value of each hint that something measured tells of."""
    best = found.advice.recommendations[0]
    ours = best.cost if found.unit is Unit.USD and best.cost is not None else best.seconds
    first = [words.answer(found), words.amount(found, ours.value), _interval(found, ours), "", "", ""]
    return [first, *(_row(found, choice, platform) for choice in one.others)]


def _row(found: Explanation, choice: Choice, platform: Platform) -> list[str]:
    return [
        words.parameters(platform, choice.values),
        words.amount(found, choice.takes.value),
        _interval(found, choice.takes),
        f"{choice.more:+.0%}",
        "yes" if choice.beyond else "no",
        str(choice.points),
    ]


def _interval(found: Explanation, estimate: Estimate) -> str:
    ends = (estimate.low, estimate.high)
    return " to ".join(words.amount(found, end) if isfinite(end) and end > 0 else "?" for end in ends)


def _verdict(found: Explanation, one: Buffering, platform: Platform) -> str:
    calls = _calls(one)
    if one.worth is Worth.NOTHING:
        return "its calls are independent, so that collective buffering has no part in them, nor its hints."
    if not one.switch:
        return f"{platform.name} has no hint that turns collective buffering on and off, so nobody can tell its worth."
    if one.on is None or one.off is None:
        return (
            f"nobody can tell what collective buffering is worth, because no {calls} were measured on {platform.name} "
            f"with different values of {one.switch}; without them a prediction would be a guess."
        )
    on, off = (
        f"{words.amount(found, side.takes.value)} with {words.parameters(platform, side.values)}"
        for side in (one.on, one.off)
    )
    least = one.on if one.on.takes.value <= one.off.takes.value else one.off
    most = one.off if least is one.on else one.on
    overlap = least.takes.high >= most.takes.low
    doubt = "; their intervals overlap, so try it before you rely on it" if overlap else ""
    return {
        Worth.KEEP: f"collective buffering is worth it: {on} is predicted, {off}. That is beyond the noise{doubt}.",
        Worth.BYPASS: f"bypass collective buffering: {off} is predicted, {on}. That is beyond the noise{doubt}.",
        Worth.EITHER: f"it makes no difference beyond the noise: {on} is predicted, {off}.",
    }[one.worth]


def _traffic(found: Explanation, one: Buffering, workload: Workload, platform: Platform) -> str:
    """Return why, by what reaches the file system and what processes exchange for it: no measurement, nor a model."""
    with_it, without = one.together, one.alone
    own = workload.phases[one.phase].characteristics
    writes = own.operation is Operation.WRITE
    gathers = f"{with_it.callers} aggregator{'s' * (with_it.callers > 1)} would make {_requests(with_it.requests)}"
    total = format_bytes(own.total_bytes)
    moved = (
        f"{format_bytes(with_it.exchanged)} of {total} {'go' if writes else 'come'} over the network "
        if with_it.exchanged
        else f"{total} are copied between processes of one machine "
    ) + ("first" if writes else "afterwards")
    least = "at least " if one.gathered else ""  # their parts interleave, so that a call has several pieces
    of_each = f", {_share(one, platform)}" if one.targets > 1 else ""
    told = (
        f"By bytes and requests alone: with it {gathers} of {format_bytes(with_it.request)}, and {moved}; without it "
        f"{without.callers} processes make {least}{without.requests} of {format_bytes(without.request)}{of_each}."
    )
    if with_it.request <= without.request and not one.gathered:
        return f"{told} Requests get no larger by it, so that it costs the exchange and brings little."
    if not writes or own.access is Access.CONSECUTIVE:
        return f"{told} What it brings are fewer and larger requests, what it costs is the exchange, and fewer callers."
    return f"{told} {_locks(found, one)}"


def _locks(found: Explanation, one: Buffering) -> str:
    """Return what writers wait for whose pieces lie beside one another; a machine has locks for all of its own."""
    stripe = found.answer.get("stripe_size")
    where, wait = "side by side", "where a file system may have them take locks in turn"
    if isinstance(stripe, int) and one.alone.request % stripe:
        where, wait = f"in one stripe of {format_bytes(stripe)}", "whose lock machines take in turn"
    if not one.together.exchanged:
        wait = "but on one machine, which takes locks for all of them"
    locks = f"pieces of several processes lie {where}, {wait}"
    sieves = not is_off(found.answer, "romio_ds_write")
    sieving = (
        "; and where one call has several pieces, data sieving (romio_ds_write) reads, changes and writes back all "
        "that lies between them"
    )
    return f"Without it {locks}{sieving if sieves else ''}."


def _share(one: Buffering, platform: Platform) -> str:
    what = "servers" if platform.roles.servers else "objects of a file"
    together, apart = (round(number / one.targets) for number in (one.together.requests, one.alone.requests))
    return f"about {apart} for each of {one.targets} {what}, and with it {together}"


def _requests(number: int) -> str:
    return f"{number} request{'s' * (number > 1)}"


def _remedy(one: Buffering, platform: Platform) -> str:
    """Return what to type to know better."""
    if one.worth is Worth.NOTHING:
        return (
            "To ask what collective calls would take: acic characterize LOG --toml > job.toml, say collective = true "
            f"there, and acic explain job.toml --platform {platform.argument} --elsewhere."
        )
    if one.instead is None:
        hint = f"romio_cb_{one.operation} disable"
        both = " and ".join(f"{name}='{value}'" for name, value in BY_ROMIO.items())
        return (
            f"To try it, run the job with a file in ROMIO_HINTS that has the line '{hint}', and without; with Open MPI "
            f"set {both} for both, as its own MPI-IO does not read that file."
        )
    if not can_train(platform):
        return f"Measurements with other values would tell: acic data import FILE --platform {platform.argument}."
    return (
        f"To measure it, run both: acic verify LOG --platform {platform.argument}, and the same with "
        f"--keep {one.switch}={platform.space[one.switch].text(one.instead)}."
    )


def _calls(one: Buffering) -> str:
    return f"collective {one.operation}s"
