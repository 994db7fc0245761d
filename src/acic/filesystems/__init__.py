"""What is known about setting up and tuning file systems, each told once, as data."""

from acic.filesystems.settings import (
    DEPLOYMENT,
    KINDS,
    LAB,
    UNGIVEN,
    WHOLE,
    Settings,
    by_hand,
    kinds_that_set,
    settings,
)

__all__ = ["DEPLOYMENT", "KINDS", "LAB", "UNGIVEN", "WHOLE", "Settings", "by_hand", "kinds_that_set", "settings"]
