"""An index that tells the state of a platform's data, and counts its outcomes, without reading the rows."""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create it."""
    op.create_index("ix_acic_measurement_state", "acic_measurement", ["platform", "outcome", "checksum"])


def downgrade() -> None:
    """Drop it."""
    op.drop_index("ix_acic_measurement_state", "acic_measurement")
