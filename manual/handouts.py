"""Writes the manual pages and the completion for shells that an installation contains.

handouts.py DIRECTORY SAMPLE: into DIRECTORY, as below PREFIX/share; and a sample of toccata.conf.
"""

import sys
import textwrap
from pathlib import Path

from docutils.core import publish_string
from typer._completion_shared import get_completion_script

from pages import Page, pages
from toccata import _core

PROGRAM = "toccata"
COMPLETIONS = {
    "bash": "bash-completion/completions/toccata",
    "zsh": "zsh/site-functions/_toccata",
    "fish": "fish/vendor_completions.d/toccata.fish",
}


def roff(page: Page) -> str:
    """The page in the format of `man`."""
    title = f"{page.name}\n{'=' * len(page.name)}\n\n{page.summary}\n{'~' * len(page.summary)}\n\n"
    fields = f":Manual section: {page.section}\n:Manual group: Toccata\n"
    fields += f":Version: {_core.VERSION}\n\n"
    settings = {"output_encoding": "unicode", "report_level": 2, "halt_level": 2}
    text = publish_string(title + fields + page.text, writer="manpage", settings_overrides=settings)
    return str(text).replace("\n.SH ", "\n.nh\n.SH ", 1)  # man must not hyphenate names


def completion(shell: str) -> str:
    """A script that queries the program for completions."""
    script = get_completion_script(prog_name=PROGRAM, complete_var="_TOCCATA_COMPLETE", shell=shell)
    # zsh loads the file at the first completion and expects the answer, unless the user sources it.
    asked = '\n[[ -z $words ]] || _toccata_completion "$@"\n'
    return script + (asked if shell == "zsh" else "\n")


def sample() -> str:
    """A toccata.conf in which all settings are comments."""
    lines = [
        "# Settings of Toccata's library for all users of this installation; man toccata.conf",
        "# explains them. To use a setting, remove the # before its name.",
        "#",
        "# The environment overrides ~/.config/toccata/toccata.conf, which overrides this file.",
        "# `toccata doctor` prints the settings in effect and their origin.",
    ]
    for each in _core.variables():
        if each.meaning:
            meaning = f"{each.meaning[0].upper()}{each.meaning[1:]} (default: {each.standard})."
            lines += ["", *(f"# {line}" for line in textwrap.wrap(meaning, 96))]
            lines.append(f"#{each.name}={each.values}")
    lines += [
        "",
        "# The algorithm for a collective: one from `toccata list`, native or auto; or a list by",
        "# size (bytes per block or of the message), as bruck<=4K, hierarchical<=256K, native. For",
        "# alltoallv, gatherv, scatterv and neighbourhoods, the last range serves all sizes.",
    ]
    variables = dict.fromkeys(each.variable for each in _core.collectives())
    lines += [f"#{variable}=auto" for variable in variables]
    return "\n".join(lines) + "\n"


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    Path(sys.argv[2]).write_text(sample(), encoding="utf-8")
    share = Path(sys.argv[1])
    files = {f"man/man{each.section}/{each.name}.{each.section}": roff(each) for each in pages()}
    files |= {path: completion(shell) for shell, path in COMPLETIONS.items()}
    for name, text in files.items():
        path = share / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main()
