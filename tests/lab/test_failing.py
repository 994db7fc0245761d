"""What a lab tells that cannot deploy, nor take down what it began with."""

from __future__ import annotations

from typing import NoReturn

import pytest

from acic.errors import TransientError
from acic.lab import Lab


def test_why_deploying_failed_is_told_before_what_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second error once stood in place of the first."""

    def fails(*_: object) -> NoReturn:
        raise TransientError("a server does not begin", hint="try again")

    def stays(*_: object) -> NoReturn:
        raise TransientError("a mount stays", hint="unmount it")

    monkeypatch.setattr(Lab, "_deploy", fails)
    monkeypatch.setattr(Lab, "undeploy", stays)
    with pytest.raises(TransientError, match="a server does not begin") as raised:
        Lab.__new__(Lab).deploy({})
    assert raised.value.__notes__ == ["the file system cannot be taken down: a mount stays; unmount it"]
