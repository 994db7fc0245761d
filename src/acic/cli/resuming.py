"""What `--resume` of a search goes on with: its campaign, the options it began with, and its store."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from acic.cli.measuring import platform_of
from acic.cli.unused_options import refuse_unused
from acic.errors import InvalidInput

if TYPE_CHECKING:
    from acic.campaign.session import Session
    from acic.workloads import Characteristics

_BESIDE_RESUME = {"platform_name", "budget", "name", "resume", "partial", "only"}  # and those of the job


def open_begun(kind: str, name: str | None, like: tuple[Characteristics, ...]) -> Session:
    """Return the campaign to go on with, which measures `like`.

    Raises:
        InvalidInput: there is none, or it measures something else.
    """
    from acic.campaign.session import Session

    session = Session.open(name, kind=kind)
    if session.request.like != like:
        raise InvalidInput(
            f"the campaign {session.journal.name} measures another workload",
            hint="give the job and the options that it began with, or begin a new campaign, under another name",
        )
    return session


def as_begun(
    kind: str, given: dict[str, Any], search: Mapping[str, Any], *, fixed: Set[str] = frozenset()
) -> dict[str, Any]:
    """Return a search's own options, and shrink behind them; where it goes on, those not typed are as it began.

    Args:
        kind: "walk", "tune" or "verify".
        given: the command's other options: platform_name, resume, shrink, and name, which is then that of the campaign.
        search: its own, by the names of the command's parameters.
        fixed: those of its own that cannot be typed anew.

    Raises:
        InvalidInput: the campaign to go on with is of another platform, or an option is typed that it has already.
    """
    from acic.campaign.session import Session
    from acic.workloads.parameters import WORKLOAD_PARAMETERS

    own = {**search, "shrink": given["shrink"]}
    if not given["resume"]:
        return own
    refuse_unused("beside --resume", but={*_BESIDE_RESUME, *own, *(p.name for p in WORKLOAD_PARAMETERS)} - fixed)
    session = Session.open(given["name"], kind=kind)
    given["name"] = session.journal.name  # it is opened again, when another may be the last
    check_platform(session, given["platform_name"])
    begun = session.request.search
    source = click.get_current_context().get_parameter_source
    return {
        name: begun[name] if name in begun and source(name) is not ParameterSource.COMMANDLINE else value
        for name, value in own.items()
    }


def typed_anew(error: InvalidInput, begun: Mapping[str, Any], search: Mapping[str, Any]) -> InvalidInput:
    """Return the error with the options that were typed with another value than a search began with, if any were."""
    options = {p.name: max(p.opts, key=len) for p in click.get_current_context().command.params}
    changed = [name for name in search if name in options and search[name] != begun.get(name)]
    if not changed:
        return error
    pairs = [(options[name], begun.get(name), search[name]) for name in changed]
    told = ", ".join(f"{option} was {'not given' if old is None else old} and is {new}" for option, old, new in pairs)
    names = " and ".join(option for option, _, _ in pairs)
    return InvalidInput(f"{error.problem}: {told}", hint=f"go on with it without {names}, or {error.hint}")


def check_platform(session: Session, name: str) -> None:
    """Refuse to go on with a campaign beside the name of another platform than its own.

    Raises:
        InvalidInput: `name` is that of another, or of none.
    """
    platform = platform_of(name, keep_it=False).name
    if platform != session.platform.name:
        raise InvalidInput(
            f"the campaign {session.journal.name} is one of the platform {session.platform.name}, not {platform}",
            hint=f"go on with it by --platform {session.request.platform}, or name another campaign",
        )


def store_as_begun(kind: str, given: Mapping[str, Any], store_url: str | None) -> str | None:
    """Return the store that is asked: the one that a search which goes on began with, unless one is named.

    Raises:
        InvalidInput: there is no such campaign.
    """
    from acic.campaign.session import Session

    return Session.open(given["name"], kind=kind).choose_store(store_url) if given["resume"] else store_url
