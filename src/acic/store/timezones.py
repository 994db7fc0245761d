"""Timezones as people and data sheets write them."""

from __future__ import annotations

from datetime import UTC, datetime, timezone, tzinfo

from acic.errors import InvalidInput


def parse_timezone(text: str) -> tzinfo:
    """Return the timezone of an offset from UTC ("+08:00", "Z"), or of a name ("Europe/Berlin").

    Raises:
        InvalidInput: neither, or a name that this machine knows nothing of.
    """
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

    try:
        offset = datetime.fromisoformat(f"2000-01-01T00:00:00{text}").utcoffset()
    except ValueError:
        offset = None
    if offset is not None:
        return timezone(offset)
    if text == "UTC":  # also where the machine has no list of them
        return UTC
    try:
        return ZoneInfo(text)
    except (ValueError, OSError, ZoneInfoNotFoundError) as error:  # as of a folder of them
        if not available_timezones():
            hint = "write +08:00 or Z; this machine has no list of named timezones (Debian: apt-get install tzdata)"
        else:
            hint = "write +08:00, Z or a name, as Europe/Berlin"
        raise InvalidInput(f"{text!r} is no offset from UTC, and no timezone", hint=hint) from error
