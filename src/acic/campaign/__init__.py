"""Campaigns: measure a platform within a budget, for days if need be, without losing or inventing a number."""
