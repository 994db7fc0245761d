"""Blueprints: a configuration as the things that a person types or deploys."""

from acic.blueprints.instructions import Instruction, instructions

__all__ = ["Instruction", "instructions"]
