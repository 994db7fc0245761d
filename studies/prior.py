"""How far the prior's seconds are from what the lab measured: benchmarks that models learn from, and applications.

An error is the natural logarithm of predicted over measured seconds, so 0.1 is a tenth too slow. Of applications the
seconds in I/O count, on configurations within twice the best; `ranks` is the error that is left when each
application's own median is taken away, which is what can mislead a choice. Of sketches it is the error of the
improvement over the baseline, as models learn it.

With --staging: of all applications, how far the prior's seconds for copying results out are from what was measured.
With --baseline: the seconds that each application waits for I/O on the baseline, measured and predicted.
With --by: what is left of training's errors without each workload's own median, by the values of a parameter.

    python studies/prior.py [--cells 20] [--applications test] [--staging | --baseline | --by servers]
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import as_file, files

import numpy as np
from numpy.typing import NDArray

from acic.advisor.lessons import taught_by
from acic.advisor.staging import results_of
from acic.benchmarks.kernels import kernel
from acic.evaluation.advising import asked
from acic.evaluation.taught import Judge, judge_of
from acic.evaluation.truth import Run, read_truth
from acic.platforms import Platform, load_platform
from acic.prior import COLUMNS, IMPROVEMENT, Prior, prior_of, uses_of
from acic.space import Configuration
from acic.store.bundled import bundled
from acic.store.lessons import bundled_lessons
from acic.store.training import training_table
from acic.units import KIB, MIB
from acic.workloads import Characteristics

FILES = {"development": "lab-truth.parquet", "test": "lab-test.parquet", "heldout": "lab-heldout.parquet"}
SIZES = {4 * KIB: "4K", 16 * KIB: "16K", 128 * KIB: "128K", MIB: "1M"}
LEAST = 0.02  # s: below, clocks and beginnings count more than I/O
TWICE = 2.0
FEWEST = 4  # configurations of a workload, of which to take the median

Floats = NDArray[np.float64]


def of_training(prior: Prior, platform: Platform) -> list[tuple[Characteristics, Mapping[str, object], float]]:
    """Return each training point with its error."""
    rows = training_table(bundled(platform), platform)
    systems = prior.systems(rows.configurations)
    seconds = np.log([prior.seconds(one, systems) for one in rows.workloads])
    found = []
    for workload, configuration, mean in zip(rows.workload, rows.configuration, rows.mean, strict=True):
        one = rows.workloads[workload]
        error = seconds[workload, configuration] - (np.log(one.total_bytes) - mean)
        found.append((one, rows.configurations[configuration], float(error)))
    return found


def left_by(points: Sequence[tuple[Characteristics, Mapping[str, object], float]], name: str) -> dict[str, list[float]]:
    """Return what is left of the errors without each workload's median, by a parameter's values."""
    own: dict[Characteristics, list[float]] = defaultdict(list)
    for one, _, error in points:
        own[one].append(error)
    found: dict[str, list[float]] = defaultdict(list)
    for one, configuration, error in points:
        if name in configuration and len(own[one]) >= FEWEST:
            found[f"{name}={configuration[name]}"].append(error - float(np.median(own[one])))
    return found


def cell(one: Characteristics, configuration: Mapping[str, object]) -> str:
    shared = "shared" if one.shared and one.io_processes > 1 else "own"
    size = next((name for most, name in SIZES.items() if one.request_size <= most), "4M+")
    system = f"{configuration['file_system']} {configuration.get('consistency', '')}".strip()
    return f"{system}, {one.operation} {one.access} {shared} {size}"


def said(name: str, errors: Sequence[float]) -> str:
    return f"{name:44} {len(errors):5} points, error {np.abs(errors).mean():.3f}, median {np.median(errors):+.3f}"


def of_applications(prior: Prior, judge: Judge, runs: Sequence[Run]) -> tuple[float, float]:
    """Return the mean error over applications, and what is left of it without each one's median."""
    repeated: dict[tuple[tuple[str, str], Configuration], list[float]] = defaultdict(list)
    for run in runs:
        if run.io is not None:
            repeated[(run.kernel, run.scale), run.configuration].append(run.io)
    measured = {point: float(np.median(seconds)) for point, seconds in repeated.items()}
    systems, table = prior.systems(judge.table.configurations), judge.table
    errors, left = [], []
    for question in judge.questions:
        pairs = zip(question.workload.phases, uses_of(question.workload), strict=True)
        seconds = np.sum([prior.seconds(phase.characteristics, systems, use) for phase, use in pairs], axis=0)
        values = table.values[table.applications.index(question.application)]
        io = np.array([measured.get((question.application, one), np.nan) for one in table.configurations])
        near = (values <= TWICE * values.min()) & np.isfinite(io)
        error = np.log(seconds[near]) - np.log(np.maximum(io[near], LEAST))
        errors.append(np.abs(error).mean())
        left.append(np.abs(error - np.median(error)).mean())
    return float(np.mean(errors)), float(np.mean(left))


def of_sketches(platform: Platform) -> list[float]:
    """Return the error of each row that lessons teach."""
    taught = taught_by(bundled_lessons(platform.name), platform)
    if taught is None:
        return []
    predicted: Floats = taught.x[:, -len(COLUMNS) + COLUMNS.index(IMPROVEMENT)]
    return [float(error) for error in taught.y - predicted]


def of_staging(prior: Prior) -> dict[str, list[float]]:
    """Return the error of each application's copies on each configuration, by file system, placement and files."""
    copies: dict[tuple[str, str, Configuration], list[Run]] = defaultdict(list)
    for name in FILES.values():
        with as_file(files("acic.evaluation") / "data" / name) as path:
            for run in read_truth(path):
                if run.staged_bytes:
                    copies[run.kernel, run.scale, run.configuration].append(run)
    errors: dict[str, list[float]] = defaultdict(list)
    for (application, scale, one), runs in copies.items():
        size = round(np.median([run.staged_bytes for run in runs]))
        results = results_of(kernel(application, scale).workload.phases, size)
        predicted = prior.staging(results, prior.systems([one]))[0]
        kind = f"{one['file_system']}, {one['placement']}, {'own files' if results.own else 'others'}"
        errors[kind].append(float(np.log(predicted / np.median([run.staged for run in runs]))))
    return errors


def on_baseline(prior: Prior, platform: Platform) -> list[tuple[str, float, float]]:
    """Return each application's name, and its seconds in I/O on the baseline: measured, and predicted."""
    found = []
    for name in FILES.values():
        with as_file(files("acic.evaluation") / "data" / name) as path:
            runs = read_truth(path)
        for application in dict.fromkeys((run.kernel, run.scale) for run in runs):
            workload = asked(application, runs, platform).workload
            waited = (workload.run_seconds or 0.0) * (workload.io_share or 0.0)
            phases = zip([one.characteristics for one in workload.phases], uses_of(workload), strict=True)
            heard = prior.heard([*phases], waited)
            each = zip(workload.phases, heard, strict=True)
            predicted = sum(prior.seconds(one.characteristics, prior.baseline, use)[0] for one, use in each)
            found.append((" ".join(application), waited, float(predicted)))
    return found


def told_of_baseline(prior: Prior, platform: Platform) -> Iterator[str]:
    found = on_baseline(prior, platform)
    for name, measured, predicted in sorted(found, key=lambda one: one[1] / one[2]):
        yield f"{name:24} {measured:6.2f} s measured, {predicted:6.2f} predicted"
    yield said("seconds on the baseline", [float(np.log(predicted / measured)) for _, measured, predicted in found])


def told_by(prior: Prior, platform: Platform, name: str) -> Iterator[str]:
    for value, errors in sorted(left_by(of_training(prior, platform), name).items()):
        yield f"{said(value, errors)}, mean {np.mean(errors):+.3f} +- {np.std(errors) / len(errors) ** 0.5:.3f}"


def told_of_all(prior: Prior, platform: Platform, part: str, most: int) -> Iterator[str]:
    points, kinds = of_training(prior, platform), defaultdict(list)
    cells: dict[str, list[float]] = defaultdict(list)
    for one, configuration, error in points:
        kinds[f"{configuration['file_system']}, {one.operation}"].append(error)
        cells[cell(one, configuration)].append(error)
    yield said("training", [error for *_, error in points])
    for name, errors in sorted(kinds.items()):
        yield said(f"  {name}", errors)
    yield said("sketches", of_sketches(platform))
    with as_file(files("acic.evaluation") / "data" / FILES[part]) as path:
        runs = read_truth(path)
    for goal in ("time", "cost"):
        error, left = of_applications(prior, judge_of(runs, platform, goal), runs)
        yield f"applications ({part}), near the best in {goal}: error {error:.3f}, ranks {left:.3f}"
    worst = sorted(cells.items(), key=lambda pair: -len(pair[1]) * abs(np.median(pair[1])))
    for name, errors in worst[:most]:
        yield said(f"  {name}", errors)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, default=0, help="how many of the worst cells to list")
    parser.add_argument("--applications", choices=tuple(FILES), default="development")
    parser.add_argument("--staging", action="store_true", help="tell errors of staging out, and nothing else")
    parser.add_argument("--baseline", action="store_true", help="tell seconds on the baseline, and nothing else")
    parser.add_argument("--by", metavar="NAME", help="tell training's errors by a parameter, and nothing else")
    arguments = parser.parse_args()
    platform = load_platform("lab")
    prior = prior_of(platform)
    if prior is None:
        raise SystemExit("the lab has no prior")
    lines: Iterable[str]
    if arguments.staging:
        lines = (said(name, errors) for name, errors in sorted(of_staging(prior).items()))
    elif arguments.baseline:
        lines = told_of_baseline(prior, platform)
    elif arguments.by:
        lines = told_by(prior, platform, arguments.by)
    else:
        lines = told_of_all(prior, platform, arguments.applications, arguments.cells)
    for line in lines:
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
