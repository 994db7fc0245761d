"""Spaces: parameters, constraints, enumeration and encoding to arrays."""

from acic.space.configuration import Configuration, Value
from acic.space.constraint import AtMost, Constraint, Rule
from acic.space.encoding import Encoder
from acic.space.parameter import ABSENT_CODE, Parameter, Scale
from acic.space.repair import made_valid, never_valid, obeying_rows, repaired, valid_rows, valid_together
from acic.space.space import ABSENT, LARGEST, Space

__all__ = [
    "ABSENT",
    "ABSENT_CODE",
    "LARGEST",
    "AtMost",
    "Configuration",
    "Constraint",
    "Encoder",
    "Parameter",
    "Rule",
    "Scale",
    "Space",
    "Value",
    "made_valid",
    "never_valid",
    "obeying_rows",
    "repaired",
    "valid_rows",
    "valid_together",
]
