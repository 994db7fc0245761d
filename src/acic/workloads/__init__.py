"""Workloads: what an application does to storage, read from logs, TOML or options."""

from acic.workloads.workload import (
    Access,
    Characteristics,
    Interface,
    Operation,
    Phase,
    Quality,
    Workload,
)

__all__ = ["Access", "Characteristics", "Interface", "Operation", "Phase", "Quality", "Workload"]
