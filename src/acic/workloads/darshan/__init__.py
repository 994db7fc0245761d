"""Darshan logs, read without Darshan: numpy arrays of counters, segments and heat maps."""

from acic.workloads.darshan.dxt import Segments
from acic.workloads.darshan.heatmap import Heatmap
from acic.workloads.darshan.job import Job
from acic.workloads.darshan.log import Log, read_log
from acic.workloads.darshan.records import Module
from acic.workloads.darshan.renames import renamed
from acic.workloads.darshan.within import below, within

__all__ = ["Heatmap", "Job", "Log", "Module", "Segments", "below", "read_log", "renamed", "within"]
