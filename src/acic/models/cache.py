"""Fitted models, kept between runs: `recommend` fits nothing when nothing new was measured.

A file holds arrays only (.npz, never a pickle): reading it runs no code. Its name is the hash of everything
that decides the fit, so a file is never out of date, only unused.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import tempfile
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acic.errors import AcicError, InvalidInput
from acic.models.calibration import Calibration
from acic.models.evaluate import FOLDS, Scores, score
from acic.models.protocol import Arrays, Integers, Learner, Predictor, TrainingSet
from acic.models.validation import grouped_folds, out_of_fold

FORMAT = 1  # raised whenever the layout of a file or the way models are tested changes

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """What cross-validation told: intervals for new rows, and scores; None of the latter if it was not possible."""

    calibration: Calibration
    scores: Scores | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedModel:
    """A predictor and how far to trust it.

    Args:
        name: the learner's.
        predictor: fitted on all rows.
        columns: of the rows that it takes.
        data_hash: of what it learned.
        seen: tested on configurations left out, of workloads that other configurations were measured with.
        new: tested on whole workloads left out; the wider intervals, for workloads nobody measured.
    """

    name: str
    predictor: Predictor
    columns: tuple[str, ...]
    data_hash: str
    seen: Tested
    new: Tested

    @property
    def calibration(self) -> Calibration:
        """Intervals for workloads that other configurations were measured with."""
        return self.seen.calibration

    @property
    def scores(self) -> Scores | None:
        """Scores on configurations left out."""
        return self.seen.scores


def fingerprint(data: TrainingSet) -> str:
    """Return a hash of everything in a training set."""
    digest = hashlib.sha256(repr((data.columns, data.parameters)).encode())
    for name in ("x", "y", "best", "weight", "group", "workload"):
        values = np.ascontiguousarray(getattr(data, name))
        digest.update(f"{name}{values.dtype.str}{values.shape}".encode())
        digest.update(values.tobytes())
    return digest.hexdigest()


def fit(learner: Learner, data: TrainingSet, data_hash: str, *, seed: int = 0) -> FittedModel:
    """Return the model of all rows, tested by cross-validation: twice up to ten fits, and one."""
    return FittedModel(
        name=learner.name,
        predictor=learner.fit(data, rng=np.random.default_rng([seed, 0])),
        columns=data.columns,
        data_hash=data_hash,
        seen=_tested(learner, data, data.group, np.random.default_rng([seed, 1])),
        new=_tested(learner, data, data.workload, np.random.default_rng([seed, 2])),
    )


def fit_or_load(learner: Learner, data: TrainingSet, data_hash: str, cache_dir: Path, *, seed: int = 0) -> FittedModel:
    """Return the fitted model out of the cache, or fit it and leave it there.

    A file that is corrupt or says it is of something else is ignored and replaced. Several
    processes may do this at once: files appear whole, and any of them is right. A cache that cannot be
    written costs time only, and is logged.

    Args:
        learner: what is fitted.
        data: what it learns.
        data_hash: of the data, e.g. their `fingerprint`.
        cache_dir: made if need be.
        seed: of the fit and of the splits.
    """
    path = cache_dir / f"{learner.name}-{_key(learner, data_hash, seed)[:32]}.npz"
    found = _load(path, learner, data, data_hash)
    if found is None:
        found = fit(learner, data, data_hash, seed=seed)
        try:
            _save(path, found, _key(learner, data_hash, seed))
        except OSError as error:
            _log.warning("the fitted model was not kept in %s: %s", cache_dir, error)
    return found


def _tested(learner: Learner, data: TrainingSet, apart: Integers, rng: np.random.Generator) -> Tested:
    parts = len(np.unique(apart))
    if parts < 2:
        return Tested(calibration=Calibration.none(), scores=None)
    fold = grouped_folds(apart, min(FOLDS, parts), rng)
    predicted = out_of_fold(learner, data, fold, rng=rng)
    return Tested(calibration=Calibration.of(data.y, predicted), scores=score(learner.name, data, fold, predicted))


def _key(learner: Learner, data_hash: str, seed: int) -> str:
    told = json.dumps([FORMAT, learner.name, learner.version, repr(learner), seed, data_hash])
    return hashlib.sha256(told.encode()).hexdigest()


def _save(path: Path, model: FittedModel, key: str) -> None:
    header = {"key": key, "seen": model.seen.scores, "new": model.new.scores}
    arrays: dict[str, NDArray[Any]] = {
        "header": np.array(json.dumps(header, default=asdict)),
        "columns": np.array(model.columns, dtype=str),
        **model.seen.calibration.arrays("seen."),
        **model.new.calibration.arrays("new."),
        **{f"predictor.{name}": values for name, values in model.predictor.arrays().items()},
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, **arrays)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _load(path: Path, learner: Learner, data: TrainingSet, data_hash: str) -> FittedModel | None:
    try:
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            return _restore(dict(file), learner, data, data_hash, path.stem.removeprefix(f"{learner.name}-"))
    except FileNotFoundError:
        return None
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile, zlib.error, AcicError) as error:
        _log.warning("%s is ignored and replaced: %s", path, error)
        return None


def _restore(arrays: Arrays, learner: Learner, data: TrainingSet, data_hash: str, key: str) -> FittedModel:
    header = json.loads(arrays["header"].item())
    columns = tuple(arrays["columns"].tolist())
    if not header["key"].startswith(key) or columns != data.columns:
        raise InvalidInput("it is the model of something else", hint="delete it")
    own = {name.removeprefix("predictor."): a for name, a in arrays.items() if name.startswith("predictor.")}

    def tested(part: str) -> Tested:
        scores: Mapping[str, Any] | None = header[part]
        calibration = Calibration.restore(arrays, f"{part}.")
        return Tested(calibration=calibration, scores=Scores(**scores) if scores else None)

    return FittedModel(
        name=learner.name,
        predictor=learner.restore(own),
        columns=columns,
        data_hash=data_hash,
        seen=tested("seen"),
        new=tested("new"),
    )
