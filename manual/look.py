"""Checks the site in headless Chromium as a reader sees it: every link inside it leads to a page,
every picture exists, and on a phone nothing is cut off or needs horizontal scrolling.

look.py SITE [SCREENSHOTS]: exit code 1 with a line for each error; screenshots of some pages, for a
phone and a desktop, go to SCREENSHOTS. Links to other sites are not followed.
"""

import shutil
import sys
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlparse

from playwright.sync_api import Page, sync_playwright

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 900}
LEAST_LETTERS = 12  # pixels, to be readable without zooming
SHOWN = ("index.html", "README.html", "gallery/allgather.html", "toccata.h.html",
         "commands/toccata-run.html", "docs/performance.html")  # fmt: skip

WIDTH = "() => [document.documentElement.scrollWidth, window.innerWidth]"
PICTURES = """async () => {
  const broken = [];
  for (const each of document.images) {
    each.loading = "eager";
    try { await each.decode(); } catch { broken.push(each.getAttribute("src")); }
  }
  return broken;
}"""
LINKS = '() => Array.from(document.querySelectorAll("a[href]"), each => each.href)'
ANCHORS = '() => Array.from(document.querySelectorAll("[id]"), each => each.id)'
LETTERS = """() => Math.min(...Array.from(
  document.querySelectorAll("article p, article li, article td, article dd, article pre"),
  each => parseFloat(getComputedStyle(each).fontSize)))"""


def look(page: Page, file: Path) -> tuple[list[str], list[str], set[str]]:
    """The errors of a page, the targets of its links, and the anchors in it."""
    page.goto(file.as_uri())
    wrong = [f"the picture {src} is broken" for src in page.evaluate(PICTURES)]
    wide, screen = page.evaluate(WIDTH)
    if wide > screen + 1:
        wrong.append(f"{wide} pixels wide on a phone of {screen}")
    letters = page.evaluate(LETTERS)
    if letters is not None and letters < LEAST_LETTERS:
        wrong.append(f"letters of {letters} pixels on a phone")
    return wrong, page.evaluate(LINKS), set(page.evaluate(ANCHORS))


def broken(links: dict[Path, list[str]], anchors: dict[Path, set[str]]) -> list[str]:
    """The links within the site to missing files or anchors."""
    found = []
    for file, hrefs in links.items():
        for href in dict.fromkeys(hrefs):
            address, fragment = urldefrag(urljoin(file.as_uri(), href))
            if urlparse(address).scheme != "file":
                continue
            target = Path(unquote(urlparse(address).path))
            if not target.exists():
                found.append(f"{file.name}: the link {href} leads to no file")
            elif fragment and target in anchors and unquote(fragment) not in anchors[target]:
                found.append(f"{file.name}: the link {href} leads to no place in {target.name}")
    return found


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    site = Path(sys.argv[1]).resolve()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("look: there is no Chromium; install it (Debian: apt-get install chromium)")
    files = sorted(each for each in site.rglob("*.html") if "_static" not in each.parts)
    if not files:
        sys.exit(f"look: {site} has no pages; run `make docs`")
    links, anchors, wrong = {}, {}, []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport=PHONE, device_scale_factor=2)
        for file in files:
            faults, links[file], anchors[file] = look(page, file)
            wrong += [f"{file.relative_to(site)}: {each}" for each in faults]
        if len(sys.argv) == 3:
            for name in SHOWN:
                for screen, size in (("phone", PHONE), ("desk", DESK)):
                    page.set_viewport_size(size)
                    page.goto((site / name).as_uri())
                    stem = name.removesuffix(".html").replace("/", "-")
                    page.screenshot(path=Path(sys.argv[2]) / f"{stem}-{screen}.png")
        browser.close()
    wrong += broken(links, anchors)
    for line in wrong:
        print(line)
    count = sum(len(each) for each in links.values())
    print(f"looked at {len(files)} pages and {count} links in Chromium: {len(wrong)} wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
