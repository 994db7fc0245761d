"""scikit-learn without what it checks anew for each of thousands of small trees."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def unchecked() -> Iterator[None]:
    """Leave out checks of settings and of finite numbers, as a decorator of what fits: a `TrainingSet` is checked."""
    from sklearn import config_context

    with config_context(assume_finite=True, skip_parameter_validation=True):
        yield
