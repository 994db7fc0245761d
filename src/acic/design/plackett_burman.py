"""Plackett-Burman designs: the fewest runs that screen many parameters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from acic.errors import InvalidInput

MAX_FACTORS = 99

Levels = NDArray[np.int8]


def plackett_burman(factors: int) -> Levels:
    """Return the smallest two-level design that screens `factors` parameters.

    For 3, 7, 11, 19, 23 ... factors and fewer the rows are the cyclic shifts that the papers print:
    a prime q = 3 (mod 4) gives Plackett and Burman's own generator as its quadratic residues.

    Returns:
        Levels in {-1, +1}, shape (runs, factors), runs > factors; columns are orthogonal and balanced.

    Raises:
        InvalidInput: `factors` is not between 1 and 99.

    Source: Plackett & Burman, Biometrika 33(4), 1946; Paley, J. Math. Phys. 12, 1933; for 92 runs
    Baumert, Golomb & Hall, Bull. AMS 68(3), 1962.
    """
    if not 1 <= factors <= MAX_FACTORS:
        raise InvalidInput(
            f"a Plackett-Burman design takes 1 to {MAX_FACTORS} factors, not {factors}",
            hint="screen fewer parameters at a time",
        )
    runs = 4 * (factors // 4 + 1)
    return _normalised(_hadamard(runs))[:, :factors]


def foldover(design: Levels) -> Levels:
    """Return `design` followed by its mirror image, shape (2 runs, factors).

    Main effects are then clear of two-parameter interactions, at twice the runs.

    Source: Montgomery, Design and Analysis of Experiments; used so in Liu et al., SC13, section 4.1.
    """
    return np.vstack([design, -design])


def _hadamard(order: int) -> Levels:
    """Return a matrix of +-1 with orthogonal columns, shape (order, order), order 1, 2 or 4k <= 100."""
    if order == 1:
        return np.ones((1, 1), dtype=np.int8)
    if order == 92:
        return _williamson_92()
    for q, power in ((order - 1, 1), (order // 2 - 1, 2)):
        root = _prime_root(q)
        if root and q % 4 == (3 if power == 1 else 1):
            return _paley_one(root) if power == 1 else _paley_two(q, root)
    half = _hadamard(order // 2)  # Sylvester's doubling
    return np.block([[half, half], [half, -half]]).astype(np.int8)


def _normalised(matrix: Levels) -> Levels:
    """Return the design in a Hadamard matrix: the last column made constant and dropped."""
    return (matrix * matrix[:, -1:])[:, :-1] * (-matrix[-1:, -1:] * matrix[-1:, :-1])


def _paley_one(prime: int) -> Levels:
    """Return the Hadamard matrix of order prime + 1, prime = 3 (mod 4): Plackett and Burman's cyclic rows."""
    row = _residue_signs(prime)
    row[0] = 1
    matrix = np.full((prime + 1, prime + 1), -1, dtype=np.int8)
    for shift in range(prime):
        matrix[shift, :-1] = np.roll(row, shift)
    matrix[:-1, -1] = 1
    matrix[-1, -1] = 1
    return matrix


def _paley_two(q: int, root: int) -> Levels:
    """Return the Hadamard matrix of order 2(q + 1), q = 1 (mod 4) a prime or the square of one."""
    conference = np.zeros((q + 1, q + 1), dtype=np.int8)
    conference[0, 1:] = conference[1:, 0] = 1
    conference[1:, 1:] = _jacobsthal(q, root)
    plus = np.array([[1, 1], [1, -1]], dtype=np.int8)
    zero = np.array([[1, -1], [-1, -1]], dtype=np.int8)
    return (np.kron(conference, plus) + np.kron(np.eye(q + 1, dtype=np.int8), zero)).astype(np.int8)


def _jacobsthal(q: int, root: int) -> Levels:
    """Return chi(a - b) over the field of q elements, shape (q, q)."""
    if q == root:
        index = np.arange(q)
        return np.asarray(_residue_signs(q)[(index[:, None] - index) % q])
    elements = [(a, b) for a in range(root) for b in range(root)]  # a + b sqrt(n), n no square
    n = next(k for k in range(2, root) if _residue_signs(root)[k] == -1)
    squares = {((a * a + n * b * b) % root, (2 * a * b) % root) for a, b in elements} - {(0, 0)}
    signs = np.zeros((root, root), dtype=np.int8)
    for element in elements[1:]:
        signs[element] = 1 if element in squares else -1
    a, b = np.array(elements).T
    return np.asarray(signs[(a[:, None] - a) % root, (b[:, None] - b) % root])


def _residue_signs(prime: int) -> Levels:
    """Return chi(0), chi(1), ... : 0 at zero, +1 at squares, -1 elsewhere, shape (prime,)."""
    signs = np.full(prime, -1, dtype=np.int8)
    signs[[k * k % prime for k in range(1, prime)]] = 1
    signs[0] = 0
    return signs


def _prime_root(q: int) -> int:
    """Return p where q is the prime p or its square, 0 otherwise."""
    for p in (q, round(q**0.5)):
        if p > 1 and q in (p, p * p) and all(p % d for d in range(2, int(p**0.5) + 1)):
            return p
    return 0


def _williamson_92() -> Levels:
    """Return the Hadamard matrix of order 92: Williamson's array of four symmetric circulants of order 23."""
    a, b, c, d = (
        np.array([[row[(j - i) % 23] == "+" for j in range(23)] for i in range(23)], dtype=np.int8) * 2 - 1
        for row in _WILLIAMSON_23
    )
    return np.block([[a, b, c, d], [-b, a, -d, c], [-c, d, a, -b], [-d, -c, b, a]]).astype(np.int8)


# First rows whose squared spectra sum to 92 at every frequency; the tests check orthogonality.
_WILLIAMSON_23 = (
    "+++++-++---++---++-++++",
    "+-+++--++-+--+-++--+++-",
    "+-+--+++++----+++++--+-",
    "+--++-+-+------+-+-++--",
)
