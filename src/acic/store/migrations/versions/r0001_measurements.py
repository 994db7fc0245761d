"""The table of measurements."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_TEXTS = ("interface", "operation", "access")
_FLAGS = ("collective", "shared")
_COUNTS = ("processes", "io_processes", "iterations", "data_size", "request_size")


def upgrade() -> None:
    """Create it."""
    op.create_table(
        "acic_measurement",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("checksum", sa.BigInteger, nullable=False),
        sa.Column("platform", sa.Text, nullable=False),
        sa.Column("revision", sa.Text, nullable=False),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in _COUNTS),
        *(sa.Column(name, sa.Text, nullable=False) for name in _TEXTS),
        *(sa.Column(name, sa.Boolean, nullable=False) for name in _FLAGS),
        sa.Column("configuration", sa.Text, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("basis", sa.Text, nullable=False),
        sa.Column("time", sa.Text, nullable=False),
        sa.Column("repetitions", sa.Text, nullable=False),
        sa.Column("tool", sa.Text, nullable=False),
        sa.Column("tool_version", sa.Text, nullable=False),
        sa.Column("versions", sa.Text, nullable=False),
        sa.Column("host_shape", sa.Text, nullable=False),
        sa.Column("seed", sa.Text),
        sa.Column("contributor", sa.Text, nullable=False),
        sa.Column("raw_sha256", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
    )
    op.create_index("ix_acic_measurement_fingerprint", "acic_measurement", ["fingerprint"], unique=True)


def downgrade() -> None:
    """Drop it, with all measurements."""
    op.drop_table("acic_measurement")
