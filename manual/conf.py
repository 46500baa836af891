"""The configuration of Sphinx for the site: Markdown of the checkout, and files of site.py."""

import re

from toccata import _core

project = "Toccata"
author = "the Toccata authors"
copyright = "2026, the Toccata authors"
version = release = _core.VERSION

extensions = ["myst_parser", "sphinxcontrib.bibtex"]
myst_enable_extensions = ["html_image"]
myst_heading_anchors = 3
bibtex_bibfiles = ["docs/references.bib"]
root_doc = "index"
html_theme = "furo"
html_title = f"Toccata {version}"
html_copy_source = False
html_show_sphinx = False
html_css_files = ["narrow.css"]
html_static_path = ["static"]
suppress_warnings = ["misc.highlighting_failure"]
smartquotes = False  # options have two dashes
highlight_language = "none"


def _folders(app: object, name: str, source: list[str]) -> None:
    """On the site, a link to a folder leads to the page that lists it. The examples and the
    findings have none."""
    source[0] = re.sub(r"\]\(docs/design/?\)", "](docs/design/index.rst)", source[0])
    source[0] = re.sub(r"\[([^]]+)\]\((\.\./)*(examples|findings)/[^)]+\)", r"\1", source[0])


def setup(app: object) -> None:
    app.connect("source-read", _folders)  # type: ignore[attr-defined]
