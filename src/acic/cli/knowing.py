"""What commands that judge methods know of a platform: what each model learned of its training."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import cache, partial
from typing import TYPE_CHECKING

from acic.cli.output import say
from acic.errors import AcicError

if TYPE_CHECKING:
    from acic.advisor.knowledge import Knowledge
    from acic.advisor.learned import Learned
    from acic.platforms import Platform

_SLOW = ("boosting", "gaussian", "prior+forest", "nonlinear", "prior+ranking")  # to learn, the slowest first


def knowing(platform: Platform, store_url: str | None, models: Sequence[str] = ()) -> Callable[[str], Knowledge]:
    """Return what gives, by a model's name, what it learned of the platform's training, intervals aside; each once.

    Those of `models` that are not kept from an earlier time are learned now, beside one another.
    """
    from acic.advisor.knowledge import Knowledge
    from acic.advisor.known import Trust, kept, known
    from acic.evaluation.parallel import processors, spread

    now, said = datetime.now(UTC), set[str]()

    def announce(model: str, text: str) -> None:
        if text not in said:  # what all models need to know once
            say(_of(model, text))
        said.update([text] if text.startswith("note") else [])

    missing = [one for one in models if not kept(platform, one, store=store_url, trust=Trust(), now=now)]
    missing.sort(key=lambda one: _SLOW.index(one) if one in _SLOW else len(_SLOW))
    beside = missing if len(missing) > 1 else []
    found = spread(partial(_learned, platform, store_url, now), beside, processes=processors())
    learned = dict(zip(beside, found, strict=True))

    @cache
    def knowledge(model: str) -> Knowledge:
        own, notes = learned.get(model, (None, ()))
        if own is None:
            return known(
                platform,
                model,
                store=store_url,
                trust=Trust(),
                now=now,
                announce=partial(announce, model),
                intervals=False,
            )
        for note in notes:
            announce(model, note)
        return Knowledge(platform, own)

    return knowledge


def _learned(platform: Platform, store_url: str | None, now: datetime, model: str) -> tuple[Learned | None, list[str]]:
    """Return what a model learned, with the notes on it; None where it refuses, which is told when it is asked for."""
    from acic.advisor.known import Trust, known

    notes = []

    def announce(text: str) -> None:
        if text.startswith("note"):
            notes.append(text)
        else:
            say(_of(model, text))

    try:
        return known(
            platform, model, store=store_url, trust=Trust(), now=now, announce=announce, intervals=False
        ).learned, notes
    except AcicError:
        return None, notes


def _of(model: str, text: str) -> str:
    return text.replace("learning", f"{model} is learning", 1)
