"""The sources of the site, without Sphinx, which `make docs` needs."""

import re

import pytest

import gallery
from conftest import ROOT


def test_the_contents_name_every_page() -> None:
    contents = (ROOT / "manual/index.rst").read_text()
    pages = [*ROOT.glob("docs/*.md"), *ROOT.glob("docs/performance/*.md")]
    assert len(pages) > 15
    for page in pages:
        name = str(page.relative_to(ROOT).with_suffix(""))
        assert re.search(rf"^   {name}$", contents, re.MULTILINE), name


@pytest.mark.parametrize("entry", gallery.entries(), ids=lambda each: each.algorithm.path)
def test_heads_of_algorithms_are_pages(entry: gallery.Entry) -> None:
    """A head comment has prose, the source with the costs, and remarks. A paragraph of the remarks
    is either prose or a drawing: drawings are indented."""
    assert entry.prose and entry.cost
    for paragraph in entry.remarks.split("\n\n"):
        lines = paragraph.split("\n")
        assert len({line.startswith("  ") for line in lines if not line.startswith("- ")}) <= 1, (
            paragraph
        )
