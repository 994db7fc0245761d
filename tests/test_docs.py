"""Commands shown in the docs are executed, and the output shown with them is what they print.

A block marked `console` is a session: lines that begin with `$ ` are run by bash in the project's root,
the lines below a command are its standard output; a line `...` stands for any lines. A command without
output below it must only succeed. `make golden` writes the outputs anew.
"""

import os
import re
import runpy
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape, unescape
from pathlib import Path

import pytest

from acic.errors import with_extra

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SET_UP = ("make ", "git clone", "cd ", "pip install", "python3 -m venv")  # what the test itself runs inside of


@dataclass(frozen=True)
class Step:
    command: str
    output: str


def steps(block: str) -> Iterator[Step]:
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        while command.endswith("\\"):
            more, _, output = output.partition("\n")
            command += "\n" + more
        yield Step(command, output)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of all pages: four of them would learn the same."""
    return tmp_path_factory.mktemp("cache")


def execute(command: str, home: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "ACIC_STORE": str(home / "store.sqlite"),
        "ACIC_CACHE": str(cache),
        "ACIC_PLATFORMS": "",
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_CONFIG_DIRS": str(home / "site"),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "TMPDIR": str(home),
    }
    return subprocess.run(
        ["bash", "-c", command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=300
    )


def tidy(text: str) -> str:
    """Without the blanks that end lines, and blank lines at either end."""
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


def matches(shown: str, printed: str) -> bool:
    pattern = re.escape(tidy(shown)).replace(re.escape("..."), "(?:.|\n)*?")
    return re.fullmatch(pattern, tidy(printed)) is not None


@pytest.mark.parametrize("page", PAGES, ids=[p.name for p in PAGES])
def test_golden_commands_in_the_docs_do_what_they_show(page: Path, cache: Path, tmp_path: Path) -> None:
    text = page.read_text()
    renewed = text
    for block in BLOCK.findall(text):
        new_block = block
        for step in steps(block):
            if step.command.startswith(SET_UP):
                continue
            done = execute(step.command, tmp_path, cache)
            assert done.returncode == 0, f"{step.command}\n{done.stderr}"
            if not step.output.strip():
                continue
            if os.environ.get("ACIC_WRITE_GOLDEN") and "..." not in step.output:
                new_block = new_block.replace(step.output, tidy(done.stdout) + "\n")
            elif not os.environ.get("ACIC_WRITE_GOLDEN"):
                assert matches(step.output, done.stdout), f"{step.command}\nprinted\n{done.stdout}"
        renewed = renewed.replace(block, new_block)
    if renewed != text:
        page.write_text(renewed)


@pytest.mark.parametrize("page", PAGES, ids=[p.name for p in PAGES])
def test_what_the_site_copies_of_a_session_is_what_is_typed(page: Path) -> None:
    """The button copied prompts and outputs too, and a shell ran the lines of the outputs."""
    hook = runpy.run_path(str(ROOT / "docs" / "copied.py"))
    for block in BLOCK.findall(page.read_text()):
        typed = "\n".join(step.command for step in steps(block))
        html = escape(block, quote=False).replace("$ ", '<span class="gp">$ </span>')
        shown = f'<p>a</p><div class="language-console highlight"><pre><code>{html}</code></pre></div><p>b</p>'
        made = hook["on_page_content"](shown)
        assert unescape(re.findall(r' data-copy="([^"]*)"', made)[0]) == typed
        assert re.sub(r' data-copy="[^"]*"', "", made) == shown


def test_the_site_has_commands_alone_copied() -> None:
    configuration = (ROOT / "mkdocs.yml").read_text()
    assert "hooks: [docs/copied.py]" in configuration
    assert "pygments_lang_class: true" in configuration  # by which the hook knows a session


def test_the_two_commands_of_the_readme_are_there() -> None:
    text = (ROOT / "README.md").read_text()
    assert "make demo" in text
    assert "make test" in text


def test_pages_in_capitals_that_are_named_are_there() -> None:
    """A reason in the lab's platform file rested on a page that outsiders do not have."""
    kinds = (".py", ".toml", ".md", ".c", ".h")
    files = [file for folder in ("src", "docs", "studies", "native") for file in (ROOT / folder).rglob("*")]
    for file in [*(file for file in files if file.suffix in kinds), *ROOT.glob("*.md")]:
        for name in re.findall(r"\b[A-Z]+\.md\b", file.read_text()):
            assert (ROOT / name).exists(), f"{file} names {name}"


def test_nobody_is_told_to_install_acic_from_an_index_where_it_is_not() -> None:
    written = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")]
    assert not [path for path in written if re.search(r"pip install [^\n`]*\bacic\b", path.read_text())]


def test_every_extra_that_is_told_of_is_one_of_the_project() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    code = "".join(path.read_text() for path in (ROOT / "src").rglob("*.py"))
    text = "".join(path.read_text() for path in [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"])
    told = {*re.findall(r"with_extra\(.(\w+).\)", code), *re.findall(r"pip install '\.\[(\w+)\]'", text)}
    assert told <= set(extras)
    assert len(told) > 3
    assert with_extra("mpi") == "install acic with its mpi extra (in a clone: pip install '.[mpi]')"


def test_places_to_add_something_at_are_there() -> None:
    """Each file that docs/extending.md names, and the name in it that follows."""
    text = (ROOT / "docs/extending.md").read_text(encoding="utf-8")
    places = re.findall(r"`((?:src|tests)/[\w/.]+)`(?:: `(\w+)`)?", text)
    assert len(places) > 20
    for path, name in places:
        assert (ROOT / path).exists(), path
        assert not name or re.search(rf"\b{name}\b", (ROOT / path).read_text(encoding="utf-8")), f"{name} in {path}"
