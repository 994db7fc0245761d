"""What IOR's CSV says of the command line that was given for it: its rows have sizes, processes, rates and seconds."""

from __future__ import annotations

from collections.abc import Iterable

from acic.store.ior_options import IorOptions
from acic.store.measurement import Repetition
from acic.units import format_bytes

_APART = 1.3  # times; so far the bytes told may be from bandwidth times seconds, whatever IOR counts to its seconds
_ROUNDED = 0.00005  # s; IOR tells them with four digits


def moved_otherwise(options: IorOptions, repetitions: Iterable[Repetition]) -> str:
    """Return why `options` are not those of what was run: other bytes were moved; "" where nothing tells so."""
    if options.tasks is None or options.may_move_less:
        return ""
    told = options.tasks * options.block_size * options.segments  # B
    for one in repetitions:
        if one.bandwidth is None or one.seconds is None:
            continue
        least, most = one.bandwidth * (one.seconds - _ROUNDED), one.bandwidth * (one.seconds + _ROUNDED)
        if not least / _APART <= told <= most * _APART:
            moved = format_bytes(one.bandwidth * one.seconds)
            return f"the command line that was given moves {format_bytes(told)}, the file tells {moved}"
    return ""


def overruled(told: IorOptions, options: IorOptions) -> str:
    """Return what a command line gives otherwise than the file, which `options` are of: "-n 16 (the file: 4)"."""
    given = [("-n", told.tasks, options.tasks)] if told.tasks else []
    pairs = {"-b": "block_size", "-t": "transfer_size"}
    given += [(word, getattr(told, name), getattr(options, name)) for word, name in pairs.items() if name in told.given]
    return ", ".join(
        f"{word} {_text(word, said)} (the file: {_text(word, own)})" for word, said, own in given if said != own
    )


def _text(word: str, number: int | None) -> str:
    return str(number) if word == "-n" else format_bytes(number or 0)
