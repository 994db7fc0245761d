"""The verdict: is a predicted gain real enough to act on?"""

from __future__ import annotations

from acic.advisor.advice import Goal, Recommendation, Verdict

LEAST_NOISE = 0.02  # run times of the same job differ by a percent or two even where its I/O does not


def judge(best: Recommendation, *, noise: float, extrapolated: bool, goal: Goal = Goal.TIME) -> tuple[Verdict, str]:
    """Return what to do about the best recommendation, and why in one sentence.

    Args:
        best: the first recommendation.
        noise: relative spread of the application's run time between runs of the same configuration.
        extrapolated: whether the workload, or what is recommended, lies outside of what was measured.
        goal: what the gain is of.
    """
    gain = best.improvement
    factor = f"{gain.value:.2f}x{' cheaper' if goal is Goal.COST else ''}"
    noise = max(noise, LEAST_NOISE)
    if gain.value <= 1 + noise:
        return Verdict.NOTHING, (
            "no configuration beats the baseline by more than the noise "
            f"({gain.value:.3f}x predicted, runs differ by {noise:.1%}): change nothing"
        )
    if gain.low <= 0:
        return Verdict.VERIFY, (
            f"{factor} is predicted, and too little was measured to tell how sure that is: "
            "try it on a short run before you rely on it"
        )
    if gain.low <= 1:
        return Verdict.VERIFY, (
            f"{factor} is predicted, but the interval reaches down to {gain.low:.2f}x: "
            "try it on a short run before you rely on it"
        )
    if extrapolated:
        return Verdict.VERIFY, (
            f"{factor} is predicted for what lies outside of what was measured: "
            "try it on a short run before you rely on it"
        )
    return Verdict.CHANGE, f"{factor} is predicted, at least {gain.low:.2f}x in 9 of 10 cases"
