"""What `verify` runs, as its campaign keeps it: measuring teaches the model, which would recommend others later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acic.advisor.advice import Advice, Estimate
    from acic.platforms import Platform
    from acic.space import Configuration


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A configuration to run, what was predicted of it beforehand, and its `single_writer` as it was recommended."""

    configuration: Configuration
    predicted: Estimate | None
    single_writer: bool

    def kept(self) -> dict[str, Any]:
        """Return it as a journal keeps it."""
        predicted = None if self.predicted is None else asdict(self.predicted)
        return {
            "configuration": dict(self.configuration),
            "predicted": predicted,
            "single_writer": self.single_writer,
        }

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Wanted:
        """Return what a journal has kept."""
        from acic.advisor.advice import Estimate
        from acic.space import Configuration
        from acic.store import Basis

        told = kept["predicted"]
        return cls(
            configuration=Configuration(kept["configuration"]),
            predicted=None if told is None else Estimate(**told | {"basis": Basis(told["basis"])}),
            single_writer=kept["single_writer"],
        )


def wanted_of(platform: Platform, advice: Advice, predicted: Advice) -> list[Wanted]:
    """Return the baseline, and every recommendation of `advice` that is another, with what `predicted` says of it."""
    single = {one.configuration for one in advice.recommendations if one.single_writer}
    configurations = [platform.baseline, *(one.configuration for one in advice.recommendations)]
    return [
        Wanted(
            configuration=one,
            predicted=None if one == platform.baseline else prediction(predicted, one),
            single_writer=one in single,
        )
        for one in dict.fromkeys(configurations)
    ]


def prediction(advice: Advice, configuration: Configuration) -> Estimate | None:
    """Return the improvement that is predicted of a configuration; None if the advice does not speak of it."""
    return next((r.improvement for r in advice.recommendations if r.configuration == configuration), None)
