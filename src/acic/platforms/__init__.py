"""Platforms: clouds, clusters and machines as TOML facts with date and source."""

from acic.platforms.load import (
    bundled_platform,
    is_platform_file,
    load_platform,
    platform_files,
    platform_names,
    platform_source,
    read_platform,
)
from acic.platforms.parsing import parse_platform
from acic.platforms.platform import APPLY, Fact, Instance, Platform, Roles, is_hint

__all__ = [
    "APPLY",
    "Fact",
    "Instance",
    "Platform",
    "Roles",
    "bundled_platform",
    "is_hint",
    "is_platform_file",
    "load_platform",
    "parse_platform",
    "platform_files",
    "platform_names",
    "platform_source",
    "read_platform",
]
