"""The ticket of a job in a batch queue: written before it is submitted and after, and read by a later controller."""

from __future__ import annotations

from dataclasses import dataclass, replace

from acic.cluster import jobscript, records
from acic.cluster.job import Job


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """One attempt to have a job run.

    Args:
        token: tells the attempt from others for the same job.
        may_start: whether the job's script is to go on when a scheduler starts it.
        native: the scheduler's id; None while it is not known.
        gone: whether the queue did not hold it after leave to start was taken. A request still on its way may yet
            put it there; it will do nothing.
    """

    token: str
    may_start: bool
    native: str | None = None
    gone: bool = False


def write_ticket(job: Job, ticket: Ticket) -> None:
    """Write the ticket of `job`, at once or not at all."""
    # "go" is what the job's script looks for, as it stands there: see jobscript.go
    go = ticket.token if ticket.may_start else ""
    content = {"token": ticket.token, "go": go, "native": ticket.native, "gone": ticket.gone}
    records.write_json(jobscript.ticket_of(job), content)


def read_ticket(job: Job) -> Ticket | None:
    """Return the ticket of `job`; None if it was never to be submitted."""
    content = records.read_json(jobscript.ticket_of(job))
    if content is None or not isinstance(content.get("token"), str):
        return None
    native = content.get("native")
    return Ticket(
        token=content["token"],
        may_start=content.get("go") == content["token"],
        native=native if isinstance(native, str) else None,
        gone=content.get("gone") is True,
    )


def withdraw(job: Job, ticket: Ticket) -> Ticket:
    """Write down that `job` is not to start any more, with the ticket that is returned."""
    withdrawn = replace(ticket, may_start=False)
    write_ticket(job, withdrawn)
    return withdrawn


def native_of(job: Job, ticket: Ticket) -> str | None:
    """Return the scheduler's id of `job`: that which it gave, or that which the job found itself to have."""
    if ticket.native is not None:
        return ticket.native
    try:
        return jobscript.Files.of(job, ticket.token).started.read_text().strip() or None
    except OSError:
        return None
