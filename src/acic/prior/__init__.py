"""The prior: how long a workload's I/O takes on a configuration, from what the hardware and the file systems are alone.

It needs no measurement of a platform, so it speaks about one that nobody has measured yet. It is a roofline of the
whole stack: each resource gives the seconds that it alone needs, and the busiest is the bottleneck. Prices of software
were corrected four times by measurements of one lab: docs/prior.md.
"""

from acic.prior.facts import Facts
from acic.prior.gathering import Traffic, alone, gathered
from acic.prior.prior import Prior, prior_of
from acic.prior.resources import Resource
from acic.prior.staging import Results
from acic.prior.uses import APART, APART_ALIKE, BENCHMARK, Use, likeness, uses_of
from acic.prior.view import COLUMNS, HARDWARE, IMPROVEMENT, LIKENESS

VERSION = 37
"""Raised whenever a formula or a number changes: what figures in documents, and docs/prior.md, are told of."""

__all__ = [
    "APART",
    "APART_ALIKE",
    "BENCHMARK",
    "COLUMNS",
    "HARDWARE",
    "IMPROVEMENT",
    "LIKENESS",
    "VERSION",
    "Facts",
    "Prior",
    "Resource",
    "Results",
    "Traffic",
    "Use",
    "alone",
    "gathered",
    "likeness",
    "prior_of",
    "uses_of",
]
