"""Training rows kept between runs as arrays: reading thousands of measurements takes longer than many an answer."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from acic.errors import InvalidInput
from acic.kept import fetch_arrays, keep_arrays
from acic.space import Configuration
from acic.store.training import PER_ROW, TrainingRows
from acic.workloads.parameters import characteristics_of, values_of

_FACTS = "facts"


def fetch_rows(key: str) -> TrainingRows | None:
    """Return the rows kept under `key`; None if none were, or what is there cannot be used."""
    if (arrays := fetch_arrays(key)) is None:
        return None
    try:
        return _restored(arrays)
    except (ValueError, KeyError, TypeError, InvalidInput):
        return None  # a foreign or outdated file: they are read anew


def keep_rows(key: str, rows: TrainingRows, *, for_all: bool = False) -> bool:
    """Keep `rows` under `key`, if `for_all` for others to read, and return whether that was possible."""
    facts = {
        "workloads": [values_of(one) for one in rows.workloads],
        "configurations": [dict(one) for one in rows.configurations],
        "contributors": rows.contributors,
        "left_out": dict(rows.left_out),
        "unfit": dict(rows.unfit),
    }
    arrays: dict[str, Any] = {name: getattr(rows, name) for name in PER_ROW}
    arrays[_FACTS] = np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8)
    return keep_arrays(key, arrays, for_all=for_all)


def _restored(arrays: dict[str, Any]) -> TrainingRows:
    facts = json.loads(arrays[_FACTS].tobytes())
    return TrainingRows(
        **{name: arrays[name] for name in PER_ROW},
        workloads=tuple(characteristics_of(one) for one in facts["workloads"]),
        configurations=tuple(Configuration(one) for one in facts["configurations"]),
        contributors=tuple(facts["contributors"]),
        left_out=facts["left_out"],
        unfit=facts["unfit"],
    )
