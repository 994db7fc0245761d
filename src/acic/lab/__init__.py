"""The lab: a virtual cluster on this machine, with the file system on it that a configuration asks for."""

from acic.cluster.lab import LabFacts, clean_up
from acic.lab.lab import Lab, OtherLab
from acic.lab.site import Site

__all__ = ["Lab", "LabFacts", "OtherLab", "Site", "clean_up"]
