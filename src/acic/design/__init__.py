"""Experiment designs: Plackett-Burman, foldover, effects and ranks, screening plans."""

from acic.design.effects import effects, ranks
from acic.design.plackett_burman import foldover, plackett_burman
from acic.design.screening import ScreeningRun, screening_plan

__all__ = ["ScreeningRun", "effects", "foldover", "plackett_burman", "ranks", "screening_plan"]
