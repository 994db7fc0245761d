"""Applications that are used only to evaluate advice, never to train what gives it.

Those for development are looked at while advice is made better. Those for a test were not, until advice was finished
for the first time, or the second; by now they have been. Those held out are written when all else stands, are measured
once, and tell what advice is worth for an application that nobody had in mind; they join those for a test when
something was changed for what they show, and others are written.

Each follows a paper, a log or common practice (docs/kernels.md has the table). Their sizes suit four clients with
networks of 50 MB/s: between 1.5 and 4 s on a configuration that is not bad. They were chosen before anything was
measured, from what the sources say, for regimes that differ: streams, latency, random access, metadata, few clients,
many clients, computing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Literal, get_args

from acic.benchmarks.kernels.kernel import Kernel, Outcome, Step, result_of
from acic.benchmarks.kernels.script import Script
from acic.benchmarks.kernels.sets import for_development, for_test, held_out
from acic.benchmarks.kernels.sketches import sketches
from acic.errors import InvalidInput

__all__ = ["Kernel", "Outcome", "Part", "Script", "Step", "kernel", "kernels", "result_of"]

Part = Literal["development", "test", "heldout", "sketches"]


def kernels(part: Part = "development") -> tuple[Kernel, ...]:
    """Return the kernels for development, those for a test, those held out, or the sketches that models learn from."""
    return _kernels(part)


@cache
def _kernels(part: Part) -> tuple[Kernel, ...]:
    made: Mapping[Part, Callable[[], tuple[Kernel, ...]]] = {
        "development": for_development,
        "test": for_test,
        "heldout": held_out,
        "sketches": sketches,
    }
    return made[part]()


def kernel(name: str, scale: str = "only") -> Kernel:
    """Return a kernel by its name and scale.

    Raises:
        InvalidInput: there is none.
    """
    every = [one for part in get_args(Part) for one in kernels(part)]
    for one in every:
        if (one.name, one.scale) == (name, scale):
            return one
    known = ", ".join(f"{one.name} ({one.scale})" for one in every)
    raise InvalidInput(f"there is no kernel {name} at the scale {scale}", hint=f"choose one of {known}")
