"""The verdict: is a predicted gain real enough to act on?"""

from __future__ import annotations

from acic.advisor.advice import Goal, Recommendation, Verdict

LEAST_GAIN = 0.05  # predictions of good configurations are off by more (docs/decisions/0019-least-gain.md)


def worth(gain: float, noise: float) -> bool:
    """Return whether a predicted gain over the baseline, 1.0 for none, is one to change anything for.

    Args:
        gain: times as fast, or as cheap.
        noise: relative spread of the application's run time between runs of the same configuration.
    """
    return gain > 1.0 + max(noise, LEAST_GAIN)


def judge(
    best: Recommendation, *, noise: float, extrapolated: bool, unlike: bool = False, goal: Goal = Goal.TIME
) -> tuple[Verdict, str]:
    """Return what to do about the best recommendation, and why in one sentence.

    Args:
        best: the first recommendation.
        noise: relative spread of the application's run time between runs of the same configuration.
        extrapolated: whether the workload, or what is recommended, lies outside of what was measured.
        unlike: whether the log that tells what the baseline takes was not made with it.
        goal: what the gain is of.
    """
    gain = best.improvement
    cheaper = " cheaper" if goal is Goal.COST else ""
    factor = f"{gain.value:.2f}x{cheaper}"
    if gain.low <= 0 and worth(gain.value, 0.0):  # so the noise rests on little, too
        return Verdict.VERIFY, (
            f"{factor} is predicted, and too little was measured to tell how sure that is: "
            "try it on a short run before you rely on it"
        )
    if not worth(gain.value, noise):
        rest = "change nothing" if goal is not Goal.PARETO else "change nothing for time"
        digits = 2 if abs(gain.value - 1.0) > LEAST_GAIN else 3  # 1.00x would be none, 1.05x enough
        most = f"{gain.value:.{digits}f}x"
        if round(gain.value, 3) < 1.0:
            better = "cheaper" if goal is Goal.COST else "faster"
            told = f"the baseline is predicted to be {better} than all that may be chosen, which is {most} at best"
            return Verdict.NOTHING, f"{told}: {rest}"
        why = f"runs differ by {noise:.1%}" if noise > LEAST_GAIN else f"less than {LEAST_GAIN:.0%} is within its error"
        return Verdict.NOTHING, f"{most}{cheaper} is the best that is predicted, and {why}: {rest}"
    if gain.low <= 1:
        return Verdict.VERIFY, (
            f"{factor} is predicted, but the interval reaches down to {gain.low:.2f}x: "
            "try it on a short run before you rely on it"
        )
    if unlike:
        return Verdict.VERIFY, (
            f"{factor} is predicted over a baseline that the log was not made with: "
            "try it on a short run before you rely on it"
        )
    if extrapolated:
        return Verdict.VERIFY, (
            f"{factor} is predicted for what lies outside of what was measured: "
            "try it on a short run before you rely on it"
        )
    return Verdict.CHANGE, f"{factor} is predicted, at least {gain.low:.2f}x in 9 of 10 cases"
