"""Measurements that come with acic, each file with a data sheet beside it (`acic.store.data_sheets`)."""

from __future__ import annotations

import hashlib
from importlib import resources
from importlib.resources.abc import Traversable

from acic.platforms import Platform
from acic.store.exchange import SUFFIXES, read_exchange
from acic.store.measurement import Measurement


def bundled(platform: Platform) -> list[Measurement]:
    """Return the measurements of `platform` that come with acic; none if there are none."""
    file = _file(platform.name)
    if file is None:
        return []
    with resources.as_file(file) as path:
        return read_exchange(path)


def bundled_hash(platform: Platform) -> str:
    """Return a text that changes when what comes with acic for `platform` does."""
    file = _file(platform.name)
    return hashlib.sha256(file.read_bytes()).hexdigest()[:32] if file else ""


def _file(platform: str) -> Traversable | None:
    folder = resources.files("acic.store").joinpath("data")
    files = (folder.joinpath(f"{platform}{suffix}") for suffix in SUFFIXES)
    return next((file for file in files if file.is_file()), None)
