"""What is to be done on the machines of an I/O system, as data: run by the lab, tested as text."""

from acic.steps.step import Await, Directory, Execute, File, Mount, Serve, Step, Stop, Unmount

__all__ = ["Await", "Directory", "Execute", "File", "Mount", "Serve", "Step", "Stop", "Unmount"]
