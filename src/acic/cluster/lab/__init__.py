"""A virtual cluster on this machine: nodes are namespaces, disks are throttled files, the network is shaped."""

from acic.cluster.lab.disks import MOST_DEVICES, Devices
from acic.cluster.lab.facts import ARCHIVE, Disk, LabFacts
from acic.cluster.lab.machine import check_machine, doubts
from acic.cluster.lab.nodes import MOUNT, STATE, STORE, Node
from acic.cluster.lab.record import NAME, Lock, Names, Record
from acic.cluster.lab.record import STATE as RECORD
from acic.cluster.lab.room import Room
from acic.cluster.lab.runner import LabRunner
from acic.cluster.lab.sweep import clean_up

__all__ = [
    "ARCHIVE",
    "MOST_DEVICES",
    "MOUNT",
    "NAME",
    "RECORD",
    "STATE",
    "STORE",
    "Devices",
    "Disk",
    "LabFacts",
    "LabRunner",
    "Lock",
    "Names",
    "Node",
    "Record",
    "Room",
    "check_machine",
    "clean_up",
    "doubts",
]
