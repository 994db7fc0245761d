"""What is drawn of a sketch: sizes, counts, computing and syncing, from ranges that stand here."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from acic.units import KIB, MIB
from acic.workloads import Operation

WORD = 8  # B: the benchmark's data are words
LEAST, MOST = 6 * MIB, 96 * MIB  # B that all processes move together
SMALLEST, LARGEST = 4 * KIB, 4 * MIB  # B of a request
CALLS = 1600  # of all processes at most: what asks more often takes minutes on the slowest configurations
_RANKS = (4, 8, 16)
_ITERATIONS = (1, 1, 2, 3, 4, 6, 8, 12)
_COMPUTE = (0.1, 3.0)  # s that a node of half a processor computes in all, where it computes
_NODES, _PROCESSOR = 4, 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """What was drawn of a sketch; sizes in B.

    Args:
        ranks: of the job; doing: those that do I/O.
        iterations: how often they come back; calls: of each in one iteration; request: of one call.
        pause: s of processor time before each iteration, 0.0 for none.
        synced: after "each" iteration, at the "end", or "never".
        operation: read or write; own: it writes before what it reads.
        mpiio: whether through MPI-IO.
        in_step: whether all wait for one another before each iteration.
    """

    ranks: int
    doing: tuple[int, ...]
    iterations: int
    calls: int
    request: int
    pause: float
    synced: str
    operation: Operation
    own: bool
    mpiio: bool
    in_step: bool

    @property
    def reads(self) -> bool:
        """Whether its data are read."""
        return self.operation is Operation.READ

    @property
    def at_once(self) -> Drawn:
        """The same without pauses, which is one iteration then."""
        return replace(self, iterations=1, calls=self.calls * self.iterations, pause=0.0)

    @property
    def share(self) -> int:
        """B of an I/O process in an iteration."""
        return self.calls * self.request


def drawn(draw: random.Random, *, shared: bool, mpiio: bool = False, most: int = CALLS) -> Drawn:
    """Return sizes and counts, drawn so that neither bytes nor calls are too many."""
    ranks = draw.choice(_RANKS)
    doing = draw.choices((ranks, ranks // 2, max(2, ranks // 4), 1), weights=(6, 1, 1, 0 if shared else 2))[0]
    total = log_uniform(draw, LEAST, MOST)
    iterations = draw.choice(_ITERATIONS)
    each = total / doing / iterations
    request = min(log_uniform(draw, SMALLEST, LARGEST), each)
    request = max(request, each * doing * iterations / most)
    size = 1 << (round(request).bit_length() - 1) if draw.random() < 0.4 else round(request)
    size = max(WORD, size // WORD * WORD)
    operation, own = draw.choices(
        ((Operation.WRITE, False), (Operation.READ, False), (Operation.READ, True)), weights=(10, 8, 3)
    )[0]
    computes = log_uniform(draw, *_COMPUTE) * _PROCESSOR / (ranks / _NODES) if draw.random() < 0.6 else 0.0
    made = Drawn(
        ranks=ranks,
        doing=tuple(range(0, ranks, ranks // doing)) if draw.random() < 0.5 else tuple(range(doing)),
        iterations=iterations,
        calls=max(1, round(each / size)),
        request=size,
        pause=float(f"{computes / iterations:.3g}"),
        in_step=draw.random() < 0.6,
        synced=draw.choices(("never", "end", "each"), weights=(6, 2, 2))[0],
        operation=operation,
        own=own,
        mpiio=mpiio,
    )
    return made if made.pause else made.at_once


def log_uniform(draw: random.Random, low: float, high: float) -> float:
    """Return a number between two, each factor as likely as any other of its size."""
    return float(low * (high / low) ** draw.random())
