"""Platforms: clouds, clusters and machines as TOML facts with date and source."""

from acic.platforms.load import (
    is_platform_file,
    load_platform,
    platform_names,
    platform_source,
    read_platform,
)
from acic.platforms.parsing import parse_platform
from acic.platforms.platform import APPLY, HINTS, Fact, Instance, Platform, Roles

__all__ = [
    "APPLY",
    "HINTS",
    "Fact",
    "Instance",
    "Platform",
    "Roles",
    "is_platform_file",
    "load_platform",
    "parse_platform",
    "platform_names",
    "platform_source",
    "read_platform",
]
