"""What is known of a platform now: learned from the measurements there are, or cached."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable

import numpy as np
from numpy.typing import NDArray

from acic import __version__
from acic.advisor.cache import fetch, keep
from acic.advisor.failing import failing_of
from acic.advisor.intervals import Watch
from acic.advisor.knowledge import Knowledge
from acic.advisor.learning import few, learn, too_few, unmeasured
from acic.advisor.safety import Unsafe, unsafe_of
from acic.errors import MissingData
from acic.kept import cache_folder, can_hold, can_keep, has_arrays
from acic.models.protocol import Learner
from acic.models.registry import learner
from acic.models.residual import PriorAlone, Residual, takes_prior
from acic.platforms import Platform
from acic.prior import prior_of
from acic.store.ageing import ageing_weights
from acic.store.baselines import no_baseline_told, over_baseline, with_baseline
from acic.store.bundled import bundled, bundled_hash
from acic.store.database import Store, state_fingerprint
from acic.store.kept_rows import fetch_rows, keep_rows
from acic.store.lessons import bundled_compared, bundled_lessons, compared_hash, lessons_hash
from acic.store.measurement import Basis, Measurement, Outcome
from acic.store.training import TrainingRows, training_table, unfit_told
from acic.store.trust import HEARD, believed, contributions, doubted, trusted
from acic.workloads import Characteristics

SEED = 20130917
FEW = "nearest"  # the model that needs no more than one run of each configuration
_POINTS = "-points"  # behind the name of a model that was learned without intervals
REVISION_FACTOR = 0.5  # what an upgrade of the platform leaves of an older measurement's weight


@dataclass(frozen=True, slots=True)
class Trust:
    """How much measurements still count: by age (half-life in s, None for any age alike) and by revision."""

    half_life: float | None = None
    revision_factor: float = REVISION_FACTOR


def known(
    platform: Platform,
    model: str,
    *,
    store: str | None,
    trust: Trust,
    now: datetime,
    announce: Callable[[str], None] = lambda _: None,
    intervals: bool = True,
    watch: Watch = lambda *_: None,
) -> Knowledge:
    """Return what is known of `platform`: from the cache where neither data nor program changed, else learned.

    Args:
        platform: which one.
        model: a learner's name.
        store: URL of the training database; None for the user's own.
        trust: how much old measurements count.
        now: the moment that ages are counted to.
        announce: is told what takes long, before it does, and that the store named is not there.
        intervals: are told; without, infinite ones will do, and what takes long takes a tenth of the time.
        watch: is told how much is done of what takes long, and of how much; nothing where all was kept.

    Raises:
        AcicError: no such model, too few measurements, or a store that cannot be used.
    """
    chosen, prior = learner(model), prior_of(platform)
    if isinstance(chosen, Residual) and prior is None:
        announce(f"note: {_no_hardware(platform)}, so {chosen.name} is {chosen.base.name} alone")
    with Store.open_existing(store, announce=announce) as opened:
        key, point = _keys(platform, chosen, _stored(platform, opened), trust, now)
        if (cached := fetch(key, chosen) or (None if intervals else fetch(point, chosen))) is not None:
            return Knowledge(platform, cached)
        rows, for_all = training_rows(platform, opened), _for_all(platform, opened)
        unfit = _useless(rows, platform)
        if isinstance(chosen, PriorAlone) and prior is None:
            raise _nothing_else(platform, rows)
        unsafe = unsafe_configurations(platform, opened)
        failing = failing_of(_failed(platform, opened), rows, platform)
    found = contributions(rows, platform)
    contributors = trusted(rows, found)
    heard = contributors >= HEARD
    unheard = _workloads(rows, ~heard)
    rows, contributors = rows.rows(heard), contributors[heard]
    over = over_baseline(rows, platform)  # those that were may have been of who is not heard
    rows, contributors = with_baseline(rows, platform), contributors[over]
    lost = () if over.all() else filter(None, [no_baseline_told(rows, platform)])
    doubts = (*unfit, *map(str, doubted(found)), *lost)
    if takes_prior(chosen) and prior is not None and too_few(rows, platform):
        announce(f"note: too little was measured on {platform.name} to learn from: its hardware alone answers")
        return Knowledge(platform, replace(unmeasured(platform), unsafe=unsafe, failing=failing, doubts=doubts))
    weight = contributors * ageing_weights(
        rows.time, rows.behind, now=now, half_life=trust.half_life, revision_factor=trust.revision_factor
    )
    learns = learner(FEW) if few(rows, platform) and not isinstance(chosen, PriorAlone) else chosen
    if not too_few(rows, platform):
        at_once = learns is chosen and can_keep(key if intervals else point)
        then = "; the next answer comes at once" if at_once else ""
        announce(f"learning {platform.name} from {len(rows)} measurements{then}")
    sound = believed(rows, contributors, platform)
    lessons = bundled_lessons(platform.name) if takes_prior(learns) else ()
    learned = learn(
        rows,
        platform,
        learns,
        weight=weight,
        believed=sound,
        seed=SEED,
        lessons=lessons,
        intervals=intervals,
        watch=watch,
    )
    unheard |= _workloads(rows, ~sound & rows.on(platform.baseline))
    learned = replace(learned, unsafe=unsafe, failing=failing, doubts=doubts, unheard=unheard)
    if learns is not chosen:
        announce(f"note: there is so little to choose that {learns.name} answers: the workloads that are most alike")
    elif not keep(key if intervals else point, learned, for_all=for_all):
        where = f" in {cache_folder()}" if can_hold() else ""
        announce(f"note: nothing can be kept{where}, so the next answer learns anew; set ACIC_CACHE")
    return Knowledge(platform, learned)


def kept(platform: Platform, model: str, *, store: str | None, trust: Trust, now: datetime) -> bool:
    """Return whether `known` finds it in the cache, without intervals; arguments and errors are those of `known`."""
    chosen = learner(model)
    with Store.open_existing(store) as opened:
        keys = _keys(platform, chosen, _stored(platform, opened), trust, now)
        return any(map(has_arrays, keys))


def _no_hardware(platform: Platform) -> str:
    return f"the hardware of {platform.name} is not known"


def _nothing_else(platform: Platform, rows: TrainingRows) -> MissingData:
    """Return that the prior, which learns nothing, cannot answer; with a remedy that does not end there again."""
    hint = "use another model, as forest"
    if too_few(rows, platform):
        hint = (
            "tell its hardware in a platform file (docs/platforms.md has an example, `acic platform show lab --json` "
            f"all of the lab's), or import measurements: acic data import FILE --platform {platform.argument}"
        )
    return MissingData(f"{_no_hardware(platform)}, and the model {PriorAlone.name} has nothing else", hint=hint)


def training_rows(platform: Platform, store: Store | None) -> TrainingRows:
    """Return every row that the bundled and the stored measurements of `platform` teach; kept until one changes.

    Those of an operation without any baseline are left out: they had every answer end, also of the other operation.
    """
    data = (bundled_hash(platform), _stored(platform, store))
    key = _named(platform, "rows", (__version__, platform, data))
    if (rows := fetch_rows(key)) is None:
        stored = store.training_records(platform.name) if store else ()
        rows = training_table(bundled(platform), platform, stored=stored)
        keep_rows(key, rows, for_all=_for_all(platform, store))
    return with_baseline(rows, platform)


def _for_all(platform: Platform, store: Store | None) -> bool:
    """Return whether others may read what was learned of a platform: where they may read all that it was learned of."""
    return store is None or _stored(platform, store) == state_fingerprint(platform.name) or store.is_open_to_all


def _stored(platform: Platform, store: Store | None) -> str:
    """Return what names the measurements that a store has of a platform; the same without a store as with none."""
    return store.fingerprint(platform.name) if store else state_fingerprint(platform.name)


def stored_rows(
    platform: Platform, url: str | None, *, announce: Callable[[str], None] = lambda _: None
) -> TrainingRows:
    """Return `training_rows` with the store at `url`, None for the user's own, where there is one.

    `announce` is told where there is none, and of measurements that do not fit the platform, or lack a baseline.
    """
    with Store.open_existing(url, announce=announce) as store:
        rows = training_rows(platform, store)
    for told in _useless(rows, platform):
        announce(f"note: {told}")
    return rows


def heard_rows(platform: Platform, url: str | None) -> TrainingRows:
    """Return those of `stored_rows` that teach: of contributors who are heard, and with a baseline among theirs."""
    rows = stored_rows(platform, url)
    return with_baseline(rows.rows(trusted(rows, contributions(rows, platform)) >= HEARD), platform)


def _workloads(rows: TrainingRows, these: NDArray[np.bool_]) -> frozenset[Characteristics]:
    return frozenset(rows.workloads[i] for i in np.unique(rows.workload[these]))


def _useless(rows: TrainingRows, platform: Platform) -> tuple[str, ...]:
    return tuple(filter(None, (unfit_told(rows.unfit, platform), no_baseline_told(rows, platform))))


def unsafe_configurations(platform: Platform, store: Store | None) -> Unsafe:
    """Return the configurations that gave back wrong bytes in a bundled or stored measurement of `platform`."""
    wrong = [m for m in bundled(platform) if m.outcome is Outcome.CORRUPT]
    wrong += store.measurements(platform.name, outcome=Outcome.CORRUPT, basis=Basis.MEASURED) if store else []
    return unsafe_of(wrong, bundled_compared(platform.name) if wrong else (), platform)


def _failed(platform: Platform, store: Store | None) -> list[Measurement]:
    """Return the bundled and stored measurements of `platform` that gave no figure."""
    outcomes = (Outcome.FAILED, Outcome.TIMEOUT)
    found = [m for m in bundled(platform) if m.outcome in outcomes]
    for outcome in outcomes:
        found += store.measurements(platform.name, outcome=outcome, basis=Basis.MEASURED) if store else []
    return found


def _keys(platform: Platform, chosen: Learner, stored: str, trust: Trust, now: datetime) -> tuple[str, str]:
    """Return names for all that what is learned depends on, with intervals and without; ages count in whole days."""
    day = now.date().isoformat() if trust.half_life else ""
    lessons = lessons_hash(platform.name) if takes_prior(chosen) else ""
    data = (bundled_hash(platform), stored, lessons, compared_hash(platform.name))
    program = (chosen.version, weighing(), judging(), formulas() if takes_prior(chosen) else "")
    parts = (__version__, repr(chosen), program, SEED, platform, data, trust, day)
    return _named(platform, chosen.name, parts), _named(platform, f"{chosen.name}{_POINTS}", parts)


@cache
def formulas() -> str:
    """Return a hash of the text of the prior's modules: what was learned beside other formulas answers no more.

    Its version number is not enough: a half-finished version once answered for the finished one.
    """
    return _text(one for one in files("acic.prior").iterdir() if one.name.endswith(".py"))


@cache
def weighing() -> str:
    """Return a hash of the text that weighs measurements, by who made them and by age: weights may change with it.

    What was learned while a contributor was believed answered on when other code would not have heard it.
    """
    names = ("ageing.py", "baselines.py", "judging.py", "readings.py", "trust.py")
    return _text(files("acic.store").joinpath(name) for name in names)


@cache
def judging() -> str:
    """Return a hash of the text that tells what models get wrong: intervals may change with it."""
    models = files("acic.models")
    mine = [models.joinpath(name) for name in ("calibration.py", "twins.py", "validation.py")]
    return _text([files("acic.advisor").joinpath("intervals.py"), *mine])


@cache
def versions() -> dict[str, str]:
    """Return the version of each library that figures hang on; none is imported for it.

    Another release may round a last digit otherwise, by which trees take the other of two splits that are as good.
    """
    return {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}


def _text(modules: Iterable[Traversable]) -> str:
    """Return a hash of the text of modules."""
    digest = hashlib.sha256()
    for module in sorted(modules, key=lambda one: one.name):
        digest.update(module.read_bytes())
    return digest.hexdigest()


def _named(platform: Platform, what: str, parts: tuple[object, ...]) -> str:
    return f"{platform.name}-{what}-{hashlib.sha256(repr((versions(), parts)).encode()).hexdigest()[:24]}"
