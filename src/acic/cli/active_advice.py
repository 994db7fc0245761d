"""What a campaign asks where a model chooses what to measure (`--plan active`), however it is begun or gone on with."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acic.campaign.promising import Advice, Expected
    from acic.campaign.session import Session
    from acic.workloads import Characteristics


def advice_of(session: Session, store_url: str | None) -> Advice:
    """Return what `acic recommend` would say, from all that is known whenever it is asked."""

    def learn() -> Callable[[Characteristics], Expected]:
        from acic.advisor.informed import default_model
        from acic.advisor.known import Trust, known
        from acic.advisor.shortlist import shortlists
        from acic.campaign.promising import Expected

        platform, only = session.platform, session.request.only.items()
        now = datetime.now(UTC)
        found = known(platform, default_model(platform), store=store_url, trust=Trust(), now=now)
        if only:
            every = platform.space.configurations()
            found = found.among(one for one in every if all(one.get(name) == value for name, value in only))

        def expect(workload: Characteristics) -> Expected:
            seen = shortlists(found, workload)
            return Expected(seen.seconds, seen.kinds, seen.around)

        return expect

    return learn
