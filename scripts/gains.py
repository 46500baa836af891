"""Draws docs/images/gains.png from docs/performance/four-hosts.csv: the speedup over Open MPI's own
choice without settings. `gains.py --table` prints these cells as a table."""

import csv
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"
DATA = DOCS / "performance/four-hosts.csv"
EVEN = "4"  # ranks per host


def rows() -> list[dict[str, str]]:
    with DATA.open(newline="") as file:
        return list(csv.DictReader(file))


def size(row: dict[str, str]) -> str:
    number = int(row["bytes"])
    if row["collective"] == "barrier":
        return "–"
    return f"{number >> 10} KiB" if number >= 1024 else f"{number} B"


def table() -> str:
    lines = []
    for row in rows():
        fresh, learned, best = (
            1 / float(row[f"{each}_over_native"]) for each in ("fresh", "learned", "best_fixed")
        )
        lines.append(
            f"| {row['collective']} | {row['ranks_per_host']} | {size(row)} | {row['native_ms']} | "
            f"{fresh:.2f}× | {learned:.2f}× | {best:.2f}× | {row['best_fixed']} |"
        )
    return "\n".join(lines)


def draw(path: Path) -> None:
    import matplotlib  # not needed for the table

    matplotlib.use("Agg")
    from matplotlib import pyplot

    even = [each for each in rows() if each["ranks_per_host"] == EVEN]
    even = even[::-1]
    names = [f"{each['collective']}  {size(each)}".removesuffix("  –") for each in even]
    speedups = [1 / float(each["fresh_over_native"]) for each in even]
    figure, axes = pyplot.subplots(figsize=(7, 4.2))
    colours = ["#1f77b4" if each > 1.05 else "#b0b0b0" for each in speedups]
    bars = axes.barh(names, speedups, color=colours)
    axes.bar_label(bars, [f"{each:.1f}×" for each in speedups], padding=3, fontsize=8)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xlabel(
        "speedup over Open MPI 4.1.4 (16 ranks on 4 emulated hosts, no settings)\n"
        "grey: at most 1.05"
    )
    axes.tick_params(axis="y", labelsize=8)
    axes.set_xlim(0, max(speedups) * 1.1)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    if sys.argv[1:] == ["--table"]:
        print(table())
    else:
        draw(DOCS / "images/gains.png")
