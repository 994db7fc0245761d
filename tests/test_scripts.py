"""Scripts beside the package: `make bench` runs all of `benchmarks`, and pages name what stands in `studies`."""

import importlib.util
import math
import re
import shutil
import subprocess
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from acic.advisor.advice import Goal, Verdict
from acic.advisor.informed import default_model
from acic.advisor.knowledge import Knowledge
from acic.advisor.safety import Unsafe
from acic.benchmarks.kernels import kernels
from acic.evaluation.advising import Asked, asked, candidates, ranked
from acic.evaluation.crowd import Harm
from acic.evaluation.field import Table, table_of
from acic.evaluation.truth import Run
from acic.search import RandomSearch
from tests.evaluation.pretend import LAB, SIX, SOME, knowledge, truth
from tests.search.measured import fig19

ROOT = Path(__file__).parents[1]
ENDS = "import sys; print('ran'); sys.exit({status})"


def run_all(folder: Path, **statuses: int) -> subprocess.CompletedProcess[str]:
    """Run what `make bench` runs, beside benchmarks that end with these statuses, and with no program on PATH."""
    shutil.copy(ROOT / "benchmarks" / "run_all.py", folder)
    for name, status in statuses.items():
        (folder / f"bench_{name}.py").write_text(ENDS.format(status=status))
    command = [sys.executable, str(folder / "run_all.py")]
    return subprocess.run(command, env={"PATH": str(folder)}, capture_output=True, text=True, check=False)


def test_bench_ends_with_0_where_all_that_ran_did_and_else_names_those_that_did_not(tmp_path: Path) -> None:
    """It never ended with 0: it ran studies too, without the arguments and the lab that they need."""
    assert run_all(tmp_path, first=0, second=0).returncode == 0
    done = run_all(tmp_path, second=2, third=3)
    assert done.returncode == 1
    assert done.stdout.count("ran") == 3
    assert "second (2), third (3)" in done.stdout
    assert "first (" not in done.stdout


def test_bench_tells_in_one_line_what_it_leaves_out_and_why(tmp_path: Path) -> None:
    done = run_all(tmp_path, first=0, native=1)
    assert done.returncode == 0
    told = done.stdout.splitlines()[0]
    assert told.startswith("left out: native (no ior on PATH)")
    assert "studies/" in told
    assert "== native ==" not in done.stdout


@pytest.mark.parametrize("script", sorted((ROOT / "benchmarks").glob("bench_*.py")), ids=lambda path: path.stem)
def test_a_benchmark_needs_neither_arguments_nor_a_lab(script: Path) -> None:
    """One that asked for a folder ended `make bench` with 2, those of the lab where none was up with 1."""
    text = script.read_text()
    assert "acic.lab" not in text
    assert "required=True" not in text
    positional = re.findall(r"add_argument\(\"\w[^)]*\)", text)
    assert [argument for argument in positional if 'nargs="*"' not in argument and 'nargs="?"' not in argument] == []


def script(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(Path(path).stem, ROOT / path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look for it there
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["cli", "explain"])
@pytest.mark.parametrize(("slower", "status"), [("drishti", 0), ("acic", 1)])
def test_a_benchmark_of_commands_ends_with_1_where_a_bar_is_missed(
    monkeypatch: pytest.MonkeyPatch, name: str, slower: str, status: int
) -> None:
    """They ended with 0 whatever they measured, so that `make bench` did."""
    module = script(f"benchmarks/bench_{name}.py")
    taken = {"acic": 2.0 if slower == "acic" else 0.01, "drishti": 1.0}
    monkeypatch.setattr(module, "seconds", lambda word, *_, **__: taken.get(Path(word).name, taken["acic"]))
    assert module.main() == status


@pytest.mark.parametrize(("bar", "status"), [(math.inf, 0), (0.0, 1)])
def test_the_benchmark_of_the_store_ends_with_1_where_its_bar_is_missed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], bar: float, status: int
) -> None:
    """It had none, and docs/results.md has one; then one of storing alone, which is half of what a user waits for."""
    module = script("benchmarks/bench_store.py")
    monkeypatch.setattr(module, "BAR", bar)
    monkeypatch.setattr(sys, "argv", ["bench_store.py", "--rows", "5"])
    assert module.main() == status
    assert capsys.readouterr().out.splitlines()[-1].startswith("bar: acic data import of 5 in ")


def test_a_search_is_judged_by_the_mean_of_what_its_fastest_run_is_of() -> None:
    """And not by that run, the least of many that are noisy."""
    module, system = script("benchmarks/bench_search.py"), fig19()
    found = module.progress(RandomSearch(), system, system.baseline, 1, 60)
    assert set(found.tolist()) <= set((system.objective / system.best).tolist())
    assert (found[1:] > found[:-1]).any()  # it was lucky
    assert len(found) == 60


def test_runs_until_an_answer_is_good_are_counted_until_it_stays_so() -> None:
    needed = script("benchmarks/bench_search.py").needed
    assert [needed(np.array(one)) for one in ([1.0, 1.2, 1.0], [1.0, 1.0], [1.0, 1.2], [1.3, 1.04, 1.05])] == [
        3.0,
        1.0,
        math.inf,
        2.0,
    ]


def test_liars_are_simulated_beside_a_model_that_has_no_prior(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the prior alone a model hardly notices any of them, so that the defence was never seen to be needed."""
    module = script("benchmarks/bench_replay.py")
    one = Harm(lie="noise", share=0.2, honest=0, undefended=0, defended=0, worst=0, liars=0, others=1)
    monkeypatch.setattr(module, "harm", lambda *_, **__: one)
    monkeypatch.setattr(module, "training_table", lambda *_: None)
    module.crowd(LAB, None, Namespace(model="prior+extra-trees", seeds=1, processes=1, shares=[0.2]))
    assert re.findall(r"model (\S+);", capsys.readouterr().out) == ["prior+extra-trees", "forest"]


def test_intervals_are_held_against_all_that_can_be_advised_and_nothing_else() -> None:
    """What is advised where each file has one writer alone was held against none."""
    runs = truth()
    table = candidates(table_of(runs, LAB, "time"), LAB)
    doubted = next(one for one in SOME if one["file_system"] != LAB.baseline["file_system"])
    knows = Knowledge(LAB, replace(knowledge().learned, unsafe=Unsafe(shared=frozenset({doubted}))))
    questions = [asked(one, runs, LAB) for one in table.applications]
    found = script("studies/intervals.py").held(table, questions, knows)
    among = knows.among(table.configurations)
    advised = [len(ranked(one, LAB, among, table, "time")) for one in questions]
    assert len(set(advised)) == 2
    assert len(found["all"]) == sum(advised) - len(advised)  # the baseline's is known


def test_intervals_by_logs_are_of_what_evaluate_asks_by_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bare log does not tell how many wrote what it reads, and `--input-writers` does."""
    module = script("studies/intervals.py")
    one = next(k for k in kernels() if any("input_writers" in phase.details for phase in k.workload.phases))
    runs, application = truth(applications=[one]), (one.name, one.scale)
    bare = [replace(phase, details={}) for phase in one.workload.phases]
    log = replace(one.workload, phases=tuple(bare), run_seconds=9.0, io_share=0.5)
    told: list[Asked] = []

    def held(_table: Table, questions: Sequence[Asked], _knowledge: Knowledge) -> dict[str, list[bool]]:
        told.extend(questions)
        return {}

    monkeypatch.setattr(module, "bundled_truth", lambda *_: runs)
    monkeypatch.setattr(module, "bundled_logs", lambda *_: {application: log})
    monkeypatch.setattr(module, "known", lambda *_, **__: knowledge())
    monkeypatch.setattr(module, "held", held)
    monkeypatch.setattr(sys, "argv", ["intervals.py", "--logs"])
    assert module.main() == 0
    assert told == [asked(application, runs, LAB, log)]
    assert any("input_writers" in phase.details for phase in told[0].workload.phases)


def test_a_verdicts_gain_is_of_sessions_that_are_levelled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Medians over sessions of several machines were 37 % off."""
    module = script("studies/verdicts.py")
    runs = truth(applications=SIX[:1])
    again: list[Run] = []
    monkeypatch.setattr(module, "bundled_truth", lambda *_: runs)
    monkeypatch.setattr(module, "bundled_fresh", lambda *_: again)
    (first,) = module.judged("development", LAB, knowledge(), Goal.TIME, logs=False)
    chosen = first.advice.recommendations[0].configuration
    assert chosen != LAB.baseline
    link = next(one for one in SOME if one not in (chosen, LAB.baseline))
    for passes, own, factor in (((0, 1, 2), LAB.baseline, 1.0), ((3, 4, 5), chosen, 2.0)):
        mine = [run for run in runs if run.configuration in (link, own)]
        again += [
            replace(run, repetition=i, seconds=factor * (run.seconds or 0.0), staged=factor * run.staged)
            for i in passes
            for run in mine
        ]
    (second,) = module.judged("development", LAB, knowledge(), Goal.TIME, logs=False)
    assert second.gain == pytest.approx(first.gain)


def test_budgets_are_replayed_by_what_advises_on_the_lab(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command of the docs judged a forest, and the docs told of the default."""
    module = script("benchmarks/bench_replay.py")
    seen: list[str] = []
    for name in ("pooled", "bundled_truth", "bundled_fresh", "bundled", "training_of"):
        monkeypatch.setattr(module, name, lambda *_: [])
    monkeypatch.setattr(module, "judge_of", lambda *_: Namespace(untaught=lambda: [0.0]))
    monkeypatch.setattr(module, "crowd", lambda _platform, _judge, given: seen.append(given.model))
    for more in ([], ["--model", "cart"]):
        monkeypatch.setattr(sys, "argv", ["bench_replay.py", "--only", "crowd", *more])
        assert module.main() == 0
    assert seen == [default_model(LAB), "cart"]


def test_what_was_tried_and_kept_is_judged_by_runs_that_did_not_choose_it() -> None:
    """The best of a few single runs flatters itself."""
    module, rng = script("studies/followed.py"), np.random.default_rng(0)
    lucky, steady = np.array([1.0, 9.0]), np.array([5.0, 5.0])
    told = {each: module.Told(("pop", "large"), each, (steady, lucky), 5.0) for each in Verdict}
    assert module.followed(told[Verdict.CHANGE], 1, rng) == module.Followed(5.0, 0.0, 0)
    assert module.followed(told[Verdict.NOTHING], 1, rng) == module.Followed(5.0, 0.0, 0)
    assert module.followed(replace(told[Verdict.NOTHING], runs=(steady, lucky + 1)), 0, rng).behind == 1.0
    tried = module.followed(told[Verdict.VERIFY], 1, rng)
    assert tried.ran == 2
    assert 0.4 < tried.behind < 0.6
    assert tried.value == pytest.approx(5.0 + 4.0 * tried.behind)  # 9 where the lucky run chose, and never 1


def test_who_does_as_told_is_judged_where_the_baseline_and_all_that_is_tried_ran_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module, runs = script("studies/followed.py"), truth(applications=SIX[:2])
    again = [replace(run, repetition=i) for i in (0, 1) for run in runs]
    monkeypatch.setattr(module, "bundled_truth", lambda *_: runs)
    monkeypatch.setattr(module, "bundled_fresh", lambda *_: again)
    both = module.told("development", LAB, knowledge(), Goal.TIME, top=2, logs=False)
    assert {one.application for one in both} == {(one.name, one.scale) for one in SIX[:2]}
    assert all(len(one.runs) == 3 for one in both)
    assert "of the best gain" in module.line(both, 2, Goal.TIME)
    again = [one for one in again if one.scale != SIX[0].scale or one.configuration != LAB.baseline]
    (left,) = module.told("development", LAB, knowledge(), Goal.TIME, top=2, logs=False)
    assert left.application == (SIX[1].name, SIX[1].scale)


@pytest.mark.parametrize("script", sorted((ROOT / "benchmarks").glob("bench_*.py")), ids=lambda path: path.stem)
def test_a_benchmark_ends_with_the_status_that_it_returns(script: Path) -> None:
    assert "    sys.exit(main())\n" in script.read_text()


def written() -> dict[Path, str]:
    kinds = [("docs", "*.md"), ("src", "*.py"), ("tests", "*.py"), ("benchmarks", "*"), ("studies", "*")]
    found = [path for folder, names in kinds for path in (ROOT / folder).rglob(names)]
    paths = [path for path in found if path.suffix in {".md", ".py", ".toml"}]
    return {path: path.read_text() for path in [*paths, *ROOT.glob("*.md"), ROOT / "Makefile"]}


def test_every_script_that_is_named_is_there() -> None:
    """Pages, comments and the scripts' own usage name them by path, which a move breaks."""
    named = {
        name for text in written().values() for name in re.findall(r"(?<![\w/])(?:benchmarks|studies)/\w+\.py", text)
    }
    assert len(named) > 10
    assert {name for name in named if not (ROOT / name).exists()} == set()


def test_every_study_is_named_by_a_page() -> None:
    """One that no page named told of groups of applications that were groups no more."""
    pages = "".join(text for path, text in written().items() if path.suffix == ".md")
    studies = {f"studies/{path.name}" for path in (ROOT / "studies").glob("*.py") if "__main__" in path.read_text()}
    assert len(studies) > 10
    assert {study for study in studies if study not in pages} == set()


@pytest.mark.parametrize("study", sorted((ROOT / "studies").glob("*.py")), ids=lambda path: path.stem)
def test_a_study_says_in_words_that_no_lab_is_up(study: Path) -> None:
    """Three of them opened the lab by themselves, and ended in a traceback."""
    assert ("Lab.open()" in study.read_text()) == (study.stem == "lab_runs")
