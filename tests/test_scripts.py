"""Scripts beside the package: `make bench` runs all of `benchmarks`, and pages name what stands in `studies`."""

import importlib.util
import math
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

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


def benchmark(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"bench_{name}", ROOT / "benchmarks" / f"bench_{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["cli", "explain"])
@pytest.mark.parametrize(("slower", "status"), [("drishti", 0), ("acic", 1)])
def test_a_benchmark_of_commands_ends_with_1_where_a_bar_is_missed(
    monkeypatch: pytest.MonkeyPatch, name: str, slower: str, status: int
) -> None:
    """They ended with 0 whatever they measured, so that `make bench` did."""
    module = benchmark(name)
    taken = {"acic": 2.0 if slower == "acic" else 0.01, "drishti": 1.0}
    monkeypatch.setattr(module, "seconds", lambda word, *_, **__: taken.get(Path(word).name, taken["acic"]))
    assert module.main() == status


@pytest.mark.parametrize(("bar", "status"), [(math.inf, 0), (0.0, 1)])
def test_the_benchmark_of_the_store_ends_with_1_where_its_bar_is_missed(
    monkeypatch: pytest.MonkeyPatch, bar: float, status: int
) -> None:
    """It had none, and docs/results.md has one."""
    module = benchmark("store")
    monkeypatch.setattr(module, "BAR", bar)
    monkeypatch.setattr(sys, "argv", ["bench_store.py", "--rows", "5"])
    assert module.main() == status


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
