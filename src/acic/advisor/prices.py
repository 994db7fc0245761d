"""What hangs on prices: what an answer costs that was not asked for, and machines that are taken to cost the same."""

from __future__ import annotations

from acic.advisor.advice import Goal, Recommendation
from acic.advisor.ranking import TIE
from acic.platforms import Platform
from acic.units import format_seconds, format_usd


def price_of_it(goal: Goal, best: Recommendation, seconds: float, dollars: float | None) -> list[str]:
    """Return what the first answer costs of what was not asked for; nothing where that is no more than a tie.

    Nor where it gains nothing: then it is not for a gain that anybody would pay, and nothing lies between.

    Args:
        goal: what was asked for.
        best: the first answer.
        seconds: run time of the baseline, s.
        dollars: its cost, USD; None without prices.
    """
    if dollars is None or best.cost is None or goal is Goal.PARETO or best.improvement.value <= 1.0:
        return []
    now, then = (best.cost.value, dollars) if goal is Goal.TIME else (best.seconds.value, seconds)
    if now <= then * (1 + TIE):
        return []
    what, text = ("costs", format_usd) if goal is Goal.TIME else ("takes", format_seconds)
    return [
        f"The first answer {what} {now / then:.2f} times what the baseline does, {text(now)} a run for {text(then)}; "
        "acic recommend --goal pareto shows what lies between."
    ]


def one_price(platform: Platform, price: float | None) -> list[str]:
    """Return that a price is taken for kinds of machines that are not known to cost the same; nothing where they are.

    Args:
        platform: whose machines.
        price: USD per machine and hour, instead of its own; None takes those.
    """
    role = platform.roles.instance
    if price is None or not role:
        return []
    kinds = [platform.instances[str(name)] for name in platform.space[role].values]
    own = {one.price for one in kinds}
    if len(kinds) == 1 or (len(own) == 1 and None not in own):
        return []
    names = [one.name if one.price is None else f"{one.name} (its own: {format_usd(one.price)})" for one in kinds]
    return [
        f"--price takes every kind of machine to cost {format_usd(price)} an hour: {', '.join(names)}. So the choice "
        f"among them leaves their prices out; --keep {role}=KIND asks about one of them."
    ]
