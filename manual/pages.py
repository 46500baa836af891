"""The pages of the manual as reStructuredText, generated from the help of the commands, the
settings in src/choices/variables.cpp, and the comments of toccata.h.
"""

import ast
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from toccata import _core, _mpi
from toccata.algorithms import catalogue
from toccata.cli import app

HEADER = Path(__file__).resolve().parents[1] / "include/toccata/toccata.h"
CPP_HEADER = HEADER.with_suffix(".hpp")
LARGE_HEADER = HEADER.with_name("large.h")
EXAMPLES = HEADER.parents[2] / "examples/interfaces/reference.c"
PYTHON_MODULE = HEADER.parents[2] / "python/toccata/mpi.py"


@dataclass(frozen=True)
class Page:
    """A page with its name for `man`, such as toccata-run(1), and its summary."""

    name: str
    section: int
    summary: str
    text: str

    @property
    def reference(self) -> str:
        return f"**{self.name}**\\ ({self.section})"


def rst(markdown: str) -> str:
    """Converts the Markdown of help texts: paragraphs, lists, and `code`."""
    pieces = re.split(r"(`[^`]+`)", markdown)
    return "".join(
        f"`{piece}`" if piece.startswith("`") else re.sub(r"([\\*|]|_(?!\w))", r"\\\1", piece)
        for piece in pieces
    )


def section(title: str, text: str) -> str:
    return f"{title}\n{'-' * len(title)}\n\n{text.strip()}\n\n"


def entry(term: str, text: str) -> str:
    """An entry of a definition list."""
    return f"{term}\n{textwrap.indent(rst(text), '    ')}\n\n"


def pages() -> list[Page]:
    """All pages, that of the program first."""
    commands = [_command(name, each) for name, each in _commands().items()]
    others = [_configuration(), _library(), _cpp(), _python()]
    return [_program(commands, others), *commands, *others]


def _commands() -> dict[str, Any]:
    return dict(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


def _sentence(text: str) -> str:
    """The summary of a page for `man`: the first sentence."""
    first = re.split(r"[.:](?:\s|$)", " ".join(text.split()), maxsplit=1)[0]
    return (first[0].lower() + first[1:]).replace("`", "")


def _program(commands: list[Page], others: list[Page]) -> Page:
    help_ = typer.main.get_command(app).help or ""
    names = "".join(
        entry(f"**{each.name.replace('-', ' ')}**", each.summary + ".") for each in commands
    )
    text = (
        section("Synopsis", "**toccata** *COMMAND* [*OPTIONS*] ...\n\n**toccata** **--version**")
        + section("Description", rst(help_))
        + section("Commands", names)
        + section("Exit status", _EXIT_STATUS)
        + section("See also", ", ".join(each.reference for each in [*commands, *others]))
    )
    return Page("toccata", 1, _sentence(help_), text)


_EXIT_STATUS = """
0
    Success.
1
    A proof, a measurement or a check of ``toccata doctor`` failed.
2
    Invalid request: one line on standard error names the problem and the remedy.
3
    ``toccata check`` found slow parts.
130
    Interrupted.
"""


def _command(name: str, command: Any) -> Page:
    body, _, examples = (command.help or "").partition("Examples:")
    context = typer.Context(command, info_name=name)
    words = [f"**toccata {name}**", "[*OPTIONS*]"]
    options = arguments = ""
    for each in command.params:
        names, text = each.get_help_record(context) or ("", "")
        if each.param_type_name == "argument":
            what = re.sub(r"[][.]", "", each.metavar)
            word = f"*{what}*" + ("..." if each.nargs == -1 else "")
            words.append(word if each.required else f"[{word}]")
            arguments += entry(f"*{what}*", text.replace("  [required]", ""))
        else:
            typed = re.sub(r"(--?[a-z][\w-]*)", r"**\1**", names.replace("*", r"\*"))
            options += entry(re.sub(r"\s([A-Z]+)$", r" *\1*", typed), text)
    text = section("Synopsis", " ".join(words)) + section("Description", rst(body))
    text += section("Arguments", arguments) if arguments else ""
    text += section("Options", options) if options else ""
    text += section("Examples", rst(examples)) if examples else ""
    text += section("See also", "**toccata**\\ (1), **toccata.conf**\\ (5)")
    return Page(f"toccata-{name.replace(' ', '-')}", 1, _sentence(body), text)


def served() -> dict[str, list[str]]:
    """The collectives for which each variable names an algorithm."""
    found: dict[str, list[str]] = {}
    for each in _core.collectives():
        found.setdefault(each.variable, []).append(each.name)
    for other, by in catalogue.ALSO_SERVED.items():
        variable = next(each.variable for each in _core.collectives() if each.name == by)
        names = found[variable]
        names += [other] * (other not in found and f"TOCCATA_{other.upper()}" not in found)
    return dict(sorted(found.items()))


def unit_of_sizes(collective: str) -> str:
    """The unit of the sizes in a setting. In a program, ranks know only their own blocks of vector
    forms and of neighbourhoods, so that sizes have no effect (Operation::unit)."""
    if catalogue.is_regular(collective) and not catalogue.is_among_neighbors(collective):
        return catalogue.meaning_of_size(collective)
    return "none: one choice for all sizes"


def _setting(each: _core.Variable) -> str:
    facts = [f"Default: {each.standard}."]
    facts += [f"Unit: {each.unit}."] if each.unit else []
    facts += [f"Example: `{each.name}={each.example}`."]
    meaning = f"{each.meaning[0].upper()}{each.meaning[1:]}."
    return entry(f"**{each.name}**\\ =\\ *{rst(each.values)}*", f"{meaning}\n\n{' '.join(facts)}")


def _configuration() -> Page:
    settings = "".join(_setting(each) for each in _core.variables() if each.meaning)
    algorithms = "".join(
        entry(
            f"**{variable}**\\ =\\ *ALGORITHM*",
            f"The algorithm for {' and '.join('MPI_' + name.capitalize() for name in names)}. "
            f"Unit of sizes: {unit_of_sizes(names[0])}.",
        )
        for variable, names in served().items()
    )
    text = (
        section("Description", _CONFIGURATION)
        + section("Settings", settings)
        + section("Algorithms", _ALGORITHMS + algorithms)
        + section("Files", _FILES)
        + section("Examples", _EXAMPLES)
        + section(
            "See also", "**toccata-doctor**\\ (1), **toccata-run**\\ (1), **libtoccata**\\ (7)"
        )
    )
    return Page("toccata.conf", 5, "settings of Toccata's library", text)


_CONFIGURATION = """
Each line is *NAME*\\ =\\ *VALUE*. Empty lines and lines that begin with # are ignored. The same
names are read from the environment, which overrides the files; the user's file overrides the
installation's. The settings must be identical on all ranks of a program. If they differ, one line
names the difference, and the program uses the MPI library's own collectives. ``toccata doctor``
prints the settings in effect and their origin.
"""
_ALGORITHMS = """
*ALGORITHM* is an algorithm from ``toccata list``, with parameters as in
``sparbit:messages=per_block``; ``native``, the MPI library's own algorithm; ``auto``, the
default; or a list by size, such as ``bruck<=4K, hierarchical<=256K, native``. For alltoallv,
gatherv, scatterv and neighbourhoods, the last range serves all sizes.

"""
_FILES = """
``${XDG_CONFIG_HOME:-~/.config}/toccata/toccata.conf``
    The user's file.
``PREFIX/etc/toccata.conf``
    The file of an installation below PREFIX; ``/etc/toccata.conf`` if PREFIX is /usr.
"""
_EXAMPLES = """
An administrator may write, after ``toccata tune``::

    # measured on two nodes, 2026-11
    TOCCATA_TUNING=/opt/toccata/etc/tuning-openmpi.json
    TOCCATA_TOPOLOGY=/etc/slurm/topology.conf
"""


def _library() -> Page:
    text = (
        section("Synopsis", _SYNOPSIS)
        + section("Description", _DESCRIPTION)
        + section("The C interface", "\n\n".join(preamble()))
        + section("Environment", "All settings of **toccata.conf**\\ (5) are variables as well.")
        + section(
            "See also",
            "**toccata.hpp**\\ (3), **toccata.mpi**\\ (3), **toccata-run**\\ (1), "
            "**toccata.conf**\\ (5)",
        )
    )
    return Page("libtoccata", 7, "topology-aware MPI collectives for any MPI program", text)


_SYNOPSIS = """
``LD_PRELOAD=PREFIX/lib/toccata/openmpi/libtoccata.so mpirun -n 4 ./app``

``#include <toccata/toccata.h>``

``mpicc app.c $(pkg-config --cflags --libs toccata-openmpi)``
"""
_DESCRIPTION = """
Preload the library into all ranks of an MPI program, and it serves the program's blocking
collectives, in C and Fortran. Without settings, it chooses algorithms automatically: the first
calls use the MPI library's own algorithm. After a collective of some size has taken enough time,
the library tries up to six algorithms that a model proposes, and keeps the fastest. After
set-up, trials cost at most 2% of the time in those calls. ``toccata run`` preloads the library on
all hosts, in the way of the launcher. There is one library per MPI, in a folder with the name of
its family: openmpi, mpich, intelmpi, or abi for the standard ABI.
"""


def _cpp() -> Page:
    """The page about toccata.hpp, from its first comment. Indented lines are an example."""
    text = CPP_HEADER.read_text()
    comment = re.match(r"((?://.*\n)+)", text)
    assert comment is not None
    lines = [line.removeprefix("//").removeprefix(" ") for line in comment[1].splitlines()]
    body = _with_examples("\n".join(lines))
    functions = re.findall(r"^TOCCATA_HPP_FORMS\(\s*(\w+)", text, re.MULTILINE)
    names = ", ".join(f"``{each}``" for each in functions)
    return Page(
        "toccata.hpp",
        3,
        "the C++ interface of Toccata's library",
        section("Synopsis", "``#include <toccata/toccata.hpp>``")
        + section("Description", body)
        + section("Functions", f"{names}; of each, ``iNAME`` and ``NAME_init`` as well.")
        + section("See also", "**libtoccata**\\ (7), **toccata.conf**\\ (5)"),
    )


def _with_examples(text: str) -> str:
    """The paragraphs after the title. Indented ones are examples."""
    return "\n\n".join(
        f"::\n\n{each}" if each.startswith("  ") else rst(each)
        for each in text.strip().split("\n\n")[1:]
    )


def _python() -> Page:
    """The page about toccata.mpi, from the docstring in its file: the import would need an MPI."""
    text = ast.get_docstring(ast.parse(PYTHON_MODULE.read_text()))
    assert text is not None
    names = [name for name in dir(_mpi) if name.endswith("_init")]
    functions = ", ".join(f"``{name.removesuffix('_init')}``" for name in names)
    return Page(
        "toccata.mpi",
        3,
        "the Python interface of Toccata's library, for mpi4py",
        section("Synopsis", "``from toccata import mpi``")
        + section("Description", _with_examples(text))
        + section("Functions", f"{functions}; of each, ``Iname`` and ``Name_init`` as well.")
        + section("See also", "**libtoccata**\\ (7), **toccata.conf**\\ (5)"),
    )


def preamble() -> list[str]:
    """The paragraphs at the head of toccata.h, without its title."""
    return [rst(each) for each in _paragraphs(_comments(HEADER.read_text())[0])[1:]]


def _comments(text: str) -> list[str]:
    return re.findall(r"/\*(.*?)\*/", text, re.DOTALL)


def _paragraphs(comment: str) -> list[str]:
    lines = [line.strip().removeprefix("*").strip() for line in comment.strip().splitlines()]
    paragraphs = (each.strip() for each in "\n".join(lines).split("\n\n"))
    # In a list, the lines that continue an item are indented.
    return [
        re.sub(r"\n(?!- )", "\n  ", each) if each.startswith("- ") else each for each in paragraphs
    ]


def declarations() -> Iterator[tuple[str, list[str]]]:
    """The declarations of toccata.h and large.h, in order: each comment, and the code before the
    next one."""
    head, _, rest = HEADER.read_text().partition('extern "C" {')
    yield "", re.findall(r"#define (TOCCATA_VERSION\w*)", head)
    large = LARGE_HEADER.read_text()
    title = _paragraphs(_comments(large)[0])
    yield from _declared(rest)
    for comment, found in _declared(large.partition('extern "C" {')[2]):
        yield "\n\n".join([*map(rst, title), comment]), found
        title = []


def _declared(text: str) -> Iterator[tuple[str, list[str]]]:
    for comment, code in re.findall(r"/\*(.*?)\*/(.*?)(?=/\*|\Z)", text, re.DOTALL):
        found = re.findall(
            r"TOCCATA_PUBLIC\s+(.*?);"
            r"|(typedef [^{;]*(?:\{[^}]*\})?[^;]*);"
            r"|#define (TOCCATA_(?:REQUEST|MESSAGES)\w*)",
            code,
            re.DOTALL,
        )
        yield (
            "\n\n".join(rst(each) for each in _paragraphs(comment)),
            [" ".join("".join(each).split()) for each in found],
        )


def examples() -> dict[str, str]:
    """For each function, its first call in examples/interfaces/reference.c, which a test runs."""
    found: dict[str, str] = {}
    for call, name in re.findall(r"((toccata_\w+)\((?:[^()]|\([^()]*\))*\))", EXAMPLES.read_text()):
        found.setdefault(name, " ".join(call.split()) + ";")
    return found


def function_in(declaration: str) -> str:
    """The name of the function that a declaration declares."""
    return declaration.partition("(")[0].split()[-1].lstrip("*")
