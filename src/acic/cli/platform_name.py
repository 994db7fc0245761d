"""What the store calls the platform that a user names."""

from __future__ import annotations

from acic.errors import InvalidInput


def name_in_store(platform_name: str | None) -> str | None:
    """Return the name that measurements of the platform bear; the text itself where no platform is called so any more.

    Raises:
        AcicError: a platform file that cannot be read, or a text that no database holds.
    """
    from acic.platforms import platform_source, read_platform
    from acic.store.rows import check_text

    if platform_name is None:
        return None
    try:
        text = platform_source(platform_name)
    except InvalidInput:
        check_text("--platform", platform_name)
        return platform_name
    return read_platform(text, platform_name).name
