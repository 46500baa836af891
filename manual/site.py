"""Writes the sources of the site for Sphinx: the texts of the checkout, the pages of the commands,
the C reference and the gallery.

site.py DIRECTORY
"""

import shutil
import sys
from pathlib import Path

import gallery
import pages

ROOT = Path(__file__).resolve().parents[1]
OWN = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "include", "docs")
SITE = ("conf.py", "index.rst", "static")


def title(text: str, line: str = "=") -> str:
    return f"{text}\n{line * len(text)}\n\n"


def commands() -> dict[str, str]:
    """The manual pages, and a list of those of the commands."""
    all_ = pages.pages()
    files = {
        f"commands/{each.name}.rst": title(f"{each.name}({each.section})")
        + f"{each.summary[0].upper()}{each.summary[1:]}.\n\n{each.text}"
        for each in all_
    }
    names = "".join(f"   {each.name}\n" for each in all_ if each.section == 1)
    files["commands/index.rst"] = title("Commands") + f".. toctree::\n   :maxdepth: 1\n\n{names}"
    return files


def reference() -> str:
    """The declarations of toccata.h and large.h under their comments, each function with an
    example."""
    examples = pages.examples()
    text = title("The C interface") + "``#include <toccata/toccata.h>``\n\n"
    text += "\n\n".join(pages.preamble()) + "\n\n"
    text += "Examples come from ``examples/interfaces/reference.c``, which our tests run.\n\n"
    for comment, declared in pages.declarations():
        text += f"{comment}\n\n" if declared else ""
        for each in declared:
            if each.startswith("typedef"):
                kind, said = "type", each.split()[-1]
            elif "(" in each:
                kind, said = "function", each
            else:
                kind, said = "macro", each
            text += f".. c:{kind}:: {said}\n\n"
            if kind == "function":
                text += f"   Example: ``{examples[pages.function_in(said)]}``\n\n"
    return text


def design() -> str:
    notes = sorted((ROOT / "docs/design").glob("*.md"))
    return (
        title("Design notes")
        + "Why things are as they are, a note for each bigger decision.\n\n"
        + ".. toctree::\n   :maxdepth: 1\n\n"
        + "".join(f"   {each.stem}\n" for each in notes)
    )


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    source = Path(sys.argv[1])
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    for place in (*(ROOT / each for each in OWN), *(ROOT / "manual" / each for each in SITE)):
        copy = shutil.copytree if place.is_dir() else shutil.copy
        copy(place, source / place.name)
    files = {
        **commands(),
        "toccata.h.rst": reference(),
        "docs/design/index.rst": design(),
        "references.rst": title("References") + ".. bibliography::\n   :all:\n",
    }
    for name, text in files.items():
        (source / name).parent.mkdir(exist_ok=True)
        (source / name).write_text(text)
    gallery.write(source / "gallery")


if __name__ == "__main__":
    main()
