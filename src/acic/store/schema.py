"""The table of measurements, and which revisions of it there were."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, MetaData, String, Table, Text

from acic.store.revisions import TABLE

metadata = MetaData()

measurement = Table(
    TABLE,
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("fingerprint", String(64), nullable=False),
    Column("checksum", BigInteger, nullable=False),  # 40 bits: what the sum over a platform is made of
    Column("platform", Text, nullable=False),
    Column("revision", Text, nullable=False),
    Column("processes", BigInteger, nullable=False),
    Column("io_processes", BigInteger, nullable=False),
    Column("iterations", BigInteger, nullable=False),
    Column("data_size", BigInteger, nullable=False),  # B
    Column("request_size", BigInteger, nullable=False),  # B
    Column("interface", Text, nullable=False),
    Column("operation", Text, nullable=False),
    Column("access", Text, nullable=False),
    Column("collective", Boolean, nullable=False),
    Column("shared", Boolean, nullable=False),
    Column("configuration", Text, nullable=False),  # JSON object
    Column("outcome", Text, nullable=False),
    Column("basis", Text, nullable=False),
    Column("time", Text, nullable=False),  # ISO 8601, UTC
    Column("repetitions", Text, nullable=False),  # JSON: [[bandwidth in B/s, seconds, operations/s], ...]
    Column("tool", Text, nullable=False),
    Column("tool_version", Text, nullable=False),
    Column("versions", Text, nullable=False),  # JSON object
    Column("host_shape", Text, nullable=False),  # JSON object
    Column("seed", Text),  # seeds may be wider than any integer column
    Column("contributor", Text, nullable=False),
    Column("raw_sha256", Text, nullable=False),
    Column("note", Text, nullable=False),
)

Index("ix_acic_measurement_fingerprint", measurement.c.fingerprint, unique=True)
Index("ix_acic_measurement_state", measurement.c.platform, measurement.c.outcome, measurement.c.checksum)
