"""What is not imported costs no time: the store is opened at the start of every recommendation."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from acic.store.database import Store
from tests.store.samples import measurement

HEAVY = ("sqlalchemy", "alembic", "pyarrow", "psycopg", "sklearn", "pandas")


def loaded(script: str) -> set[str]:
    """Which heavy packages `script` loads, in a process of its own."""
    report = f"import sys\n{script}\nprint(*(m for m in {HEAVY} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_package_is_light() -> None:
    every = "ageing baselines bundled database exchange importing ior lessons naming tables training"
    assert loaded("import acic.store") == set()
    assert loaded("\n".join(f"import acic.store.{name}" for name in every.split())) == set()


def test_opening_an_up_to_date_file_and_telling_its_state_needs_no_sqlalchemy(tmp_path: Path) -> None:
    path = str(tmp_path / "a.sqlite")
    with Store.open(path) as store:
        store.add([measurement(1)])
    opening = f"from acic.store.database import Store\nstore = Store.open({path!r})"
    assert loaded(f"{opening}\nassert store.fingerprint('tianhe-lustre')") == set()
    assert loaded(f"{opening}\nassert store.count() == 1") == {"sqlalchemy"}


def test_alembic_is_for_migrations_only(tmp_path: Path) -> None:
    opening = f"from acic.store.database import Store\nStore.open({str(tmp_path / 'new.sqlite')!r})"
    assert loaded(opening) == {"sqlalchemy", "alembic"}


def test_bundled_measurements_need_nothing_heavy() -> None:
    script = "from acic.platforms import load_platform\nfrom acic.store.bundled import bundled\n"
    assert loaded(f"{script}assert bundled(load_platform('tianhe-lustre'))") == set()
