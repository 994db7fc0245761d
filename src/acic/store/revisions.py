"""Which revisions of the schema there are; nothing heavy, so that opening a store stays quick."""

from __future__ import annotations

from acic.errors import StoreError

TABLE = "acic_measurement"
VERSION_TABLE = "acic_schema"
REVISIONS = ("0001", "0002")  # oldest first, as in migrations/versions; all can be read, 0001 lacks an index alone
HEAD = REVISIONS[-1]


def readable(version: str | None, shown: str) -> str | None:
    """Return the `version` of a store that this acic can read; None is a store without tables.

    Raises:
        StoreError: the store was made by a newer acic, or what is noted is no revision.
    """
    if version is not None and version not in REVISIONS:
        if version.isdecimal() and version > HEAD:
            raise StoreError(
                f"the store {shown} has schema {version}, and this acic knows {HEAD} at most",
                hint="use a newer acic, or another store",
            )
        raise StoreError(
            f"the store {shown} is damaged: it notes no revision of its schema",
            hint="restore a copy of it, or import the raw data into a new one",
        )
    return version
