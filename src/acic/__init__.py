"""acic: find the I/O-system configuration that runs an HPC application fastest or cheapest."""

__version__ = "0.1.0"
