"""Alembic's migrations of the store, run when a store is opened that needs them."""
