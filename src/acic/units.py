"""Human units at the edge: bytes, seconds and dollars in and out of text.

Inside the program every quantity is in base units (B, s, B/s, USD). SI prefixes (kB, MB) are
powers of 1000 and IEC prefixes (KiB, MiB) powers of 1024. A bare letter follows IOR: 4m is 4 MiB.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal

from acic.errors import InvalidInput

KIB, MIB, GIB, TIB = 2**10, 2**20, 2**30, 2**40

_IEC = {"k": KIB, "m": MIB, "g": GIB, "t": TIB, "p": 2**50}
_SI = {"k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "p": 10**15}
_BITS = re.compile(r"[KMGTP]i?b")  # as networks write them; lower case throughout, as IOR does, is bytes
_SIZE = re.compile(r"\s*(\d{1,99}(?:\.(\d{1,99}))?)\s*(?:([kmgtp])(i?b)?|(b))?\s*", re.IGNORECASE)
_TIME = {
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "sec": 1.0,
    "m": 60.0,
    "min": 60.0,
    "h": 3600.0,
    "d": 86400.0,
}
_DURATION = re.compile(r"\s*(\d{1,99}(?:\.\d{1,99})?)\s*([a-zµ]+)\s*", re.IGNORECASE)
_SHORT, _SHORTER = 1e-4, 1e-7  # s: in ms, and in µs, what is shorter has an exponent
_NOTHING = 5e-10  # s: what is shorter is the rounding of sums
_LEAST_PRICE, _MOST_PRICE = 1e-6, 1e6  # USD/h
_LARGE = 999.5  # three digits of it, and of what is larger, have an exponent


def parse_bytes(text: str) -> int:
    """Return the bytes that `text` names: "4MiB", "4MB", "4m" (IOR's, 4 MiB), "4096"; of "1.43MiB" those nearest.

    Raises:
        InvalidInput: not a size, or bits, or its digits tell of parts of a byte.
    """
    match = _SIZE.fullmatch(text)
    if not match:
        raise InvalidInput(f"{text!r} is not a size", hint="write 4MiB, 4MB, 512KiB or plain bytes")
    if bits := _BITS.search(text):
        meant = bits.group()[:-1] + "B"
        raise InvalidInput(f"{text!r} is in bits", hint=f"write {meant} for bytes; 8 bits are one")
    number, fraction, prefix, suffix, _ = match.groups()
    factor = 1
    if prefix:
        si = suffix is not None and suffix.lower() == "b"
        factor = (_SI if si else _IEC)[prefix.lower()]
    if fraction is None:
        return int(number) * factor
    size = float(number) * factor
    if size != int(size) and 10 ** len(fraction) > factor:
        raise InvalidInput(f"{text!r} is not a whole number of bytes", hint="write 512KiB rather than 0.0005GB")
    return round(size)


def bytes_of(told: object) -> int:
    """Return the bytes that a table tells: as a number, or as text that `parse_bytes` takes.

    Raises:
        InvalidInput: it is neither, or tells of parts of a byte.
    """
    if isinstance(told, float) and told.is_integer():
        return int(told)
    return told if type(told) is int else parse_bytes(str(told))


def number_of(told: object) -> float:
    """Return the number that a table tells: as such, or as text.

    Raises:
        InvalidInput: it is neither, or not finite.
    """
    try:
        found = float(told) if isinstance(told, int | float | str) and not isinstance(told, bool) else math.nan
    except (ValueError, OverflowError):
        found = math.nan
    if not math.isfinite(found):
        raise InvalidInput(f"{told!r} is not a number", hint="write a number, without a unit")
    return found


def count_of(told: object) -> int:
    """Return the whole number that a table tells: as such, or as text.

    Raises:
        InvalidInput: it is neither.
    """
    found = number_of(told)
    if not found.is_integer():
        raise InvalidInput(f"{told!r} is not a whole number", hint="write one without a fraction")
    return int(found)


def format_bytes(size: float) -> str:
    """Return `size` bytes as text that `parse_bytes` reads back: exact where it divides, else three digits or four."""
    for prefix, factor in (("TiB", TIB), ("GiB", GIB), ("MiB", MIB), ("KiB", KIB)):
        if size >= factor:
            scaled = size / factor
            return f"{scaled:.0f} {prefix}" if scaled == int(scaled) else f"{_rounded(scaled)} {prefix}"
    return f"{size:.0f} B"


def format_setting(name: str, value: object) -> str:
    """Return the value of a setting as people read it: that of a size with its unit."""
    return format_bytes(value) if name.endswith("_size") and isinstance(value, int) else str(value)


def format_bandwidth(rate: float) -> str:
    """Return `rate` B/s in MiB/s or GiB/s."""
    return f"{rate / GIB:.2f} GiB/s" if rate >= 9999.5 * MIB else f"{rate / MIB:.4g} MiB/s"


def parse_seconds(text: str) -> float:
    """Return the seconds that `text` names: "90s", "10min", "2h". A unit is needed: "10" may be meant as minutes.

    Raises:
        InvalidInput: not a duration.
    """
    match = _DURATION.fullmatch(text)
    if not match or match.group(2).lower() not in _TIME:
        raise InvalidInput(f"{text!r} is not a duration", hint="write 90s, 10min or 2h")
    return float(match.group(1)) * _TIME[match.group(2).lower()]


def format_seconds(seconds: float) -> str:
    """Return `seconds` with three digits, in ns, µs, ms, s, min or h."""
    if _NOTHING <= seconds < _SHORT:
        return f"{seconds * 1e9:.3g} ns" if seconds < _SHORTER else f"{seconds * 1e6:.3g} µs"
    if 0 <= seconds < _NOTHING:
        return "0 ms"
    if seconds * 1e3 < _LARGE:
        return f"{seconds * 1e3:.3g} ms"
    if seconds < 120:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.3g} min" if seconds < 7200 else f"{_rounded(seconds / 3600)} h"


def format_number(number: float) -> str:
    """Return a whole number with all of its digits, and one in between with four: large ones without an exponent."""
    return f"{number:.0f}" if number == int(number) or abs(number) >= _LARGE else f"{number:.4g}"


def is_price(amount: float) -> bool:
    """Return whether `amount` USD an hour can be the price of a machine or disk: all of a centre costs less."""
    return _LEAST_PRICE <= amount <= _MOST_PRICE


def format_usd(amount: float) -> str:
    """Return `amount` USD, with cents, or three digits below ten cents; never with an exponent."""
    return f"${amount:.2f}" if amount >= 0.1 or amount == 0 else f"${Decimal(f'{amount:.3g}'):f}"


def _rounded(number: float) -> str:
    """Return three digits, or a whole number: never with an exponent that nobody reads back."""
    return f"{number:.0f}" if number >= _LARGE else f"{number:.3g}"
