"""The manual's pages as reStructuredText, made of what the program and the library say themselves:
the commands' help, the settings of src/selection/variables.cpp, and the comments of toccata.h.
"""

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from toccata import _core, catalogue
from toccata.cli import app

HEADER = Path(__file__).resolve().parents[1] / "include/toccata/toccata.h"


@dataclass(frozen=True)
class Page:
    """As `man` names it: toccata-run(1), "run an MPI program, unchanged, with our collectives"."""

    name: str
    section: int
    summary: str
    text: str

    @property
    def reference(self) -> str:
        return f"**{self.name}**\\ ({self.section})"


def rst(markdown: str) -> str:
    """The little Markdown that help is written in: paragraphs, lists, and `what one types`."""
    pieces = re.split(r"(`[^`]+`)", markdown)
    return "".join(
        f"`{piece}`" if piece.startswith("`") else re.sub(r"([\\*|]|_(?!\w))", r"\\\1", piece)
        for piece in pieces
    )


def section(title: str, text: str) -> str:
    return f"{title}\n{'-' * len(title)}\n\n{text.strip()}\n\n"


def entry(term: str, text: str) -> str:
    """Of a definition list."""
    return f"{term}\n{textwrap.indent(rst(text), '    ')}\n\n"


def pages() -> list[Page]:
    """All of them, the program's own first."""
    commands = [_command(name, each) for name, each in _commands().items()]
    others = [_configuration(), _library()]
    return [_program(commands, others), *commands, *others]


def _commands() -> dict[str, Any]:
    return dict(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


def _sentence(text: str) -> str:
    """A page's summary: the first sentence, as `man` lists them."""
    first = re.split(r"[.:](?:\s|$)", " ".join(text.split()), maxsplit=1)[0]
    return (first[0].lower() + first[1:]).replace("`", "")


def _program(commands: list[Page], others: list[Page]) -> Page:
    help_ = typer.main.get_command(app).help or ""
    names = "".join(
        entry(f"**{each.name.replace('-', ' ', 1)}**", each.summary + ".") for each in commands
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
    All is well.
1
    What was looked at or started failed: a proof, a finding of ``toccata doctor``, a run.
2
    What was asked for cannot be; one line on standard error names it, and the remedy.
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
    text += section("Examples", rst(examples))
    text += section("See also", "**toccata**\\ (1), **toccata.conf**\\ (5)")
    return Page(f"toccata-{name}", 1, _sentence(body), text)


def _configuration() -> Page:
    served: dict[str, list[str]] = {}
    for each in _core.collectives():
        served.setdefault(each.variable, []).append(each.name)
    for other, by in catalogue.ALSO_SERVED.items():
        variable = next(each.variable for each in _core.collectives() if each.name == by)
        names = served[variable]
        names += [other] * (other not in served and f"TOCCATA_{other.upper()}" not in served)
    settings = "".join(
        entry(f"**{each.name}**\\ =\\ *{rst(each.values)}*", each.meaning + ".")
        for each in _core.variables()
        if each.meaning
    )
    algorithms = "".join(
        entry(
            f"**{variable}**\\ =\\ *ALGORITHM*",
            f"What serves {' and '.join('MPI_' + name.capitalize() for name in names)}.",
        )
        for variable, names in sorted(served.items())
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
Each line is *NAME*\\ =\\ *VALUE*; empty lines, and such as begin with #, are left out. The same
names are read from the environment, which counts more; of the files, the user's counts more than
the installation's. All ranks of a program have to find the same: where they do not, one line says
where they differ, and the MPI library's own collectives are used. ``toccata doctor`` tells what is
set, and where it comes from.
"""
_ALGORITHMS = """
*ALGORITHM* is one of those that ``toccata list`` shows, with parameters as in
``sparbit:messages=per_block``; ``native``, the MPI library's own; ``auto``, as if nothing were set;
or such by size, as ``bruck<=4K, hierarchical<=256K, native``, of the bytes that a rank contributes,
or of the message.

"""
_FILES = """
``${XDG_CONFIG_HOME:-~/.config}/toccata/toccata.conf``
    The user's.
``PREFIX/etc/toccata.conf``
    The installation's, of a library below PREFIX; ``/etc/toccata.conf`` where PREFIX is /usr.
"""
_EXAMPLES = """
What an administrator might write, once ``toccata tune`` has been run::

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
        + section("See also", "**toccata-run**\\ (1), **toccata.conf**\\ (5), **MPI_Init**\\ (3)")
    )
    return Page("libtoccata", 7, "topology-aware MPI collectives for any MPI program", text)


_SYNOPSIS = """
``LD_PRELOAD=PREFIX/lib/toccata/openmpi/libtoccata.so mpirun -n 4 ./app``

``#include <toccata/toccata.h>``

``mpicc app.c $(pkg-config --cflags --libs toccata-openmpi)``
"""
_DESCRIPTION = """
Preloaded into all ranks of an MPI program, the library serves its blocking collectives, in C and
Fortran. Where nothing is set it chooses by itself: the first calls are the MPI library's own; when
a collective of some size has taken so long that it pays, up to five algorithms that a model names
are tried beside it, and the quickest stays. Trials cost at most 2% of the time in those calls,
beside what is set up once. ``toccata run`` does the preloading, by the launcher's own way, on all
hosts. There is one library for each MPI, below the name of its family: openmpi, mpich, intelmpi,
or abi, the standard ABI.
"""


def preamble() -> list[str]:
    """The paragraphs at the head of toccata.h, without its title."""
    return [rst(each) for each in _paragraphs(_comments(HEADER.read_text())[0])[1:]]


def _comments(text: str) -> list[str]:
    return re.findall(r"/\*(.*?)\*/", text, re.DOTALL)


def _paragraphs(comment: str) -> list[str]:
    lines = [line.strip().removeprefix("*").strip() for line in comment.strip().splitlines()]
    return [each.strip() for each in "\n".join(lines).split("\n\n")]


def declarations() -> Iterator[tuple[str, list[str]]]:
    """What toccata.h declares, in its order: a comment, and what stands below it until the next."""
    head, _, rest = HEADER.read_text().partition('extern "C" {')
    yield "", re.findall(r"#define (TOCCATA_VERSION)", head)
    for comment, code in re.findall(r"/\*(.*?)\*/(.*?)(?=/\*|\Z)", rest, re.DOTALL):
        found = re.findall(
            r"TOCCATA_PUBLIC\s+(.*?);|(typedef .*?);|#define (TOCCATA_REQUEST\w*)", code, re.DOTALL
        )
        yield (
            "\n\n".join(rst(each) for each in _paragraphs(comment)),
            [" ".join("".join(each).split()) for each in found],
        )
