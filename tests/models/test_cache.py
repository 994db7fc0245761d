"""Fitted models are kept, found again, and never trusted blindly."""

from __future__ import annotations

import logging
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from acic.models import FittedModel, TrainingSet, fingerprint, fit_or_load, learner
from acic.models.cart import Cart
from acic.models.ridge import Ridge
from tests.models.conftest import made_up

RIDGE = learner("ridge")


class NeverFits(Ridge):
    """Of the same name, version and settings, but it must not be asked to fit."""

    def __repr__(self) -> str:
        return repr(RIDGE)

    def fit(self, data: TrainingSet, *, rng: np.random.Generator):  # type: ignore[no-untyped-def]  # noqa: ARG002
        pytest.fail("the cached model was not used")


def same(one: FittedModel, two: FittedModel) -> None:
    x = made_up(20, 9).x
    assert_array_equal(one.predictor.predict(x).mean, two.predictor.predict(x).mean)
    for a, b in ((one.seen, two.seen), (one.new, two.new)):
        assert_array_equal(a.calibration.errors, b.calibration.errors)
        assert a.calibration.softening == b.calibration.softening
        assert repr(a.scores) == repr(b.scores)  # NaN equals NaN here
    assert (one.name, one.columns, one.data_hash) == (two.name, two.columns, two.data_hash)


def files(cache: Path) -> list[Path]:
    return sorted(cache.iterdir())


def test_what_was_fitted_is_found_again(tmp_path: Path) -> None:
    data = made_up(60)
    fitted = fit_or_load(RIDGE, data, fingerprint(data), tmp_path / "new" / "cache")
    again = fit_or_load(NeverFits(), data, fingerprint(data), tmp_path / "new" / "cache")
    same(fitted, again)
    assert fitted.scores is not None
    assert fitted.scores.rows == 60
    assert fitted.new.scores is not None
    assert fitted.new.scores.folds == 3  # as many as workloads
    low, high = again.calibration.interval(again.predictor.predict(data.x))
    assert np.mean((low <= data.y) & (data.y <= high)) > 0.7


def test_what_cannot_be_tested_says_so(tmp_path: Path) -> None:
    data = made_up(1)
    for _ in range(2):
        fitted = fit_or_load(RIDGE, data, "one row", tmp_path)
        assert fitted.scores is fitted.new.scores is None
        assert fitted.calibration.quantiles() == (-np.inf, np.inf)


def test_anything_else_is_fitted_anew(tmp_path: Path) -> None:
    data = made_up(40)
    variants = [
        (RIDGE, data, "a", 0),
        (RIDGE, data, "a", 1),
        (RIDGE, data, "b", 0),
        (Ridge(folds=3), data, "a", 0),
        (Cart(), data, "a", 0),
        (Cart(min_leaf=2), data, "a", 0),
    ]
    for one, rows, data_hash, seed in variants:
        fit_or_load(one, rows, data_hash, tmp_path, seed=seed)
    assert len(files(tmp_path)) == len(variants)


def test_a_fingerprint_tells_data_apart() -> None:
    data = made_up(30)
    changed = [
        replace(data, y=data.y + 1e-12),
        replace(data, best=data.best + 1e-12),
        replace(data, weight=data.weight * 2),
        replace(data, group=data.group + 1),
        replace(data, workload=data.workload + 1),
        replace(data, columns=("other", *data.columns[1:])),
        replace(data, parameters=data.parameters[1:]),
        data.rows(np.arange(29)),
    ]
    assert len({fingerprint(one) for one in [data, *changed]}) == len(changed) + 1
    assert fingerprint(data) == fingerprint(data.rows(np.arange(30)))


def test_broken_files_are_ignored_and_replaced(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    data = made_up(40)
    fitted = fit_or_load(RIDGE, data, "a", tmp_path)
    (path,) = files(tmp_path)
    good = path.read_bytes()
    middle = len(good) // 2
    broken = {
        "empty": b"",
        "cut": good[:middle],
        "flipped": good[:middle] + bytes([good[middle] ^ 255]) + good[middle + 1 :],
        "text": b"hello",
        "pickle": b"\x80\x04\x95\x05\x00\x00\x00\x00\x00\x00\x00K\x01.",
    }
    for what, content in broken.items():
        path.write_bytes(content)
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            same(fit_or_load(RIDGE, data, "a", tmp_path), fitted)
        assert "ignored" in caplog.text or what == "flipped"  # which may have hit a byte that means nothing
        fit_or_load(NeverFits(), data, "a", tmp_path)
    assert len(files(tmp_path)) == 1


def test_foreign_files_are_ignored(tmp_path: Path) -> None:
    data = made_up(40)
    fitted = fit_or_load(RIDGE, data, "a", tmp_path)
    (path,) = files(tmp_path)
    fit_or_load(RIDGE, made_up(40, 5), "b", tmp_path)
    (other,) = [file for file in files(tmp_path) if file != path]
    path.write_bytes(other.read_bytes())  # a model of other data under this one's name
    same(fit_or_load(RIDGE, data, "a", tmp_path), fitted)
    np.savez(path, x=np.ones(3))
    same(fit_or_load(RIDGE, data, "a", tmp_path), fitted)
    renamed = replace(data, columns=tuple(f"{name}2" for name in data.columns))
    assert fit_or_load(RIDGE, renamed, "a", tmp_path).columns == renamed.columns


def test_a_cache_that_cannot_be_written_costs_time_only(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("in the way")
    data = made_up(20)
    assert fit_or_load(RIDGE, data, "a", tmp_path / "file").name == "ridge"
    assert "was not kept" in caplog.text


def test_several_at_once(tmp_path: Path) -> None:
    data = made_up(60)
    with ThreadPoolExecutor(8) as pool:
        all_of_them = list(pool.map(lambda _: fit_or_load(RIDGE, data, "a", tmp_path), range(16)))
    for one in all_of_them:
        same(one, all_of_them[0])
    assert [file.suffix for file in files(tmp_path)] == [".npz"]  # no temporary file stays


def test_a_cached_model_answers_without_scikit_learn(tmp_path: Path, runs: TrainingSet) -> None:
    fit_or_load(Cart(), runs, fingerprint(runs), tmp_path)
    script = f"""
import sys
from pathlib import Path
from acic.models import fingerprint, fit_or_load, learner
from tests.models.conftest import made_up
data = made_up(120)
model = fit_or_load(learner("cart"), data, fingerprint(data), Path({str(tmp_path)!r}))
model.calibration.interval(model.predictor.predict(data.x))
assert "sklearn" not in sys.modules
"""
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", script], cwd=root, check=True)
