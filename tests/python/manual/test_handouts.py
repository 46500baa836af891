"""The other files of an installation: manual pages, completion, recipes."""

import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer

import algorithms
import handouts
import mpi_libraries
import pages
import settings
from conftest import BUILD, ROOT
from toccata import _core
from toccata.cli import app

PAGES = {each.name: each for each in pages.pages()}


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"there is no {program} here")


def test_every_command_has_a_page_with_all_its_options() -> None:
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    for name, command in commands.items():
        page = f"toccata-{name.replace(' ', '-')}"
        text = PAGES[page].text
        for option in (word for each in command.params for word in each.opts if word[0] == "-"):
            assert f"**{option}**" in text
        assert page in PAGES["toccata"].text
    assert "**--max-p** *P*" in PAGES["toccata-verify"].text


def test_every_setting_is_explained() -> None:
    text = PAGES["toccata.conf"].text
    for each in _core.collectives():
        assert f"**{each.variable}**" in text
    for variable in _core.variables():
        assert (f"**{variable.name}**" in text) == bool(variable.meaning)
    assert "The algorithm for MPI_Alltoallv and MPI_Alltoallw." in text
    assert "MPI_Reduce_scatter and MPI_Reduce_scatter_block." in text


def test_the_table_of_settings_is_up_to_date() -> None:
    text = settings.markdown()
    for each in _core.variables():
        if each.meaning:
            assert each.values and each.standard and each.example, each.name
            assert f"| `{each.name}` | {each.values} | {each.standard} |" in text
            wrong = _core.complaint_of_value(each.name, each.example)
            assert wrong == "", f"the example of {each.name}: {wrong}"
    for collective in _core.collectives():
        assert f"| `{collective.variable}` | MPI_" in text
    remedy = (
        "run PYTHONPATH=python:build/release/python python manual/settings.py >docs/settings.md"
    )
    assert (ROOT / "docs/settings.md").read_text() == text, remedy


def test_the_page_of_mpi_libraries_is_up_to_date() -> None:
    text = mpi_libraries.markdown()
    assert "@rows" not in text
    for each in mpi_libraries.observations():
        assert each.library in text
        assert each.row.split()[-1] in text, each.row
    remedy = "run python manual/mpi_libraries.py >docs/mpi-libraries.md"
    assert (ROOT / "docs/mpi-libraries.md").read_text() == text, remedy


def test_the_page_of_algorithms_is_up_to_date() -> None:
    text = algorithms.markdown()
    for each in _core.algorithms():
        assert f"\n| `{each.path}` | {each.summary} |" in text
    remedy = (
        "run PYTHONPATH=python:build/release/python python manual/algorithms.py >docs/algorithms.md"
    )
    assert (ROOT / "docs/algorithms.md").read_text() == text, remedy


def test_the_page_of_algorithms_has_the_costs_of_their_files() -> None:
    ring = _core.parse_choice("allgather", "ring").algorithm
    assert ring is not None
    row = algorithms.row(ring)
    assert "| rounds p-1; cost (p-1)·α + (p-1)/p·n·β | 63 | 63 | 0.984 | 0 | every p |" in row


def test_the_sample_of_settings_says_nothing(tmp_path: Path) -> None:
    file = tmp_path / "toccata.conf"
    file.write_text(handouts.sample())
    read = _core.Configuration([str(file)])
    assert (read.names, read.complaints) == ([], [])
    lines = file.read_text().splitlines()
    assert all(len(each) <= 100 for each in lines)
    # Each line becomes a valid setting if its # is removed.
    settings = [each[1:] for each in lines if re.match(r"#TOCCATA\w*=", each)]
    assert {each.variable for each in _core.collectives()} <= {
        each.partition("=")[0] for each in settings
    }
    file.write_text("\n".join(settings))
    read = _core.Configuration([str(file)])
    assert len(read.names) == len(settings) and read.complaints == []


def test_the_c_reference_has_all_functions() -> None:
    """Each function has a call from the program of the tests example.interface.c.*."""
    text = pages.HEADER.read_text() + pages.LARGE_HEADER.read_text()
    public = set(re.findall(r"\btoccata_\w+(?=\()", text))
    assert len(public) > 140
    declared = [each for _, found in pages.declarations() for each in found]
    functions = [pages.function_in(each) for each in declared if "(" in each]
    assert set(functions) == public
    examples = pages.examples()
    assert set(examples) == public
    for each in declared:  # as many arguments as parameters
        if "(" in each:
            call = examples[pages.function_in(each)]
            assert call.count(",") == each.count(","), call
    comments = [comment for comment, _ in pages.declarations()]
    start = "Persistent: toccata_start starts a request"
    assert any(comment.startswith(start) for comment in comments)


@needs("groff")
@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES.keys())
def test_pages_are_what_man_reads(page: pages.Page) -> None:
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-Kutf8", "-ww", "-rLL=100n"],
        input=handouts.roff(page), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr == ""
    assert f"{page.name} - {page.summary.split()[0]}" in " ".join(done.stdout.split())


ASK = {
    "bash": "source {script}; COMP_WORDS=({words}); COMP_CWORD={at}; _toccata_completion toccata; "
    'printf "%s\\n" "${{COMPREPLY[@]}}"',
    "zsh": "compdef() {{ :; }}; _arguments() {{ print -l $@; }}; compadd() {{ print -l $@; }}; "
    "_describe() {{ print -l ${{(P)2}}; }}; words=({words}); "
    "CURRENT=$(({at} + 1)); source {script}",
    "fish": 'source {script}; complete -C "{words}"',
}


@pytest.mark.parametrize("shell", [pytest.param(each, marks=needs(each)) for each in ASK])
def test_completion(shell: str, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(handouts.completion(shell))

    def ask(words: str) -> str:
        at = words.count(" ")
        return subprocess.run(
            [shell, "-c", ASK[shell].format(script=script, words=words, at=at)],
            env={"PATH": f"{ROOT}:/usr/bin:/bin", "TOCCATA_BUILD": str(BUILD), "HOME": "/"},
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip

    assert "verify" in ask("toccata ver")
    assert "--max-p" in ask("toccata verify --ma")
    assert "allgather/sparbit" in ask("toccata show allgather/spar")
    assert "sparbit" in ask("toccata show spar")
    assert "openmpi" in ask("toccata bench allgather --mpi op")
    assert "lassen" in ask("toccata predict allgather --model las")
    assert "yahoo" in ask("toccata sim allgather --platform ya")
    assert "hierarchical" in ask("toccata run --allgather hier")


def test_the_spack_recipe_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Spack: substitutes record its directives; CMake's options must exist."""
    said: list[tuple[str, tuple[Any, ...]]] = []

    class Within:
        def __enter__(self) -> None: ...
        def __exit__(self, *_: object) -> None: ...

    def directive(name: str) -> Callable[..., Within]:
        def say(*words: Any, **_: Any) -> Within:
            said.append((name, words))
            return Within()

        return say

    package = ModuleType("spack.package")
    for name in ("version", "variant", "depends_on", "license", "generator", "when"):
        setattr(package, name, directive(name))
    cmake = ModuleType("spack_repo.builtin.build_systems.cmake")
    cmake.CMakePackage = type("CMakePackage", (), {})  # type: ignore[attr-defined]
    for module in (package, cmake):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    repository = ROOT / "packaging/spack/spack_repo/toccata"
    assert "namespace: toccata\n" in (repository / "repo.yaml").read_text()
    recipe = runpy.run_path(str(repository / "packages/toccata/package.py"))
    assert ("version", (_core.VERSION,)) in said
    options = (ROOT / "CMakeLists.txt").read_text() + (ROOT / "python/CMakeLists.txt").read_text()
    defined = re.findall(r'define\w*\("(\w+)"', Path(recipe["__file__"]).read_text())
    assert defined and all(re.search(rf"\b{name}\b", options) for name in defined)


def test_the_version_stands_in_the_changelog() -> None:
    heading = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert heading and heading[1].rstrip(",") == _core.VERSION
