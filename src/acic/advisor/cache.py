"""What was learned, kept between runs as arrays and JSON: read without scikit-learn, and without running code."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from acic.advisor.failing import Failing
from acic.advisor.learned import Errors, Learned
from acic.advisor.ranges import Range
from acic.advisor.safety import Unsafe
from acic.errors import InvalidInput
from acic.kept import fetch_arrays, keep_arrays
from acic.models.calibration import Calibration
from acic.models.protocol import Learner
from acic.space import Configuration
from acic.store.baselines import Baselines
from acic.store.readings import Readings
from acic.workloads.parameters import characteristics_of, values_of

_PREDICTOR = "predictor/"
_SEEN = "errors/"
_KINDS = "kinds/"
_READINGS = "readings/"


def fetch(key: str, learner: Learner) -> Learned | None:
    """Return what was kept under `key`; None if nothing was, or what is there cannot be used."""
    if (arrays := fetch_arrays(key)) is None:
        return None
    try:
        return _restored(json.loads(arrays["facts"].tobytes()), arrays, learner)
    except (ValueError, KeyError, TypeError, InvalidInput):
        return None  # a foreign or outdated file: it is made anew


def keep(key: str, learned: Learned, *, for_all: bool = False) -> bool:
    """Keep `learned` under `key`, if `for_all` for others to read, and return whether that was possible."""
    arrays: dict[str, Any] = {_PREDICTOR + k: v for k, v in learned.predictor.arrays().items()}
    arrays |= learned.errors.seen.arrays(_SEEN)
    for number, errors in enumerate(learned.errors.kinds.values()):
        arrays |= errors.seen.arrays(f"{_KINDS}{number}/")
    arrays |= learned.baselines.readings.arrays(_READINGS)
    arrays["facts"] = np.frombuffer(json.dumps(_facts(learned)).encode(), dtype=np.uint8)
    return keep_arrays(key, arrays, for_all=for_all)


def _facts(learned: Learned) -> dict[str, Any]:
    return {
        "model": learned.model,
        "new": learned.errors.new,
        "baseline": learned.errors.baseline,
        "kinds": [(kind, errors.new) for kind, errors in learned.errors.kinds.items()],
        "workloads": [values_of(w) for w in learned.workloads],
        "known_well": [values_of(w) for w in learned.known_well],
        "baselines": [values_of(w) for w in learned.baselines.workloads],
        "ranges": {name: dataclasses.asdict(known) for name, known in learned.ranges.items()},
        "systems": {name: dataclasses.asdict(known) for name, known in learned.systems.items()},
        "noise": learned.noise,
        "measurements": learned.measurements,
        "unsafe": [[dict(one) for one in those] for those in (learned.unsafe.always, learned.unsafe.shared)],
        "failing": [
            (dict(one.configuration), values_of(one.workload), one.failed, one.good, one.note)
            for one in learned.failing
        ],
        "doubts": learned.doubts,
        "unheard": [values_of(w) for w in learned.unheard],
    }


def _restored(facts: Mapping[str, Any], arrays: Mapping[str, Any], learner: Learner) -> Learned:
    own = {k.removeprefix(_PREDICTOR): v for k, v in arrays.items() if k.startswith(_PREDICTOR)}
    low, high = facts["new"]
    kinds = {
        kind: Errors(Calibration.restore(arrays, f"{_KINDS}{number}/"), (new[0], new[1]), facts["baseline"])
        for number, (kind, new) in enumerate(facts["kinds"])
    }
    return Learned(
        model=facts["model"],
        predictor=learner.restore(own),
        errors=Errors(Calibration.restore(arrays, _SEEN), (low, high), facts["baseline"], kinds),
        workloads=frozenset(characteristics_of(w) for w in facts["workloads"]),
        baselines=Baselines(
            tuple(characteristics_of(w) for w in facts["baselines"]), Readings.restore(arrays, _READINGS)
        ),
        ranges=_ranges(facts["ranges"]),
        noise=facts["noise"],
        measurements=facts["measurements"],
        unsafe=Unsafe(*(frozenset(map(Configuration, those)) for those in facts["unsafe"])),
        failing=tuple(
            Failing(Configuration(configuration), characteristics_of(workload), *counts)
            for configuration, workload, *counts in facts["failing"]
        ),
        doubts=tuple(facts["doubts"]),
        systems=_ranges(facts["systems"]),
        unheard=frozenset(characteristics_of(w) for w in facts["unheard"]),
        known_well=frozenset(characteristics_of(w) for w in facts["known_well"]),
    )


def _ranges(kept: Mapping[str, Mapping[str, Any]]) -> dict[str, Range]:
    return {name: Range(one["low"], one["high"], tuple(one["labels"])) for name, one in kept.items()}
