"""Configurations of the lab for tests of the prior."""

from __future__ import annotations

from acic.space import Configuration


def system(file_system: str, servers: int = 1, **more: str | int) -> Configuration:
    values: dict[str, str | int] = {
        "instance_type": "lab.400m",
        "device": "EBS",
        "raid_devices": 2,
        "file_system": file_system,
        "servers": servers,
        "placement": "dedicated",
    }
    return Configuration({**values, **more})
