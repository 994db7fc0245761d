"""The sentences of an explanation, as `acic explain` prints them and as its page has them."""

from __future__ import annotations

from collections.abc import Sequence

from acic.advisor.changes import Unit
from acic.advisor.explaining import Against, Explanation
from acic.advisor.learning import can_train
from acic.advisor.ranking import TIE
from acic.advisor.sensitivity import Dependence, WhatIf
from acic.advisor.support import Limit, Support
from acic.platforms import Platform
from acic.report.explanation import words
from acic.report.explanation.words import SLIGHT
from acic.workloads import Quality, Workload
from acic.workloads.parameters import WORKLOAD_PARAMETERS

_OTHERS = {Against.BASELINE: "baseline", Against.RUNNER_UP: "runner-up", Against.NAMED: "one named"}


def headline(found: Explanation) -> str:
    """Return what was asked, and what answers."""
    advice = found.advice
    return (
        f"{advice.workload} on {advice.platform}, goal {advice.goal}; model {advice.model} from "
        f"{advice.measurements} measurements"
    )


def other(found: Explanation) -> str:
    """Return what to call the configuration that the answer is compared with."""
    return _OTHERS[found.against]


def compared(found: Explanation, platform: Platform) -> str:
    """Return what the answer is compared with; "" for the baseline, which goes without saying."""
    if found.against is Against.BASELINE:
        return ""
    unlike = words.difference(platform, found.answer, found.other) or "the same values"
    return f"The {other(found)} has {unlike}."


def difference(found: Explanation) -> str:
    """Return what the answer takes beside the other, and why it is the answer where it takes more."""
    ours, theirs = (words.amount(found, number) for number in (found.ours, found.theirs))
    if found.ours <= found.theirs:
        return f"Predicted: {ours} instead of {theirs}, so it saves {words.amount(found, found.theirs - found.ours)}."
    more = f"Predicted: {ours} instead of {theirs}, so it takes {words.amount(found, found.ours - found.theirs)} more."
    if not found.tied:
        return more
    rather = "faster" if found.unit is Unit.USD else "cheaper"
    which = f"of what is within {TIE:.0%} of the I/O, the one that is {rather}, or changes less, is the answer"
    return f"{more} That is a tie: {which}."


def orders(found: Explanation) -> str:
    """Return how parameters are counted; "" where there is one change alone."""
    if len(found.changes.parts) < 2:
        return ""
    possible, between = found.changes.possible, found.changes.between
    told = "every order"
    if possible < between:
        told = f"every order that leads through valid configurations ({possible} of {between} combinations are)"
    joint = any(len(part.names) > 1 for part in found.changes.parts)
    together = " Parameters on one line can only be changed together." if joint else ""
    return f"They are changed one after another, in {told}; this is the mean.{together}"


def steady(found: Explanation, workload: Workload) -> list[str]:
    """Return which characteristics change nothing, and of which nobody can tell."""
    every, told = ordered(found), []
    if some := [one for one in every if one.levels and not any(level.changes for level in one.levels)]:
        tried = "measured" if found.advice.measurements else "tried"
        told.append(f"Nothing that was {tried} changes it in {words.listed(some, workload, words.span)}.")
    if blind := [one for one in every if not one.levels]:
        told.append(f"No other value that can be was measured of {words.listed(blind, workload)}.")
    return told


def turns(one: Dependence) -> list[tuple[WhatIf, str]]:
    """Return the values of a characteristic that change the answer, nearest first, each with " or less", " or more"."""
    if not one.levels:
        return []
    sides = ((one.below, "less", one.levels[0]), (one.above, "more", one.levels[-1]))
    found = [(turn, "" if turn == end or not one.onward(turn) else f" or {more}") for turn, more, end in sides if turn]
    return [*found, *((other, "") for other in one.others)]


def harmful(found: Explanation) -> list[Dependence]:
    """Return the characteristics in which an error costs something, the most first."""
    return [one for one in found.dependences if one.harm >= SLIGHT]


def costly(one: Dependence) -> list[WhatIf]:
    """Return the errors in a characteristic that cost something, the most first."""
    return sorted((error for error in one.errors if error.regret >= SLIGHT), key=lambda error: -error.regret)


def errors(found: Explanation, workload: Workload) -> list[str]:
    """Return what is worth knowing better, what is harmless, and what nobody can tell."""
    told, every, bad = [], ordered(found), harmful(found)
    if doubtful := [one for one in bad if one.quality is not Quality.EXACT]:
        names = ", ".join(words.name_of(one, workload) for one in doubtful)
        told.append(f"Worth knowing better, most first: {names}.")
    elif bad:
        told.append("These are known exactly, so nothing needs to be measured better.")
    if harmless := [one for one in every if one.harm < SLIGHT and one.errors]:
        told.append(
            f"Half, twice or another label costs less than {SLIGHT:.0%}, where it was measured, in "
            f"{words.listed(harmless, workload)}."
        )
    if beyond := [one for one in every if one.unmeasured]:
        told.append(
            f"Nobody can tell, because it was not measured: {words.listed(beyond, workload, words.unmeasured)}."
        )
    return told


def nearest(near: Support, answer: str) -> str:
    """Return how near the nearest measurements are; `answer` is what to call the answer."""
    configurations = f"{near.on_workload} configuration{'s' * (near.on_workload != 1)}"
    away = (
        f"The workload measured nearest is {near.workload_steps:.3g} levels away, on {configurations}."
        if near.workload_steps
        else f"This very workload was measured on {configurations}."
    )
    return (
        f"{near.points} points were measured beside the baseline's, {near.on_configuration or 'none'} of them on the "
        f"{answer} configuration. {away} The nearest points:"
    )


def outside(found: Explanation) -> str:
    """Return what of the workload, or of the answer, was never measured; "" for nothing."""
    return f"Outside of what was measured: {'; '.join(found.advice.extrapolated)}." if found.advice.extrapolated else ""


def precision(found: Explanation, platform: Platform) -> list[str]:
    """Return where the width of the interval comes from, and what would make it narrower."""
    why = found.precision
    if why is None:
        return ["The answer is the baseline itself, whose improvement is 1 by definition."]
    gain = found.advice.recommendations[0].io_improvement
    of_what = "points that it had not seen" if why.seen else "workloads that it had not seen"
    own = platform.argument
    how = (
        f"acic train --platform {own} --like LOG" if can_train(platform) else f"acic data import FILE --platform {own}"
    )
    limits = {
        Limit.MODEL: f"The model limits it: to measure workloads like this one would help most ({how}).",
        Limit.BASELINE: f"The baseline limits it: to measure it with workloads like this one would help ({how}).",
        Limit.NOISE: "The noise of the platform limits it: only more repetitions would help.",
    }
    baseline, noise = "the error of the baseline is not known", "how far runs of the same thing differ is not known"
    if why.baseline > 1.0:  # else nobody looked: the error of a mean is never none
        baseline = f"the baseline is known to {words.factor(why.baseline)}"
    if why.noise > 1.0:  # else nothing was run twice
        noise = f"runs of the same thing differ by {why.noise:.2f}x"
    return [
        f"Of the I/O, {gain.value:.2f}x is predicted, {gain.low:.2f}x to {words.factor(gain.high)} in 8 of 10 cases, "
        f"because the model errs by {words.factor(why.model)} on {of_what}, {baseline}, and {noise}. What is picked "
        "because it seems best is slower than predicted more often than faster, so the slow end is farther away.",
        limits[why.limit],
    ]


def ordered(found: Explanation) -> Sequence[Dependence]:
    """Return the dependences by phase and characteristic."""
    names = [p.name for p in WORKLOAD_PARAMETERS]
    return sorted(found.dependences, key=lambda one: (-1 if one.phase is None else one.phase, names.index(one.name)))
