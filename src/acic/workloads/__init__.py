"""Workloads: what an application does to storage, read from logs, TOML or options."""

from acic.workloads.characterize import characterize, characterize_file
from acic.workloads.files import dump_workload, from_options, load_workload
from acic.workloads.parameters import WORKLOAD_CONSTRAINTS, WORKLOAD_PARAMETERS, characteristics_of, values_of
from acic.workloads.replica import Replica, ior_commands
from acic.workloads.workload import (
    Access,
    Characteristics,
    Interface,
    Operation,
    Phase,
    Quality,
    Workload,
)

__all__ = [
    "WORKLOAD_CONSTRAINTS",
    "WORKLOAD_PARAMETERS",
    "Access",
    "Characteristics",
    "Interface",
    "Operation",
    "Phase",
    "Quality",
    "Replica",
    "Workload",
    "characteristics_of",
    "characterize",
    "characterize_file",
    "dump_workload",
    "from_options",
    "ior_commands",
    "load_workload",
    "values_of",
]
