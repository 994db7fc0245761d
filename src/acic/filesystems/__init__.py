"""What is known about setting up and tuning file systems, each told once, as data."""

from acic.filesystems.settings import DEPLOYMENT, KINDS, Settings, settings

__all__ = ["DEPLOYMENT", "KINDS", "Settings", "settings"]
