"""Sizes, durations and money: prefixes never confused, text read back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.errors import InvalidInput
from acic.units import (
    bytes_of,
    count_of,
    format_bandwidth,
    format_bytes,
    format_number,
    format_seconds,
    format_usd,
    number_of,
    parse_bytes,
    parse_seconds,
)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("4096", 4096),
        ("4096 B", 4096),
        ("4k", 4096),
        ("4KiB", 4096),
        ("4kB", 4000),
        ("4 MB", 4_000_000),
        ("4m", 4 * 2**20),
        ("1.5GiB", 3 * 2**29),
        ("2TiB", 2**41),
        ("1TB", 10**12),
    ],
)
def test_si_and_iec_prefixes_are_not_confused(text: str, size: int) -> None:
    assert parse_bytes(text) == size


@pytest.mark.parametrize("told", [4_000_000, 4e6, "4MB", "4000000", "4000000.0"])
def test_a_table_may_tell_a_size_as_a_number_or_as_text(told: object) -> None:
    assert bytes_of(told) == 4_000_000
    assert type(bytes_of(told)) is int


@pytest.mark.parametrize("told", [True, None, [], 0.5, float("inf"), float("nan"), "much"])
def test_what_tells_no_size_is_refused(told: object) -> None:
    with pytest.raises(InvalidInput):
        bytes_of(told)


@pytest.mark.parametrize("told", [4, 4.0, "4", "4e0"])
def test_a_table_may_tell_a_number_as_such_or_as_text(told: object) -> None:
    assert number_of(told) == count_of(told) == 4
    assert type(count_of(told)) is int


@pytest.mark.parametrize("told", [True, None, [], float("inf"), float("nan"), "inf", "much", "4 GB", 10**400])
def test_what_tells_no_number_is_refused(told: object) -> None:
    with pytest.raises(InvalidInput, match="is not a number"):
        number_of(told)
    with pytest.raises(InvalidInput, match="is not a whole number"):
        count_of(4.5)


LONG = "1" * 5000


@pytest.mark.parametrize(
    "text", ["", "MiB", "4 parsecs", "-4k", "1.0000001k", "0.5", "4 Mib b", "1e9", LONG, LONG + ".5m", f"0.{LONG}k"]
)
def test_what_is_no_size_is_refused_with_a_remedy(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_bytes(text)
    assert caught.value.hint


@pytest.mark.parametrize("text", ["100Mb", "1 Gib", "64Kb", "1.5Tb"])
def test_bits_are_not_bytes(text: str) -> None:
    with pytest.raises(InvalidInput, match="is in bits"):
        parse_bytes(text)
    assert parse_bytes(text.lower()) == parse_bytes(text.lower().replace("b", "B"))


@given(st.integers(0, 1023), st.sampled_from([1, 2**10, 2**20, 2**30, 2**40]))
def test_sizes_are_read_back(count: int, factor: int) -> None:
    assert parse_bytes(format_bytes(count * factor)) == count * factor


@given(st.one_of(st.integers(0, 2**63), st.floats(0, 2**63)))
def test_every_size_is_read_back_within_its_digits(size: float) -> None:
    assert parse_bytes(format_bytes(size)) == pytest.approx(size, rel=0.005, abs=0.5)


@given(st.floats(1e-9, 1e9))
def test_every_duration_is_read_back_within_its_digits(seconds: float) -> None:
    assert parse_seconds(format_seconds(seconds)) == pytest.approx(seconds, rel=0.0051)


@pytest.mark.parametrize(("text", "size"), [("1.43 MiB", 1_499_464), ("1.02 KiB", 1044), ("0.1kB", 100)])
def test_digits_that_are_whole_bytes_name_the_nearest(text: str, size: int) -> None:
    assert parse_bytes(text) == size


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90), ("10min", 600), ("2h", 7200), ("5 ms", 0.005), ("7us", 7e-6), ("7 µs", 7e-6), ("2 ns", 2e-9)],
)
def test_durations(text: str, seconds: float) -> None:
    assert parse_seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "3 fortnights", "-1s", "90", "1.5", LONG + "s"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_seconds(text)


def test_figures_for_people() -> None:
    assert format_seconds(0.0123) == "12.3 ms"
    assert format_seconds(75) == "75 s"
    assert format_seconds(600) == "10 min"
    assert format_seconds(9000) == "2.5 h"
    assert format_usd(12.345) == "$12.35"
    assert format_usd(0.00123) == "$0.00123"
    assert format_usd(8.04e-7) == "$0.000000804"
    assert format_bandwidth(7 * 2**20) == "7 MiB/s"
    assert format_bandwidth(20 * 2**30) == "20.00 GiB/s"
    assert format_bandwidth(10_100 * 2**20) == "9.86 GiB/s"
    assert format_seconds(0.9999) == "1 s"
    assert format_seconds(0.000123) == "0.123 ms"
    assert format_seconds(8.58e-6) == "8.58 µs"
    assert format_seconds(4.62e-8) == "46.2 ns"
    assert format_seconds(0) == format_seconds(1e-17) == "0 ms"
    assert [format_number(one) for one in (4, 1_000_000, 46_340.95, 90.5097)] == ["4", "1000000", "46341", "90.51"]
    assert format_seconds(3.6e6) == "1000 h"
    assert format_bytes(2**20 - 1) == "1024 KiB"
    assert format_bytes(1_048_576_005) == "1000 MiB"
    assert format_bytes(5_497_558_138_880_001) == "5000 TiB"
