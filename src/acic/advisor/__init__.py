"""The advisor: answers from a model and data alone, offline."""
